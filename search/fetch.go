package search

// This file defines fetch_evidence: the exact stored text of passages, by id.

import (
	"context"
	"errors"
	"fmt"

	"docket/db"
)

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

// Fetch returns the exact stored text of evidence in scope, of superseded and deleted versions too: one outcome for each id.
func Fetch(ctx context.Context, d *db.DB, r FetchRequest) (Fetched, error) {
	out := Fetched{Status: OK, Outcomes: []Outcome{}}
	if r.MaxChars < 1 {
		return out, fmt.Errorf("fetch of %d characters: want at least 1", r.MaxChars)
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		lines := newReader(tx)
		for _, id := range r.IDs {
			o, err := lines.fetch(ctx, id, r.MaxChars, r.Scope)
			if err != nil {
				return err
			}
			out.Outcomes = append(out.Outcomes, o)
		}
		return nil
	})
	if err != nil {
		return Fetched{Status: OK, Outcomes: []Outcome{}}, err
	}
	return out, nil
}

// fetch returns the outcome for one id. A row that cannot be read is its outcome, not the end of the others.
func (r *reader) fetch(ctx context.Context, id string, maxChars int, scope db.Scope) (Outcome, error) {
	n, err := r.resolve(ctx, id, scope)
	if err == nil {
		var o Outcome
		if o, err = r.outcome(ctx, &n, maxChars, scope); err == nil {
			return o, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case errors.Is(err, errBadID):
		return Outcome{Status: InvalidID, EvidenceID: id}, nil
	case errors.Is(err, db.ErrNotFound):
		return Outcome{Status: NotFound, EvidenceID: id}, nil
	}
	return Outcome{Status: Unavailable, EvidenceID: id}, nil
}

// outcome tells all about a node, with at most so many characters of its text.
func (r *reader) outcome(ctx context.Context, n *node, maxChars int, scope db.Scope) (Outcome, error) {
	o := Outcome{
		Status: OK, EvidenceID: n.id(), DocumentKey: n.doc.Key, Title: n.Title, ContentHash: n.ContentHash.String(), StatusOfVersion: n.state(),
	}
	l := n.location()
	o.Location, o.URI = &l, n.uri(l)
	o.CitationMarkdown = n.citation(l)
	o.Text, o.Partial = cut(n.own(), maxChars)
	var err error
	if o.StatusOfVersion != db.Current {
		o.CurrentEvidenceID, err = r.replacement(ctx, n, scope)
	}
	return o, err
}

// id returns the node's evidence id.
func (n *node) id() string {
	if n.span {
		return n.chunk.SpanID(n.start, n.end)
	}
	return n.chunk.ID()
}
