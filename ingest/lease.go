package ingest

// This file defines leases: locks that one process at a time holds on a store, that end with it, and that can be taken from a
// process that does not move any more.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"docket/db"
)

// The leases of a store. Each is a file beside it, since closing a descriptor of the store itself would drop SQLite's locks.
const (
	passLease    = "lock"    // held for one pass: whoever holds it may change what is indexed
	IndexerLease = "indexer" // held by the process that watches the folders
	WatchLease   = "watch"   // held by a `docket watch`, which the watchers within servers give way to
)

const (
	beatEvery = 2 * time.Second
	// staleAfter is how long a holder may go without a beat before its lease is taken from it.
	staleAfter = 10 * time.Second
	beatBytes  = 64 << 10 // no beat is larger
)

// A LeaseLostError is returned to a process that was stopped for so long that another took its lease. Nothing was written.
type LeaseLostError struct{ Path, Name string }

func (e *LeaseLostError) Error() string {
	return fmt.Sprintf("%s: this docket stood still, and another has taken over indexing", e.Path)
}

// Hint says what to do next.
func (e *LeaseLostError) Hint() string { return "nothing is lost; run the command again" }

// A Beat is what the holder of a lease says of itself.
type Beat struct {
	PID     int             `json:"pid"`
	Epoch   int64           `json:"epoch"`
	Count   int64           `json:"beat"` // grows as long as the holder lives
	At      string          `json:"at"`
	Version string          `json:"version,omitempty"`
	Note    json.RawMessage `json:"note,omitempty"` // what the holder is doing
}

// A Lease is a lock that this process holds. Its file stays when it ends: removing it would let two processes lock two files of
// one name.
type Lease struct {
	d          *db.DB
	name, path string
	f          *os.File

	mu    sync.Mutex // guards beat and the writing of it
	beat  Beat
	stop  chan struct{}
	ended sync.WaitGroup
}

// leasePath is where a lease's file lies: beside the real file of the store, whatever link led to it.
func leasePath(d *db.DB, name string) (string, error) {
	path, err := filepath.EvalSymlinks(d.Path())
	if err != nil {
		return "", fmt.Errorf("lock %s: %w", d.Path(), err)
	}
	return path + "." + name, nil
}

// TryLease takes a lease if nobody holds it, and returns nil if somebody does. version is the program's own.
func TryLease(ctx context.Context, d *db.DB, name, version string) (*Lease, error) {
	path, err := leasePath(d, name)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", d.Path(), err)
	}
	l := &Lease{d: d, name: name, path: path, f: f, stop: make(chan struct{})}
	ok, err := tryLock(f)
	if ok {
		// The epoch is read before it is made sure that the file is still the one of that name: who takes a lease away raises the
		// epoch first and removes the file then, so a lease that was taken in between can't go unnoticed.
		err = d.View(ctx, func(tx *db.Tx) (err error) { l.beat.Epoch, err = leaseEpoch(ctx, tx, name); return err })
		ok = err == nil && l.Held()
	}
	if !ok {
		_ = f.Close()
		if err != nil {
			err = fmt.Errorf("lock %s: %w", d.Path(), err)
		}
		return nil, err
	}
	l.beat.PID, l.beat.Version = os.Getpid(), version
	if err := l.write(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	l.ended.Go(l.beatOn)
	return l, nil
}

// beatOn shows that the holder lives.
func (l *Lease) beatOn() {
	t := time.NewTicker(beatEvery)
	defer t.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-t.C:
			_ = l.write() // a full disk must not end the work; should the beat stay out for long, another takes over
		}
	}
}

func (l *Lease) write() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.beat.Count++
	l.beat.At = db.Stamp(time.Now())
	b, err := json.Marshal(l.beat)
	if err != nil {
		return fmt.Errorf("lock %s: %w", l.d.Path(), err)
	}
	if _, err := l.f.WriteAt(b, 0); err != nil {
		return fmt.Errorf("lock %s: %w", l.d.Path(), err)
	}
	return l.f.Truncate(int64(len(b)))
}

// Tell puts a note beside the beat, for whoever asks what the holder does.
func (l *Lease) Tell(note any) error {
	b, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("lock %s: %w", l.d.Path(), err)
	}
	l.mu.Lock()
	same := bytes.Equal(b, l.beat.Note)
	l.beat.Note = b
	l.mu.Unlock()
	if same {
		return nil
	}
	return l.write()
}

// Held reports whether the lease is still this process's, as far as its file tells. Only check, inside a transaction, is proof.
func (l *Lease) Held() bool {
	own, err := l.f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.path)
	return err == nil && os.SameFile(own, named)
}

// Release gives the lease back.
func (l *Lease) Release() error {
	close(l.stop)
	l.ended.Wait()
	return l.f.Close()
}

// check makes sure, inside a transaction, that nobody has taken the lease.
func (l *Lease) check(ctx context.Context, tx *db.Tx) error {
	now, err := leaseEpoch(ctx, tx, l.name)
	if err == nil && now != l.beat.Epoch {
		err = &LeaseLostError{l.d.Path(), l.name}
	}
	return err
}

func leaseEpoch(ctx context.Context, tx *db.Tx, name string) (int64, error) {
	return db.One(ctx, tx, db.Value[int64], `SELECT coalesce((SELECT epoch FROM lease WHERE name = ?), 0)`, name)
}

// ReadBeat returns what the holder of a lease last said. held is false when nobody holds it, and then the beat is the last one of
// a holder that has ended.
func ReadBeat(d *db.DB, name string) (b Beat, held bool, err error) {
	path, err := leasePath(d, name)
	if err != nil {
		return b, false, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return b, false, nil
	}
	if err != nil {
		return b, false, fmt.Errorf("lock %s: %w", d.Path(), err)
	}
	defer func() { _ = f.Close() }()
	free, err := tryLock(f)
	if err != nil {
		return b, false, fmt.Errorf("lock %s: %w", d.Path(), err)
	}
	raw := make([]byte, beatBytes)
	n, err := readFull(f, raw)
	if err == nil && json.Unmarshal(raw[:n], &b) != nil { // caught while it was being written
		b = Beat{}
	}
	return b, !free, err
}

// A Watch looks at a lease that somebody else holds, until it is free or its holder is given up. Time is this process's own: a
// clock that was set, or a computer that slept, makes no holder look dead.
type Watch struct {
	d       *db.DB
	name    string
	version string
	beat    []byte
	holder  os.FileInfo
	since   time.Time
}

// NewWatch returns a watch on a lease of the store.
func NewWatch(d *db.DB, name, version string) *Watch {
	return &Watch{d: d, name: name, version: version}
}

// Try takes the lease if it is free, or if it was seen to be held for 10 s by a process that does not move. It returns nil if it
// is somebody else's.
func (w *Watch) Try(ctx context.Context) (*Lease, error) {
	l, err := TryLease(ctx, w.d, w.name, w.version)
	if l != nil || err != nil {
		return l, err
	}
	path, err := leasePath(w.d, w.name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil { // taken away just now
		return nil, nil //nolint:nilerr // the next try tells more
	}
	defer func() { _ = f.Close() }() // kept open as long as its identity counts, so that no other file can get its number
	stale, err := w.stale(f)
	if err != nil || !stale {
		return nil, err
	}
	holder := w.holder
	w.holder = nil
	if err := w.takeAway(ctx, path, holder); err != nil {
		return nil, err
	}
	return TryLease(ctx, w.d, w.name, w.version)
}

// Alive reports whether the lease is held by a process that moves.
func (w *Watch) Alive() (bool, error) {
	_, held, err := ReadBeat(w.d, w.name)
	if err != nil || !held {
		w.holder = nil
		return false, err
	}
	path, err := leasePath(w.d, w.name)
	if err != nil {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", w.d.Path(), err)
	}
	defer func() { _ = f.Close() }()
	stale, err := w.stale(f)
	return !stale, err
}

// stale reports whether the lease's file has held the same beat of the same holder for too long.
func (w *Watch) stale(f *os.File) (bool, error) {
	fi, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", w.d.Path(), err)
	}
	raw := make([]byte, beatBytes)
	n, err := readFull(f, raw)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", w.d.Path(), err)
	}
	if w.holder == nil || !os.SameFile(w.holder, fi) || !bytes.Equal(w.beat, raw[:n]) {
		w.holder, w.beat, w.since = fi, bytes.Clone(raw[:n]), time.Now()
	}
	return time.Since(w.since) >= staleAfter, nil
}

// takeAway ends the lease of a process that does not move: from the first transaction on nothing that it does is committed, and
// after the second its lock is on a file without a name. A process that dies in between leaves the old file to be taken again.
func (w *Watch) takeAway(ctx context.Context, path string, stale os.FileInfo) error {
	still := func() bool { fi, err := os.Stat(path); return err == nil && os.SameFile(fi, stale) }
	err := w.d.Update(ctx, func(tx *db.Tx) error {
		if !still() {
			return nil
		}
		_, err := tx.Exec(ctx, `INSERT INTO lease (name, epoch) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET epoch = epoch + 1`, w.name)
		return err
	})
	if err == nil {
		// The transaction is for its lock alone: of two that take the lease away, the second finds another file and leaves it.
		err = w.d.Update(ctx, func(*db.Tx) error {
			if !still() {
				return nil
			}
			return os.Remove(path)
		})
	}
	if err != nil {
		return fmt.Errorf("take over indexing into %s: %w", w.d.Path(), err)
	}
	return nil
}
