package watch

// This file defines what an indexer says of itself, for `docket status`.

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"docket/db"
	"docket/ingest"
)

// How a root's changes are noticed.
const (
	ModeWatched = "watched" // by the system's reports, and a whole look now and then
	ModePolled  = "polled"  // by whole looks
	ModePartly  = "partly_watched"
	ModeOffline = "offline"
)

// A Status is what the indexer of a store does. Without one, nothing is noticed until the next sync.
type Status struct {
	Running bool         `json:"running"`
	PID     int          `json:"pid,omitempty"`
	Version string       `json:"version,omitempty"`
	Role    string       `json:"role,omitempty"` // watch or serve
	Since   string       `json:"since,omitempty"`
	BeatAt  string       `json:"beat_at,omitempty"` // when it last showed that it lives: every 2 s
	Roots   []RootStatus `json:"roots"`
}

// A RootStatus is how one root is watched.
type RootStatus struct {
	Root     string `json:"root"`
	Mode     string `json:"mode"`
	Reason   string `json:"reason,omitempty"` // why not watched
	Folders  int    `json:"folders"`          // with a watch
	LastLook string `json:"last_look,omitempty"`
	NextLook string `json:"next_look,omitempty"` // at the whole of it
}

// A note is what stands beside the indexer's beat.
type note struct {
	Role  string       `json:"role"`
	Since string       `json:"since"`
	Roots []RootStatus `json:"roots"`
}

// ReadStatus returns what the indexer of the store last said.
func ReadStatus(d *db.DB) (Status, error) {
	s := Status{Roots: []RootStatus{}}
	b, held, err := ingest.ReadBeat(d, ingest.IndexerLease)
	if err != nil || !held {
		return s, err
	}
	s.Running, s.PID, s.Version, s.BeatAt = true, b.PID, b.Version, b.At
	if len(b.Note) > 0 {
		var n note
		if err := json.Unmarshal(b.Note, &n); err != nil {
			return s, fmt.Errorf("what the indexer of %s says: %w", d.Path(), err)
		}
		s.Role, s.Since, s.Roots = n.Role, n.Since, n.Roots
	}
	return s, nil
}

// tell writes down what the indexer does.
func (x *indexer) tell() error {
	n := note{Role: "serve", Since: x.since, Roots: []RootStatus{}}
	if x.o.Command {
		n.Role = "watch"
	}
	for _, name := range slices.Sorted(maps.Keys(x.roots)) {
		n.Roots = append(n.Roots, x.roots[name].status())
	}
	return x.lease.Tell(n)
}

func (r *root) status() RootStatus {
	s := RootStatus{Root: r.name, Mode: ModeWatched}
	switch n, why := r.blind(); {
	case r.reason != "":
		s.Mode, s.Reason = ModeOffline, r.reason
	case r.tree == nil:
		s.Mode, s.Reason = ModePolled, r.why
	case n > 0:
		s.Mode, s.Folders = ModePartly, r.tree.watched()
		s.Reason = fmt.Sprintf("%d of %d folders have no watch: %v", n, n+s.Folders, why)
	default:
		s.Folders = r.tree.watched()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() {
		s.LastLook = db.Stamp(r.last.Truncate(time.Second))
	}
	s.NextLook = db.Stamp(earlier(r.whole, r.turn).Truncate(time.Second))
	return s
}
