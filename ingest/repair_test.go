package ingest_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
	"docket/ingest"
	"docket/search"
	"docket/trace"
)

// Case 126: out of a damaged file comes a sound one, with every record that could be read and all that the folders still hold.
func TestRepair(t *testing.T) {
	for _, tt := range []struct {
		name   string
		spoil  func(t *testing.T, path string)
		whole  bool // no record is lost
		mended int
	}{
		{"nothing", func(*testing.T, string) {}, true, 0},
		{"the word index", func(t *testing.T, path string) { spoilTable(t, path, "word_data") }, true, 0},
		{"an index of a table", func(t *testing.T, path string) { spoilTable(t, path, "version_content") }, true, 0},
		{"vectors", func(t *testing.T, path string) { spoilTable(t, path, "vec_g1_chunks") }, true, 0},
		{"a word of every text", func(t *testing.T, path string) {
			rawExec(t, path, `UPDATE text_piece SET data = CAST('X' || substr(data, 2) AS BLOB)`)
		}, true, 21},
		{"all texts", func(t *testing.T, path string) { rawExec(t, path, `DELETE FROM text_piece`) }, true, 21},
		{"a task", func(t *testing.T, path string) { rawExec(t, path, `DELETE FROM task`) }, false, 0},
		{"what holds supports together", func(t *testing.T, path string) { rawExec(t, path, `DELETE FROM holder`) }, true, 0},
		{"a root of a table", func(t *testing.T, path string) { spoilTable(t, path, "review_reason") }, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			w := newWorld(t)
			for i := range 20 {
				w.write(fmt.Sprintf("n%d.md", i), fmt.Sprintf("# Note %d\n\nThe harbour has berth number%d and a crane.\n", i, i))
			}
			w.write("lease.md", "# Lease\n\nSmall pets are allowed with written consent.\n")
			w.add("docs")
			w.sync()
			who := trace.Identity{Project: "p", Agent: "a", Person: true, Fetched: func(string) (bool, bool) { return true, true }}
			if _, err := trace.CreateTask(ctx, w.d, who, trace.CreateTaskParams{TaskName: "t", Goal: "g"}); err != nil {
				t.Fatal(err)
			}
			hits, err := search.Evidence(ctx, w.d, search.Query{Text: "written consent", Limit: 1})
			if err != nil || len(hits.Hits) == 0 {
				t.Fatalf("%v, %v", hits, err)
			}
			r, err := trace.RecordDecision(ctx, w.d, who, trace.RecordDecisionParams{
				TaskName: "t", ChoiceKey: "pets", Conclusion: "Take the dog.", Rationale: "It is allowed.",
				Supports: []trace.Support{{Type: "evidence", EvidenceID: hits.Hits[0].EvidenceID, Quote: "written consent"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var before, after strings.Builder
			if err := trace.Export(ctx, w.d, &before); err != nil {
				t.Fatal(err)
			}
			if err := w.d.Close(); err != nil {
				t.Fatal(err)
			}
			tt.spoil(t, w.path)
			was, err := os.ReadFile(w.path)
			if err != nil {
				t.Fatal(err)
			}

			to := filepath.Join(t.TempDir(), "repaired.db")
			fixed := dbtest.OpenAt(t, to)
			report, err := ingest.Repair(ctx, fixed, w.path, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range report.Tables {
				if s.Bad > 0 {
					t.Errorf("%+v", s)
				}
			}
			if len(report.Problems) > 0 || len(report.Lost) > 0 || report.Mended != tt.mended {
				t.Errorf("%+v", report)
			}
			if err := trace.Export(ctx, fixed, &after); err != nil {
				t.Fatal(err)
			}
			if tt.whole {
				if diff := cmp.Diff(before.String(), after.String()); diff != "" {
					t.Errorf("records (-before +after):\n%s", diff)
				}
			}
			if again, err := search.Evidence(ctx, fixed, search.Query{Text: "written consent", Limit: 1}); err != nil || len(again.Hits) != 1 || again.Hits[0].EvidenceID != hits.Hits[0].EvidenceID {
				t.Errorf("found again: %v, %v", again.Hits, err)
			}
			if v, err := trace.GetDecision(ctx, fixed, who, trace.GetDecisionParams{DecisionID: r.DecisionID}); err != nil || v.Conclusion != "Take the dog." || v.Review != "current" {
				t.Errorf("the decision: %+v, %v", v, err)
			}
			if now, err := os.ReadFile(w.path); err != nil || len(now) != len(was) {
				t.Errorf("the damaged file was touched: %v", err)
			}
		})
	}
}

func rawExec(t *testing.T, path, stmt string) {
	t.Helper()
	r, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Exec(stmt); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// spoilTable overwrites the root page of a table or an index.
func spoilTable(t *testing.T, path, name string) {
	t.Helper()
	r, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	var page, size int64
	if err := r.QueryRow(`SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = ?`, name).Scan(&page, &size); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0x5a}, int(size)), (page-1)*size); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// What nothing is left of is named, and what rested on it is flagged; nothing goes stale in silence.
func TestRepairNamesWhatIsLost(t *testing.T) {
	ctx := t.Context()
	w := newWorld(t)
	w.write("a.md", "# A\n\nThe first text of it.\n")
	w.add("docs")
	w.sync()
	who := trace.Identity{Project: "p", Agent: "a", Person: true, Fetched: func(string) (bool, bool) { return true, true }}
	if _, err := trace.CreateTask(ctx, w.d, who, trace.CreateTaskParams{TaskName: "t", Goal: "g"}); err != nil {
		t.Fatal(err)
	}
	hits, err := search.Evidence(ctx, w.d, search.Query{Text: "first text", Limit: 1})
	if err != nil || len(hits.Hits) == 0 {
		t.Fatalf("%v, %v", hits, err)
	}
	r, err := trace.RecordDecision(ctx, w.d, who, trace.RecordDecisionParams{
		TaskName: "t", ChoiceKey: "k", Conclusion: "c", Rationale: "r",
		Supports: []trace.Support{{Type: "evidence", EvidenceID: hits.Hits[0].EvidenceID}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.d.Close(); err != nil {
		t.Fatal(err)
	}
	rawExec(t, w.path, `DELETE FROM text_piece`)
	w.remove("a.md")
	fixed := dbtest.OpenAt(t, filepath.Join(t.TempDir(), "repaired.db"))
	report, err := ingest.Repair(ctx, fixed, w.path, nil, nil)
	if err != nil || len(report.Lost) != 1 || len(report.Problems) > 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	v, err := trace.GetDecision(ctx, fixed, who, trace.GetDecisionParams{DecisionID: r.DecisionID})
	if err != nil || v.Review != "needs_review" {
		t.Errorf("%+v, %v", v, err)
	}
	if err := fixed.View(ctx, func(tx *db.Tx) error { _, err := tx.Root(ctx, "docs"); return err }); err != nil {
		t.Error(err)
	}
}
