package mcp

// This file defines the "check_citations" tool.

import (
	"context"

	"docket/search"
)

type checkParams struct {
	EvidenceIDs []string `json:"evidence_ids"`
}

func (s *Server) checkCitations() *tool[checkParams, search.Verdicts] {
	verdict := choice("valid: fetched completely in this session, and current",
		search.Valid, "superseded", "deleted", search.PartialOnly, search.NotFetched, search.NotFound, search.InvalidID)
	return &tool[checkParams, search.Verdicts]{
		name: "check_citations", title: "Check citations", hints: reads,
		description: "Says of each id that you are about to cite whether it traces to text that you fetched completely in this session and that is still current. Cite only what is valid.",
		in:          object(required("evidence_ids", listOf("The ids to be cited.", text("")).from(1).upTo(s.o.MaxFetchIDs))),
		out: object(
			required("truncated", boolean("")),
			required("verdicts", listOf("", object(required("evidence_id", text("")), required("verdict", verdict)))),
		),
		run: func(ctx context.Context, p checkParams) (search.Verdicts, error) {
			return search.CheckCitations(ctx, s.db, search.CitationCheck{IDs: p.EvidenceIDs, Fetched: s.ledger.Fetched, Scope: s.o.Scope})
		},
		lower: "number of evidence_ids",
		evidence: &trimming[search.Verdicts]{
			items: func(r search.Verdicts) int { return len(r.Verdicts) },
			keep: func(r search.Verdicts, n int) search.Verdicts {
				r.Truncated, r.Verdicts = true, first(r.Verdicts, n)
				return r
			},
		},
	}
}
