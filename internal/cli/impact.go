package cli

// This file defines "docket impact".

import (
	"context"
	"flag"
	"strings"

	"docket/db"
	"docket/trace"
)

var impactCommand = &command{
	name: "impact", args: "KEY | ID", short: "show what rests on a document, a passage or a decision",
	long: `Shows the decisions and steps of the project that rest on a document, a passage or a decision, directly or through others: to be
asked before one edits or deletes it.`,
	examples: []string{"docket impact --project thesis notes/pilot.md"},
	min:      1, max: 1, settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		limit := fs.Int("limit", 100, "the most decisions and steps, `N` from 1 to 200")
		return func(ctx context.Context, c *call, args []string) error {
			return c.withTrace(ctx, nil, func(d *db.DB, who trace.Identity) error {
				r, err := trace.Impact(ctx, d, who, trace.ImpactParams{Target: args[0], Limit: *limit})
				if err != nil {
					return err
				}
				if c.json {
					return c.writeJSON(r)
				}
				p(c.out, "On the %s %s rest %s and %s.\n", r.Kind, visible(r.Target), plural(r.Decisions, "decision", "decisions"), plural(r.Steps, "step", "steps"))
				for _, v := range r.Dependents {
					indent := strings.Repeat("   ", v.Depth)
					p(c.out, "\n%s%s%s  %s\n", indent, v.DecisionID, visible(v.Name), words(v.Review))
					if v.Conclusion != "" {
						fill(c.out, indent+"   ", v.ChoiceKey+": "+v.Conclusion)
					}
					p(c.out, "%s   %s of task %s\n", indent, v.Type, visible(v.TaskName))
				}
				if r.Truncated {
					p(c.out, "\nThere are more; a larger --limit shows them.\n")
				}
				return nil
			})
		}
	},
}
