package mcp

// This file defines the "get_task" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) getTask() *tool[trace.GetTaskParams, trace.Resume] {
	return &tool[trace.GetTaskParams, trace.Resume]{
		name: "get_task", title: "Get task", hints: reads,
		description: "Returns what you need to go on with a task: its goal, open steps, active decisions with their review state, open questions, and the latest events without their bodies. " +
			"The lists are bounded; list_steps, list_decisions and list_events have the rest.",
		in: object(taskName()),
		out: object(
			required("task_name", text("")), required("goal", text("")), required("agent_id", text("")), required("created_at", text("")),
			required("events", integer("")), required("decisions", integer("active")), required("to_review", integer("of them, not current")),
			required("steps", object(required("not_started", integer("")), required("in_progress", integer("")), required("completed", integer("")),
				required("failed", integer("")), required("unknown", integer("")))),
			required("truncated", boolean("")),
			required("open_steps", listOf("", object(required("name", text("")), required("state", text("")), required("updated_at", text(""))))),
			required("open_questions", listOf("", object(required("decision_id", text("")), required("question", text(""))))),
			required("active_decisions", listOf("", object(required("decision_id", text("")), required("choice_key", text("")),
				required("conclusion", text("its beginning")), required("review", text(""))))),
			required("last_events", listOf("", object(eventFields()...))),
		),
		run: func(ctx context.Context, p trace.GetTaskParams) (trace.Resume, error) {
			return trace.GetTask(ctx, s.db, s.identity(), p)
		},
	}
}
