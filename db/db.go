// Package db owns the SQLite file: opening it, its connections and transactions, its schema, and the nouns that all else rests
// on (root, document, version, chunk, ledger row, scope). No other package imports database/sql or a driver.
//
// A DB holds one writer connection, so that writes queue in Go, and a few query_only readers beside it under WAL. Use
// [DB.Update] to write and [DB.View] to read; what happens together belongs into one of them. A reader never writes, and
// nothing in the process opens the file, its -wal or its -shm except through SQLite: closing such a descriptor drops SQLite's locks.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"modernc.org/sqlite"
	_ "modernc.org/sqlite/vec" // vec0, the vector index
)

const (
	readers     = 4
	busyTimeout = 10 * time.Second
	timeFormat  = "2006-01-02T15:04:05.000Z"
)

func init() {
	sqlite.StrictPragmas(true)
	// Where OFD locks do not exist (everywhere but Linux) POSIX locks serve; the rule above keeps them safe.
	_, _ = sqlite.OFDLocking(true)
}

var (
	asReader = url.Values{"mode": {"rw"}, "_query_only": {"1"}, "_pragma": {"cache_size(-16384)"}}
	// Not synchronous normal: it loses acknowledged writes in a power cut.
	asWriter = url.Values{"mode": {"rw"}, "_pragma": {"journal_mode(wal)", "synchronous(full)", "cache_size(-65536)", "journal_size_limit(67108864)"}}
)

// Options say how a store is opened.
type Options struct {
	Create bool             // make the file where there is none
	Now    func() time.Time // the clock, time.Now if nil
	NewID  func() string    // random ids in UUID form, version 4 if nil
}

// DB is an open store. It is safe for concurrent use.
type DB struct {
	path  string
	now   func() time.Time
	newID func() string
	self  os.FileInfo // the file that was opened, to notice when it is unlinked or replaced
	memo  sync.Map    // see Memo

	ro      *sql.DB
	readers chan *conn // idle readers; nil stands for one that is not open yet

	mu     sync.Mutex // guards the writer, one transaction at a time
	rw     *sql.DB
	writer *conn
	idle   *time.Timer // runs out when nothing was written for a while
}

// Tx is one transaction. It is valid inside the callback of [DB.Update] or [DB.View] only, on one goroutine.
type Tx struct {
	db   *DB
	conn *conn
	now  time.Time
}

// conn is one connection with its prepared statements.
type conn struct {
	*sql.Conn
	stmts map[string]*sql.Stmt
}

// Close closes the statements before the connection: SQLite keeps a connection open under them, and then the last process would
// not empty the WAL into the file.
func (c *conn) Close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}

// dsn names every setting in the DSN: a PRAGMA run on a pool reaches only the connection that happened to serve it. The time-out
// comes first, since switching to WAL needs the lock.
func dsn(path string, own url.Values) string {
	q := url.Values{"_defensive": {"1"}, "_dqs": {"0"}}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()))
	for k, v := range own {
		q[k] = append(q[k], v...)
	}
	for _, p := range []string{"foreign_keys(1)", "trusted_schema(0)", "cell_size_check(1)", "mmap_size(0)"} {
		q.Add("_pragma", p)
	}
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") { // C:/…
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: p, RawQuery: q.Encode()}).String()
}

// Open opens the store at path and brings its schema up to date. A missing file is made, 0600 in a 0700 folder, if o.Create says
// so, else the error is a [NoStoreError]; a file of a later docket gives a [NewerSchemaError], another program's a [ForeignFileError].
// An up-to-date file is opened without any write.
func Open(ctx context.Context, path string, o Options) (_ *DB, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	d := &DB{path: path, now: o.Now, newID: o.NewID, readers: make(chan *conn, readers)}
	if d.now == nil {
		d.now = time.Now
	}
	if d.newID == nil {
		d.newID = uuid.NewString
	}
	if err := d.claim(o.Create); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if d.ro, err = sql.Open("sqlite", dsn(path, asReader)); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	d.ro.SetMaxOpenConns(readers)
	d.ro.SetMaxIdleConns(readers)
	for range readers {
		d.readers <- nil
	}
	return d, d.ready(ctx)
}

// claim makes the file if it may, and remembers which file it is.
func (d *DB) claim(create bool) error {
	fi, err := os.Stat(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		if !create {
			return &NoStoreError{d.path}
		}
		if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
			return fmt.Errorf("make the store's folder: %w", err)
		}
		f, err := os.OpenFile(d.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		switch {
		case err == nil: // SQLite has not locked a file that did not exist, so closing this descriptor drops nothing
			if err := f.Close(); err != nil {
				return fmt.Errorf("make store: %w", err)
			}
		case !errors.Is(err, fs.ErrExist):
			return fmt.Errorf("make store: %w", err)
		}
		fi, err = os.Stat(d.path)
		if err != nil {
			return fmt.Errorf("open store: %w", err)
		}
	} else if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	if !fi.Mode().IsRegular() {
		return &ForeignFileError{d.path, "it is not a regular file"}
	}
	d.self = fi
	return nil
}

// Now returns the instant by the store's clock.
func (d *DB) Now() time.Time { return d.now() }

// Path returns the absolute path of the file.
func (d *DB) Path() string { return d.path }

// IsFile reports whether fi is the store's own file or one of SQLite's files beside it. Whoever walks folders asks before it opens.
func (d *DB) IsFile(fi os.FileInfo) bool {
	for _, path := range d.Files() {
		if own, err := os.Stat(path); err == nil && os.SameFile(own, fi) {
			return true
		}
	}
	return false
}

// Files returns the paths of the store and of all files that stand beside it, whether or not they are there just now.
func (d *DB) Files() []string {
	path := d.path
	if real, err := filepath.EvalSymlinks(path); err == nil { // SQLite's files stand beside the real one
		path = real
	}
	var files []string
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".lock", ".indexer", ".watch"} {
		files = append(files, path+suffix)
	}
	return files
}

// Close closes the readers, then the writer. It may be called twice. The last process to close leaves all in the one file.
func (d *DB) Close() error {
	var errs []error
	if d.ro != nil {
		for range cap(d.readers) { // waits for views that still run
			if c := <-d.readers; c != nil {
				errs = append(errs, c.Close())
			}
		}
		errs = append(errs, d.ro.Close())
		d.ro = nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.idle != nil {
		d.idle.Stop()
	}
	if d.writer != nil {
		errs = append(errs, d.writer.Close())
		d.writer = nil
	}
	if d.rw != nil {
		errs = append(errs, d.rw.Close())
		d.rw = nil
	}
	return errors.Join(errs...)
}

// here makes sure that the file at the path is still the one that was opened. SQLite would go on with one that is gone: what it
// writes is lost, and what it reads has no successor and stays current for ever.
func (d *DB) here() error {
	if fi, err := os.Stat(d.path); err != nil || !os.SameFile(fi, d.self) {
		return &ReplacedError{d.path}
	}
	return nil
}

// View runs fn in a read-only transaction: all its queries see one snapshot, and none can write. Like [DB.Update] it fails with a
// [ReplacedError] when the file is no longer there.
func (d *DB) View(ctx context.Context, fn func(*Tx) error) error {
	if err := d.here(); err != nil {
		return err
	}
	var c *conn
	select {
	case c = <-d.readers:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { d.readers <- c }()
	if c == nil {
		sc, err := d.ro.Conn(ctx)
		if err != nil {
			return d.wrap(fmt.Errorf("open %s: %w", d.path, err))
		}
		c = &conn{sc, map[string]*sql.Stmt{}}
	}
	ok, err := d.run(ctx, c, "BEGIN", fn)
	if !ok {
		c = nil
	}
	return err
}

// Update runs fn in a write transaction and commits if it returns nil; any error rolls everything back. It waits for other
// processes' writes, and fails with a [BusyError] when that takes too long.
func (d *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.openWriter(ctx); err != nil {
		return err
	}
	if err := d.here(); err != nil {
		return err
	}
	defer d.rest()
	ok, err := d.run(ctx, d.writer, "BEGIN IMMEDIATE", fn)
	if !ok {
		d.writer = nil
	}
	return err
}

// openWriter opens the writer the first time something is written. The caller holds d.mu.
func (d *DB) openWriter(ctx context.Context) error {
	if d.rw == nil {
		rw, err := sql.Open("sqlite", dsn(d.path, asWriter))
		if err != nil {
			return fmt.Errorf("open %s: %w", d.path, err)
		}
		rw.SetMaxOpenConns(1)
		d.rw = rw
	}
	if d.writer != nil {
		return nil
	}
	// Two first openers can collide while one switches to WAL, and the busy time-out does not cover that step.
	return d.retry(ctx, func() error {
		c, err := d.rw.Conn(ctx)
		if err != nil {
			return fmt.Errorf("open %s for writing: %w", d.path, err)
		}
		d.writer = &conn{c, map[string]*sql.Stmt{}}
		return nil
	})
}

// retry repeats fn while it fails with a BusyError, for as long as docket waits for a lock.
func (d *DB) retry(ctx context.Context, fn func() error) error {
	end := time.Now().Add(busyTimeout)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		err := d.wrap(fn())
		if !busy(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// run runs fn between begin and commit. ok is false when the connection may no longer be used; it is closed then.
func (d *DB) run(ctx context.Context, c *conn, begin string, fn func(*Tx) error) (ok bool, err error) {
	if _, err := c.ExecContext(ctx, begin); err != nil {
		// Cut off by the context, the statement may still have begun a transaction: such a connection is not used again.
		return c.rollback(ctx), d.wrap(fmt.Errorf("begin: %w", err))
	}
	done := false
	defer func() {
		if !done { // an error, or a panic on its way up
			ok = c.rollback(ctx)
		}
	}()
	if err := fn(&Tx{db: d, conn: c, now: d.now().UTC().Truncate(time.Millisecond)}); err != nil {
		return true, d.wrap(err)
	}
	// From here on it must end one way or the other, whatever becomes of the caller.
	if _, err := c.ExecContext(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return true, d.wrap(fmt.Errorf("commit: %w", err))
	}
	done = true
	return true, nil
}

// rollback ends the transaction; where that fails it closes the connection and reports false.
func (c *conn) rollback(ctx context.Context) bool {
	if _, err := c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); err != nil {
		_ = c.Close() // what the transaction wrote dies with its connection
		return false
	}
	return true
}

// Now returns the instant of the transaction, UTC, in whole milliseconds.
func (tx *Tx) Now() time.Time { return tx.now }

// Stamp returns the instant of the transaction as the store writes times.
func (tx *Tx) Stamp() string { return Stamp(tx.now) }

// NewID returns a new random id in UUID form, lower case.
func (tx *Tx) NewID() string { return tx.db.newID() }

// DB returns the store the transaction runs on.
func (tx *Tx) DB() *DB { return tx.db }

// Stamp formats t as the store and every answer write times: RFC 3339, UTC, milliseconds.
func Stamp(t time.Time) string { return t.UTC().Format(timeFormat) }
