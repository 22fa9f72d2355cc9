package search

// This file defines search_evidence: ranked passages of current versions, and of earlier ones where they are asked for.

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

	// IncludeHistory looks in superseded versions as well, and in deleted documents, save those of a folder that was taken out. What an
	// earlier version says in the very words of a current passage is folded into that one.
	IncludeHistory bool
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

// Evidence finds the passages in scope that answer a query best: of current versions, unless the query asks for history too. It
// writes nothing.
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
	p, err := in.newPlan(ctx, tx, q.Text, q.IncludeHistory)
	if err != nil || p.blank {
		return r, err
	}
	scope := in.scope
	if q.IncludeHistory {
		scope = in.withHistory
	}
	held, err := scope(ctx, tx, q.Scope)
	if err != nil {
		return r, err
	}
	ranked, more, failures, err := in.search(ctx, tx, q, p, held)
	if err != nil {
		return r, err
	}
	if lexical, semantic := r.IndexState.Lexical, r.IndexState.Semantic; q.Mode != Lexical && len(failures) == 0 && semantic.State == Building && semantic.Done < lexical.Done {
		reason := fmt.Sprintf("%d of %d documents have passages without a vector; docket sync makes them", lexical.Done-semantic.Done, lexical.Done)
		failures = append(failures, Failure{Leg: Semantic, Reason: reason, RetrySafe: true})
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
	case q.Mode == Semantic && len(failures) > 0 && len(r.Hits) == 0:
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
	show    int64 // the current passage of the same words, where row is not current; else 0
	score   float64
	legs    Legs
	similar int
}

// search runs the legs that the mode asks for, and returns the first hits of what they found together; more says that there are others.
func (in *corpus) search(ctx context.Context, tx *db.Tx, q Query, p plan, held *scoped) (hits []ranked, more bool, failures []Failure, err error) {
	var near meaning
	words := q.Mode != Semantic
	if q.Mode == Semantic || q.Mode == Hybrid && !naming(q.Text) {
		var failure *Failure
		if near, failure, err = in.meaning(ctx, tx, q.Text, held); err != nil {
			return nil, false, nil, err
		}
		if failure != nil {
			failures = append(failures, *failure)
		}
	}
	limit := min(q.Limit, len(in.lengths)+1)
	// More are ranked than shown: some fold into others, and the last score must not be cut between passages that share it.
	n := limit + spare
	if words && near.Rows > 0 {
		n *= 4 // what one leg has far down, the other lifts
	}
	for ; ; n *= 4 {
		var lexical, semantic leg
		if words {
			if lexical, err = in.leg(ctx, tx, n, func() ([]found, error) { return in.best(ctx, tx, p, held, n) }); err != nil {
				return nil, false, nil, err
			}
		}
		if semantic, err = in.leg(ctx, tx, n, func() ([]found, error) { return near.nearest(n), nil }); err != nil {
			return nil, false, nil, err
		}
		var rows []ranked
		var all bool
		switch q.Mode {
		case Lexical:
			rows, all = lexical.alone(Lexical)
		case Semantic:
			rows, all = semantic.alone(Semantic)
		default:
			if rows, all, err = in.fuse(ctx, tx, p, lexical, semantic, near); err != nil {
				return nil, false, nil, err
			}
		}
		if held.history {
			if err = in.present(ctx, tx, rows, held); err != nil {
				return nil, false, nil, err
			}
		}
		if hits = in.folded(rows); all || len(hits) > limit {
			return hits[:min(len(hits), limit)], len(hits) > limit, failures, nil
		}
	}
}

// A leg is what one leg found, the best first.
type leg struct {
	rows []found
	more bool    // there are others
	rest float64 // the most that one of the others can score
}

// leg asks a leg for its n best, in an order that depends on nothing but what is stored.
func (in *corpus) leg(ctx context.Context, tx *db.Tx, n int, best func() ([]found, error)) (leg, error) {
	rows, err := best()
	if err != nil {
		return leg{}, err
	}
	l := leg{rows: rows}
	if len(rows) == n { // which of those that share the last score were left out is chance
		l.more, l.rest = true, rows[n-1].score
		for len(l.rows) > 0 && l.rows[len(l.rows)-1].score == l.rest {
			l.rows = l.rows[:len(l.rows)-1]
		}
	}
	return l, settle(ctx, tx, l.rows, func(f found) (int64, float64) { return f.row, f.score })
}

// alone ranks what one leg found by the scores it gave; all says that it found no more.
func (l *leg) alone(mode string) (rows []ranked, all bool) {
	rows = make([]ranked, len(l.rows))
	for i, f := range l.rows {
		rows[i] = ranked{row: f.row, score: f.score}
		if hit := (&LegHit{Rank: i + 1, Score: f.score}); mode == Lexical {
			rows[i].legs.Lexical = hit
		} else {
			rows[i].legs.Semantic = hit
		}
	}
	return rows, !l.more
}

// folded folds passages of the same text into the first of them, or into the current one where the first is not current: that takes
// its place then, and the score and ranks by which the first was found.
func (in *corpus) folded(rows []ranked) []ranked {
	out := []ranked{}
	first := map[int64]int{}
	for _, r := range rows {
		if at, ok := first[in.folds[r.row]]; ok {
			if r.row != out[at].row { // else it has been counted already
				out[at].similar++
			}
			continue
		}
		first[in.folds[r.row]] = len(out)
		if r.show != 0 {
			r.row, r.similar = r.show, 1
		}
		out = append(out, r)
	}
	return out
}

// settle brings passages of equal score into the order of their document's key and their place in it, the newest version first. Row ids would do for one
// store, but not for two that were filled in another order.
func settle[T any](ctx context.Context, tx *db.Tx, rows []T, of func(T) (row int64, score float64)) error {
	var tied []int64
	for i := range rows {
		row, score := of(rows[i])
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j >= len(rows) {
				continue
			}
			if _, other := of(rows[j]); other == score {
				tied = append(tied, row)
				break
			}
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
		ORDER BY d.key, c.ord, v.id IS NOT d.current_version, v.activation_seq DESC`, string(list))
	if err != nil {
		return fmt.Errorf("places of passages: %w", err)
	}
	place := make(map[int64]int, len(inOrder))
	for i, row := range inOrder {
		place[row] = i
	}
	slices.SortStableFunc(rows, func(x, y T) int {
		a, sa := of(x)
		b, sb := of(y)
		return cmp.Or(cmp.Compare(sb, sa), cmp.Compare(place[a], place[b]))
	})
	return nil
}
