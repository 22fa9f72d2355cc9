package watch

// This file defines settling: when a path that changes has been quiet for long enough to be read.

import (
	"slices"
	"time"
)

// The windows of settling. A file that is written again and again is given longer and longer, up to a bound, and is looked at
// after longestWait in any case.
const (
	quietWindow   = 300 * time.Millisecond
	longestWindow = 5 * time.Second
	busyAgain     = 10 * time.Second // a change this soon after the last look doubles the window
	longestWait   = 30 * time.Second
	together      = 50 * time.Millisecond // what is due this soon is looked at with what is due now: both names of a renamed file
)

// A settler collects changed paths and gives each back once it is quiet. It is used from one goroutine at a time; time is a parameter.
type settler struct {
	dirty  map[string]*change
	looked map[string]look
}

type change struct {
	first, last time.Time
	window      time.Duration
}

type look struct {
	at     time.Time
	window time.Duration
}

func newSettler() *settler {
	return &settler{dirty: map[string]*change{}, looked: map[string]look{}}
}

// mark notes that something happened to a path. What left is given the short window however busy it was: there is nothing to read,
// and it is wanted when what came is looked at, as that may be where it went.
func (s *settler) mark(path string, left bool, now time.Time) {
	window := quietWindow
	if l, ok := s.looked[path]; ok && !left && now.Sub(l.at) < busyAgain {
		window = min(2*l.window, longestWindow)
	}
	c := s.dirty[path]
	if c == nil {
		c = &change{first: now}
		s.dirty[path] = c
	}
	c.last, c.window = now, window
}

func (c *change) due() time.Time {
	return earlier(c.last.Add(c.window), c.first.Add(longestWait))
}

// earlier returns the earlier of two instants; a zero one is none at all.
func earlier(a, b time.Time) time.Time {
	if b.IsZero() || !a.IsZero() && a.Before(b) {
		return a
	}
	return b
}

// take removes and returns the paths that are due, in order.
func (s *settler) take(now time.Time) []string {
	if at := s.next(); at.IsZero() || at.After(now) {
		return nil
	}
	var out []string
	for path, c := range s.dirty {
		if c.due().After(now.Add(together)) {
			continue
		}
		out = append(out, path)
		delete(s.dirty, path)
		s.looked[path] = look{now, c.window}
	}
	for path, l := range s.looked {
		if now.Sub(l.at) >= busyAgain {
			delete(s.looked, path)
		}
	}
	slices.Sort(out)
	return out
}

// next returns when the first path is due; zero when none is dirty.
func (s *settler) next() (at time.Time) {
	for _, c := range s.dirty {
		at = earlier(at, c.due())
	}
	return at
}

func (s *settler) idle() bool { return len(s.dirty) == 0 }

// forget drops all that is dirty: everything is looked at.
func (s *settler) forget() { clear(s.dirty) }
