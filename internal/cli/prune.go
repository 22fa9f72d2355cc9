package cli

// This file defines "docket prune".

import (
	"context"
	"errors"
	"flag"

	"docket/ingest"
)

// keepVersions is how many versions of a document are kept unless told otherwise.
const keepVersions = 3

var pruneCommand = &command{
	name: "prune", short: "delete old versions of documents that nothing rests on",
	long: `Deletes the text of old versions: of each document all but the newest, and of removed documents all. What a decision or a step
rests on stays, however old it is. Your files are not touched.`,
	examples: []string{"docket prune", "docket prune --keep 1"},
	setup: func(fs *flag.FlagSet) runner {
		keep := fs.Int("keep", keepVersions, "how many versions of a document stay, `N`, with the one it has now")
		return func(ctx context.Context, c *call, _ []string) (err error) {
			if *keep < 1 {
				return &usageError{"prune: --keep must be at least 1", "docket help prune"}
			}
			_, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			report, err := ingest.Prune(ctx, d, *keep)
			if err != nil {
				return err
			}
			if c.json {
				return c.writeJSON(report)
			}
			p(c.out, "Deleted %s of %s, %.1f MB of text.\n", plural(report.Versions, "version", "versions"), plural(report.Documents, "document", "documents"), float64(report.Bytes)/1e6)
			if report.Kept > 0 {
				p(c.out, "%s stay, since decisions or steps rest on them.\n", plural(report.Kept, "old version", "old versions"))
			}
			return nil
		}
	},
}
