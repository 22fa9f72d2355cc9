package watch

// This file defines the indexer: the loop of the leading process, which looks at what changed, one root at a time.

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"docket/db"
	"docket/ingest"
	"docket/trace"
)

const (
	firstPause   = 2 * time.Second // after an error of the store
	longestPause = time.Minute
	sleepJump    = 30 * time.Second // the wall clock went on by this much more than the process: the computer slept
)

// An indexer keeps the store equal to its folders for as long as it leads.
type indexer struct {
	d     *db.DB
	o     Options
	lease *ingest.Lease
	log   *slog.Logger
	since string

	roots  map[string]*root // by name
	wake   chan struct{}
	looked time.Time // when the roots were last looked after
	pause  time.Duration
}

func newIndexer(d *db.DB, o Options, lease *ingest.Lease) *indexer {
	return &indexer{d: d, o: o, lease: lease, log: o.Log, since: db.Stamp(time.Now()), roots: map[string]*root{}, wake: make(chan struct{}, 1)}
}

// poke makes the loop look at what is due next.
func (x *indexer) poke() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// run returns when ctx is done, the lease is lost, or the store's file is not the one it was.
func (x *indexer) run(ctx context.Context) error {
	defer func() {
		for _, r := range x.roots {
			r.unwatch()
		}
	}()
	timer := time.NewTimer(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-x.wake:
		case <-timer.C:
		}
		err := x.work(ctx)
		if ctx.Err() != nil {
			return nil
		}
		_, replaced := errors.AsType[*db.ReplacedError](err)
		lost, isLost := errors.AsType[*ingest.LeaseLostError](err)
		switch {
		case err == nil:
			x.pause = 0
		case replaced || isLost && lost.Name == ingest.IndexerLease:
			return err
		default: // a full disk, a store that is busy: what was to be done is done later, as a whole
			x.pause = min(max(firstPause, 2*x.pause), longestPause)
			x.log.Warn("indexing", keyError, err)
			for _, r := range x.roots {
				r.wantWhole(time.Now().Add(x.pause))
			}
		}
		timer.Reset(max(time.Until(x.next()), x.pause))
	}
}

// work does all that is due.
func (x *indexer) work(ctx context.Context) error {
	for ctx.Err() == nil {
		if now := time.Now(); now.Sub(x.looked) >= lookEvery {
			if err := x.lookAfter(ctx, now); err != nil {
				return err
			}
		}
		r, what := x.due(time.Now())
		if r == nil {
			break
		}
		if err := x.look(ctx, r, what); err != nil {
			return err
		}
	}
	return x.tell()
}

// due returns a root at which something is to be looked at now: these paths and all that is missing, or, with nil, the whole of it.
func (x *indexer) due(now time.Time) (*root, []string) {
	for _, name := range slices.Sorted(maps.Keys(x.roots)) {
		if what, ok := x.roots[name].take(now); ok {
			return x.roots[name], what
		}
	}
	return nil, nil
}

func (x *indexer) next() time.Time {
	at := x.looked.Add(lookEvery)
	for _, r := range x.roots {
		at = earlier(at, r.next())
	}
	return at
}

// lookAfter notices roots that were added or removed, folders that went or came back, and a computer that slept; and it settles the
// reviews that other processes left pending.
func (x *indexer) lookAfter(ctx context.Context, now time.Time) error {
	slept := !x.looked.IsZero() && now.Round(0).Sub(x.looked.Round(0))-now.Sub(x.looked) > sleepJump
	x.looked = now
	var roots []db.Root
	err := x.d.View(ctx, func(tx *db.Tx) (err error) { roots, err = tx.Roots(ctx); return err })
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, stored := range roots {
		known[stored.Name] = true
		r := x.roots[stored.Name]
		if r == nil || r.path != stored.Path {
			if r != nil {
				r.unwatch()
			}
			r = newRoot(x, stored)
			x.roots[stored.Name] = r
		}
		if slept {
			r.wantWhole(now)
		}
		r.lookAfter(now)
	}
	for name, r := range x.roots {
		if !known[name] {
			r.unwatch()
			delete(x.roots, name)
		}
	}
	_, err = trace.Drain(ctx, x.d)
	return err
}

// look has ingest look at a root. What befalls this root alone is logged, and stops no other.
func (x *indexer) look(ctx context.Context, r *root, touched []string) error {
	whole := touched == nil
	begun, start := time.Now(), time.Time{} // start is when the wait for others is over
	if whole {
		r.watch()
	}
	visited := map[string]bool{}
	x.log.Debug("looking", keyRoot, r.name, keyWhole, whole, keyPaths, touched)
	report, err := ingest.Sync(ctx, x.d, ingest.SyncRequest{
		Roots: []string{r.name}, Touched: touched, Leader: x.lease, Grace: x.o.grace, Foreign: x.o.Foreign,
		Visit: func(_, dir string) { r.visit(dir, visited) },
		Progress: func(p ingest.Progress) {
			if start.IsZero() && p.Stage != ingest.StageWaiting {
				start = time.Now()
			}
		},
	})
	end := time.Now()
	if whole {
		cost := end.Sub(start)
		for _, report := range report.Roots {
			if report.Read > 0 || start.IsZero() {
				cost = 0
			}
		}
		r.looked(end, cost)
	}
	offline, isOffline := errors.AsType[*ingest.RootOfflineError](err)
	refused, isRefused := errors.AsType[*ingest.RemovalsError](err)
	_, isUnknown := errors.AsType[*ingest.RootError](err)
	switch {
	case isOffline:
		if r.reason != offline.Reason {
			x.log.Warn("root is offline", keyRoot, r.name, keyReason, offline.Reason)
		}
		r.offline(offline.Reason)
		return nil
	case isUnknown: // removed a moment ago
		x.looked = time.Time{}
		return nil
	case isRefused:
		if r.refused != refused.Error() {
			r.refused = refused.Error()
			x.log.Warn("removals are not believed", keyRoot, r.name, keyReason, r.refused)
		}
		r.wantWhole(end.Add(max(2*x.o.grace, pollShare*r.price()))) // what else is missing may be back by then
	case err != nil:
		return err
	}
	if r.reason != "" {
		x.log.Info("root is back", keyRoot, r.name)
		r.reason, r.off = "", 0
	}
	for _, report := range report.Roots {
		if whole {
			r.settle(visited)
		}
		r.again(report.Again, end)
		r.removal(report.RemovalDue)
		if n := report.Indexed + report.Partly + report.NoText + report.Removed + report.Moved; n > 0 {
			x.log.Info("indexed", keyRoot, r.name, "read", report.Read, "changed", n, "took", end.Sub(begun).Round(time.Millisecond))
		}
	}
	return nil
}
