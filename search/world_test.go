package search_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docket/db"
	"docket/db/dbtest"
	"docket/ingest"
	"docket/search"
)

// A world is a folder, the root "docs", and a store that is kept in step with it.
type world struct {
	testing.TB
	d   *db.DB
	dir string
}

// newWorld makes a world of files: names and contents in turn.
func newWorld(tb testing.TB, files ...string) *world {
	tb.Helper()
	w := &world{tb, dbtest.Open(tb), filepath.Join(tb.TempDir(), "docs")}
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	w.write(files...)
	if _, err := ingest.AddRoot(tb.Context(), w.d, w.dir, "docs"); err != nil {
		tb.Fatal(err)
	}
	w.sync()
	return w
}

func (w *world) write(files ...string) {
	w.Helper()
	for i := 0; i < len(files); i += 2 {
		p := filepath.Join(w.dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(files[i+1]), 0o600); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) remove(name string) {
	w.Helper()
	if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) sync() {
	w.Helper()
	if _, err := ingest.Sync(w.Context(), w.d, ingest.SyncRequest{AllowRemovals: true}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) rebuild() {
	w.Helper()
	if _, err := ingest.Sync(w.Context(), w.d, ingest.SyncRequest{AllowRemovals: true, Rebuild: true}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) scope(text string) db.Scope {
	w.Helper()
	s, err := db.ParseScope(text)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

func (w *world) view(fn func(context.Context, *db.Tx) error) {
	w.Helper()
	if err := w.d.View(w.Context(), func(tx *db.Tx) error { return fn(w.Context(), tx) }); err != nil {
		w.Fatal(err)
	}
}

// ask runs a lexical search and checks what holds for every answer.
func (w *world) ask(q search.Query) search.Result {
	w.Helper()
	if q.Mode == "" {
		q.Mode = search.Lexical
	}
	if q.Limit == 0 {
		q.Limit = 10
	}
	if q.SnippetChars == 0 {
		q.SnippetChars = 240
	}
	r, err := search.Evidence(w.Context(), w.d, q)
	if err != nil {
		w.Fatalf("search %q: %v", q.Text, err)
	}
	if r.Hits == nil || r.Failures == nil {
		w.Errorf("search %q: a list is nil", q.Text)
	}
	if len(r.Hits) > q.Limit {
		w.Errorf("search %q: %d hits, limit %d", q.Text, len(r.Hits), q.Limit)
	}
	return r
}

// keys returns the documents that a query finds, in order.
func (w *world) keys(query string) []string {
	w.Helper()
	out := []string{}
	for _, h := range w.ask(search.Query{Text: query}).Hits {
		out = append(out, strings.TrimPrefix(h.DocumentKey, "docs/"))
	}
	return out
}

// first returns the id of the best hit.
func (w *world) first(query string) string {
	w.Helper()
	r := w.ask(search.Query{Text: query})
	if len(r.Hits) == 0 {
		w.Fatalf("search %q: no hit", query)
	}
	return r.Hits[0].EvidenceID
}

// fetch returns the outcome for one id.
func (w *world) fetch(id string) search.Outcome {
	w.Helper()
	f, err := search.Fetch(w.Context(), w.d, search.FetchRequest{IDs: []string{id}, MaxChars: 4000})
	if err != nil {
		w.Fatal(err)
	}
	return f.Outcomes[0]
}

// span returns the id of the first span whose text contains s.
func (w *world) span(key, s string) string {
	w.Helper()
	var id string
	w.view(func(ctx context.Context, tx *db.Tx) error {
		doc, err := tx.Document(ctx, "docs/"+key)
		if err != nil {
			return err
		}
		chunks, err := tx.Chunks(ctx, doc.Current)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			for _, sp := range c.Spans {
				text, err := tx.Text(ctx, doc.Current, sp.Start, sp.End)
				if err != nil {
					return err
				}
				if id == "" && strings.Contains(text, s) {
					id = c.SpanID(sp.Start, sp.End)
				}
			}
		}
		return nil
	})
	if id == "" {
		w.Fatalf("%s: no span has %q", key, s)
	}
	return id
}
