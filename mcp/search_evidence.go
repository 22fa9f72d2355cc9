package mcp

// This file defines the "search_evidence" tool.

import (
	"context"
	"fmt"

	"docket/search"
)

type searchParams struct {
	Query          string `json:"query"`
	Mode           string `json:"mode"`
	Limit          int    `json:"limit"`
	IncludeHistory bool   `json:"include_history"`
}

func (s *Server) searchEvidence() *tool[searchParams, search.Result] {
	legHit := object(required("rank", integer("")), required("score", number("")))
	hit := object(
		required("evidence_id", text("")), required("document_key", text("")), required("title", text("")), required("content_hash", text("")),
		required("location", location), required("snippet", text("")), required("score", number("")),
		required("legs", object(optional("lexical", legHit), optional("semantic", legHit))),
		optional("similar", integer("")), optional("via", text("")),
		required("uri", text("")), required("kind", text("")), required("lifecycle_state", text("")),
	)
	return &tool[searchParams, search.Result]{
		name: "search_evidence", title: "Search evidence", hints: reads,
		description: "Finds passages of the documents as they are now, best first. Words are plain words: quotes, operators and wildcards have no effect. " +
			"Snippets are pointers; read a passage with fetch_evidence before you rely on it. Where nothing is found, index_state says what is not indexed yet and what could not be read.",
		in: object(
			required("query", text("What to look for, in words.")),
			optional("mode", choice("hybrid runs both searches and fuses them.", search.Lexical, search.Semantic, search.Hybrid).byDefault(search.Hybrid)),
			optional("limit", integer(fmt.Sprintf("How many passages; more than %d act as %d.", s.o.MaxHits, s.o.MaxHits)).from(1).byDefault(min(10, s.o.MaxHits))),
			optional("include_history", boolean("Look in superseded versions and deleted documents too; lifecycle_state marks them. What they say in a current passage's very words is folded into it.").byDefault(false)),
		),
		out: object(
			required("status", choice("", search.OK, search.NoMatches, search.Partial, search.Unavailable)),
			required("truncated", boolean("")),
			required("index_state", indexState), required("failures", failures), required("hits", listOf("", hit)),
		),
		run: func(ctx context.Context, p searchParams) (search.Result, error) {
			return search.Evidence(ctx, s.db, search.Query{
				Text: p.Query, Mode: p.Mode, Limit: min(p.Limit, s.o.MaxHits), SnippetChars: s.o.MaxSnippetChars, Scope: s.o.Scope,
				IncludeHistory: p.IncludeHistory,
			})
		},
		evidence: &trimming[search.Result]{
			items: func(r search.Result) int { return len(r.Hits) },
			keep: func(r search.Result, n int) search.Result {
				r.Truncated, r.Hits = true, first(r.Hits, n)
				return r
			},
		},
	}
}
