package trace_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docket/db"
	"docket/internal/bench"
	"docket/trace"
)

// repetitive is what real notes are full of: the same short sentences, rows and lines over and over.
var repetitive = bench.Minutes[strings.Index(bench.Minutes, "# Minutes"):]

// Edits of known effect: none that changes what is cited may go unseen, and hardly any other may be flagged.
func TestEditsOfKnownEffect(t *testing.T) {
	files := map[string]string{"minutes.md": bench.Minutes}
	for _, pattern := range []string{"../*.md", "*.go", "../migrations/*.sql"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) < 20_000 {
				files[filepath.Base(name)] = string(b)
			}
		}
	}
	rounds := 250
	if testing.Short() {
		rounds = 200
	}
	w := newWorld(t)
	w.task("t")
	rng := rand.New(rand.NewPCG(5, 5))
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	edits := bench.Edits()
	var changed, seen, unchanged, falsely int
	byEdit := map[string]int{}
	for round := range rounds {
		kind := edits[round%len(edits)]
		for range 60 { // files and citations, until the edit makes sense
			name := names[rng.IntN(len(names))]
			if rng.IntN(3) == 0 {
				name = "minutes.md"
			}
			v, parsed, _, _ := read(t, name, files[name])
			if parsed != files[name] {
				continue
			}
			file := fmt.Sprintf("%d-%s", round, name)
			doc := &bench.Document{Path: file, Kind: v.Kind, Text: parsed}
			w.put(file, doc.Text)
			w.eachChunk(file, func(c db.Chunk, _ string) { doc.Chunks = append(doc.Chunks, c) })
			cited, ok := bench.Cite(rng, doc)
			if !ok {
				w.remove(file)
				continue
			}
			out, ok := kind.Apply(rng, doc, cited)
			if !ok {
				w.remove(file)
				continue
			}
			w.decide(file, quoted(cited.EvidenceID(), cited.Quote))
			var got trace.Outcome
			switch {
			case out.Gone:
				got = w.remove(file)
			case out.Path != file:
				got = w.move(file, out.Path)
			default:
				got = w.put(file, string(out.Data))
			}
			switch flagged := got.Flagged > 0; {
			case kind.Changes && flagged:
				changed, seen = changed+1, seen+1
			case kind.Changes:
				changed++
				t.Errorf("round %d, %s in %s: not flagged: %q", round, kind.Name, name, cited.Text(doc))
			case flagged:
				unchanged, falsely = unchanged+1, falsely+1
				byEdit[kind.Name]++
				t.Logf("round %d, %s in %s: flagged: %q", round, kind.Name, name, cited.Text(doc))
			default:
				unchanged++
			}
			if !out.Gone {
				w.remove(out.Path)
			}
			break
		}
	}
	t.Logf("changed: %d, flagged of them: %d; unchanged: %d, flagged of them: %d %v", changed, seen, unchanged, falsely, byEdit)
	if changed < rounds/5 || unchanged < rounds/5 {
		t.Errorf("only %d edits changed what is cited, and %d did not", changed, unchanged)
	}
	if falsely*50 > unchanged {
		t.Errorf("%d of %d citations were flagged for edits elsewhere", falsely, unchanged)
	}
}
