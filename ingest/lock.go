package ingest

// This file defines the lock that lets one process at a time change what is indexed.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docket/db"
)

// lockPoll is how often a waiting process tries again.
const lockPoll = 100 * time.Millisecond

// A lock is held for one pass. Everything that the pass writes goes through its update.
type lock struct {
	*Lease
	leader *Lease // of the watcher that the pass is for; nil for a command
}

// acquire takes the lock of the store, and waits for it as long as ctx allows; it calls waiting once if it has to.
func acquire(ctx context.Context, d *db.DB, leader *Lease, waiting func()) (*lock, error) {
	w := NewWatch(d, passLease, "")
	for first := true; ; first = false {
		l, err := w.Try(ctx)
		switch {
		case l != nil:
			return &lock{l, leader}, nil
		case ctx.Err() != nil:
			return nil, &IndexingError{Path: d.Path(), Err: ctx.Err()}
		case err != nil:
			return nil, err
		}
		if first && waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, &IndexingError{Path: d.Path(), Err: ctx.Err()}
		case <-time.After(lockPoll):
		}
	}
}

// update runs fn in a transaction, unless the lock or the leader's lease was taken from this process meanwhile.
func (l *lock) update(ctx context.Context, fn func(*db.Tx) error) error {
	return l.d.Update(ctx, func(tx *db.Tx) error {
		if err := l.check(ctx, tx); err != nil {
			return err
		}
		if l.leader != nil {
			if err := l.leader.check(ctx, tx); err != nil {
				return err
			}
		}
		return fn(tx)
	})
}

// lost reports whether an error says that the lock is another's now.
func lost(err error) bool {
	_, ok := errors.AsType[*LeaseLostError](err)
	return ok
}

// An IndexingError is returned when another process was indexing the store for as long as the caller was ready to wait.
type IndexingError struct {
	Path string
	Err  error // why the wait ended
}

func (e *IndexingError) Error() string {
	return fmt.Sprintf("another docket is indexing into %s", e.Path)
}

// Hint says what to do next.
func (e *IndexingError) Hint() string {
	return "wait until it is done, or stop it; nothing was changed"
}

// Unwrap returns the reason the wait ended, and that the store is busy.
func (e *IndexingError) Unwrap() []error { return []error{e.Err, &db.BusyError{Path: e.Path}} }
