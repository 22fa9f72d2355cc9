package mcp

// This file defines the "reject_decision" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) rejectDecision() *tool[trace.RejectDecisionParams, trace.DecisionReceipt] {
	return &tool[trace.RejectDecisionParams, trace.DecisionReceipt]{
		name: "reject_decision", title: "Reject decision", hints: rejects,
		description: "Takes an active decision out of force with nothing in its place. It is kept as history, and what leans on it is queued for review.",
		in:          object(decisionID(), required("reason", text("Why.").from(1).upTo(4000)), requestID()),
		out:         receipt(),
		run: func(ctx context.Context, p trace.RejectDecisionParams) (trace.DecisionReceipt, error) {
			return trace.RejectDecision(ctx, s.db, s.identity(), p)
		},
	}
}
