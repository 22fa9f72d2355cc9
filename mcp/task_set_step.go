package mcp

// This file defines the "set_step" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) setStep() *tool[trace.SetStepParams, trace.StepReceipt] {
	return &tool[trace.SetStepParams, trace.StepReceipt]{
		name: "set_step", title: "Set step", hints: writes,
		description: "Makes a step of a task, or sets it anew with all that is sent. A completed step needs a result: record it with record_event first.",
		in: object(
			taskName(),
			required("name", text("The step's name.").from(1).upTo(200)),
			required("state", choice("Where it stands.", trace.StepNotStarted, trace.StepInProgress, trace.StepCompleted, trace.StepFailed, trace.StepUnknown)),
			optional("kind", choice("What kind of work it is.", "read", "analysis", "other").byDefault("other")),
			optional("result_event_seq", integer("The event of this task that holds the result: not empty and not truncated.").from(1)),
			optional("result_basis", choice("Whether the result rests on the supports.", "independent", "supported", "unknown").byDefault("unknown")),
			supportsField(0),
			requestID(),
		),
		out: object(append([]field{required("task_name", text(""))}, stepFields()...)...),
		run: func(ctx context.Context, p trace.SetStepParams) (trace.StepReceipt, error) {
			return trace.SetStep(ctx, s.db, s.identity(), p)
		},
	}
}
