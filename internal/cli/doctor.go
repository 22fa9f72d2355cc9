package cli

// This file defines "docket doctor".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"docket/db"
	"docket/ingest"
	"docket/search"
)

var doctorCommand = &command{
	name: "doctor", args: "[FILE]", short: "say whether the database, or a copy of it, is sound",
	long: `Checks the database: the file, the word index, the vectors against the passages, and the hashes of what was decided. --deep also
checks every text and every passage against its hash, and derives every review anew. It says too what may do harm one day:
permissions, synced and network folders, a second name of the file, a log that grows. Nothing is changed.

With FILE it checks that copy, with SQLite's files beside it if there are any, in a temporary folder; the copy itself is only read.

The exit code is 0 for a sound file and 1 for one that is not.`,
	examples: []string{"docket doctor", "docket doctor ~/backups/docket-2026-03.db --deep", "docket doctor --secrets"},
	max:      1,
	setup: func(fs *flag.FlagSet) runner {
		deep := fs.Bool("deep", false, "check every text and every review as well")
		secrets := fs.Bool("secrets", false, "list where what looks like a credential lies: document, line and kind, never the words")
		return func(ctx context.Context, c *call, args []string) error {
			cfg, err := c.config()
			if err != nil {
				return err
			}
			path := cfg.DB
			if len(args) > 0 {
				path = args[0]
			}
			report, err := examine(ctx, path, cfg.DB, *deep, *secrets)
			if errors.Is(err, os.ErrNotExist) {
				err = &db.NoStoreError{Path: path}
			}
			if err != nil {
				return err
			}
			if c.json {
				err = c.writeJSON(report)
			} else {
				c.printDoctor(report, *secrets)
			}
			if !report.Sound {
				err = errors.Join(err, errFindings)
			}
			return err
		}
	},
}

// A doctorReport is what doctor found.
type doctorReport struct {
	Sound bool `json:"sound"`
	Deep  bool `json:"deep"`
	db.Place
	Facts       *db.Facts           `json:"facts,omitempty"` // unless it cannot be read at all
	Problems    []db.Problem        `json:"problems"`
	Credentials []search.Credential `json:"credentials,omitempty"`
}

// examine checks the store, or another file through a copy of it: opening a file makes SQLite write beside it, and may migrate it.
func examine(ctx context.Context, path, store string, deep, secrets bool) (report doctorReport, err error) {
	report.Deep, report.Problems = deep, []db.Problem{}
	if report.Place, err = db.PlaceOf(path); err != nil {
		return report, err
	}
	open := report.Path
	if !sameFile(path, store) {
		dir, err := os.MkdirTemp("", "docket-doctor-")
		if err != nil {
			return report, fmt.Errorf("check %s: %w", path, err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		open = filepath.Join(dir, "copy.db")
		if err := copyStore(report.Path, open, report.Sidecars); err != nil {
			return report, fmt.Errorf("check %s: %w", path, err)
		}
	}
	if err := report.check(ctx, open, secrets); err != nil {
		return report, err
	}
	if len(report.Problems) > 0 && len(report.Sidecars) > 0 && open != report.Path {
		if err := report.withoutSidecars(ctx, open); err != nil {
			return report, err
		}
	}
	report.Sound = len(report.Problems) == 0
	return report, nil
}

func (report *doctorReport) check(ctx context.Context, path string, secrets bool) (err error) {
	d, err := db.Open(ctx, path, db.Options{})
	if err != nil && db.IsDamage(err) {
		report.Problems = append(report.Problems, db.Problem{Where: "file", What: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	found, err := ingest.Check(ctx, d, report.Deep)
	report.Problems = append(report.Problems, found...)
	if err != nil {
		return err
	}
	facts, err := d.Facts(ctx)
	if err != nil {
		if db.IsDamage(err) {
			return nil
		}
		return err
	}
	report.Facts = &facts
	if facts.JournalMode == "wal" && slices.Contains(report.Sidecars, report.Path+"-journal") {
		report.Warnings = append(report.Warnings, db.Problem{Where: "files beside it", What: "a -journal of another time lies there, which SQLite does not use now"})
	}
	if facts.JournalMode != "wal" && path == report.Path && len(report.Problems) == 0 {
		report.Warnings = append(report.Warnings, db.Problem{Where: "journal mode", What: "it is " + facts.JournalMode + " until docket writes next; if it stays so, the file system allows no WAL"})
	}
	if secrets {
		report.Credentials, err = search.Credentials(ctx, d)
	}
	return err
}

// withoutSidecars tells a copy that is spoilt by a WAL of another time from one that is spoilt itself.
func (report *doctorReport) withoutSidecars(ctx context.Context, copied string) error {
	alone := doctorReport{Deep: report.Deep, Place: db.Place{Path: report.Path}}
	to := filepath.Join(filepath.Dir(copied), "alone.db")
	if err := copyStore(report.Path, to, nil); err != nil {
		return fmt.Errorf("check %s: %w", report.Path, err)
	}
	if err := alone.check(ctx, to, false); err != nil {
		return err
	}
	if len(alone.Problems) == 0 {
		report.Problems = append(report.Problems, db.Problem{
			Where: "files beside it", What: "the file alone is sound: what lies beside it belongs to another time; move it away",
		})
	}
	return nil
}

// copyStore copies a database that nobody of this process has open, and the files beside it.
func copyStore(from, to string, sidecars []string) error {
	for _, src := range append([]string{from}, sidecars...) {
		suffix := src[len(from):]
		if suffix == "-shm" { // it only indexes the WAL, and is made anew
			continue
		}
		if err := db.CopyFile(src, to+suffix); err != nil {
			return err
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func (c *call) printDoctor(r doctorReport, secrets bool) {
	p(c.out, "%s\n  %.1f MB", visible(r.Path), float64(r.Size)/1e6)
	if f := r.Facts; f != nil {
		p(c.out, ", schema %d, journal mode %s, SQLite %s", f.Schema, f.JournalMode, f.SQLite)
	}
	p(c.out, "\n")
	if r.WAL > 0 {
		p(c.out, "  %.1f MB in the WAL beside it\n", float64(r.WAL)/1e6)
	}
	for _, x := range r.Problems {
		p(c.out, "  damaged: %s: %s\n", visible(x.Where), visible(x.What))
	}
	for _, x := range r.Warnings {
		p(c.out, "  careful: %s: %s\n", visible(x.Where), visible(x.What))
	}
	if secrets {
		p(c.out, "\n")
		for _, s := range r.Credentials {
			p(c.out, "  %s:%d (%s, %s) looks like a credential: %s…\n", visible(s.DocumentKey), s.Line, s.VersionID, s.State, s.Kind)
		}
		p(c.out, "  %s may hold a credential.\n", plural(len(r.Credentials), "place", "places"))
		if len(r.Credentials) > 0 {
			p(c.out, "  Change them where they are used; then take them out of the file, or name it in .docketignore, and `docket forget KEY`.\n")
		}
	}
	switch {
	case !r.Sound:
		p(c.out, "\nNOT SOUND. `docket restore FILE` puts a backup in its place; `docket repair` saves what can be read.\n")
	case r.Deep:
		p(c.out, "\nSound: the file, its indexes, every text and every decision are what was stored.\n")
	default:
		p(c.out, "\nSound. With --deep every text is checked as well.\n")
	}
}
