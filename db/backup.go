package db

// This file defines the backup: one complete file, written beside its place, made durable, checked, and only then put there.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// Backup writes a complete copy of the store, as of one instant, to a new file at path, 0600. The copy is made beside its place
// and moved there once verify, which gets it opened, has found nothing wrong; a failure leaves nothing at path. A file that is
// there already is refused with [fs.ErrExist]. Writers go on meanwhile.
func (d *DB) Backup(ctx context.Context, path string, verify func(context.Context, *DB) ([]Problem, error)) (err error) {
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".docket-backup-")
	if err != nil {
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "copy.db")
	if err := d.copyInto(ctx, copied); err != nil {
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	if err := os.Chmod(copied, 0o600); err != nil {
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	if err := verifyCopy(ctx, copied, verify); err != nil {
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	if err := syncFile(copied); err != nil {
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	if err := os.Rename(copied, path); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return syncDir(filepath.Dir(path))
}

// copyInto copies through a connection of its own: VACUUM INTO leaves the store alone, but a query_only connection refuses it.
func (d *DB) copyInto(ctx context.Context, path string) error {
	source, err := sql.Open("sqlite", dsn(d.path, url.Values{"mode": {"ro"}}))
	if err != nil {
		return err
	}
	_, err = source.ExecContext(ctx, `VACUUM INTO ?`, path)
	return errors.Join(d.wrap(err), source.Close())
}

// keepSchema copies the store as it is to a file beside it that is named by its schema, before a migration changes it.
func (d *DB) keepSchema(ctx context.Context, schema int) error {
	copied := unused(fmt.Sprintf("%s.schema-%d", d.path, schema))
	err := d.copyInto(ctx, copied)
	if err == nil {
		err = os.Chmod(copied, 0o600)
	}
	if err == nil {
		err = intact(ctx, copied)
	}
	if err == nil {
		err = syncFile(copied)
	}
	if err != nil {
		if rerr := os.Remove(copied); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		return err
	}
	return syncDir(filepath.Dir(copied))
}

// intact is the check of a copy that this docket's own checks do not fit, since it has an older schema.
func intact(ctx context.Context, path string) error {
	c, err := sql.Open("sqlite", dsn(path, url.Values{"mode": {"ro"}}))
	if err != nil {
		return err
	}
	var line string
	if err = c.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&line); err == nil && line != "ok" {
		err = fmt.Errorf("the copy is not sound: %s", line)
	}
	return errors.Join(err, c.Close())
}

func verifyCopy(ctx context.Context, path string, verify func(context.Context, *DB) ([]Problem, error)) (err error) {
	c, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	found, err := verify(ctx, c)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("the copy is not sound: %s: %s (%d problems in all)", found[0].Where, found[0].What, len(found))
	}
	return err
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncDir makes a rename durable, where the system can.
func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = f.Sync() // Windows cannot, and makes renames durable itself
	return f.Close()
}
