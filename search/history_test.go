package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/ingest"
	"docket/search"
)

// found lists hits as "key state", with what was folded into them.
func found(r search.Result) []string {
	out := []string{}
	for _, h := range r.Hits {
		line := strings.TrimPrefix(h.DocumentKey, "docs/") + " " + h.LifecycleState
		if h.Similar > 0 {
			line += fmt.Sprint(" +", h.Similar)
		}
		out = append(out, line)
	}
	return out
}

func TestHistory(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nThe old wording says oxen pull the plough.\n\n## Same\n\nThis paragraph about the turnip field stays.\n",
		"b.md", "# B\n\nGoats live here.\n", "out/c.md", "# C\n\nOxen of another field.\n")
	w.write("a.md", "# A\n\nThe middle wording says mules pull the plough.\n\n## Same\n\nThis paragraph about the turnip field stays.\n", "out/c.md", "# C\n\nNothing.\n")
	w.sync()
	w.write("a.md", "# A\n\nThe new wording says horses pull the plough.\n\n## Same\n\nThis paragraph about the turnip field stays.\n")
	w.remove("b.md")
	w.sync()
	for _, mode := range []string{search.Lexical, search.Hybrid, search.Semantic} {
		for _, query := range []string{"oxen", "mules", "goats", "who pulls the plough", "oxen goats mules plough field"} {
			for _, h := range w.ask(search.Query{Text: query, Mode: mode}).Hits {
				if h.LifecycleState != db.Current || strings.Contains(h.Snippet, "oxen") || strings.Contains(h.Snippet, "mules") || strings.Contains(h.Snippet, "Goats") {
					t.Errorf("%s %q shows what is not current: %+v", mode, query, h)
				}
			}
		}
	}
	ever := func(query string, limit int, scope string) search.Result {
		t.Helper()
		return w.ask(search.Query{Text: query, Limit: limit, Scope: w.scope(scope), IncludeHistory: true})
	}
	for _, tt := range []struct {
		query, scope string
		limit        int
		want         []string
		truncated    bool
	}{
		{"oxen", "docs/", 10, []string{"out/c.md superseded", "a.md superseded"}, false},
		{"oxen", "docs/*.md", 10, []string{"a.md superseded"}, false},
		{"oxen", "docs/", 1, []string{"out/c.md superseded"}, true},
		{"oxen", "other/", 10, []string{}, false},
		{"oxen", "", 10, []string{}, false},
		{"mules", "docs/", 10, []string{"a.md superseded"}, false},
		{"goats", "docs/", 10, []string{"b.md deleted"}, false},
		{"plough", "docs/", 10, []string{"a.md current", "a.md superseded", "a.md superseded"}, false},
		{"plough horses", "docs/", 1, []string{"a.md current"}, true},
		{"turnip", "docs/", 10, []string{"a.md current +2"}, false},
		{"turnip", "docs/", 1, []string{"a.md current +2"}, false},
		{"wizard", "docs/", 10, []string{}, false},
	} {
		r := ever(tt.query, tt.limit, tt.scope)
		got := found(r)
		if diff := cmp.Diff(tt.want, got); diff != "" || r.Truncated != tt.truncated {
			t.Errorf("%q in %q, at most %d: truncated %v (-want +got):\n%s", tt.query, tt.scope, tt.limit, r.Truncated, diff)
		}
		for _, h := range r.Hits {
			if o := w.fetch(h.EvidenceID); o.StatusOfVersion != h.LifecycleState || o.ContentHash != h.ContentHash {
				t.Errorf("hit %+v, fetched %+v", h, o)
			}
		}
	}
	// The newest comes first of those that score alike.
	hits := ever("plough", 10, "docs/").Hits
	if !strings.Contains(hits[1].Snippet, "mules") || !strings.Contains(hits[2].Snippet, "oxen") {
		t.Errorf("the order of versions: %+v", hits)
	}
	// Both legs find what is in history, as near as what is current.
	for _, mode := range []string{search.Hybrid, search.Semantic} {
		r := w.ask(search.Query{Text: "the old wording says oxen pull the plough", Mode: mode, IncludeHistory: true})
		if r.Status != search.OK || len(r.Hits) == 0 || r.Hits[0].LifecycleState != db.Superseded || r.Hits[0].Legs.Semantic == nil || r.Hits[0].Legs.Semantic.Rank != 1 {
			t.Errorf("%s: %s, %v, %+v", mode, r.Status, r.Failures, r.Hits)
		}
	}
	// Wording that comes back is current again, and is not shown twice.
	w.write("a.md", "# A\n\nThe old wording says oxen pull the plough.\n\n## Same\n\nThis paragraph about the turnip field stays.\n")
	w.sync()
	if diff := cmp.Diff([]string{"a.md current"}, found(ever("oxen", 10, "docs/*.md"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What is pruned is gone, and so is what was in a folder that was taken out.
	if _, err := ingest.RemoveRoot(t.Context(), w.d, "docs"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{}, found(ever("oxen goats turnip", 10, "docs/"))); diff != "" {
		t.Errorf("a folder was taken out (-want +got):\n%s", diff)
	}
}

// The current passages score with history what they score without it, as their words go by the current table alone.
func TestHistoryIsOnTheSameScale(t *testing.T) {
	var files, edited []string
	for i := range 30 {
		name := fmt.Sprintf("%02d.md", i)
		files = append(files, name, fmt.Sprintf("# Note %d\n\nAlpha %s gamma.\n\n## More\n\nBeta again, %d.\n", i, strings.Repeat("beta ", i%4), i%3))
		edited = append(edited, name, fmt.Sprintf("# Note %d\n\nAlpha %s gamma delta.\n\n## More\n\nBeta again, %d.\n", i, strings.Repeat("beta ", i%5), i%3))
	}
	w := newWorld(t, files...)
	w.write(edited...)
	w.sync()
	for _, q := range []string{"alpha", "beta gamma", "alpha beta gamma delta", "again 2", "note 7"} {
		plain := w.ask(search.Query{Text: q, Limit: 100})
		both := w.ask(search.Query{Text: q, Limit: 200, IncludeHistory: true})
		scores := map[string]float64{}
		last := both.Hits[0].Score
		past := 0
		for _, h := range both.Hits {
			if h.LifecycleState == db.Current {
				scores[h.EvidenceID] = h.Score
			} else {
				past++
			}
			if h.Score > last {
				t.Errorf("%q: the order is not that of the scores", q)
			}
			last = h.Score
		}
		for _, h := range plain.Hits {
			if got, ok := scores[h.EvidenceID]; ok && got < h.Score {
				t.Errorf("%q: %s scores %v, with history %v", q, h.EvidenceID, h.Score, got)
			}
		}
		if q != "again 2" && past == 0 {
			t.Errorf("%q finds nothing in history", q)
		}
		// A smaller limit shows the beginning of the same list.
		for _, limit := range []int{1, 5, 20} {
			few := w.ask(search.Query{Text: q, Limit: limit, IncludeHistory: true})
			for i, h := range few.Hits {
				if h.EvidenceID != both.Hits[i].EvidenceID || h.Score != both.Hits[i].Score {
					t.Errorf("%q, at most %d: hit %d is %s, want %s", q, limit, i, h.EvidenceID, both.Hits[i].EvidenceID)
				}
			}
			if len(few.Hits) != min(limit, len(both.Hits)) || few.Truncated != (limit < len(both.Hits)) {
				t.Errorf("%q, at most %d: %d hits of %d, truncated %v", q, limit, len(few.Hits), len(both.Hits), few.Truncated)
			}
		}
	}
}

// A passage whose text is current is shown as current, also where only the title that it once had was asked for.
func TestHistoryPrefersTheCurrentPassage(t *testing.T) {
	care := "\n\n## Care\n\nBrush it.\n\n## Food\n\nFeed it twice a day with hay.\n"
	w := newWorld(t, "a.md", "# Zebra handbook"+care, "b.md", "# Other\n\nText.\n")
	w.write("a.md", "# Horse handbook"+care)
	w.sync()
	all := w.ask(search.Query{Text: "zebra", IncludeHistory: true}).Hits
	if diff := cmp.Diff([]string{"a.md superseded", "a.md current +1"}, found(search.Result{Hits: all})); diff != "" || !strings.Contains(all[1].Snippet, "hay") {
		t.Errorf("(-want +got):\n%s\n%+v", diff, all)
	}
	if one := w.ask(search.Query{Text: "zebra hay", Limit: 1, IncludeHistory: true}).Hits; one[0].LifecycleState != db.Current {
		t.Errorf("at most one: %+v", one)
	}
}

// Passages of the past without a vector are no silent gap.
func TestHistoryWithoutVectors(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nOxen pull the plough.\n")
	w.write("a.md", "# A\n\nHorses pull the plough.\n")
	w.sync()
	if err := w.d.Update(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `DELETE FROM vector_history`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	r := w.ask(search.Query{Text: "oxen", Mode: search.Hybrid, IncludeHistory: true})
	if r.Status != search.Partial || len(r.Failures) != 1 || !strings.HasPrefix(r.Failures[0].Reason, "passages of earlier versions that have no vector") {
		t.Errorf("%s, %+v", r.Status, r.Failures)
	}
	if len(r.Hits) == 0 || r.Hits[0].LifecycleState != db.Superseded {
		t.Errorf("%+v", r.Hits)
	}
	if r := w.ask(search.Query{Text: "oxen", Mode: search.Hybrid}); len(r.Failures) != 0 {
		t.Errorf("without history: %+v", r.Failures)
	}
	if r := w.ask(search.Query{Text: "oxen", IncludeHistory: true}); r.Status != search.OK {
		t.Errorf("by words alone: %s, %+v", r.Status, r.Failures)
	}
}

// A passage in which the model knows no word has no vector, now or later, and that is no gap.
func TestHistoryOfWordsThatTheModelDoesNotKnow(t *testing.T) {
	w := newWorld(t, "qzxvw.txt", "vvxzq qzxvw\n", "a.md", "# A\n\nHorses.\n")
	w.view(func(ctx context.Context, tx *db.Tx) error {
		n, err := db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM vector_none`)
		if n == 0 {
			t.Skip("the model knows these words")
		}
		return err
	})
	w.write("qzxvw.txt", "Horses again.\n")
	w.sync()
	if r := w.ask(search.Query{Text: "vvxzq horses", Mode: search.Hybrid, IncludeHistory: true}); r.Status != search.OK || len(r.Failures) != 0 {
		t.Errorf("%s, %+v", r.Status, r.Failures)
	} else if diff := cmp.Diff([]string{"a.md current", "qzxvw.txt current", "qzxvw.txt superseded"}, slices.Sorted(slices.Values(found(r)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
