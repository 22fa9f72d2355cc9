package mcp

// This file defines the "get_decision" tool.

import (
	"context"

	"docket/trace"
)

func (s *Server) getDecision() *tool[trace.GetDecisionParams, trace.Decision] {
	return &tool[trace.GetDecisionParams, trace.Decision]{
		name: "get_decision", title: "Get decision", hints: reads,
		description: "Returns one decision with what it rests on, how each support stands, and why it needs a review if it does.",
		in:          object(decisionID()),
		out: object(
			required("decision_id", text("")), required("task_name", text("")), required("choice_key", text("")), required("conclusion", text("")), required("rationale", text("")),
			required("assumptions", listOf("", text(""))), required("open_questions", listOf("", text(""))),
			required("status", text("active, superseded or rejected")), optional("review", text("current, needs_review or unknown; rely on current alone")),
			required("review_reasons", reasonsSchema()), required("supports", listOf("", object(supportFields()...))),
			optional("supersedes", text("")), optional("superseded_by", text("")), optional("explanation", text("why it was superseded or rejected")),
			required("agent_id", text("")), required("created_at", text("")),
			optional("more_reasons", integer("not shown")), optional("more_supports", integer("not shown; list_support_history has them")),
		),
		run: func(ctx context.Context, p trace.GetDecisionParams) (trace.Decision, error) {
			if p.MaxBytes = s.o.MaxResponseChars - len(note); s.o.Text == "full" {
				p.MaxBytes = s.o.MaxResponseChars / 2
			}
			return trace.GetDecision(ctx, s.db, s.identity(), p)
		},
	}
}
