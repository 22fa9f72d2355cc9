package watch

// This file defines a watched root: how changes in it are noticed, and when which part of it is looked at next.

import (
	"os"
	"strings"
	"sync"
	"time"

	"docket/db"
)

// How often a root is looked at as a whole. Each interval is also stretched so that the looks take no more than a share of the time.
const (
	wholeEvery = 10 * time.Minute // a watched root: for what the system does not report
	wholeShare = 1000
	wholeRest  = 2 * time.Hour   // but no longer than this
	pollEvery  = 2 * time.Second // one that is polled
	pollShare  = 50
	lostAfter  = time.Second // after events were lost: a storm may still be going on
	lostShare  = 10
	offFirst   = time.Second      // one that can't be read; each time twice as long
	offEvery   = 30 * time.Second // up to this
	// racyAgain is how long a file that was read right after a change rests before it is looked at once more; see ingest.
	racyAgain = 2100 * time.Millisecond
	manyPaths = 2000 // from here on it is cheaper to look at the whole
)

// A root is one folder that is watched or polled.
type root struct {
	x    *indexer
	name string
	path string

	tree    *tree       // nil where it is polled, or offline
	stands  os.FileInfo // the folder that the tree was made for
	why     string      // it is polled, or "": by the system's reports
	reason  string      // it is offline, or ""
	off     time.Duration
	refused string    // why removals were not believed the last time
	last    time.Time // end of the last whole look
	cost    time.Duration
	due     time.Time // the first removal; zero for none

	mu    sync.Mutex // what follows is also used by the tree's goroutines
	dirty *settler
	racy  map[string]time.Time // paths to look at once more, and when
	whole time.Time            // when a whole look is due since something called for one; zero for nothing
	turn  time.Time            // when one is due in any case
}

func newRoot(x *indexer, r db.Root) *root {
	return &root{x: x, name: r.Name, path: r.Path, dirty: newSettler(), racy: map[string]time.Time{}, turn: time.Now()}
}

// changed notes that something happened to a path, or that what had it left. It is called by the tree.
func (r *root) changed(rel string, left bool) {
	if r.x.o.hear != nil {
		if err := r.x.o.hear(rel); err != nil {
			r.lost(err)
			return
		}
	}
	r.mu.Lock()
	idle := r.dirty.idle() // else the loop wakes up soon enough
	if rel == "" {
		r.whole = earlier(r.whole, time.Now().Add(quietWindow))
	} else {
		r.dirty.mark(rel, left, time.Now())
	}
	r.mu.Unlock()
	if idle {
		r.x.poke()
	}
}

// lost notes that events were lost. It is called by the tree.
func (r *root) lost(err error) {
	r.x.log.Warn("events were lost; looking at everything", keyRoot, r.name, keyError, err)
	r.wantWhole(time.Now().Add(max(lostAfter, lostShare*r.price())))
	r.x.poke()
}

func (r *root) price() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cost
}

// wantWhole makes a whole look due at an instant, if none is sooner.
func (r *root) wantWhole(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole = earlier(r.whole, at)
}

// next returns when something is due.
func (r *root) next() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := earlier(r.whole, r.turn)
	if r.reason != "" {
		return at
	}
	at = earlier(at, earlier(r.due, r.dirty.next()))
	for _, t := range r.racy {
		at = earlier(at, t)
	}
	return at
}

// take returns what is to be looked at now: some paths, none but what is missing, or, with nil, the whole of it. ok is false for nothing.
func (r *root) take(now time.Time) (paths []string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !earlier(r.whole, r.turn).After(now) {
		r.everything()
		return nil, true
	}
	if r.reason != "" { // only a whole look brings it back
		return nil, false
	}
	paths = append([]string{}, r.dirty.take(now)...)
	for path, at := range r.racy {
		if !at.After(now) {
			paths = append(paths, path)
			delete(r.racy, path)
		}
	}
	missing := !r.due.IsZero() && !r.due.After(now)
	if missing {
		r.due = time.Time{}
	}
	if len(paths) > manyPaths {
		r.everything()
		return nil, true
	}
	return paths, missing || len(paths) > 0
}

// everything notes that a whole look begins: what is noticed from here on comes on top.
func (r *root) everything() {
	r.dirty.forget()
	clear(r.racy)
	r.due, r.whole = time.Time{}, time.Time{}
}

// again has paths looked at once more, when their stat has become proof.
func (r *root) again(paths []string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, path := range paths {
		r.racy[path] = now.Add(racyAgain)
	}
}

// removal has what is missing looked at when the first grace period is over.
func (r *root) removal(at time.Time) {
	if at.IsZero() {
		return
	}
	// By this process's clock, which no one can set.
	r.due = earlier(r.due, time.Now().Add(at.Sub(r.x.d.Now())+10*time.Millisecond))
}

// watch starts the watches anew where there are none. A whole look follows, and adds the folders as it comes by.
func (r *root) watch() {
	if r.tree != nil {
		return
	}
	fi, err := os.Stat(r.path)
	if err != nil {
		return // ingest says so
	}
	r.stands = fi
	if r.why = unwatchable(r.path); r.x.o.Poll {
		r.why = "polling was asked for"
	}
	if r.why != "" {
		return
	}
	t, err := newTree(r.path, r.x.o.maxWatches, r.x.d.Files(), r.changed, r.lost)
	if err != nil {
		r.why = err.Error()
		return
	}
	r.tree = t
}

func (r *root) unwatch() {
	if r.tree != nil {
		_ = r.tree.Close() // nothing more is expected of it
		r.tree = nil
	}
}

// visit is called with each folder before it is listed.
func (r *root) visit(dir string, visited map[string]bool) {
	dir = strings.TrimSuffix(dir, "/")
	visited[dir] = true
	if r.tree != nil {
		r.tree.add(dir)
	}
}

// settle follows a whole look that came by these folders.
func (r *root) settle(visited map[string]bool) {
	if r.tree != nil {
		r.tree.keep(visited)
	}
}

// looked notes that a whole look is over, and how long it took if it was no more than a look; else cost is 0.
func (r *root) looked(now time.Time, cost time.Duration) {
	n, _ := r.blind()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last = now; cost > 0 {
		r.cost = cost
	}
	every := min(max(wholeEvery, wholeShare*r.cost), wholeRest)
	if n > 0 || r.tree == nil {
		every = min(max(pollEvery, pollShare*r.cost), wholeEvery)
	}
	r.turn = now.Add(every)
}

func (r *root) blind() (int, error) {
	if r.tree == nil {
		return 0, nil
	}
	return r.tree.blind()
}

// offline notes that the root cannot be read.
func (r *root) offline(why string) {
	r.unwatch()
	r.reason = why
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = min(max(offFirst, 2*r.off), offEvery)
	r.turn = time.Now().Add(max(r.off, pollShare*r.cost))
}

// lookAfter notices that the folder at the root's path went away, came back, or is another one.
func (r *root) lookAfter(now time.Time) {
	fi, err := os.Stat(r.path)
	switch {
	case err != nil:
		if r.stands != nil && r.reason == "" {
			r.unwatch()
			r.wantWhole(now)
		}
		r.stands = nil
	case r.stands == nil || !os.SameFile(fi, r.stands): // here again, or another
		r.stands = fi
		r.unwatch()
		r.wantWhole(now)
	}
}
