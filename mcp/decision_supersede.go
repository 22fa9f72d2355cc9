package mcp

// This file defines the "supersede_decision" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) supersedeDecision() *tool[trace.SupersedeDecisionParams, trace.DecisionReceipt] {
	return &tool[trace.SupersedeDecisionParams, trace.DecisionReceipt]{
		name: "supersede_decision", title: "Supersede decision", hints: writes,
		description: "Puts a new decision of the same task and choice in the place of an active one, in one step. The old one is kept as history, and what leans on it is queued for review.",
		in: object(
			decisionID(),
			required("conclusion", text("What is decided now.").from(1).upTo(4000)),
			required("rationale", text("Why.").from(1).upTo(8000)),
			required("explanation", text("Why the old one no longer holds.").from(1).upTo(4000)),
			supportsField(1),
			textsField("assumptions", "What was taken for granted."),
			textsField("open_questions", "What is still to be found out."),
			requestID(),
		),
		out: receipt(),
		run: func(ctx context.Context, p trace.SupersedeDecisionParams) (trace.DecisionReceipt, error) {
			return trace.SupersedeDecision(ctx, s.db, s.identity(), p)
		},
	}
}
