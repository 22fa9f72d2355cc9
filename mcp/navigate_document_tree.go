package mcp

// This file defines the "navigate_document_tree" tool.

import (
	"context"

	"docket/search"
)

type navigateParams struct {
	EvidenceID string `json:"evidence_id"`
	Relation   string `json:"relation"`
	Limit      int    `json:"limit"`
	MaxChars   int    `json:"max_chars"`
}

func (s *Server) navigateDocumentTree() *tool[navigateParams, search.Navigation] {
	item := object(outcomeFields(required("level", text("section, chunk or span")))...)
	return &tool[navigateParams, search.Navigation]{
		name: "navigate_document_tree", title: "Navigate document tree", hints: reads,
		description: "Returns passages near a known one, in the same version of its document: what it stands in, what it holds, what comes before and after, " +
			"or what a piece of a table needs to be understood. It does not count as a fetch.",
		in: object(
			required("evidence_id", text("A passage to start from.")),
			required("relation", choice("parent: its section, or a span's passage. children: its spans. siblings: the rest of its section. previous, next: reading order, nearest first. "+
				"table_context: header row, caption and neighbouring rows.", "parent", "children", "siblings", "previous", "next", "table_context")),
			optional("limit", integer("How many passages.").from(1).upTo(50).byDefault(10)),
			optional("max_chars", integer("Characters of all texts together.").from(1).upTo(20000).byDefault(12000)),
		),
		out: object(
			required("status", choice("", search.OK, search.None, search.NotFound, search.InvalidID)),
			optional("version_status", text("")),
			required("multi_section", boolean("")),
			required("truncated", boolean("")), optional("truncation_reason", choice("", "limit", "max_chars")),
			required("items", listOf("", item)),
		),
		run: func(ctx context.Context, p navigateParams) (search.Navigation, error) {
			return search.Navigate(ctx, s.db, search.NavigateRequest{ID: p.EvidenceID, Relation: p.Relation, Limit: p.Limit, MaxChars: p.MaxChars, Scope: s.o.Scope})
		},
		lower: "max_chars or limit",
	}
}
