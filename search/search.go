// Package search finds passages and cites them: it owns the word index, ranks with it, hands out exact text by evidence id, walks
// a document's tree, and judges citations. It reads documents only through package db, and writes nothing but its own index rows,
// inside the transaction of whoever changes a document ([Index], [Retire], [Drop]).
//
// Nothing that a caller types is query syntax. The scope is part of every query, never a filter after it. The main index holds
// the passages of current versions and nothing else: scores depend on what is current, not on the past.
package search

// This file defines the shapes that answers share.

import "docket/db"

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

// A LegState is the state of one index, with the passages that are in it and those to come.
type LegState struct {
	State string `json:"state"` // ready, building, stale, missing
	Done  int    `json:"done"`
	Todo  int    `json:"todo"`
}

// Coverage tells "not found" from "could not be read".
type Coverage struct {
	Documents        int `json:"documents"`          // live documents in scope
	Unreadable       int `json:"unreadable"`         // files in scope that could not be read in full
	PagesWithoutText int `json:"pages_without_text"` // among them
}

// An IndexState says how far the indexes are, for the documents in scope.
type IndexState struct {
	Lexical  LegState `json:"lexical"`
	Semantic LegState `json:"semantic"`
	Coverage Coverage `json:"coverage"`
}

// A Query is a search for passages.
type Query struct {
	Text         string
	Mode         string // lexical, semantic or hybrid; "" is hybrid
	Limit        int
	SnippetChars int
	Scope        db.Scope
}

// A Result is the answer to a [Query].
type Result struct {
	Status     string     `json:"status"`
	Truncated  bool       `json:"truncated"` // items that exist were left out
	IndexState IndexState `json:"index_state"`
	Failures   []Failure  `json:"failures"`
	Hits       []Hit      `json:"hits"`
}

// A Hit is a passage that was found.
type Hit struct {
	EvidenceID     string   `json:"evidence_id"`
	DocumentKey    string   `json:"document_key"`
	Title          string   `json:"title"`
	ContentHash    string   `json:"content_hash"`
	Location       Location `json:"location"`
	Snippet        string   `json:"snippet"`
	Score          float64  `json:"score"`
	Legs           Legs     `json:"legs"`
	Similar        int      `json:"similar,omitempty"` // near-duplicate passages folded into this one
	Via            string   `json:"via,omitempty"`     // what ties it to a direct hit, where it is none
	URI            string   `json:"uri"`
	Kind           string   `json:"kind"` // of the document
	LifecycleState string   `json:"lifecycle_state"`
}

// Legs says which legs found a hit.
type Legs struct {
	Lexical  *LegHit `json:"lexical,omitempty"`
	Semantic *LegHit `json:"semantic,omitempty"`
}

// A LegHit is a hit's rank, from 1, and raw score in one leg.
type LegHit struct {
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// A FetchRequest asks for the exact text of evidence.
type FetchRequest struct {
	IDs      []string
	MaxChars int // of each text
	Scope    db.Scope
}

// A Fetched holds one outcome for each id that was asked for, in order.
type Fetched struct {
	Status     string    `json:"status"`
	Truncated  bool      `json:"truncated"`
	OmittedIDs []string  `json:"omitted_ids,omitempty"` // set by who had to leave outcomes out
	Outcomes   []Outcome `json:"outcomes"`
}

// An Outcome is what became of one id. Only an outcome with status ok has more than that and the id.
type Outcome struct {
	Status            string    `json:"status"`
	EvidenceID        string    `json:"evidence_id"`
	DocumentKey       string    `json:"document_key,omitempty"`
	Title             string    `json:"title,omitempty"`
	URI               string    `json:"uri,omitempty"`
	Location          *Location `json:"location,omitempty"`
	ContentHash       string    `json:"content_hash,omitempty"`
	StatusOfVersion   string    `json:"status_of_version,omitempty"`
	CurrentEvidenceID string    `json:"current_evidence_id,omitempty"` // the passage that replaced it
	Partial           bool      `json:"partial"`                       // the text was cut
	CitationMarkdown  string    `json:"citation_markdown,omitempty"`
	Text              string    `json:"text,omitempty"`
}

// A NavigateRequest asks for passages near a known one, in the same version.
type NavigateRequest struct {
	ID       string
	Relation string // parent, children, siblings, previous, next, table_context
	Limit    int
	MaxChars int // of all texts together
	Scope    db.Scope
}

// A Navigation is the answer to a [NavigateRequest].
type Navigation struct {
	Status           string `json:"status"`
	VersionStatus    string `json:"version_status,omitempty"`
	MultiSection     bool   `json:"multi_section"` // the items span more than one section
	Truncated        bool   `json:"truncated"`
	TruncationReason string `json:"truncation_reason,omitempty"` // limit, max_chars
	Items            []Item `json:"items"`
}

// An Item is a node of the tree: an outcome, and the level it stands on.
type Item struct {
	Outcome
	Level string `json:"level"` // section, chunk, span
}

// A CitationCheck asks whether cited ids trace to text that was fetched in scope.
type CitationCheck struct {
	IDs     []string
	Fetched func(id string) (complete, partial bool) // of the session
	Scope   db.Scope
}

// The verdicts on a citation, in order of precedence; [InvalidID] and [NotFound] come before them, and [db.Deleted] and
// [db.Superseded] between PartialOnly and Valid.
const (
	NotFetched  = "not_fetched"
	PartialOnly = "partial_only"
	Valid       = "valid"
)

// Verdicts holds one verdict for each id, in order.
type Verdicts struct {
	Truncated bool      `json:"truncated"`
	Verdicts  []Verdict `json:"verdicts"`
}

// A Verdict is the judgement on one cited id.
type Verdict struct {
	EvidenceID string `json:"evidence_id"`
	Verdict    string `json:"verdict"`
}

// A RenderRequest asks for numbered references: those that a draft marks with [[c_…]] or [[s_…]], or those listed.
type RenderRequest struct {
	Draft string
	IDs   []string // cited besides, after the draft's own
	Scope db.Scope
}

// Rendered is a draft with numbers for its markers, and the list they point into.
type Rendered struct {
	UnknownIDs []string    `json:"unknown_ids"` // cited, and nothing in scope has them; their markers stay as they are
	Text       string      `json:"text"`
	References []Reference `json:"references"`
}

// A Reference is one entry of the numbered list.
type Reference struct {
	Number           int       `json:"number"` // from 1, in order of first mention
	EvidenceID       string    `json:"evidence_id"`
	DocumentKey      string    `json:"document_key"`
	Title            string    `json:"title"`
	URI              string    `json:"uri"`
	Location         *Location `json:"location"`
	ContentHash      string    `json:"content_hash"`
	StatusOfVersion  string    `json:"status_of_version"`
	CitationMarkdown string    `json:"citation_markdown"`
}

// A Text is the whole text of a document's current version.
type Text struct {
	DocumentKey string `json:"document_key"`
	Title       string `json:"title"`
	URI         string `json:"uri"`
	Kind        string `json:"kind"`
	ContentHash string `json:"content_hash"`
	VersionID   string `json:"version_id"`
	Text        string `json:"text"`
}

// An Outline is the tree of a document's current version.
type Outline struct {
	DocumentKey string    `json:"document_key"`
	Title       string    `json:"title"`
	URI         string    `json:"uri"`
	Kind        string    `json:"kind"`
	ContentHash string    `json:"content_hash"`
	VersionID   string    `json:"version_id"`
	Sections    []Section `json:"sections"` // in reading order, the document itself first
}

// A Section is a heading, or the document itself, with the passages directly below it.
type Section struct {
	Heading string    `json:"heading,omitempty"`
	Level   int       `json:"level"` // 0 for the document
	Symbol  string    `json:"symbol,omitempty"`
	Chunks  []Passage `json:"chunks"`
}

// A Passage is one chunk of an [Outline].
type Passage struct {
	EvidenceID string   `json:"evidence_id"`
	Kind       string   `json:"kind"`
	Location   Location `json:"location"`
	Snippet    string   `json:"snippet"` // how it begins
}
