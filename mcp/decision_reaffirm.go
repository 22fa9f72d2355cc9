package mcp

// This file defines the "reaffirm_decision" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) reaffirmDecision() *tool[trace.ReaffirmDecisionParams, trace.DecisionReceipt] {
	return &tool[trace.ReaffirmDecisionParams, trace.DecisionReceipt]{
		name: "reaffirm_decision", title: "Reaffirm decision", hints: writes,
		description: "Says that an active decision still holds, on evidence as it is now. A changed source is answered by a passage of the same document; a removed source, and a decision that " +
			"went out of force, by any. A support on a decision that itself needs a review stays flagged until that one is reviewed.",
		in: object(
			decisionID(),
			required("evidence_ids", listOf("Passages of current versions that you fetched completely in this session.", text("")).from(1).upTo(20)),
			required("explanation", text("Why it still holds.").from(1).upTo(4000)),
			requestID(),
		),
		out: receipt(),
		run: func(ctx context.Context, p trace.ReaffirmDecisionParams) (trace.DecisionReceipt, error) {
			return trace.ReaffirmDecision(ctx, s.db, s.identity(), p)
		},
	}
}
