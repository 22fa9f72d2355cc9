package cli

// This file defines "docket review".

import (
	"context"
	"flag"

	"docket/db"
	"docket/trace"
)

var reviewCommand = &command{
	name: "review", args: "[TASK]", short: "list the decisions whose ground has moved, worst first",
	long: `Lists the decisions in force that need a review, worst first, each with the reasons and with what changed; and those of which it is
unknown, since a source cannot be read. Without a task, those of the whole project. Answer one with decisions reaffirm, supersede or
reject.`,
	examples: []string{"docket review --project thesis"},
	max:      1, settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		limit := fs.Int("limit", 20, "the most decisions, `N` from 1 to 100")
		return func(ctx context.Context, c *call, args []string) error {
			return c.withTrace(ctx, nil, func(d *db.DB, who trace.Identity) error {
				if _, err := trace.Drain(ctx, d); err != nil { // so that what waits is judged
					return err
				}
				params := trace.ListReviewParams{Limit: *limit}
				if len(args) == 1 {
					params.TaskName = args[0]
				}
				list, err := trace.ListDecisionsForReview(ctx, d, who, params)
				if err != nil {
					return err
				}
				if c.json {
					return c.writeJSON(list)
				}
				if len(list.Decisions) == 0 {
					p(c.out, "Every decision in force stands on what its sources say now.\n")
					return nil
				}
				p(c.out, "%s a review, %d unknown.\n", plural(list.NeedsReview, "decision needs", "decisions need"), list.Unknown)
				for _, v := range list.Decisions {
					p(c.out, "\n")
					c.printSummary(v.DecisionSummary)
					for _, r := range v.ReviewReasons {
						c.printReason(r)
					}
					if v.MoreReasons > 0 {
						p(c.out, "   and %s more\n", plural(v.MoreReasons, "reason", "reasons"))
					}
					if v.Dependents > 0 {
						p(c.out, "   %s on it directly\n", plural(v.Dependents, "decision leans", "decisions lean"))
					}
				}
				if list.Truncated {
					p(c.out, "\nThere are more; a larger --limit shows them.\n")
				}
				return nil
			})
		}
	},
}
