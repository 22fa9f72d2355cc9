package cli

// This file defines "docket decisions supersede".

import (
	"context"
	"flag"

	"docket/db"
	"docket/trace"
)

var decisionsSupersedeCommand = &command{
	name: "decisions supersede", args: "ID", short: "put a new decision in the place of one",
	long:     "Puts a new decision of the same task and choice in the place of one in force; the old one is kept, and what rests on it is to be reviewed. " + restsOn,
	examples: []string{"docket decisions supersede ID --project thesis --conclusion ... --rationale ... --why 'The tool was mended.' --on c_abcdefghijklmnopqrstuvwxyz"},
	min:      1, max: 1, settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		why := fs.String("why", "", "`TEXT`: why the old one no longer holds")
		b := bodyFlags(fs)
		return func(ctx context.Context, c *call, args []string) error {
			// Events and steps are those of the old decision's task, which only the database knows.
			named, err := b.supports("")
			if err != nil {
				return err
			}
			return c.withTrace(ctx, evidenceOf(named), func(d *db.DB, who trace.Identity) error {
				old, err := trace.GetDecision(ctx, d, who, trace.GetDecisionParams{DecisionID: args[0]})
				if err != nil {
					return err
				}
				supports, err := b.supports(old.TaskName)
				if err != nil {
					return err
				}
				r, err := trace.SupersedeDecision(ctx, d, who, trace.SupersedeDecisionParams{
					DecisionID: args[0], Conclusion: b.conclusion, Rationale: b.rationale, Explanation: *why, Supports: supports,
					Assumptions: b.assumptions, OpenQuestions: b.questions,
				})
				if err != nil {
					return err
				}
				return c.wrote(ctx, d, "Recorded", r)
			})
		}
	},
}
