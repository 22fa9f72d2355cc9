package db

// This file defines the restore: a checked copy of a backup takes the store's place, and what stood there is kept beside it.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// A LiveError is returned by [Restore] when another process has the store open.
type LiveError struct{ Path string }

func (e *LiveError) Error() string { return e.Path + " is open in another process" }

// Hint says what to do next.
func (e *LiveError) Hint() string {
	return "end every docket that uses it (agents' servers too), then restore again; nothing was changed"
}

// sidecars are SQLite's files beside a database. A good database beside a stale one of these is a corrupt one.
var sidecars = []string{"-wal", "-shm", "-journal"}

// Restore puts a copy of the backup at the store's path. The copy is made and checked by verify first; then the store that is
// there, with SQLite's files beside it, is moved to the path that is returned as aside ("" if there was none). It fails with a
// [LiveError] while another process has the store open.
func Restore(ctx context.Context, backup, path string, verify func(context.Context, *DB) ([]Problem, error)) (aside string, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	from, err := os.Stat(backup)
	if err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	if to, err := os.Stat(path); err == nil && os.SameFile(from, to) {
		return "", fmt.Errorf("restore: %s is the store itself", backup)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".docket-restore-")
	if err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "copy.db")
	if err := CopyFile(backup, copied); err != nil {
		return "", fmt.Errorf("restore from %s: %w", backup, err)
	}
	if err := verifyCopy(ctx, copied, verify); err != nil {
		return "", fmt.Errorf("restore from %s: %w", backup, err)
	}
	if err := syncFile(copied); err != nil {
		return "", fmt.Errorf("restore from %s: %w", backup, err)
	}
	if aside, err = moveAside(ctx, path); err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	if err := os.Rename(copied, path); err != nil {
		return aside, fmt.Errorf("restore: %w", err)
	}
	return aside, syncDir(filepath.Dir(path))
}

// CopyFile copies a file that no process has open as a database to a new one, 0600.
func CopyFile(from, to string) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// moveAside renames the store and SQLite's files beside it, once nobody has it open.
func moveAside(ctx context.Context, path string) (string, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		for _, s := range sidecars { // left by a store that is gone: they would corrupt the new one
			if err := os.Remove(path + s); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
		return "", nil
	}
	if err := alone(ctx, path); err != nil {
		return "", err
	}
	aside := unused(path + ".before-restore")
	for _, s := range append([]string{""}, sidecars...) {
		if err := os.Rename(path+s, aside+s); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

// unused returns the path, or that with the first number at its end that no file has.
func unused(path string) string {
	free := path
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			return free
		}
		free = fmt.Sprintf("%s-%d", path, n)
	}
}

// alone fails with a LiveError if anybody has the store open: leaving WAL needs it alone. A store too damaged to be asked is
// nobody's.
func alone(ctx context.Context, path string) error {
	c, err := sql.Open("sqlite", dsn(path, url.Values{"mode": {"rw"}}))
	if err != nil {
		return err
	}
	c.SetMaxOpenConns(1)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var mode string
	err = c.QueryRowContext(ctx, `PRAGMA journal_mode = delete`).Scan(&mode)
	d := &DB{path: path}
	if busy(d.wrap(err)) || errors.Is(err, context.DeadlineExceeded) || err == nil && mode == "wal" {
		return errors.Join(&LiveError{path}, c.Close())
	}
	return c.Close()
}
