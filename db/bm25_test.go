package db_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
	"testing"

	"docket/db"
	"docket/db/dbtest"
)

type scored struct {
	Row   int64
	Score float64
}

func scanScored(r db.Row, s *scored) error { return r.Scan(&s.Row, &s.Score) }

// ranked makes a store with a word table of n random rows whose words are as unevenly spread as those of a text, and drops some again.
func ranked(tb testing.TB, n int) *db.DB {
	tb.Helper()
	d := dbtest.Open(tb)
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(words int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "w%dx ", int(math.Exp(rng.Float64()*6)))
		}
		return b.String()
	}
	err := d.Update(tb.Context(), func(tx *db.Tx) error {
		for _, stmt := range []string{
			`CREATE VIRTUAL TABLE t USING fts5 (title, body, content = '', contentless_delete = 1, tokenize = '` + db.Tokenizer + `')`,
			`CREATE VIRTUAL TABLE i USING fts5vocab (t, instance)`,
			`CREATE TABLE plain (x INTEGER)`,
		} {
			if _, err := tx.Exec(tb.Context(), stmt); err != nil {
				return err
			}
		}
		for row := range n {
			if _, err := tx.Exec(tb.Context(), `INSERT INTO t (rowid, title, body) VALUES (?, ?, ?)`, row+1, text(rng.IntN(6)), text(5+rng.IntN(120))); err != nil {
				return err
			}
		}
		_, err := tx.Exec(tb.Context(), `DELETE FROM t WHERE rowid % 7 = 0`)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// An occurrence is where a term stands, by the vocabulary.
type occurrence struct {
	row    int64
	column string
	offset int64
}

// brute computes what a ranking must give from a table of every occurrence of every term.
func brute(ctx context.Context, tx *db.Tx, r *db.Ranking, terms []string) (map[int64]float64, error) {
	length := map[int64]float64{}
	at := make([]map[int64][]occurrence, len(terms))
	lengths, err := db.Query(ctx, tx, scanScored, `SELECT doc, count(*) FROM i GROUP BY doc`)
	if err != nil {
		return nil, err
	}
	for _, l := range lengths {
		length[l.Row] = l.Score
	}
	out := map[int64]float64{}
	for p, term := range terms {
		at[p] = map[int64][]occurrence{}
		rows, err := db.Query(ctx, tx, func(r db.Row, o *occurrence) error { return r.Scan(&o.row, &o.column, &o.offset) },
			`SELECT doc, col, offset FROM i WHERE term = ?`, term)
		if err != nil {
			return nil, err
		}
		tf := map[int64]float64{}
		for _, o := range rows {
			at[p][o.row] = append(at[p][o.row], o)
			tf[o.row] += map[string]float64{"title": r.Columns[0], "body": r.Columns[1]}[o.column]
		}
		for row, tf := range tf {
			out[row] += r.Phrases[p] * tf * (r.K1 + 1) / (tf + r.K1*(1-r.B+r.B*length[row]/r.Average))
		}
	}
	for _, p := range r.Pairs {
		for row, as := range at[p.A] {
			close := false
			for _, a := range as {
				for _, b := range at[p.B][row] {
					d := b.offset - a.offset
					close = close || a.column == b.column && d != 0 && -p.Within-1 <= d && d <= p.Within+1
				}
			}
			if close {
				out[row] += p.Weight
			}
		}
	}
	return out, nil
}

// stats returns the rows and the tokens of table t, by the vocabulary.
func stats(ctx context.Context, tx *db.Tx) (rows, average float64, lengths []int32, err error) {
	all, err := db.Query(ctx, tx, scanScored, `SELECT doc, count(*) FROM i GROUP BY doc ORDER BY doc`)
	total := 0.0
	for _, l := range all {
		for int64(len(lengths)) <= l.Row {
			lengths = append(lengths, 0)
		}
		lengths[l.Row] = int32(l.Score)
		total += l.Score
	}
	return float64(len(all)), total / float64(len(all)), lengths, err
}

func rank(ctx context.Context, tx *db.Tx, r *db.Ranking, terms []string) ([]scored, error) {
	r.Open()
	defer r.Close()
	return db.Query(ctx, tx, scanScored, `SELECT rowid, docket_bm25(t, ?) AS s FROM t WHERE t MATCH ? ORDER BY s DESC, rowid`,
		r.Handle(), `"`+strings.Join(terms, `" OR "`)+`"`)
}

func TestRankingEqualsFTS5AndBruteForce(t *testing.T) {
	d := ranked(t, 400)
	rng := rand.New(rand.NewPCG(3, 4))
	err := d.View(t.Context(), func(tx *db.Tx) error {
		n, average, lengths, err := stats(t.Context(), tx)
		if err != nil {
			return err
		}
		for q := range 40 {
			var terms []string
			seen := map[string]bool{}
			r := db.Ranking{K1: 1.2, B: .75, Average: average, Columns: []float64{2, 1}, Lengths: lengths}
			if q%2 == 1 {
				r.Lengths = lengths[:len(lengths)/2] // the rest comes from FTS5
			}
			for len(terms) < 1+q%8 {
				term := fmt.Sprintf("w%dx", int(math.Exp(rng.Float64()*6)))
				if seen[term] {
					continue
				}
				seen[term] = true
				df, err := db.One(t.Context(), tx, db.Value[float64], `SELECT count(DISTINCT doc) FROM i WHERE term = ?`, term)
				if err != nil {
					return err
				}
				terms = append(terms, term)
				r.Phrases = append(r.Phrases, max(1e-6, math.Log((n-df+.5)/(df+.5))))
			}
			match := `"` + strings.Join(terms, `" OR "`) + `"`
			fts5, err := db.Query(t.Context(), tx, scanScored, `SELECT rowid, -bm25(t, 2, 1) AS s FROM t WHERE t MATCH ? ORDER BY s DESC, rowid`, match)
			if err != nil {
				return err
			}
			ours, err := rank(t.Context(), tx, &r, terms)
			if err != nil {
				return err
			}
			if len(ours) != len(fts5) {
				t.Fatalf("%v: %d rows, bm25() has %d", terms, len(ours), len(fts5))
			}
			for i := range ours {
				if math.Abs(ours[i].Score-fts5[i].Score) > 1e-4 {
					t.Errorf("%v, b = .75, place %d: %v, bm25() gives %v", terms, i, ours[i], fts5[i])
				}
			}
			r.B = .4
			for i := 1; i < len(terms); i++ {
				r.Pairs = append(r.Pairs, db.Pair{A: i - 1, B: i, Within: 5, Weight: .2 * r.Phrases[i]})
			}
			want, err := brute(t.Context(), tx, &r, terms)
			if err != nil {
				return err
			}
			if ours, err = rank(t.Context(), tx, &r, terms); err != nil {
				return err
			}
			if len(ours) != len(want) {
				t.Errorf("%v: %d rows, want %d", terms, len(ours), len(want))
			}
			for _, s := range ours {
				if math.Abs(s.Score-want[s.Row]) > 1e-9 {
					t.Errorf("%v, b = .4, row %d: %v, want %v", terms, s.Row, s.Score, want[s.Row])
				}
			}
			if !sort.SliceIsSorted(ours, func(i, j int) bool { return ours[i].Score > ours[j].Score }) {
				t.Errorf("%v: not sorted", terms)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRankingOnSeveralConnections(t *testing.T) {
	d := ranked(t, 200)
	var wg sync.WaitGroup
	answers := make([]string, 8)
	for i := range answers {
		wg.Go(func() {
			err := d.View(t.Context(), func(tx *db.Tx) error {
				for range 10 {
					r := db.Ranking{K1: 1.2, B: .4, Average: 60, Columns: []float64{2, 1}, Phrases: []float64{1, 2, 3}, Pairs: []db.Pair{{A: 0, B: 2, Within: 5, Weight: 1}}}
					got, err := rank(t.Context(), tx, &r, []string{"w3x", "w7x", "w1x"})
					if err != nil {
						return err
					}
					answers[i] = fmt.Sprint(got)
					if _, err := db.Query(t.Context(), tx, db.Value[int64], `SELECT x FROM plain`); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, a := range answers {
		if a != answers[0] || len(a) < 100 {
			t.Errorf("connection %d: %s, another: %s", i, a, answers[0])
		}
	}
}

func TestRankingRefusesMisuse(t *testing.T) {
	d := ranked(t, 10)
	err := d.View(t.Context(), func(tx *db.Tx) error {
		closed := db.Ranking{Columns: []float64{1, 1}, Phrases: []float64{1}}
		if _, err := rank(t.Context(), tx, &closed, []string{"w1x", "w2x"}); err == nil {
			t.Error("a ranking of one phrase for a query of two: no error")
		}
		for _, q := range []string{
			`SELECT rowid, docket_bm25(t, ?) FROM t WHERE t MATCH 'w1x'`,
			`SELECT rowid, docket_bm25(t, ?, 1) FROM t WHERE t MATCH 'w1x'`,
		} {
			if _, err := db.Query(t.Context(), tx, scanScored, q, closed.Handle()); err == nil {
				t.Errorf("%s with a closed handle: no error", q)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTerms(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string
	}{
		{"endings, case and marks are folded", "Running the CAFÉS", "run[0:7] the[8:11] cafe[12:18]"},
		{"white space is nothing", " \n", ""},
		{"private characters are part of a word", "1\U000F00002 x", "1\U000F00002[0:6] x[7:8]"},
		{"NUL ends nothing", "a\x00b", "a[0:1] b[2:3]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			terms, err := db.Terms(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range terms {
				got = append(got, fmt.Sprintf("%s[%d:%d]", x.Text, x.Start, x.End))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("Terms(%q) = %s, want %s", tt.text, s, tt.want)
			}
		})
	}
}

func BenchmarkTerms(b *testing.B) {
	text := strings.Repeat("the quick brown fox jumped over the lazy dogs ", 40)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := db.Terms(text); err != nil {
			b.Fatal(err)
		}
	}
}
