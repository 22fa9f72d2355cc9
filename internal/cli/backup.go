package cli

// This file defines "docket backup".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docket/db"
	"docket/db/independent"
	"docket/ingest"
	"docket/trace"
)

var backupCommand = &command{
	name: "backup", args: "FILE", short: "copy the database to one checked file",
	long: `Writes a complete copy of the database, as of one moment, to a new file. The copy is checked before it gets its name: the file, every
index, every stored hash. Beside it, FILE.traces.jsonl holds all tasks and decisions, with the passages they rest on, as text that
needs no program to be read. Agents may go on meanwhile.

With --every, FILE is a folder: a backup named by date and time is put there again and again, until you interrupt it, and of
those only the newest --keep stay.

--verify independent has the copy read by a second build of SQLite and sqlite-vec as well, and compares what both find in it.

A copy holds all that the database held then, documents that you make docket forget later among it.`,
	examples: []string{
		"docket backup ~/backups/docket-2026-03.db",
		"docket backup ~/backups --every 24h --keep 14",
		"docket backup copy.db --verify independent",
	},
	min: 1, max: 1,
	setup: func(fs *flag.FlagSet) runner {
		every := fs.Duration("every", 0, "make one each `TIME` (24h, 90m) into the folder FILE, until interrupted")
		keep := fs.Int("keep", 7, "with --every: how many backups stay, `N`; older ones that docket put there are deleted")
		verify := fs.String("verify", "own", "`own or independent`: which programs check the copy")
		return func(ctx context.Context, c *call, args []string) (err error) {
			switch {
			case *verify != "own" && *verify != "independent":
				return &usageError{"backup: --verify is own or independent", "docket help backup"}
			case *every < 0 || *every > 0 && *every < time.Second:
				return &usageError{"backup: --every must be at least 1s", "docket help backup"}
			case *keep < 1:
				return &usageError{"backup: --keep must be at least 1", "docket help backup"}
			}
			_, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			if *every > 0 {
				return c.backupEvery(ctx, d, args[0], *every, *keep, *verify == "independent")
			}
			done, err := backup(ctx, d, args[0], *verify == "independent")
			if err != nil {
				return backupHint(err)
			}
			return c.printBackup(done)
		}
	},
}

// A backupReport is what one backup wrote.
type backupReport struct {
	File        string `json:"file"`
	Bytes       int64  `json:"bytes"`
	Traces      string `json:"traces"`
	Independent bool   `json:"independent"` // a second SQLite read it alike
}

const tracesSuffix = ".traces.jsonl"

// backup writes one backup with the export beside it. The export is made from the copy, so that both are of one moment.
func backup(ctx context.Context, d *db.DB, path string, second bool) (report backupReport, err error) {
	report = backupReport{File: path, Traces: path + tracesSuffix, Independent: second}
	if _, err := os.Lstat(report.Traces); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return report, fmt.Errorf("backup to %s: %w", report.Traces, err)
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".docket-backup-*.jsonl") // 0600
	if err != nil {
		return report, fmt.Errorf("backup to %s: %w", path, err)
	}
	moved := false
	defer func() {
		if cerr := part.Close(); !errors.Is(cerr, os.ErrClosed) {
			err = errors.Join(err, cerr)
		}
		if !moved {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	err = d.Backup(ctx, path, func(ctx context.Context, copied *db.DB) ([]db.Problem, error) {
		found, err := ingest.CheckDeep(ctx, copied)
		if err != nil || len(found) > 0 {
			return found, err
		}
		if second {
			if found, err = independent.Compare(ctx, copied, copied.Path()); err != nil || len(found) > 0 {
				return found, err
			}
		}
		if err := trace.Export(ctx, copied, part); err != nil {
			return nil, err
		}
		return nil, part.Sync()
	})
	if err != nil {
		return report, err
	}
	if err := part.Close(); err != nil {
		return report, fmt.Errorf("backup to %s: %w", report.Traces, err)
	}
	if err := os.Rename(part.Name(), report.Traces); err != nil {
		return report, fmt.Errorf("backup to %s: %w", report.Traces, err)
	}
	moved = true
	fi, err := os.Stat(path)
	if err == nil {
		report.Bytes = fi.Size()
	}
	return report, err
}

func backupHint(err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return &hintedError{err, "a backup overwrites nothing: name another file"}
	case errors.Is(err, fs.ErrNotExist):
		return &hintedError{err, "make the folder first"}
	}
	return err
}

func (c *call) printBackup(r backupReport) error {
	if c.json {
		return c.writeJSON(r)
	}
	p(c.out, "Backed up to %s, %.1f MB, checked", visible(r.File), float64(r.Bytes)/1e6)
	if r.Independent {
		p(c.out, " by two programs")
	}
	p(c.out, ".\nTasks and decisions as text: %s\n", visible(r.Traces))
	return nil
}

// backupName is how backups in a folder are named: by the time in UTC, so that the order of names is that of time.
const backupName = "docket-20060102-150405.db"

// backupEvery makes backups until ctx ends, which is no failure.
func (c *call) backupEvery(ctx context.Context, d *db.DB, dir string, every time.Duration, keep int, second bool) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		done, err := backup(ctx, d, filepath.Join(dir, d.Now().UTC().Format(backupName)), second)
		if ctx.Err() != nil {
			return nil
		}
		switch {
		case err == nil:
			if err := c.printBackup(done); err != nil {
				return err
			}
			// Only after one that succeeded: the last good one is never deleted.
			err = deleteBackups(dir, keep)
		}
		if err != nil { // the disk may have room again next time
			c.report(backupHint(err))
		}
		if err := c.out.Flush(); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

// deleteBackups deletes all but the newest backups of a folder. Files of other names are not docket's to delete.
func deleteBackups(dir string, keep int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("delete old backups: %w", err)
	}
	var names []string
	for _, e := range entries {
		if _, err := time.Parse(backupName, e.Name()); err == nil && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(b, a) })
	for _, name := range names[min(keep, len(names)):] {
		for _, suffix := range []string{tracesSuffix, ""} { // the database last: a rest is found again by its name
			if err := os.Remove(filepath.Join(dir, name+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("delete old backups: %w", err)
			}
		}
	}
	return nil
}
