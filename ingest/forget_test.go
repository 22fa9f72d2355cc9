package ingest_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"docket/db"
	"docket/ingest"
	"docket/search"
	"docket/trace"
)

// rawCount counts words in the store's files, as somebody would who reads the disk.
func (w *world) rawCount(words ...string) (n int) {
	w.Helper()
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(w.path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			w.Fatal(err)
		}
		for _, word := range words {
			n += bytes.Count(bytes.ToLower(b), []byte(word))
		}
	}
	return n
}

// What is forgotten is in no table, no free page and no WAL; the rest of the store is as if it had never been there.
func TestForget(t *testing.T) {
	ctx := t.Context()
	w := newWorld(t)
	// Words that no other document holds, one of them long enough to lie in an index term of its own.
	planted := []string{"zanzibarquux", "chrysoprase", "vermiculated"}
	secret := "# Zanzibarquux\n\n" + strings.Repeat("The chrysoprase was vermiculated by hand. ", 4000) + "\n"
	w.write("secret.md", secret, "secret2.md", secret, "keep.md", "# Keep\n\nThe fence was painted green.\n")
	for i := range 300 {
		w.write(fmt.Sprintf("more/n%d.md", i), fmt.Sprintf("# Note %d\n\nThe harbour has berth number%d and a crane.\n", i, i))
	}
	w.add("docs")
	w.sync()
	w.write("secret.md", secret+"\nAnd the chrysoprase was sold.\n") // an old version, in the history indexes
	w.sync()
	who := trace.Identity{Project: "p", Agent: "a", Person: true, Fetched: func(string) (bool, bool) { return true, true }}
	if _, err := trace.CreateTask(ctx, w.d, who, trace.CreateTaskParams{TaskName: "t", Goal: "g"}); err != nil {
		t.Fatal(err)
	}
	hits, err := search.Evidence(ctx, w.d, search.Query{Text: "chrysoprase vermiculated", Limit: 1})
	if err != nil || len(hits.Hits) == 0 {
		t.Fatalf("%v, %v", hits, err)
	}
	r, err := trace.RecordDecision(ctx, w.d, who, trace.RecordDecisionParams{
		TaskName: "t", ChoiceKey: "stone", Conclusion: "Keep it.", Rationale: "It is rare.",
		Supports: []trace.Support{{Type: "evidence", EvidenceID: hits.Hits[0].EvidenceID, Quote: "vermiculated by hand"}},
	})
	if err != nil {
		t.Fatal(err)
	}

	_, err = ingest.Forget(ctx, w.d, "docs/secret.md", false)
	if _, ok := errors.AsType[*ingest.StillThereError](err); !ok {
		t.Fatalf("a file that lies in its root was forgotten: %v", err)
	}
	if _, err := ingest.Forget(ctx, w.d, "docs/none.md", false); err == nil {
		t.Error("what was never there was forgotten")
	}
	w.remove("secret.md", "secret2.md")
	if _, err := w.trySync(ingest.SyncRequest{AllowRemovals: true}); err != nil {
		t.Fatal(err)
	}
	if w.rawCount(planted...) == 0 {
		t.Fatal("the test sees nothing")
	}
	report, err := ingest.Forget(ctx, w.d, "docs/secret.md", false)
	if err != nil {
		t.Fatal(err)
	}
	if report.Versions != 2 || report.Supports == 0 || !slices.Equal(report.SameContent, []string{"docs/secret2.md"}) {
		t.Errorf("%+v", report)
	}
	if w.rawCount(planted...) == 0 {
		t.Error("another document's words are gone too")
	}
	if _, err := ingest.Forget(ctx, w.d, "docs/secret2.md", false); err != nil {
		t.Fatal(err)
	}
	if n := w.rawCount(planted...); n != 0 {
		t.Errorf("the words are %d times in the files", n)
	}
	var porter int
	for _, stem := range []string{"chrysopras", "vermicul", "zanzibar"} { // as the word index spells them
		porter += w.rawCount(stem)
	}
	if porter != 0 {
		t.Errorf("their stems are %d times in the files", porter)
	}
	v, err := trace.GetDecision(ctx, w.d, who, trace.GetDecisionParams{DecisionID: r.DecisionID})
	if err != nil || v.Review != "needs_review" {
		t.Errorf("the decision: %+v, %v", v, err)
	}
	if found, err := ingest.Check(ctx, w.d, true); err != nil || len(found) > 0 {
		t.Errorf("afterwards: %v, %v", found, err)
	}
	if hits, err := search.Evidence(ctx, w.d, search.Query{Text: "green fence", Limit: 1}); err != nil || len(hits.Hits) != 1 {
		t.Errorf("other documents: %v, %v", hits, err)
	}
	// Its vectors are not left in the gaps either: a row that was deleted is zeros.
	if err := w.d.View(ctx, func(tx *db.Tx) error {
		blobs, err := db.Query(ctx, tx, func(r db.Row, v *[3][]byte) error { return r.Scan(&v[0], &v[1], &v[2]) }, `
			SELECT c.validity, c.rowids, e.vectors FROM vec_g1_chunks c JOIN vec_g1_vector_chunks00 e ON e.rowid = c.chunk_id`)
		if err != nil {
			return err
		}
		for _, b := range blobs {
			n := len(b[0]) * 8
			width := len(b[2]) / n
			for i := range n {
				if b[0][i/8]>>(i%8)&1 == 0 && len(bytes.Trim(b[2][i*width:(i+1)*width], "\x00")) > 0 {
					t.Error("a deleted vector can still be read")
				}
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
