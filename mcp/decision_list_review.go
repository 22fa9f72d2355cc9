package mcp

// This file defines the "list_decisions_for_review" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) listDecisionsForReview() *tool[trace.ListReviewParams, trace.ReviewList] {
	return &tool[trace.ListReviewParams, trace.ReviewList]{
		name: "list_decisions_for_review", title: "List decisions for review", hints: reads,
		description: "Returns the decisions that cannot be relied on just now, worst first, each with the reasons: what the cited text was, what stands there instead, and the passage to look at.",
		in:          object(optional("task_name", text("Only decisions of this task.").from(1).upTo(200)), pageLimit(100, 20)),
		out: object(
			required("needs_review", integer("in all")), required("unknown", integer("in all")), required("truncated", boolean("")),
			required("decisions", listOf("", object(decisionFields(
				required("dependents", integer("that lean on it directly")), optional("more_reasons", integer("")), required("review_reasons", reasonsSchema()))...))),
		),
		run: func(ctx context.Context, p trace.ListReviewParams) (trace.ReviewList, error) {
			return trace.ListDecisionsForReview(ctx, s.db, s.identity(), p)
		},
		lower: "limit",
	}
}
