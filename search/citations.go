package search

// This file defines check_citations: do cited ids trace to text that was fetched in scope, and do quotes stand in it.

import (
	"context"
	"errors"
	"slices"

	"docket/db"
)

// A CitationCheck asks whether cited ids trace to text that was fetched in scope, and whether quotes stand in it.
type CitationCheck struct {
	IDs     []string
	Quotes  []Quote                                  // of ids that need not be among IDs
	Fetched func(id string) (complete, partial bool) // of the session
	Sources []string                                 // fetched completely: where else quotes are looked for, in the first thousand
	Scope   db.Scope
}

// The verdicts on a citation, in order of precedence; [InvalidID] and [NotFound] come before them, and [db.Deleted] and
// [db.Superseded] between PartialOnly and Valid.
const (
	NotFetched  = "not_fetched"
	PartialOnly = "partial_only"
	Valid       = "valid"
)

// Verdicts holds one verdict for each id, in order. A quote is told of in the first verdict on its id that has none yet; for quotes
// that find no such verdict others follow, in the order of the quotes.
type Verdicts struct {
	Truncated bool      `json:"truncated"`
	Verdicts  []Verdict `json:"verdicts"`
}

// A Verdict is the judgement on one cited id.
type Verdict struct {
	EvidenceID  string   `json:"evidence_id"`
	Verdict     string   `json:"verdict"`
	QuoteStatus string   `json:"quote_status,omitempty"`
	QuoteIndex  *int     `json:"quote_index,omitempty"` // in the list of quotes, from 0
	FoundIn     []string `json:"found_in,omitempty"`    // the id that has it, or those that have its pieces
	Nearest     *Nearest `json:"nearest,omitempty"`     // what an altered quote comes nearest to
}

// CheckCitations judges each cited id. The first verdict that applies holds, in the order invalid_id, not_found, not_fetched,
// partial_only, deleted, superseded, valid. What it finds out about a quote goes by the text of its id, whether or not that was fetched:
// the verdict says so; else only by what was fetched completely. The error is a [QuoteError] for a quote that is blank or too long.
func CheckCitations(ctx context.Context, d *db.DB, c CitationCheck) (Verdicts, error) {
	out := Verdicts{Verdicts: []Verdict{}}
	if err := checkQuotes(c.Quotes); err != nil {
		return out, err
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		lines := newReader(tx)
		judge := &quoteJudge{vocabulary: vocabulary{}}
		for _, v := range c.pinned() {
			n, err := lines.resolve(ctx, v.EvidenceID, c.Scope)
			known := err == nil
			if v.Verdict, err = c.verdict(&n, err); err != nil {
				return err
			}
			if v.QuoteIndex != nil {
				own := source{id: v.EvidenceID}
				if known {
					own.wording = judge.newWording(n.own())
				}
				f, err := judge.find(ctx, lines, c, own, c.Quotes[*v.QuoteIndex].Quote)
				if err != nil {
					return err
				}
				v.QuoteStatus, v.FoundIn, v.Nearest = f.status, f.foundIn, f.nearest
			}
			out.Verdicts = append(out.Verdicts, v)
		}
		return nil
	})
	if err != nil {
		return Verdicts{Verdicts: []Verdict{}}, err
	}
	return out, nil
}

// pinned returns the verdicts to be filled in, each quote at its own.
func (c *CitationCheck) pinned() []Verdict {
	out := make([]Verdict, len(c.IDs), len(c.IDs)+len(c.Quotes))
	for i, id := range c.IDs {
		out[i].EvidenceID = id
	}
	for i, q := range c.Quotes {
		at := slices.IndexFunc(out, func(v Verdict) bool { return v.EvidenceID == q.EvidenceID && v.QuoteIndex == nil })
		if at < 0 {
			at = len(out)
			out = append(out, Verdict{EvidenceID: q.EvidenceID})
		}
		out[at].QuoteIndex = &i
	}
	return out
}

// verdict judges a node, or the error of not finding it.
func (c *CitationCheck) verdict(n *node, err error) (string, error) {
	switch {
	case errors.Is(err, errBadID):
		return InvalidID, nil
	case errors.Is(err, db.ErrNotFound):
		return NotFound, nil
	case err != nil:
		return "", err
	}
	complete, partial := c.Fetched(n.id())
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
