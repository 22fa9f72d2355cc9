package cli

// This file defines "docket remove".

import (
	"context"
	"errors"
	"flag"

	"docket/ingest"
)

var removeCommand = &command{
	name: "remove", args: "ROOT", short: "take a folder out of the index; its files are not touched",
	long: `Takes a folder out: its documents leave every answer at once. The folder itself is not touched. The text that was read stays
in the database, for decisions that rest on it. Adding the folder again under its name brings its documents back.`,
	examples: []string{"docket remove notes"},
	min:      1, max: 1,
	setup: func(*flag.FlagSet) runner {
		return func(ctx context.Context, c *call, args []string) (err error) {
			_, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			documents, err := ingest.RemoveRoot(ctx, d, args[0])
			if err != nil {
				return err
			}
			if c.json {
				return c.writeJSON(struct {
					Root      string `json:"root"`
					Documents int    `json:"documents"`
				}{args[0], documents})
			}
			p(c.out, "Removed %s: %s left the index. The files are where they were.\n", visible(args[0]), plural(documents, "document", "documents"))
			return nil
		}
	},
}
