package search

// This file defines search_evidence: ranked passages of current versions.

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"docket/db"
)

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

// Evidence finds the passages of current versions in scope that answer a query best. It writes nothing.
func Evidence(ctx context.Context, d *db.DB, q Query) (Result, error) {
	var r Result
	err := d.View(ctx, func(tx *db.Tx) (err error) { r, err = evidence(ctx, tx, q); return err })
	return r, err
}

func evidence(ctx context.Context, tx *db.Tx, q Query) (Result, error) {
	r := Result{Status: NoMatches, Failures: []Failure{}, Hits: []Hit{}}
	switch q.Mode {
	case "":
		q.Mode = Hybrid
	case Lexical, Semantic, Hybrid:
	default:
		return r, fmt.Errorf("search mode %q: want lexical, semantic or hybrid", q.Mode)
	}
	if q.Limit < 1 {
		return r, fmt.Errorf("search limit %d: want at least 1", q.Limit)
	}
	in, err := open(ctx, tx)
	if err != nil {
		return r, err
	}
	if r.IndexState, err = in.indexState(ctx, tx, q.Scope); err != nil {
		return r, err
	}
	p, err := in.newPlan(ctx, tx, q.Text)
	if err != nil || p.blank {
		return r, err
	}
	held, err := in.scope(ctx, tx, q.Scope)
	if err != nil {
		return r, err
	}
	ranked, more, failures, err := in.search(ctx, tx, q, p, held)
	if err != nil {
		return r, err
	}
	r.Failures = append(r.Failures, failures...)
	r.Truncated = more
	lines := newReader(tx)
	for _, h := range ranked {
		hit, err := lines.hit(ctx, h, p.terms, q.SnippetChars)
		if err != nil {
			return r, err
		}
		r.Hits = append(r.Hits, hit)
	}
	switch {
	case q.Mode == Semantic && len(failures) > 0:
		r.Status = Unavailable
	case len(failures) > 0:
		r.Status = Partial
	case len(r.Hits) > 0:
		r.Status = OK
	}
	return r, nil
}

// spare is how many passages are ranked beyond the limit.
const spare = 16

// A ranked is a passage on its way to become a hit.
type ranked struct {
	row     int64
	score   float64
	legs    Legs
	similar int
}

// search runs the legs that the mode asks for, and returns the first hits of what they found together; more says that there are others.
func (in *corpus) search(ctx context.Context, tx *db.Tx, q Query, p plan, held *scoped) (hits []ranked, more bool, failures []Failure, err error) {
	if q.Mode != Lexical {
		failures = append(failures, Failure{Leg: Semantic, Reason: noModel})
	}
	if q.Mode == Semantic {
		return nil, false, failures, nil
	}
	limit := min(q.Limit, int(in.rows)+1)
	// More are ranked than shown: some fold into others, and the last score must not be cut between passages that share it.
	for n := limit + spare; ; n *= 4 {
		rows, err := in.best(ctx, tx, p, held, n)
		if err != nil {
			return nil, false, nil, err
		}
		all := len(rows) < n
		if !all {
			last := rows[len(rows)-1].score
			for len(rows) > 0 && rows[len(rows)-1].score == last {
				rows = rows[:len(rows)-1]
			}
		}
		if err := in.settle(ctx, tx, rows); err != nil {
			return nil, false, nil, err
		}
		hits = in.folded(rows)
		if all || len(hits) > limit {
			return hits[:min(len(hits), limit)], len(hits) > limit, failures, nil
		}
	}
}

// folded gives each found passage its rank and folds those of the same text into the first.
func (in *corpus) folded(rows []found) []ranked {
	out := []ranked{}
	first := map[int64]int{}
	for i, f := range rows {
		if at, ok := first[in.folds[f.row]]; ok {
			out[at].similar++
			continue
		}
		first[in.folds[f.row]] = len(out)
		out = append(out, ranked{row: f.row, score: f.score, legs: Legs{Lexical: &LegHit{Rank: i + 1, Score: f.score}}})
	}
	return out
}

// settle brings passages of equal score into the order of their document's key and their place in it. Row ids would do for one
// store, but not for two that were filled in another order.
func (in *corpus) settle(ctx context.Context, tx *db.Tx, rows []found) error {
	var tied []int64
	for i := range rows {
		if i > 0 && rows[i].score == rows[i-1].score || i+1 < len(rows) && rows[i].score == rows[i+1].score {
			tied = append(tied, rows[i].row)
		}
	}
	if len(tied) == 0 {
		return nil
	}
	list, err := json.Marshal(tied)
	if err != nil {
		return err
	}
	inOrder, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT c.id FROM json_each(?) j JOIN chunk c ON c.id = j.value JOIN version v ON v.id = c.version_id JOIN document d ON d.id = v.document_id
		ORDER BY d.key, c.ord`, string(list))
	if err != nil {
		return fmt.Errorf("places of passages: %w", err)
	}
	place := make(map[int64]int, len(inOrder))
	for i, row := range inOrder {
		place[row] = i
	}
	slices.SortStableFunc(rows, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(place[a.row], place[b.row]))
	})
	return nil
}
