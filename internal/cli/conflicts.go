package cli

// This file defines "docket decisions conflicts".

import (
	"context"
	"flag"

	"docket/db"
	"docket/trace"
)

var decisionsConflictsCommand = &command{
	name: "decisions conflicts", short: "list choices on which decisions in force differ",
	long:     `Lists the choices that were decided in different ways, across tasks, with the decisions in force.`,
	settings: traceSettings,
	setup: func(*flag.FlagSet) runner {
		return func(ctx context.Context, c *call, _ []string) error {
			return c.withTrace(ctx, nil, func(d *db.DB, who trace.Identity) error {
				all := trace.ConflictPage{Conflicts: []trace.Conflict{}}
				for after := ""; ; after = all.NextAfter {
					page, err := trace.ListConflicts(ctx, d, who, trace.ListConflictsParams{After: after, Limit: 100})
					if err != nil {
						return err
					}
					all.Conflicts, all.NextAfter = append(all.Conflicts, page.Conflicts...), page.NextAfter
					if page.NextAfter == "" {
						break
					}
				}
				if c.json {
					return c.writeJSON(all)
				}
				if len(all.Conflicts) == 0 {
					p(c.out, "No two decisions in force differ on a choice.\n")
				}
				for i, v := range all.Conflicts {
					if i > 0 {
						p(c.out, "\n")
					}
					p(c.out, "%s: %s\n", visible(v.Choice), plural(v.Count, "decision", "decisions"))
					for _, s := range v.Decisions {
						c.printSummary(s)
					}
				}
				return nil
			})
		}
	},
}
