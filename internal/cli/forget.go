package cli

// This file defines "docket forget".

import (
	"context"
	"errors"
	"flag"

	"docket/db"
	"docket/ingest"
)

var forgetCommand = &command{
	name: "forget", args: "KEY", short: "delete all that the database holds of one document, beyond recovery",
	long: `Deletes every version of a document: its text, its words, its vectors, its quotes in decisions. The database file is rewritten, so
that nothing of it is left in free pages or in the log. Decisions that rested on it stay, and are flagged.

What was written about it in somebody's own words stays: in conclusions and rationales, in tasks and in their events. So do the
document's key, other documents that hold the same text, and every backup; you are told which.

A file that lies in its folder would come back with the next sync, so it is refused: delete it, or name it in .docketignore and
run docket sync, then forget it.`,
	examples: []string{"docket forget notes/salaries.md"},
	min:      1, max: 1,
	setup: func(fs *flag.FlagSet) runner {
		evenIf := fs.Bool("even-if-present", false, "forget it though the next sync will read the file again")
		return func(ctx context.Context, c *call, args []string) (err error) {
			_, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			report, err := ingest.Forget(ctx, d, args[0], *evenIf)
			if _, kept := errors.AsType[*db.CheckpointError](err); err != nil && !kept {
				return err
			}
			if c.json {
				return errors.Join(err, c.writeJSON(report))
			}
			p(c.out, "Forgot %s: %s, %.1f MB of text.\n", visible(report.DocumentKey), plural(report.Versions, "version", "versions"), float64(report.Bytes)/1e6)
			if report.Supports > 0 {
				p(c.out, "%s cited it; they stay without its words, and `docket review` lists the decisions. What their authors wrote themselves is left alone.\n", plural(report.Supports, "support", "supports"))
			}
			for _, key := range report.SameContent {
				p(c.out, "The same text is in %s too.\n", visible(key))
			}
			for _, path := range report.CopiesThere {
				p(c.out, "An older copy of the database holds it still: %s\n", visible(path))
			}
			if report.FileLies {
				p(c.out, "The file still lies in its folder: the next sync reads it again.\n")
			}
			p(c.out, "Backups that were made before hold it still.\n")
			return err
		}
	},
}
