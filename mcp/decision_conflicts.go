package mcp

// This file defines the "list_conflicts" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) listConflicts() *tool[trace.ListConflictsParams, trace.ConflictPage] {
	return &tool[trace.ListConflictsParams, trace.ConflictPage]{
		name: "list_conflicts", title: "List conflicts", hints: reads,
		description: "Returns the choices on which active decisions of the project reached different conclusions, across tasks.",
		in:          object(optional("after", text("next_after of the page before.").upTo(200)), pageLimit(100, 50)),
		out: object(
			optional("next_after", text("absent on the last page")),
			required("conflicts", listOf("", object(required("choice", text("")), required("count", integer("active decisions on it")),
				required("decisions", listOf("10 at most, one of each conclusion first", object(decisionFields()...)))))),
		),
		run: func(ctx context.Context, p trace.ListConflictsParams) (trace.ConflictPage, error) {
			return trace.ListConflicts(ctx, s.db, s.identity(), p)
		},
		lower: "limit",
	}
}
