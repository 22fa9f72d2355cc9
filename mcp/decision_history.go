package mcp

// This file defines the "list_support_history" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) listSupportHistory() *tool[trace.ListSupportHistoryParams, trace.SupportHistory] {
	return &tool[trace.ListSupportHistoryParams, trace.SupportHistory]{
		name: "list_support_history", title: "List support history", hints: reads,
		description: "Returns a page of a decision's supports, original and refreshed, with what became of each and what changed in its source.",
		in: object(
			decisionID(),
			optional("after_ordinal", integer("next_after_ordinal of the page before.").from(-1).byDefault(-1)),
			pageLimit(100, 20),
		),
		out: object(
			required("decision_id", text("")), optional("next_after_ordinal", integer("absent on the last page")),
			required("acts", listOf("", object(required("what", text("")), required("explanation", text("")), required("agent_id", text("")), required("at", text(""))))),
			required("supports", listOf("", object(supportFields(
				required("carried", integer("how often its text was found again in a new version")),
				required("changes", listOf("latest first", object(required("what", text("")), optional("cause", text("")), required("at", text("")),
					required("activation_seq", integer("")), optional("old_evidence_id", text("")), optional("new_evidence_id", text(""))))),
				optional("old_text", text("quoted data")), optional("new_text", text("quoted data")), optional("diff", text("[-old-]{+new+}")))...))),
		),
		run: func(ctx context.Context, p trace.ListSupportHistoryParams) (trace.SupportHistory, error) {
			return trace.ListSupportHistory(ctx, s.db, s.identity(), p)
		},
		lower: "limit",
	}
}
