package mcp

// This file defines the "continue_decision_review" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) continueDecisionReview() *tool[trace.ContinueReviewParams, trace.ReviewProgress] {
	return &tool[trace.ContinueReviewParams, trace.ReviewProgress]{
		name: "continue_decision_review", title: "Continue decision review", hints: writes,
		description: "Brings the review of decisions that lean on changed ones up to date, at most limit of them, and tells how many remain. Until then they are unknown.",
		in:          object(pageLimit(100, 20)),
		out:         object(required("settled", integer("")), required("flagged", integer("decisions that need a review now")), required("remaining", integer(""))),
		run: func(ctx context.Context, p trace.ContinueReviewParams) (trace.ReviewProgress, error) {
			return trace.ContinueDecisionReview(ctx, s.db, s.identity(), p)
		},
	}
}
