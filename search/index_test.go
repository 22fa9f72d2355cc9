package search_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
	"docket/search"
)

// integrity runs FTS5's own check on both indexes: SQLite's says nothing about them. It needs the write connection, and changes nothing.
func (w *world) integrity() {
	w.Helper()
	err := w.d.Update(w.Context(), func(tx *db.Tx) error {
		for _, table := range []string{"word", "word_history"} {
			if _, err := tx.Exec(w.Context(), `INSERT INTO `+table+` (`+table+`) VALUES ('integrity-check')`); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
		return nil
	})
	if err != nil {
		w.Error(err)
	}
}

// postings returns what the main index holds, with passages named by their evidence ids, and checks which rows are where.
func (w *world) postings() []string {
	w.Helper()
	out := []string{}
	w.view(func(ctx context.Context, tx *db.Tx) error {
		for _, q := range []struct{ name, stmt string }{
			{"current passages without words", `SELECT count(*) FROM chunk c JOIN document d ON d.current_version = c.version_id
				WHERE c.ord >= 0 AND c.id NOT IN (SELECT id FROM word_docsize)`},
			{"words without a current passage", `SELECT count(*) FROM word_docsize WHERE id NOT IN
				(SELECT c.id FROM chunk c JOIN document d ON d.current_version = c.version_id)`},
			{"old passages without words", `SELECT count(*) FROM chunk c JOIN version v ON v.id = c.version_id JOIN document d ON d.id = v.document_id
				WHERE c.ord >= 0 AND d.current_version IS NOT v.id AND c.id NOT IN (SELECT id FROM word_history_docsize)`},
			{"old words without an old passage", `SELECT count(*) FROM word_history_docsize WHERE id NOT IN
				(SELECT c.id FROM chunk c JOIN version v ON v.id = c.version_id JOIN document d ON d.id = v.document_id WHERE d.current_version IS NOT v.id)`},
			{"passages that are in neither or both", `SELECT count(*) FROM passage
				WHERE (chunk_id IN (SELECT id FROM word_docsize)) + (chunk_id IN (SELECT id FROM word_history_docsize)) <> 1`},
		} {
			n, err := db.One(ctx, tx, db.Value[int], q.stmt)
			if err != nil {
				return err
			}
			if n != 0 {
				w.Errorf("%s: %d", q.name, n)
			}
		}
		var err error
		out, err = db.Query(ctx, tx, func(r db.Row, v *string) error {
			var id, term, doc, cnt string
			err := r.Scan(&id, &term, &doc, &cnt)
			*v = strings.Join([]string{id, term, doc, cnt}, " ")
			return err
		}, `SELECT '', term, doc, cnt FROM word_term UNION ALL
			SELECT c.evidence, '', hex(w.sz), p.fold FROM word_docsize w JOIN chunk c ON c.id = w.id JOIN passage p ON p.chunk_id = c.id ORDER BY 1, 2`)
		return err
	})
	return out
}

// Cases 59 to 62: after any mix of changes the index is sound, holds what is current, and is what a fresh index would be.
func TestIndexEqualsAFreshOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	text := func() string {
		var b strings.Builder
		fmt.Fprintf(&b, "# Note %d\n\n", rng.IntN(5))
		for range 1 + rng.IntN(4) {
			fmt.Fprintf(&b, "## Part %d\n\nSome words %d of 検索 and v1.%d.0, again and again.\n\n", rng.IntN(3), rng.IntN(9), rng.IntN(3))
		}
		return b.String()
	}
	files := map[string]string{"keep.md": "# Keep\n\nThis one stays.\n"}
	names := []string{"a.md", "b.md", "c.txt", "sub/d.md"}
	w := newWorld(t, "keep.md", files["keep.md"])
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for round := range rounds {
		for range 1 + rng.IntN(3) {
			name := names[rng.IntN(len(names))]
			if _, ok := files[name]; ok && rng.IntN(3) == 0 {
				delete(files, name)
				w.remove(name)
				continue
			}
			files[name] = text()
			w.write(name, files[name])
		}
		w.sync()
		if round%4 == 3 {
			w.rebuild()
		}
		w.integrity()
		var all []string
		for _, name := range append([]string{"keep.md"}, names...) {
			if s, ok := files[name]; ok {
				all = append(all, name, s)
			}
		}
		fresh := newWorld(t, all...)
		if diff := cmp.Diff(fresh.postings(), w.postings()); diff != "" {
			t.Fatalf("round %d (-fresh +incremental):\n%s", round, diff)
		}
		if t.Failed() {
			return
		}
	}
}

// The index has the tokenizer that Go asks about words, and a store without a document answers.
func TestEmptyStore(t *testing.T) {
	w := &world{t, dbtest.Open(t), ""}
	w.view(func(ctx context.Context, tx *db.Tx) error {
		for _, table := range []string{"word", "word_history"} {
			stmt, err := db.One(ctx, tx, db.Value[string], `SELECT sql FROM sqlite_schema WHERE name = ?`, table)
			if err != nil {
				return err
			}
			if !strings.Contains(stmt, "tokenize = '"+db.Tokenizer+"'") {
				t.Errorf("%s: %s", table, stmt)
			}
		}
		return nil
	})
	want := search.Result{
		Status: search.NoMatches, IndexState: search.IndexState{Lexical: search.LegState{State: search.Ready}, Semantic: search.LegState{State: search.Ready}},
		Failures: []search.Failure{}, Hits: []search.Hit{},
	}
	if diff := cmp.Diff(want, w.ask(search.Query{Text: "anything", Limit: math.MaxInt})); diff != "" {
		t.Error(diff)
	}
	w.integrity()
}

// A key never leaves the index in part: what is dropped is in neither table.
func TestDrop(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nOld.\n", "b.md", "# B\n\nStays.\n")
	w.write("a.md", "# A\n\nNew.\n")
	w.sync()
	err := w.d.Update(t.Context(), func(tx *db.Tx) error {
		rows, err := db.Query(t.Context(), tx, db.Value[int64], `SELECT v.id FROM version v JOIN document d ON d.id = v.document_id WHERE d.key = 'docs/a.md'`)
		for _, row := range rows {
			if err := search.Drop(t.Context(), tx, row); err != nil {
				return err
			}
		}
		if len(rows) != 2 {
			t.Errorf("%d versions", len(rows))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.integrity()
	w.view(func(ctx context.Context, tx *db.Tx) error {
		n, err := db.One(ctx, tx, db.Value[int], `SELECT (SELECT count(*) FROM word_docsize) + (SELECT count(*) FROM word_history_docsize) + (SELECT count(*) FROM passage)`)
		if n != 2 {
			t.Errorf("%d rows are left, want the word row and the passage of b.md", n)
		}
		return err
	})
}
