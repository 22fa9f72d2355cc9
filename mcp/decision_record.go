package mcp

// This file defines the "record_decision" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) recordDecision() *tool[trace.RecordDecisionParams, trace.DecisionReceipt] {
	return &tool[trace.RecordDecisionParams, trace.DecisionReceipt]{
		name: "record_decision", title: "Record decision", hints: writes,
		description: "Records a decision on the passages it rests on, so that it is flagged when they change. It needs at least one support of type evidence or event. " +
			"A choice that the task has decided is superseded instead.",
		in: object(
			taskName(),
			required("choice_key", text("What was chosen between, like \"storage engine\"; the same in every task, so that conflicts show.").from(1).upTo(200)),
			required("conclusion", text("What was decided.").from(1).upTo(4000)),
			required("rationale", text("Why.").from(1).upTo(8000)),
			supportsField(1),
			textsField("assumptions", "What was taken for granted."),
			textsField("open_questions", "What is still to be found out."),
			requestID(),
		),
		out: receipt(),
		run: func(ctx context.Context, p trace.RecordDecisionParams) (trace.DecisionReceipt, error) {
			return trace.RecordDecision(ctx, s.db, s.identity(), p)
		},
	}
}
