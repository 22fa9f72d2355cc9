package cli

// This file defines "docket repair".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"docket/db"
	"docket/ingest"
)

var repairCommand = &command{
	name: "repair", short: "make a new database out of a damaged one and your folders",
	long: `Makes a new database: it takes over every row that can be read of what exists nowhere else, which is your folders' names, old
versions, tasks and decisions with all they rest on; then it reads your folders again, and makes every index anew. The new one is
checked, and only then takes the place of the damaged one, which is kept beside it.

A backup that is not old is the better way: docket restore. No docket may use the database meanwhile.`,
	examples: []string{"docket repair", "docket repair --to repaired.db"},
	setup: func(fs *flag.FlagSet) runner {
		to := fs.String("to", "", "leave the new database at `FILE`, and the damaged one where it is")
		yes := fs.Bool("yes", false, "do not ask")
		return func(ctx context.Context, c *call, _ []string) error {
			cfg, err := c.config()
			if err != nil {
				return err
			}
			return c.repair(ctx, cfg.DB, *to, *yes)
		}
	},
}

func (c *call) repair(ctx context.Context, path, to string, yes bool) (err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &db.NoStoreError{Path: path}
	}
	made := to
	if to == "" {
		made = path + ".repaired"
		if !yes {
			if err := c.confirm(ctx, fmt.Sprintf("A new database will be made out of %s and of your folders, and take its place. The old one is kept.", path), "repair"); err != nil {
				return &hintedError{err, "--yes repairs without asking, and --to FILE leaves the damaged one where it is"}
			}
		}
	}
	if _, err := os.Lstat(made); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return &hintedError{fmt.Errorf("repair into %s: %w", made, err), "it is no new file: name another with --to, or move it away"}
	}
	report, err := c.remake(ctx, path, made)
	if err != nil {
		return errors.Join(err, removeStore(made))
	}
	if c.json {
		err = c.writeJSON(report)
	} else {
		c.printRepair(report)
	}
	if len(report.Problems) > 0 {
		return errors.Join(err, &hintedError{fmt.Errorf("the new database at %s is not sound either", made), "nothing was replaced; restore a backup if you have one"})
	}
	if err != nil {
		return err
	}
	if to != "" {
		if !c.json {
			p(c.out, "The new database is %s.\n", visible(made))
		}
		return nil
	}
	aside, err := db.Restore(ctx, made, path, ingest.CheckDeep)
	if err != nil {
		return &hintedError{err, "the new database is " + made + "; `docket restore` puts it in place"}
	}
	if !c.json {
		p(c.out, "It took the place of the damaged one, which is %s now.\n", visible(aside))
	}
	return removeStore(made)
}

// remake makes the new database, closed when it returns.
func (c *call) remake(ctx context.Context, path, made string) (report ingest.RepairReport, err error) {
	w, err := c.worker()
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	d, err := db.Open(ctx, made, db.Options{Create: true})
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	m := meter{w: c.stderr, terminal: isTerminal(c.stderr)}
	report, err = ingest.Repair(ctx, d, path, w.Parse, m.show)
	m.clear()
	return report, err
}

// removeStore removes a database that was made on the way, with the files that locks left beside it.
func removeStore(path string) error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (c *call) printRepair(r ingest.RepairReport) {
	p(c.out, "Taken over:\n")
	for _, t := range r.Tables {
		p(c.out, "  %7d  %s", t.Rows, words(t.Table))
		if t.Broken != "" {
			p(c.out, "; it could not be read to its end")
		}
		if lost := t.Loose + t.Bad; lost > 0 {
			p(c.out, "; %d given up, as they were damaged or belong to what is lost", lost)
		}
		p(c.out, "\n")
	}
	if r.Tasks > 0 {
		p(c.out, "%s made for decisions and events whose task is lost; their names begin with recovered-.\n", plural(r.Tasks, "task was", "tasks were"))
	}
	if r.Mended > 0 {
		p(c.out, "%s read again from your folders.\n", plural(r.Mended, "damaged text was", "damaged texts were"))
	}
	for _, id := range r.Lost {
		p(c.out, "Lost: the text of version %s; what rests on it is flagged.\n", id)
	}
	for _, name := range r.Unread {
		p(c.out, "%s is offline: what was saved of it stands.\n", visible(name))
	}
	for _, x := range r.Problems {
		p(c.out, "damaged: %s: %s\n", visible(x.Where), visible(x.What))
	}
}
