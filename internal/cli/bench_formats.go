package cli

// This file defines "docket bench formats".

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"

	"docket/internal/bench"
)

var benchFormatsCommand = &command{
	name: "bench formats", args: "DIR", short: "measure how well files of each format are read",
	long: `Indexes the files of DIR/files into a throw-away store, as any other, and scores the text of each against DIR/expected/FILE.txt: F1 over
the words of both, however they are ordered.

The mean is over all files with an expected text; one that could not be read counts as 0, and the reason is shown. Files without an expected
text are listed apart.`,
	examples: []string{"docket bench formats testdata/formats"},
	min:      1, max: 1,
	setup: func(*flag.FlagSet) runner {
		return func(ctx context.Context, c *call, args []string) (err error) {
			w, err := c.worker()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, w.Close()) }()
			report, err := bench.Formats(ctx, args[0], w.Parse)
			if err != nil {
				return fmt.Errorf("bench formats: %w", err)
			}
			if c.json {
				return c.writeJSON(report)
			}
			p(c.out, "%5s  %-9s %s\n", "F1", "kind", "file")
			for _, f := range report.Files {
				p(c.out, "%5.3f  %-9s %s\n", f.F1, visible(f.Kind), visible(f.File))
				if f.Reason != "" {
					p(c.out, "%18s %s\n", "", visible(f.Reason))
				}
			}
			p(c.out, "\n%5s  %-9s %s\n", "mean", "kind", "files")
			for _, k := range report.Kinds {
				p(c.out, "%5.3f  %-9s %d\n", k.MeanF1, visible(k.Kind), k.Files)
			}
			p(c.out, "%5.3f  %-9s %d\n", report.MeanF1, "all", len(report.Files))
			if len(report.Unexpected) > 0 {
				p(c.out, "\nwithout an expected text:\n")
			}
			for _, f := range report.Unexpected {
				p(c.out, "  %s (%s): %s\n", visible(f.File), words(f.State), visible(cmp.Or(f.Reason, "read in full")))
			}
			for _, name := range report.Missing {
				p(c.out, "expected, but not there: %s\n", visible(name))
			}
			return nil
		}
	},
}
