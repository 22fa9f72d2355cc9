package watch

import "time"

// ForTest returns options with a short grace period, at most so many watches (0 for what the system allows), and a hook that sees
// every report of the system and loses it with an error.
func (o Options) ForTest(grace time.Duration, maxWatches int, hear func(rel string) error) Options {
	o.grace, o.maxWatches, o.hear = grace, maxWatches, hear
	return o
}
