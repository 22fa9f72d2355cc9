package cli

// This file defines "docket decisions reaffirm".

import (
	"context"
	"flag"

	"docket/db"
	"docket/trace"
)

var decisionsReaffirmCommand = &command{
	name: "decisions reaffirm", args: "ID", short: "say that a decision still holds, on evidence as it is now",
	long: `Says that a decision in force still holds. Each --on names a passage of a document as it is now; a document that changed is
answered by a passage of that document, one that is gone by any.`,
	examples: []string{"docket decisions reaffirm ID --project thesis --why 'Only the date changed.' --on c_abcdefghijklmnopqrstuvwxyz"},
	min:      1, max: 1, settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		why := fs.String("why", "", "`TEXT`: why it still holds")
		var on []string
		fs.Func("on", "the `ID` of a passage; may be given several times", collect(&on))
		return func(ctx context.Context, c *call, args []string) error {
			return c.withTrace(ctx, on, func(d *db.DB, who trace.Identity) error {
				r, err := trace.ReaffirmDecision(ctx, d, who, trace.ReaffirmDecisionParams{DecisionID: args[0], EvidenceIDs: on, Explanation: *why})
				if err != nil {
					return err
				}
				return c.wrote(ctx, d, "Reaffirmed", r)
			})
		}
	},
}
