package bench_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/ingest"
	"docket/ingest/format"
	"docket/internal/bench"
)

var files = map[string]string{
	"notes/plan.md": "# Plan\n\nThe first phase ends in May. It costs 300 euros. The board agrees with every part of it.\n\n## Risks\n\nThe supplier is late. The supplier is late.\n\nNobody knows how long the permit from the city takes this year.\n",
	"main.go":       "package main\n\n// main says hello.\nfunc main() {\n\tprintln(\"hello\")\n\tprintln(\"world\")\n}\n\nfunc other() {\n\tprintln(\"hello\")\n}\n",
	"table.csv":     "name,amount,state\nchair,30,ok\ntable,30,ok\nlamp,4,broken\nchair,30,ok\n",
	"story.txt":     "It was late. The train had left, and nobody was there. She waited.\n\nIt was late when the next one came. It was empty. Nobody waited any more for her.\n",
	"copy.txt":      "the same as story.txt",
	"scan.pdf":      "%PDF-1.4" + strings.Repeat("x", 60),
}

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files["copy.txt"] = files["story.txt"]
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What changes is flagged, what does not is not, what comes back clears; the same seed gives the same report, and the folder stays as it was.
func TestReview(t *testing.T) {
	dir := folder(t)
	var reports [2]bench.ReviewReport
	for i := range reports {
		r, err := bench.Review(t.Context(), bench.ReviewRequest{Folder: dir, Edits: 60, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		reports[i] = r
	}
	if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
		t.Errorf("two runs with one seed differ:\n%s", diff)
	}
	r := reports[0]
	if r.Edits < 60 || r.Changed == 0 || r.Changed == r.Edits || r.Files != 4+8 {
		t.Errorf("%d edits of %d files, of which %d change what is cited", r.Edits, r.Files, r.Changed)
	}
	if r.Recall != 1 || r.NotRestored != 0 || r.Restored != r.Edits {
		t.Errorf("recall %v, %d of %d not restored: %+v", r.Recall, r.NotRestored, r.Restored, r.Wrong)
	}
	if r.WholeFile.Flagged <= r.Changed || r.WholeFile.Precision >= r.Precision {
		t.Errorf("the baseline flags %d with precision %v, docket's is %v", r.WholeFile.Flagged, r.WholeFile.Precision, r.Precision)
	}
	want := []bench.ReasonCount{{Reason: "it is a copy of another", Count: 1}, {Reason: "it is no text file", Count: 1}}
	if diff := cmp.Diff(want, r.LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	for name, text := range files {
		if b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(b) != text {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 6 {
		t.Errorf("the folder holds %d entries, %v", len(entries), err)
	}
}

// The truth of an edit can be seen in its texts: what did not change still stands there, and what did stands there less often. Every edit
// applies to something.
func TestEffects(t *testing.T) {
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	texts := map[string]string{"minutes.md": bench.Minutes}
	for _, name := range []string{"notes/plan.md", "main.go", "table.csv", "story.txt"} {
		texts[name] = files[name]
	}
	var docs []*bench.Document
	for _, name := range []string{"minutes.md", "notes/plan.md", "main.go", "table.csv", "story.txt"} {
		parsed, err := format.Parse(name, []byte(texts[name]))
		if err != nil || parsed.Text != texts[name] {
			t.Fatalf("%s: %v", name, err)
		}
		d := &bench.Document{Path: name, Kind: parsed.Kind, Text: parsed.Text}
		for _, c := range ingest.Chunks(parsed) {
			row := db.Chunk{Start: c.Start, End: c.End}
			for _, s := range c.Spans {
				row.Spans = append(row.Spans, db.Span{Kind: string(s.Kind), Start: s.Start, End: s.End})
			}
			d.Chunks = append(d.Chunks, row)
		}
		docs = append(docs, d)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, e := range bench.Edits() {
		applied := 0
		for range 2000 {
			d := docs[rng.IntN(len(docs))]
			c, ok := bench.Cite(rng, d)
			if !ok {
				continue
			}
			out, ok := e.Apply(rng, d, c)
			if !ok {
				continue
			}
			applied++
			parsed, err := format.Parse(d.Path, out.Data)
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			cited, before, after := fold(c.Text(d)), fold(d.Text), fold(parsed.Text)
			switch {
			case !e.Changes && !strings.Contains(after, cited) && !(strings.Contains(e.Name, "front matter") || strings.Contains(e.Name, "indent")):
				t.Errorf("%s: %q is gone:\n%s", e.Name, cited, after)
			case e.Changes && !out.Gone && before == after && e.Name != "indent a cited line of code":
				t.Errorf("%s: nothing has changed around %q", e.Name, cited)
			}
			if t.Failed() {
				return
			}
		}
		if applied == 0 {
			t.Errorf("%q applies to nothing", e.Name)
		}
	}
}
