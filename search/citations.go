package search

// This file defines check_citations: do cited ids trace to text that was fetched in scope.

import (
	"context"
	"errors"

	"docket/db"
)

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

// CheckCitations judges each cited id. The first verdict that applies holds, in the order invalid_id, not_found, not_fetched,
// partial_only, deleted, superseded, valid.
func CheckCitations(ctx context.Context, d *db.DB, c CitationCheck) (Verdicts, error) {
	out := Verdicts{Verdicts: []Verdict{}}
	err := d.View(ctx, func(tx *db.Tx) error {
		lines := newReader(tx)
		for _, id := range c.IDs {
			v, err := lines.verdict(ctx, id, c)
			if err != nil {
				return err
			}
			out.Verdicts = append(out.Verdicts, Verdict{id, v})
		}
		return nil
	})
	if err != nil {
		return Verdicts{Verdicts: []Verdict{}}, err
	}
	return out, nil
}

func (r *reader) verdict(ctx context.Context, id string, c CitationCheck) (string, error) {
	n, err := r.resolve(ctx, id, c.Scope)
	switch {
	case errors.Is(err, errBadID):
		return InvalidID, nil
	case errors.Is(err, db.ErrNotFound):
		return NotFound, nil
	case err != nil:
		return "", err
	}
	complete, partial := c.Fetched(id)
	switch {
	case !complete && !partial:
		return NotFetched, nil
	case !complete:
		return PartialOnly, nil
	}
	if s := n.state(); s != db.Current {
		return s, nil
	}
	return Valid, nil
}
