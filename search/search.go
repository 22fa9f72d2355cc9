// Package search finds passages and cites them: it owns the word index, ranks with it, hands out exact text by evidence id, walks
// a document's tree, and judges citations. It reads documents only through package db, and writes nothing but its own index rows,
// inside the transaction of whoever changes a document ([Index], [Retire], [Drop]).
//
// Nothing that a caller types is query syntax. The scope is part of every query, never a filter after it. The main index holds
// the passages of current versions and nothing else: scores depend on what is current, not on the past.
package search

// This file defines the shapes that answers share.

// The statuses of an answer.
const (
	OK          = "ok"
	NoMatches   = "no_matches"
	Partial     = "partial"
	Unavailable = "unavailable"
	None        = "none"
	NotFound    = "not_found"
	InvalidID   = "invalid_id"
)

// The modes of a search, and the names of its legs.
const (
	Lexical  = "lexical"
	Semantic = "semantic"
	Hybrid   = "hybrid"
)

// A Location is where a node stands. It holds what the document's format has, and nothing else.
type Location struct {
	HeadingPath []string `json:"heading_path,omitempty"`
	Page        int      `json:"page,omitempty"` // from 1
	LineStart   int      `json:"line_start,omitempty"`
	LineEnd     int      `json:"line_end,omitempty"`
	CharStart   int      `json:"char_start"` // code points in the version's text
	CharEnd     int      `json:"char_end"`
	Symbol      string   `json:"symbol,omitempty"` // of source code
}

// A Failure says why a leg did not run, and whether a retry can help.
type Failure struct {
	Leg       string `json:"leg"`
	Reason    string `json:"reason"`
	RetrySafe bool   `json:"retry_safe"`
}
