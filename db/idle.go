package db

// This file defines what is done with the WAL while nothing is written: its rows go into the file, so that the file alone is complete.

import (
	"context"
	"fmt"
	"time"
)

// idleAfter is how long nothing is written before the WAL is emptied into the file. What shrinks on a person's disk is no hurry, and
// a copy of the file alone that was taken later is complete.
const idleAfter = 5 * time.Second

// A CheckpointError is returned when the WAL could not be emptied into the file, as somebody still reads from it.
type CheckpointError struct{ Path string }

func (e *CheckpointError) Error() string {
	return e.Path + ": another process reads from it, so part of it stays in " + e.Path + "-wal for now"
}

// Hint says what to do next.
func (e *CheckpointError) Hint() string {
	return "end what uses it (agents' servers too) and run the command again"
}

// Checkpoint moves all that is in the WAL into the file and empties the WAL. It fails with a [CheckpointError], soon and without harm,
// while another connection reads what is older.
func (d *DB) Checkpoint(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.openWriter(ctx); err != nil {
		return err
	}
	return d.checkpoint(ctx)
}

// checkpoint does not wait for readers: the writer is needed for other things. The caller holds d.mu, and d.writer is open.
func (d *DB) checkpoint(ctx context.Context) (err error) {
	if _, err := d.writer.ExecContext(ctx, `PRAGMA busy_timeout = 0`); err != nil {
		return d.wrap(err)
	}
	defer func() {
		if _, rerr := d.writer.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf(`PRAGMA busy_timeout = %d`, busyTimeout.Milliseconds())); err == nil {
			err = d.wrap(rerr)
		}
	}()
	var held, frames, done int
	if err := d.writer.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&held, &frames, &done); err != nil {
		if err = d.wrap(fmt.Errorf("checkpoint: %w", err)); busy(err) {
			err = &CheckpointError{d.path}
		}
		return err
	}
	if held != 0 {
		return &CheckpointError{d.path}
	}
	return nil
}

// rest is called after each write, and has the WAL emptied once nothing more is written. The caller holds d.mu.
func (d *DB) rest() {
	if d.idle == nil {
		d.idle = time.AfterFunc(idleAfter, d.empty)
		return
	}
	d.idle.Reset(idleAfter)
}

// empty runs in a goroutine of its own. What it could not do now is done by the next write's rest, or by the last one to close.
func (d *DB) empty() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writer != nil {
		_ = d.checkpoint(context.Background())
	}
}

// Scrub rewrites the whole file, so that nothing deleted is left in it or in the WAL. It needs room for a second copy. Where another
// process reads an older state, the error is a [CheckpointError], and what was deleted may still be in the WAL.
func (d *DB) Scrub(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.openWriter(ctx); err != nil {
		return err
	}
	if _, err := d.writer.ExecContext(ctx, `VACUUM`); err != nil {
		return d.wrap(fmt.Errorf("rewrite %s: %w", d.path, err))
	}
	return d.checkpoint(ctx)
}
