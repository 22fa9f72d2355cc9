package mcp

// This file defines the "record_event" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) recordEvent() *tool[trace.RecordEventParams, trace.EventReceipt] {
	return &tool[trace.RecordEventParams, trace.EventReceipt]{
		name: "record_event", title: "Record event", hints: writes,
		description: "Appends a message, tool call, tool result or note to a task's log. The first 32,000 characters are kept, with the hash of all of it.",
		in: object(
			taskName(),
			required("kind", choice("What it is.", trace.EventMessage, trace.EventToolCall, trace.EventToolResult, trace.EventNote)),
			required("payload", text("Its text.").upTo(1_000_000)),
			optional("role", text("Who spoke.").upTo(100)),
			optional("name", text("Of the tool, for instance.").upTo(200)),
			requestID(),
		),
		out: object(
			required("task_name", text("")), required("seq", integer("")), required("chars", integer("")), required("truncated", boolean("")),
			required("full_sha256", text("")), required("created_at", text("")),
		),
		run: func(ctx context.Context, p trace.RecordEventParams) (trace.EventReceipt, error) {
			return trace.RecordEvent(ctx, s.db, s.identity(), p)
		},
	}
}
