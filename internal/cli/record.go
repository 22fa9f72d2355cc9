package cli

// This file defines "docket decisions record".

import (
	"context"
	"flag"

	"docket/db"
	"docket/trace"
)

var decisionsRecordCommand = &command{
	name: "decisions record", short: "record a decision and what it rests on",
	long: "Records a decision. " + restsOn,
	examples: []string{
		"docket decisions record --project thesis --task 'choose a method' --choice coding-scheme --conclusion 'Code by hand.' \\",
		"    --rationale 'The pilot shows that the tool misses irony.' --on 'c_abcdefghijklmnopqrstuvwxyz=misses irony'",
	},
	settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		task := fs.String("task", "", "the `NAME` of the task")
		choice := fs.String("choice", "", "what is chosen between: a short `KEY`, the same for the same choice in every task")
		b := bodyFlags(fs)
		return func(ctx context.Context, c *call, _ []string) error {
			supports, err := b.supports(*task)
			if err != nil {
				return err
			}
			return c.withTrace(ctx, evidenceOf(supports), func(d *db.DB, who trace.Identity) error {
				r, err := trace.RecordDecision(ctx, d, who, trace.RecordDecisionParams{
					TaskName: *task, ChoiceKey: *choice, Conclusion: b.conclusion, Rationale: b.rationale, Supports: supports,
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
