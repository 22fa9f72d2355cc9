package ingest

// This file defines the lock that makes one process at a time the indexer of a store.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"docket/db"
)

// lockPoll is how often a waiting process tries again.
const lockPoll = 100 * time.Millisecond

// A lock is held by the operating system for this process, and dies with it. It lies on a file of its own beside the store: closing
// a descriptor of the store itself would drop SQLite's locks.
type lock struct{ f *os.File }

// acquire takes the lock of the store, and waits for it as long as ctx allows; it calls waiting once if it has to.
func acquire(ctx context.Context, d *db.DB, waiting func()) (*lock, error) {
	path, err := filepath.EvalSymlinks(d.Path())
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", d.Path(), err)
	}
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", d.Path(), err)
	}
	for first := true; ; first = false {
		ok, err := tryLock(f)
		if err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", d.Path(), err)
		}
		if ok {
			return &lock{f}, nil
		}
		if first && waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, &IndexingError{Path: d.Path(), Err: ctx.Err()}
		case <-time.After(lockPoll):
		}
	}
}

// release gives the lock back. The file stays: removing it would let two processes lock two files of one name.
func (l *lock) release() error { return l.f.Close() }

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
