package cli

// This file defines "docket restore".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"

	"docket/db"
	"docket/ingest"
)

var restoreCommand = &command{
	name: "restore", args: "FILE", short: "put a backup in the database's place; what is there now is kept beside it",
	long: `Puts a copy of a backup in the place of the database. The copy is checked first, and one that is not sound changes nothing. The
database that is there now is moved aside, with SQLite's files beside it, and you are told where to.

No docket may use the database meanwhile: end your agents' servers first. Run docket sync afterwards: the backup does not know
what changed in your folders since.`,
	examples: []string{"docket restore ~/backups/docket-2026-03.db", "docket restore copy.db --yes"},
	min:      1, max: 1,
	setup: func(fs *flag.FlagSet) runner {
		yes := fs.Bool("yes", false, "do not ask")
		return func(ctx context.Context, c *call, args []string) error {
			cfg, err := c.config()
			if err != nil {
				return err
			}
			if !*yes {
				if err := c.confirm(ctx, fmt.Sprintf("%s will take the place of %s, which is kept beside it.", args[0], cfg.DB), "restore"); err != nil {
					return &hintedError{err, "--yes restores without asking"}
				}
			}
			return c.restore(ctx, args[0], cfg.DB)
		}
	},
}

// restore puts a checked copy of from at path, and says where what stood there is now.
func (c *call) restore(ctx context.Context, from, path string) error {
	aside, err := db.Restore(ctx, from, path, ingest.CheckDeep)
	if errors.Is(err, fs.ErrNotExist) {
		return &hintedError{err, "name a file that `docket backup` made"}
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(struct {
			DB    string `json:"db"`
			From  string `json:"from"`
			Aside string `json:"aside,omitempty"` // where the old database is
		}{path, from, aside})
	}
	p(c.out, "Restored %s from %s.\n", visible(path), visible(from))
	if aside != "" {
		p(c.out, "What was there before is %s; delete it when you need it no more.\n", visible(aside))
	}
	p(c.out, "Run `docket sync` to read what changed in your folders since.\n")
	return nil
}
