package search

// This file defines the lexical leg: a query's terms, and the passages that they rank first.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"docket/db"
)

// The ranking: BM25 with a mild length normalisation, the title counted twice, and a bonus for neighbours of the query that are
// neighbours in the passage. The figures were measured on eight public collections.
const (
	k1        = 1.2
	b         = .4
	pairBonus = .2
	pairGap   = 5 // tokens between the two at most
	maxRepeat = 3 // a term repeated in the query counts up to this often

	longQuery = 1000 // characters
	maxTerms  = 64   // of a longer query
	maxLooked = 5000 // distinct words of a query whose frequency is looked up: what follows is not a question any more

	fewMatches = 5000 // are scored at once
)

var columnWeights = []float64{2, 1, 1} // title, heading, body

// A term is one distinct word of a query.
type term struct {
	text   string // as it is handed to FTS5
	stored string // as the index has it
	repeat float64
	df     float64
	weight float64
}

// A plan is a query as the lexical leg asks it: its terms, the rarest first, which of them stood side by side, and where they are
// looked for.
type plan struct {
	blank  bool // the query has no word in it
	terms  []term
	pairs  []db.Pair
	tables []string
}

// terms cuts a query into distinct terms, in order of first mention; order lists them as they follow each other, parts of
// identifiers rather than wholes.
func terms(text string) (out []term, order []int, err error) {
	seen := map[string]int{}
	cut := func(keep func(string) bool) {
		s := segmenter{query: true, emit: func(t token) {
			if err != nil || !keep(strings.ToLower(t.text)) {
				return
			}
			weight := 1.0
			if t.extra {
				weight = pairBonus // like words side by side
			}
			var stored []db.Term
			stored, err = db.Terms(t.text)
			for _, s := range stored { // one, save for oddities such as ½
				i, ok := seen[s.Text]
				if !ok {
					if len(out) == maxLooked {
						return
					}
					i = len(out)
					seen[s.Text] = i
					out = append(out, term{text: t.text[s.Start:s.End], stored: s.Text})
				}
				out[i].repeat = min(out[i].repeat+weight, maxRepeat)
				if !t.whole {
					order = append(order, i)
				}
			}
		}}
		s.text(text)
	}
	if cut(func(w string) bool { return !stopWords[w] }); len(out) == 0 && err == nil {
		cut(func(string) bool { return true })
	}
	return out, order, err
}

// newPlan looks the terms of a query up in the index. Words that no passage has are left out. With history, passages that are no
// longer current are asked too; what a term is worth goes by the current ones alone.
func (in *corpus) newPlan(ctx context.Context, tx *db.Tx, text string, history bool) (plan, error) {
	all, order, err := terms(text)
	if err != nil || len(all) == 0 {
		return plan{blank: true}, err
	}
	for i := range all {
		t := &all[i]
		if t.df, err = in.frequency(ctx, tx, t.stored); err != nil {
			return plan{}, err
		}
		t.weight = in.idf(t.df) * t.repeat
	}
	p := plan{tables: []string{"word"}}
	if history {
		p.tables = append(p.tables, "word_history")
	}
	at := []int{} // indexes into all, the rarest first
	for i := range all {
		known := all[i].df > 0
		if !known && history {
			if known, err = inHistory(ctx, tx, all[i]); err != nil {
				return plan{}, err
			}
		}
		if known {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(all[a].df, all[b].df) })
	if len(at) > maxTerms && utf8.RuneCountInString(text) > longQuery {
		at = at[:maxTerms]
	}
	place := map[int]int{}
	for i, a := range at {
		place[a] = i
		p.terms = append(p.terms, all[a])
	}
	known := map[[2]int]bool{}
	for i := 1; i < len(order); i++ {
		x, ok1 := place[order[i-1]]
		y, ok2 := place[order[i]]
		if !ok1 || !ok2 || x == y || known[[2]int{min(x, y), max(x, y)}] {
			continue
		}
		known[[2]int{min(x, y), max(x, y)}] = true
		p.pairs = append(p.pairs, db.Pair{A: x, B: y, Within: pairGap, Weight: pairBonus * max(in.idf(p.terms[x].df), in.idf(p.terms[y].df))})
	}
	return p, nil
}

// inHistory reports whether a passage in the history index has a term.
func inHistory(ctx context.Context, tx *db.Tx, t term) (bool, error) {
	_, err := db.One(ctx, tx, db.Value[int64], `SELECT rowid FROM word_history WHERE word_history MATCH ? LIMIT 1`, anyOf([]term{t}))
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for %q in history: %w", t.stored, err)
	}
	return true, nil
}

// A found is a passage that a leg found.
type found struct {
	row   int64 // of the chunk
	score float64
}

// best returns the n passages in scope that rank first, as if every passage with any of the terms had been scored.
//
// Scoring costs far more than finding, so what has nothing but common terms is not scored where it cannot matter: passages with
// one of the rarest terms are ranked first; a passage without any of those can score no more than the others' weights allow. The
// second round takes in as many more terms as could still bring a passage among the first n, so that the result is exact.
func (in *corpus) best(ctx context.Context, tx *db.Tx, p plan, scope *scoped, n int) ([]found, error) {
	if len(p.terms) == 0 {
		return []found{}, nil
	}
	// most[i] is the most that a passage can score which has only terms from i on.
	most := make([]float64, len(p.terms)+1)
	for i := len(p.terms) - 1; i >= 0; i-- {
		most[i] = most[i+1] + p.terms[i].weight*(k1+1)
		for _, pair := range p.pairs {
			if min(pair.A, pair.B) == i {
				most[i] += pair.Weight
			}
		}
	}
	lead, matches, total := 0, 0.0, 0.0
	for _, t := range p.terms {
		if total += t.df; matches < float64(4*n) {
			matches = total
			lead++
		}
	}
	if total <= fewMatches {
		lead = len(p.terms)
	}
	for {
		rows, err := in.scored(ctx, tx, p, lead, in.keep(scope), n)
		if err != nil || lead == len(p.terms) {
			return rows, err
		}
		least := 0.0
		if len(rows) == n {
			least = rows[n-1].score
		}
		need := lead
		for need < len(p.terms) && most[need] >= least {
			need++
		}
		if need == lead {
			return rows, nil
		}
		lead = need
	}
}

// scored ranks the passages that have one of the first lead terms, by all terms: those that keep allows, or all where it is nil.
func (in *corpus) scored(ctx context.Context, tx *db.Tx, p plan, lead int, keep func(chunk int64) bool, n int) ([]found, error) {
	// Where nothing is current, there is no average to go by.
	r := db.Ranking{K1: k1, B: b, Average: max(in.average, 1), Columns: columnWeights, Lengths: in.lengths}
	match := anyOf(p.terms)
	offset := 0
	if lead < len(p.terms) { // FTS5 goes by what stands first, and skips in the rest
		match = "(" + anyOf(p.terms[:lead]) + ") AND (" + match + ")"
		offset = lead
		r.Phrases = make([]float64, lead)
	}
	for _, t := range p.terms {
		r.Phrases = append(r.Phrases, t.weight)
	}
	for _, pair := range p.pairs {
		r.Pairs = append(r.Pairs, db.Pair{A: pair.A + offset, B: pair.B + offset, Within: pair.Within, Weight: pair.Weight})
	}
	r.Open()
	defer r.Close()
	args := []any{r.Handle(), match}
	filter := ""
	if keep != nil {
		f := db.NewFilter(keep)
		defer f.Close()
		filter, args = "AND docket_filter(?, rowid)", append(args, f.Handle())
	}
	var out []found
	for _, table := range p.tables {
		rows, err := db.Query(ctx, tx, func(r db.Row, f *found) error { return r.Scan(&f.row, &f.score) }, `
			SELECT rowid, docket_bm25(`+table+`, ?) AS score FROM `+table+` WHERE `+table+` MATCH ? `+filter+`
			ORDER BY score DESC, rowid LIMIT ?`, append(args, n)...)
		if err != nil {
			return nil, err
		}
		if out = append(out, rows...); len(out) > len(rows) {
			slices.SortFunc(out, func(a, b found) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.row, b.row)) })
		}
	}
	return out[:min(n, len(out))], nil
}

// anyOf writes an FTS5 query for passages that have any of the terms. A term is letters and digits; the quotes keep FTS5 from
// reading AND, OR, NOT and NEAR as its own.
func anyOf(terms []term) string {
	quoted := make([]string, len(terms))
	for i, t := range terms {
		quoted[i] = `"` + t.text + `"`
	}
	return strings.Join(quoted, " OR ")
}
