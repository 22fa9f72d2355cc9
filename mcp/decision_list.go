package mcp

// This file defines the "list_decisions" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) listDecisions() *tool[trace.ListDecisionsParams, trace.DecisionPage] {
	return &tool[trace.ListDecisionsParams, trace.DecisionPage]{
		name: "list_decisions", title: "List decisions", hints: reads,
		description: "Returns a page of all decisions of a task, oldest first, those out of force too. get_decision has their rationale and supports.",
		in:          object(taskName(), optional("after", text("next_after of the page before.")), pageLimit(100, 50)),
		out:         object(required("task_name", text("")), optional("next_after", text("absent on the last page")), required("decisions", listOf("", object(decisionFields()...)))),
		run: func(ctx context.Context, p trace.ListDecisionsParams) (trace.DecisionPage, error) {
			return trace.ListDecisions(ctx, s.db, s.identity(), p)
		},
		lower: "limit",
	}
}
