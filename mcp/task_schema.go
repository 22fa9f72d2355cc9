package mcp

// This file defines when the task and decision tools are offered, and the parts of schemas that they share.

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docket/trace"
)

// The hints of tools that write. All of them keep the history, and a retry with the same request_id writes nothing; only taking a
// decision out of force with nothing in its place is for a person to allow.
var (
	writes  = sdk.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
	rejects = sdk.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(true), OpenWorldHint: new(false)}
)

// tracing reports whether the task and decision tools are offered: they need to know for whom they act.
func (s *Server) tracing() bool { return s.o.Project != "" && s.o.Agent != "" }

func (s *Server) addTrace() {
	if !s.tracing() {
		return
	}
	s.getTask().register(s)
	s.listEvents().register(s)
	s.fetchEvent().register(s)
	s.listSteps().register(s)
	s.searchDecisions().register(s)
	s.listConflicts().register(s)
	s.getDecision().register(s)
	s.listSupportHistory().register(s)
	s.listDecisions().register(s)
	s.listDecisionsForReview().register(s)
	s.addReviewResources()
	s.addTracePrompts()
	if s.o.ReadOnly {
		return
	}
	s.createTask().register(s)
	s.recordEvent().register(s)
	s.setStep().register(s)
	s.recordDecision().register(s)
	s.supersedeDecision().register(s)
	s.reaffirmDecision().register(s)
	s.continueDecisionReview().register(s)
	if s.o.AllowReject {
		s.rejectDecision().register(s)
	}
}

// identity says for whom the session acts, what it may see and what it has read.
func (s *Server) identity() trace.Identity {
	return trace.Identity{Project: s.o.Project, Agent: s.o.Agent, Scope: s.o.Scope, Fetched: s.ledger.Fetched}
}

func taskName() field { return required("task_name", text("The task's name.").from(1).upTo(200)) }

func requestID() field {
	return required("request_id", text("A new id of your choice for this write. Sent again with the same arguments, it returns the saved result and writes nothing.").from(1).upTo(64))
}

func decisionID() field { return required("decision_id", text("The decision's id, a UUID.")) }

func pageLimit(most, byDefault int) field {
	return optional("limit", integer("How many.").from(1).upTo(most).byDefault(byDefault))
}

func supportsField(least int) field {
	s := listOf("What it rests on, 20 at most.", object(
		required("type", choice("Says which of the other fields are needed.", "evidence", "decision", "step", "event")),
		optional("evidence_id", text("For evidence: an id that you fetched completely in this session, of a current version.")),
		optional("quote", text("For evidence: the words in it that matter, word for word. Without it the whole passage is watched.").upTo(4000)),
		optional("decision_id", text("For a decision: an active one whose review is current.")),
		optional("task_name", text("For a step or an event.")),
		optional("name", text("For a step: a completed one.")),
		optional("seq", integer("For an event.").from(1)),
		optional("group", text("Supports of one group together are an alternative to those of another; those without a group are always needed.").upTo(64)),
	)).from(least).upTo(20)
	if least == 0 {
		return optional("supports", s)
	}
	return required("supports", s)
}

func textsField(name, about string) field {
	return required(name, listOf(about+" Send [] for none.", text("").from(1).upTo(1000)).upTo(20))
}

// receiptFields are what every write of a decision returns.
func receipt() *schema {
	return object(
		required("decision_id", text("")), required("status", text("")), optional("review", text("")),
		optional("supersedes", text("")), optional("superseded_by", text("")),
	)
}

// decisionFields are those of a decision in a list.
func decisionFields(more ...field) []field {
	return append([]field{
		required("decision_id", text("")), required("task_name", text("")), required("choice_key", text("")), required("conclusion", text("")),
		required("status", text("active, superseded or rejected")), optional("review", text("current, needs_review or unknown; rely on current alone")),
		optional("supersedes", text("")), optional("superseded_by", text("")), required("agent_id", text("")), required("created_at", text("")),
	}, more...)
}

func reasonsSchema() *schema {
	return listOf("", object(
		required("cause", text("source_changed, source_removed, extraction_changed or depends_on")), optional("detail", text("")),
		required("support_ordinal", integer("")), required("type", text("")),
		optional("evidence_id", text("")), optional("document_key", text("")), optional("decision_id", text("")),
		optional("task_name", text("")), optional("name", text("")),
		optional("proposed_evidence_id", text("the passage to fetch and judge")), required("opened_at", text("")),
		optional("text_withheld", boolean("")),
		optional("old_text", text("quoted data")), optional("new_text", text("quoted data")), optional("diff", text("[-old-]{+new+}")),
	))
}

// supportFields are those of a support as it stands now.
func supportFields(more ...field) []field {
	return append([]field{
		required("ordinal", integer("")), required("origin", text("")), required("type", text("")), required("state", text("")),
		optional("group", text("")), optional("evidence_id", text("where the text stands, or last stood")), optional("cited_evidence_id", text("")),
		optional("document_key", text("")), optional("quote", text("")), optional("proposed_evidence_id", text("")),
		optional("decision_id", text("")), optional("task_name", text("")), optional("name", text("")), optional("seq", integer("")),
		optional("text_withheld", boolean("")),
	}, more...)
}

func eventFields() []field {
	return []field{
		required("seq", integer("")), required("kind", text("")), optional("role", text("")), optional("name", text("")),
		required("created_at", text("")), required("preview", text("")), required("chars", integer("of the full text")), required("truncated", boolean("")),
	}
}

func stepFields() []field {
	return []field{
		required("name", text("")), required("state", text("")), required("kind", text("")), optional("result_event_seq", integer("")),
		required("result_basis", text("")), required("review", text("")), required("supports", integer("how many")),
		required("agent_id", text("")), required("created_at", text("")), required("updated_at", text("")),
	}
}
