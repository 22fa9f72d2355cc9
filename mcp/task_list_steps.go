package mcp

// This file defines the "list_steps" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) listSteps() *tool[trace.ListStepsParams, trace.StepPage] {
	return &tool[trace.ListStepsParams, trace.StepPage]{
		name: "list_steps", title: "List steps", hints: reads,
		description: "Returns a page of a task's steps by name.",
		in: object(
			taskName(),
			optional("state", choice("Only steps in this state.", trace.StepNotStarted, trace.StepInProgress, trace.StepCompleted, trace.StepFailed, trace.StepUnknown)),
			optional("after_name", text("next_after_name of the page before.").upTo(200)),
			pageLimit(200, 50),
		),
		out: object(required("task_name", text("")), optional("next_after_name", text("absent on the last page")), required("steps", listOf("", object(stepFields()...)))),
		run: func(ctx context.Context, p trace.ListStepsParams) (trace.StepPage, error) {
			return trace.ListSteps(ctx, s.db, s.identity(), p)
		},
		lower: "limit",
	}
}
