package mcp

// This file defines the "search_decisions" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) searchDecisions() *tool[trace.SearchDecisionsParams, trace.Precedents] {
	return &tool[trace.SearchDecisionsParams, trace.Precedents]{
		name: "search_decisions", title: "Search decisions", hints: reads,
		description: "Finds active decisions of the project, whatever the task, by the words of their choice, conclusion and rationale. Look here before you decide. One whose review is not current cannot be relied on.",
		in:          object(required("query", text("Plain words.").from(1).upTo(1000)), pageLimit(100, 20)),
		out: object(
			required("status", choice("", "ok", "no_matches")), required("truncated", boolean("")),
			required("decisions", listOf("best first", object(decisionFields(required("score", number("")))...))),
		),
		run: func(ctx context.Context, p trace.SearchDecisionsParams) (trace.Precedents, error) {
			p.Limit = min(p.Limit, s.o.MaxHits)
			return trace.SearchDecisions(ctx, s.db, s.identity(), p)
		},
		lower: "limit",
	}
}
