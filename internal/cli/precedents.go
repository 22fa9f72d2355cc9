package cli

// This file defines "docket decisions search".

import (
	"context"
	"flag"
	"strings"

	"docket/db"
	"docket/trace"
)

var decisionsSearchCommand = &command{
	name: "decisions search", args: "WORDS...", short: "find decisions in force, whatever the task",
	long:     `Finds decisions in force by the words of their choice, conclusion and rationale. One that is not current cannot be relied on.`,
	examples: []string{"docket decisions search --project thesis coding of interviews"},
	min:      1, max: -1, settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		limit := fs.Int("limit", 20, "the most decisions, `N` from 1 to 100")
		return func(ctx context.Context, c *call, args []string) error {
			return c.withTrace(ctx, nil, func(d *db.DB, who trace.Identity) error {
				found, err := trace.SearchDecisions(ctx, d, who, trace.SearchDecisionsParams{Query: strings.Join(args, " "), Limit: *limit})
				if err != nil {
					return err
				}
				if c.json {
					return c.writeJSON(found)
				}
				if len(found.Decisions) == 0 {
					p(c.out, "No decision found.\n")
				}
				for _, v := range found.Decisions {
					c.printSummary(v.DecisionSummary)
				}
				return nil
			})
		}
	},
}
