package mcp

// This file defines the "list_events" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) listEvents() *tool[trace.ListEventsParams, trace.EventPage] {
	return &tool[trace.ListEventsParams, trace.EventPage]{
		name: "list_events", title: "List events", hints: reads,
		description: "Returns a page of a task's events in order, with previews. fetch_event has their bodies.",
		in: object(
			taskName(),
			optional("after_seq", integer("next_after_seq of the page before.").from(0).byDefault(0)),
			pageLimit(200, 50),
		),
		out: object(required("task_name", text("")), optional("next_after_seq", integer("absent on the last page")), required("events", listOf("", object(eventFields()...)))),
		run: func(ctx context.Context, p trace.ListEventsParams) (trace.EventPage, error) {
			return trace.ListEvents(ctx, s.db, s.identity(), p)
		},
		lower: "limit",
	}
}
