package mcp

// This file defines the "create_task" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) createTask() *tool[trace.CreateTaskParams, trace.Task] {
	return &tool[trace.CreateTaskParams, trace.Task]{
		name: "create_task", title: "Create task", hints: writes,
		description: "Creates a task with a goal, or returns the one of that name if the goal is the same.",
		in:          object(taskName(), required("goal", text("What is to be reached.").from(1).upTo(4000)), requestID()),
		out:         object(required("task_name", text("")), required("goal", text("")), required("agent_id", text("")), required("created_at", text(""))),
		run: func(ctx context.Context, p trace.CreateTaskParams) (trace.Task, error) {
			return trace.CreateTask(ctx, s.db, s.identity(), p)
		},
	}
}
