package ingest_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"docket/db"
	"docket/ingest"
	"docket/search"
	"docket/trace"
)

var who = trace.Identity{Project: "p", Agent: "a", Person: true, Fetched: func(string) (bool, bool) { return true, false }}

// decide records a decision that rests on a quote in a document.
func (w *world) decide(key, quote string) string {
	w.Helper()
	var id string
	w.view(func(tx *db.Tx) error {
		doc, err := tx.Document(w.Context(), key)
		if err != nil {
			return err
		}
		chunks, err := tx.Chunks(w.Context(), doc.Current)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			text, err := tx.Text(w.Context(), doc.Current, c.Start, c.End)
			if err != nil {
				return err
			}
			if strings.Contains(text, quote) {
				id = c.ID()
			}
		}
		return nil
	})
	if _, err := trace.CreateTask(w.Context(), w.d, who, trace.CreateTaskParams{TaskName: "task", Goal: "a goal"}); err != nil {
		w.Fatal(err)
	}
	got, err := trace.RecordDecision(w.Context(), w.d, who, trace.RecordDecisionParams{
		TaskName: "task", ChoiceKey: "choice", Conclusion: "It is so.", Rationale: "Since it says so.",
		Supports: []trace.Support{{Type: "evidence", EvidenceID: id, Quote: quote}}, Assumptions: []string{}, OpenQuestions: []string{},
	})
	if err != nil {
		w.Fatal(err)
	}
	return got.DecisionID
}

func (w *world) wantReview(id, want string, when string) {
	w.Helper()
	got, err := trace.GetDecision(w.Context(), w.d, who, trace.GetDecisionParams{DecisionID: id})
	if err != nil {
		w.Fatal(err)
	}
	if got.Review != want {
		w.Errorf("%s: the decision is %s, want %s; reasons %+v", when, got.Review, want, got.ReviewReasons)
	}
}

// What a sync finds out about a file reaches the decisions that rest on it, in the transaction that changes the document.
func TestReview(t *testing.T) {
	const before = "# Plan\n\nThe budget is 30 thousand for this year.\n\nThe start is in May, weather permitting.\n"
	w := newWorld(t)
	w.write("plan.md", before, "other.md", note)
	w.add("docs")
	w.sync()
	id := w.decide("docs/plan.md", "The budget is 30 thousand for this year.")
	sync := func() { t.Helper(); _, _ = w.trySync(ingest.SyncRequest{}) }
	w.wantReview(id, "current", "at first")

	w.write("plan.md", "# The plan\n\nA new first paragraph.\n\n"+strings.TrimPrefix(before, "# Plan\n\n"))
	sync()
	w.wantReview(id, "current", "after an edit elsewhere")

	w.write("plan.md", strings.Replace(before, "30 thousand", "20 thousand", 1))
	sync()
	w.wantReview(id, "needs_review", "after an edit of the cited sentence")
	w.write("plan.md", before)
	sync()
	w.wantReview(id, "current", "after the sentence came back")

	w.rename("plan.md", "moved/plan-2.md")
	sync()
	w.wantReview(id, "current", "after a move")
	w.rename("moved/plan-2.md", "plan.md")
	sync()
	w.wantReview(id, "current", "after the move back")

	w.write("plan.md", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00")
	sync()
	w.wantReview(id, "unknown", "while the file cannot be read as text")
	sync()
	w.wantReview(id, "unknown", "while it still cannot")
	w.write("plan.md", before)
	sync()
	w.wantReview(id, "current", "once it can again")

	if err := os.Rename(w.dir, w.dir+"-away"); err != nil {
		t.Fatal(err)
	}
	sync()
	w.wantReview(id, "unknown", "while the root is offline")
	if err := os.Rename(w.dir+"-away", w.dir); err != nil {
		t.Fatal(err)
	}
	sync()
	w.wantReview(id, "current", "once it is back")

	if _, err := w.trySync(ingest.SyncRequest{Rebuild: true}); err != nil {
		t.Fatal(err)
	}
	w.wantReview(id, "current", "after a rebuild")

	w.remove("plan.md")
	sync()
	w.wantReview(id, "needs_review", "after the file was removed")
	w.write("plan.md", before)
	sync()
	w.wantReview(id, "current", "after the file came back")
	if _, err := ingest.RemoveRoot(t.Context(), w.d, "docs"); err != nil {
		t.Fatal(err)
	}
	w.wantReview(id, "needs_review", "after its root was removed")
	if got, err := ingest.Prune(t.Context(), w.d, 1); err != nil || got.Kept == 0 {
		t.Errorf("Prune: %+v, %v; want the versions that the decision leant on kept", got, err)
	}
	w.add("docs")
	sync()
	w.wantReview(id, "current", "after its root came back")
}

// A version that was read by an earlier parser is cut anew; the passage that a decision cites stays, even where the cut goes otherwise now.
func TestNewParser(t *testing.T) {
	w := newWorld(t)
	w.write("plan.md", "# Plan\n\nThe budget is 30 thousand for this year.\n\n## Later\n\nThe start is in May.\n")
	w.add("docs")
	w.sync()
	fresh := w.snapshot()
	id := w.decide("docs/plan.md", "The budget is 30 thousand for this year.")
	// As an earlier parser left it: one passage over all, under one section.
	var cited string
	err := w.d.Update(t.Context(), func(tx *db.Tx) error {
		doc, err := tx.Document(t.Context(), "docs/plan.md")
		if err != nil {
			return err
		}
		v, err := tx.Version(t.Context(), doc.Current)
		if err != nil {
			return err
		}
		text, err := tx.Text(t.Context(), v.Row, 0, v.Bytes)
		if err != nil {
			return err
		}
		v.Parser = "markdown/0"
		if err := tx.DescribeVersion(t.Context(), v); err != nil {
			return err
		}
		if err := search.Drop(t.Context(), tx, v.Row); err != nil {
			return err
		}
		sections := []db.Section{{Parent: -1, End: len(text)}}
		chunks := []db.Chunk{{Kind: "paragraph", End: len(text), Spans: []db.Span{{Kind: "sentence", End: len(text)}}}}
		if err := tx.ReplaceTree(t.Context(), doc, v, text, sections, chunks, true); err != nil {
			return err
		}
		if err := search.Index(t.Context(), tx, v, text, sections, chunks); err != nil {
			return err
		}
		cited = chunks[0].ID()
		_, err = tx.Exec(t.Context(), `UPDATE ledger SET parser = 'markdown/0'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seq := w.source("docs/plan.md").ActivationSeq
	if got := w.sync(); got.Read != 1 || got.Indexed != 1 {
		t.Errorf("sync with a new parser: %+v", got)
	}
	w.wantSame(fresh, "as the new parser reads it")
	w.checkWords()
	if now := w.source("docs/plan.md").ActivationSeq; now != seq {
		t.Errorf("the same text is no change, yet the sequence went from %d to %d", seq, now)
	}
	w.wantReview(id, "current", "after another cut")
	ids := []string{cited}
	for _, c := range fresh["docs/plan.md"].Chunks {
		ids = append(ids, c[:28])
	}
	for _, s := range slices.Compact(ids) {
		e, ok := db.ParseEvidenceID(s)
		if !ok {
			t.Fatalf("%q is no id", s)
		}
		w.view(func(tx *db.Tx) error {
			c, start, end, err := tx.Evidence(t.Context(), e)
			if err == nil {
				_, err = tx.Section(t.Context(), c.VersionRow, c.Section)
			}
			if err != nil || end <= start {
				t.Errorf("%s does not resolve after another cut: %v", s, err)
			}
			return nil
		})
	}
	if got := w.sync(); got.Read != 0 {
		t.Errorf("the sync after it: %+v", got)
	}
}
