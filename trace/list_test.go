package trace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/trace"
)

func conclusions(list []trace.DecisionSummary) []string {
	out := []string{}
	for _, d := range list {
		out = append(out, d.TaskName+" "+d.Conclusion)
	}
	return out
}

// decideIn records a decision on an event of its task.
func (w *world) decideIn(task, choice, conclusion string) string {
	w.Helper()
	r, err := trace.RecordDecision(w.Context(), w.d, w.who, trace.RecordDecisionParams{
		TaskName: task, ChoiceKey: choice, Conclusion: conclusion, Rationale: "because of " + choice,
		Supports: []trace.Support{{Type: "event", TaskName: task, Seq: 1}}, RequestID: w.request(),
	})
	if err != nil {
		w.Fatal(err)
	}
	return r.DecisionID
}

func (w *world) taskWithEvent(name string) {
	w.Helper()
	w.task(name)
	if _, err := trace.RecordEvent(w.Context(), w.d, w.who, trace.RecordEventParams{TaskName: name, Kind: "note", Payload: "begin", RequestID: w.request()}); err != nil {
		w.Fatal(err)
	}
}

// Acceptance 17, Case 166f: conflicts across tasks, by normalised key; what is out of force is left out.
func TestListConflicts(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	for _, name := range []string{"a", "b", "c"} {
		w.taskWithEvent(name)
	}
	w.decideIn("a", "Data-Base", "SQLite")
	w.decideIn("b", "data base", "Postgres")
	w.decideIn("c", "data_base", "sqlite ")
	w.decideIn("a", "license", "MIT")
	w.decideIn("b", "LICENSE", "mit") // agreed
	gone := w.decideIn("a", "port", "80")
	w.decideIn("b", "port", "81")
	w.decideIn("a", "zone", "UTC")
	w.decideIn("b", "Zone", "CET")
	if _, err := trace.RejectDecision(ctx, w.d, w.who, trace.RejectDecisionParams{DecisionID: gone, Reason: "no", RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	other := w.who
	other.Project = "q"
	all, err := trace.ListConflicts(ctx, w.d, w.who, trace.ListConflictsParams{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, c := range all.Conflicts {
		got[fmt.Sprint(c.Choice, " ", c.Count)] = conclusions(c.Decisions)
	}
	if diff := cmp.Diff(map[string][]string{
		"data base 3": {"a SQLite", "b Postgres", "c sqlite "},
		"zone 2":      {"a UTC", "b CET"},
	}, got); diff != "" || all.NextAfter != "" {
		t.Error(diff)
	}
	first, err := trace.ListConflicts(ctx, w.d, w.who, trace.ListConflictsParams{Limit: 1})
	if err != nil || len(first.Conflicts) != 1 || first.NextAfter != "data base" {
		t.Errorf("%+v, %v", first, err)
	}
	second, err := trace.ListConflicts(ctx, w.d, w.who, trace.ListConflictsParams{After: first.NextAfter, Limit: 1})
	if err != nil || len(second.Conflicts) != 1 || second.NextAfter != "" || second.Conflicts[0].Choice != "zone" {
		t.Errorf("%+v, %v", second, err)
	}
	if none, err := trace.ListConflicts(ctx, w.d, other, trace.ListConflictsParams{Limit: 1}); err != nil || none.Conflicts == nil || len(none.Conflicts) != 0 {
		t.Errorf("another project: %+v, %v", none, err)
	}
	for _, p := range []trace.ListConflictsParams{{Limit: 0}, {Limit: 101}, {Limit: 1, After: strings.Repeat("x", 201)}} {
		_, err := trace.ListConflicts(ctx, w.d, w.who, p)
		wantCode(t, err, "invalid_parameter")
	}
}

func TestSearchDecisions(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.taskWithEvent("a")
	sqlite := w.decideIn("a", "storage engine", "SQLite keeps all of it in one file")
	cjk := w.decideIn("a", "语言", "我们选择中文作为默认语言")
	file := w.decideIn("a", "log format", "a file of lines")
	gone := w.decideIn("a", "old", "SQLite was dismissed")
	if _, err := trace.RejectDecision(ctx, w.d, w.who, trace.RejectDecisionParams{DecisionID: gone, Reason: "no", RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	w.put("a.txt", "The fact of a.\n")
	w.task("t")
	flagged := w.decide("flagged thing", quoted(w.evidence("a.txt", "fact"), ""))
	w.put("a.txt", "Other.\n")
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"sqlite", []string{sqlite}},
		{"SQLITE files", []string{sqlite, file}}, // all words first, then some
		{"中文", []string{cjk}},                    // Case 56
		{"默认语言", []string{cjk}},
		{"flagged", []string{flagged}}, // whatever its review, which is shown
		{"xyzzy", []string{}},
		{" - * \"( ", []string{}},
		{`sqlite" OR "`, []string{sqlite}}, // Cases 49, 50: nothing is syntax
		{"NEAR(sqlite", []string{sqlite}},
		{"conclusion:sqlite*", []string{sqlite}},
		{strings.Repeat("sqlite ", 142), []string{sqlite}},
	} {
		r, err := trace.SearchDecisions(ctx, w.d, w.who, trace.SearchDecisionsParams{Query: tt.query, Limit: 10})
		if err != nil {
			t.Fatalf("%q: %v", tt.query, err)
		}
		got := []string{}
		for _, d := range r.Decisions {
			got = append(got, d.DecisionID)
			if d.DecisionID == flagged && d.Review != "needs_review" {
				t.Errorf("the flagged one shows %s", d.Review)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || (r.Status == "ok") != (len(tt.want) > 0) {
			t.Errorf("%q %s (-want +got):\n%s", tt.query, r.Status, diff)
		}
	}
	r, err := trace.SearchDecisions(ctx, w.d, w.who, trace.SearchDecisionsParams{Query: "sqlite file", Limit: 1})
	if err != nil || len(r.Decisions) != 1 || !r.Truncated {
		t.Errorf("%+v, %v", r, err)
	}
	for _, p := range []trace.SearchDecisionsParams{{Query: "", Limit: 1}, {Query: strings.Repeat("é", 1001), Limit: 1}, {Query: "x", Limit: 0}} {
		_, err := trace.SearchDecisions(ctx, w.d, w.who, p)
		wantCode(t, err, "invalid_parameter")
	}
	other := w.who
	other.Project = "q"
	if r, err := trace.SearchDecisions(ctx, w.d, other, trace.SearchDecisionsParams{Query: "sqlite", Limit: 1}); err != nil || r.Status != "no_matches" {
		t.Errorf("another project finds %+v, %v", r, err)
	}
	if err := trace.Rebuild(ctx, w.d); err != nil {
		t.Fatal(err)
	}
	if r, err := trace.SearchDecisions(ctx, w.d, w.who, trace.SearchDecisionsParams{Query: "sqlite", Limit: 9}); err != nil || len(r.Decisions) != 1 {
		t.Errorf("after a rebuild: %+v, %v", r, err)
	}
}

func TestListDecisions(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.taskWithEvent("a")
	var ids []string
	for i := range 7 {
		ids = append(ids, w.decideIn("a", fmt.Sprint("choice ", i), fmt.Sprint("conclusion ", i)))
	}
	if _, err := trace.RejectDecision(ctx, w.d, w.who, trace.RejectDecisionParams{DecisionID: ids[2], Reason: "no", RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for after := ""; ; {
		p, err := trace.ListDecisions(ctx, w.d, w.who, trace.ListDecisionsParams{TaskName: "a", After: after, Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range p.Decisions {
			got = append(got, d.DecisionID)
			if (d.Status == "rejected") != (d.DecisionID == ids[2]) || (d.Review == "") != (d.Status != "active") {
				t.Errorf("%+v", d)
			}
		}
		if after = p.NextAfter; after == "" {
			break
		}
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Error(diff)
	}
	for _, p := range []trace.ListDecisionsParams{{TaskName: "a"}, {TaskName: "a", Limit: 101}, {TaskName: "a", Limit: 1, After: "x"}, {Limit: 1}} {
		_, err := trace.ListDecisions(ctx, w.d, w.who, p)
		wantCode(t, err, "invalid_parameter")
	}
	_, err := trace.ListDecisions(ctx, w.d, w.who, trace.ListDecisionsParams{TaskName: "none", Limit: 1})
	wantCode(t, err, "task_not_found")
	_, err = trace.ListDecisions(ctx, w.d, w.who, trace.ListDecisionsParams{TaskName: "a", Limit: 1, After: "00000000-0000-4000-8000-00000000ffff"})
	wantCode(t, err, "decision_not_found")
}

func TestListDecisionsForReview(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.taskWithEvent("u")
	for _, name := range []string{"a", "b", "c"} {
		w.put(name+".txt", "The fact of "+name+".\n")
	}
	a := w.decide("a", quoted(w.evidence("a.txt", "fact"), ""))
	b := w.decide("b", quoted(w.evidence("b.txt", "fact"), ""))
	onA := w.decide("on a", quoted(w.evidence("c.txt", "fact"), ""), onDecision(a))
	list := func(task string, limit int) trace.ReviewList {
		t.Helper()
		l, err := trace.ListDecisionsForReview(ctx, w.d, w.who, trace.ListReviewParams{TaskName: task, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := list("", 20); l.NeedsReview+l.Unknown != 0 || l.Decisions == nil {
		t.Errorf("%+v", l)
	}
	w.put("b.txt", "Other.\n")
	w.put("a.txt", "Other.\n")
	ids := func(l trace.ReviewList) (out []string) {
		for _, d := range l.Decisions {
			out = append(out, d.DecisionID)
			if d.Review == "needs_review" && len(d.ReviewReasons) == 0 {
				t.Errorf("no reason with %+v", d)
			}
		}
		return out
	}
	l := list("", 20)
	if diff := cmp.Diff([]string{a, b, onA}, ids(l)); diff != "" || l.NeedsReview != 2 || l.Unknown != 1 || l.Truncated {
		t.Errorf("%d, %d: %s", l.NeedsReview, l.Unknown, diff)
	}
	w.drain()
	if l := list("t", 2); l.NeedsReview != 3 || !l.Truncated || !slices.Equal(ids(l), []string{a, b}) {
		t.Errorf("%+v", l)
	}
	if l := list("u", 20); l.NeedsReview != 0 || len(l.Decisions) != 0 {
		t.Errorf("another task: %+v", l)
	}
	other := w.who
	other.Project = "q"
	if l, err := trace.ListDecisionsForReview(ctx, w.d, other, trace.ListReviewParams{Limit: 1}); err != nil || l.NeedsReview != 0 {
		t.Errorf("another project: %+v, %v", l, err)
	}
	for _, p := range []trace.ListReviewParams{{}, {Limit: 101}, {Limit: 1, TaskName: strings.Repeat("x", 201)}} {
		_, err := trace.ListDecisionsForReview(ctx, w.d, w.who, p)
		wantCode(t, err, "invalid_parameter")
	}
	for _, n := range []int{0, 101} {
		_, err := trace.ContinueDecisionReview(ctx, w.d, w.who, trace.ContinueReviewParams{Limit: n})
		wantCode(t, err, "invalid_parameter")
	}
	for _, id := range []string{"x", ""} {
		_, err := trace.GetDecision(ctx, w.d, w.who, trace.GetDecisionParams{DecisionID: id})
		wantCode(t, err, "invalid_parameter")
	}
	_, err := trace.GetDecision(ctx, w.d, other, trace.GetDecisionParams{DecisionID: a})
	wantCode(t, err, "decision_not_found")
}

func TestImpact(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("a.md", page)
	w.put("b.md", "Nothing rests on this.\n")
	limit, rest := w.evidence("a.md", "30 megabytes"), w.evidence("a.md", "Nothing else")
	if limit == rest {
		t.Fatal("the page is one passage")
	}
	if _, err := trace.RecordEvent(ctx, w.d, w.who, trace.RecordEventParams{TaskName: "t", Kind: "note", Payload: "begin", RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	a := w.decide("a", quoted(limit, ""))
	b := w.decide("b", quoted(rest, "Nothing else"), onDecision(a))
	if _, err := trace.SetStep(ctx, w.d, w.who, trace.SetStepParams{TaskName: "t", Name: "s", State: "completed", ResultEventSeq: 1, Supports: []trace.Support{onDecision(b)}, RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	c := w.decide("c", trace.Support{Type: "event", TaskName: "t", Seq: 1}, trace.Support{Type: "step", TaskName: "t", Name: "s"})
	impact := func(target string) []string {
		t.Helper()
		r, err := trace.Impact(ctx, w.d, w.who, trace.ImpactParams{Target: target, Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		out := []string{fmt.Sprint(r.Kind, " ", r.Decisions, " ", r.Steps)}
		for _, d := range r.Dependents {
			out = append(out, fmt.Sprint(d.Depth, " ", d.DecisionID, d.Name, " ", len(d.EvidenceIDs)))
		}
		return out
	}
	check := func(target string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, impact(target)); diff != "" {
			t.Errorf("impact of %s (-want +got):\n%s", target, diff)
		}
	}
	check("r/a.md", "document 3 1", "1 "+a+" 1", "1 "+b+" 1", "2 s 0", "3 "+c+" 0")
	check(limit, "evidence 3 1", "1 "+a+" 1", "2 "+b+" 0", "3 s 0", "4 "+c+" 0")
	check(rest, "evidence 2 1", "1 "+b+" 1", "2 s 0", "3 "+c+" 0")
	check(w.span("a.md", "Larger files go through support."), "evidence 3 1", "1 "+a+" 1", "2 "+b+" 0", "3 s 0", "4 "+c+" 0")
	check(w.span("a.md", "The board met on Monday."), "evidence 0 0")
	check(a, "decision 2 1", "1 "+b+" 0", "2 s 0", "3 "+c+" 0")
	check(c, "decision 0 0")
	check("r/b.md", "document 0 0")
	w.put("a.md", "# New\n\nHello there, this is new.\n\n"+page)
	check(limit, "evidence 3 1", "1 "+a+" 1", "2 "+b+" 0", "3 s 0", "4 "+c+" 0") // the id that was cited still tells
	check(w.evidence("a.md", "30 megabytes"), "evidence 3 1", "1 "+a+" 1", "2 "+b+" 0", "3 s 0", "4 "+c+" 0")

	page2, err := trace.Impact(ctx, w.d, w.who, trace.ImpactParams{Target: "r/a.md", Limit: 2, Offset: 2})
	if err != nil || len(page2.Dependents) != 2 || page2.Truncated || page2.NextOffset != 0 {
		t.Errorf("%+v, %v", page2, err)
	}
	page1, err := trace.Impact(ctx, w.d, w.who, trace.ImpactParams{Target: "r/a.md", Limit: 2})
	if err != nil || len(page1.Dependents) != 2 || page1.NextOffset != 2 {
		t.Errorf("%+v, %v", page1, err)
	}
	scope, err := db.ParseScope("r/b.md")
	if err != nil {
		t.Fatal(err)
	}
	narrow := w.who
	narrow.Scope = scope
	for _, target := range []string{"r/none.md", "c_" + strings.Repeat("a", 26), "r/a.md", limit} {
		_, err := trace.Impact(ctx, w.d, narrow, trace.ImpactParams{Target: target, Limit: 1})
		wantCode(t, err, "not_found")
	}
	_, err = trace.Impact(ctx, w.d, w.who, trace.ImpactParams{Target: "00000000-0000-4000-8000-00000000ffff", Limit: 1})
	wantCode(t, err, "decision_not_found")
	for _, p := range []trace.ImpactParams{{Limit: 1}, {Target: "r/a.md"}, {Target: "r/a.md", Limit: 201}, {Target: "r/a.md", Limit: 1, Offset: -1}} {
		_, err := trace.Impact(ctx, w.d, w.who, p)
		wantCode(t, err, "invalid_parameter")
	}
}

// Outside the scope a support shows its type, id and state; no word of the document comes out anywhere.
func TestScopeWithholdsText(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("secret.txt", "The codeword is zebra today.\n")
	id := w.evidence("secret.txt", "zebra")
	a := w.decide("a", quoted(id, "codeword is zebra"))
	w.put("secret.txt", "The codeword is zebras today.\n")
	scope, err := db.ParseScope("")
	if err != nil {
		t.Fatal(err)
	}
	narrow := w.who
	narrow.Scope = scope
	d, err := trace.GetDecision(ctx, w.d, narrow, trace.GetDecisionParams{DecisionID: a})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trace.SupportView{Origin: "original", Type: "evidence", State: "changed", EvidenceID: id, TextWithheld: true}, d.Supports[0], cmpVisible); diff != "" {
		t.Error(diff)
	}
	h, err := trace.ListSupportHistory(ctx, w.d, narrow, trace.ListSupportHistoryParams{DecisionID: a, AfterOrdinal: -1, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	l, err := trace.ListDecisionsForReview(ctx, w.d, narrow, trace.ListReviewParams{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []any{d, h, l} {
		if s := jsonOf(t, answer); strings.Contains(s, "zebra") || strings.Contains(s, "secret.txt") || !strings.Contains(s, `"text_withheld":true`) {
			t.Errorf("%s", s)
		}
	}
	if s := jsonOf(t, w.decision(a)); !strings.Contains(s, "[-zebra-]{+zebras+}") {
		t.Errorf("in scope: %s", s)
	}
}

// What a person forgets is gone from decisions too; they stay as records, flagged, and sound.
func TestForget(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("secret.txt", "The codeword is zebra today.\n")
	a := w.decide("a", quoted(w.evidence("secret.txt", "zebra"), "codeword is zebra"))
	w.put("secret.txt", "The codeword is zebras today.\n")
	w.move("secret.txt", "other.txt")
	w.update(func(tx *db.Tx) error {
		for _, key := range []string{"r/secret.txt", "r/other.txt"} {
			doc, err := tx.Document(ctx, key)
			if err != nil {
				return err
			}
			if doc.Current != 0 {
				if _, err := tx.Remove(ctx, doc.ID, 0); err != nil {
					return err
				}
			}
			if err := trace.Forget(ctx, tx, doc.ID); err != nil {
				return err
			}
			versions, err := tx.Versions(ctx, doc.ID)
			if err != nil {
				return err
			}
			for _, v := range versions {
				if leans, err := trace.LeansOn(ctx, tx, v.Row); err != nil || leans {
					t.Errorf("something leans on a forgotten version: %v", err)
				}
				if err := tx.DeleteVersion(ctx, v.Row); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(ctx, `UPDATE document SET moved_to = NULL WHERE moved_to = ?`, doc.ID); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `UPDATE document SET moved_to = NULL WHERE id = ?`, doc.ID); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `DELETE FROM document WHERE id = ?`, doc.ID); err != nil {
				return err
			}
		}
		return nil
	})
	d := w.wantReview(a, "needs_review", "source_removed")
	h, err := trace.ListSupportHistory(ctx, w.d, w.who, trace.ListSupportHistoryParams{DecisionID: a, AfterOrdinal: -1, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if s := jsonOf(t, d) + jsonOf(t, h); strings.Contains(s, "zebra") {
		t.Error(s)
	}
	w.wantSound()
}

// A version that a decision cites, or whose loss it tells of, is not pruned.
func TestLeansOn(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("a.txt", "The fact of a.\n")
	w.decide("a", quoted(w.evidence("a.txt", "fact"), ""))
	for _, text := range []string{"The fact of a.\n\nMore.\n", "The fact of a.\n\nEven more.\n", "Other.\n", "Another.\n"} {
		w.put("a.txt", text)
	}
	var got []bool // oldest first
	w.view(func(tx *db.Tx) error {
		doc, err := tx.Document(ctx, "r/a.txt")
		if err != nil {
			return err
		}
		versions, err := tx.Versions(ctx, doc.ID)
		if err != nil {
			return err
		}
		slices.Reverse(versions)
		for _, v := range versions {
			leans, err := trace.LeansOn(ctx, tx, v.Row)
			if err != nil {
				return err
			}
			got = append(got, leans)
		}
		return nil
	})
	// cited, only carried through, last stood there, replaced by a newer proposal, proposed
	if diff := cmp.Diff([]bool{true, false, true, false, true}, got); diff != "" {
		t.Error(diff)
	}
}

// A decision as large as it may be, with as much around it as there can be, is read in one answer of the usual size.
func TestLargestDecisionFits(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.taskWithEvent("t")
	long := func(n int, c string) string { return strings.Repeat(c, n) }
	var supports []trace.Support
	for i := range 20 {
		name := fmt.Sprintf("%02d.txt", i)
		w.put(name, long(1500, "o")+" "+name+".\n")
		supports = append(supports, quoted(w.evidence(name, "o"), long(1500, "o")))
	}
	twenty := make([]string, 20)
	for i := range twenty {
		twenty[i] = long(1000, "x")
	}
	r, err := trace.RecordDecision(ctx, w.d, w.who, trace.RecordDecisionParams{
		TaskName: "t", ChoiceKey: long(200, "k"), Conclusion: long(4000, "c"), Rationale: long(8000, "r"),
		Supports: supports, Assumptions: twenty, OpenQuestions: twenty, RequestID: w.request(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		w.put(fmt.Sprintf("%02d.txt", i), long(1500, "n")+".\n")
	}
	const limit = 60_000 - 35
	d, err := trace.GetDecision(ctx, w.d, w.who, trace.GetDecisionParams{DecisionID: r.DecisionID, MaxBytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(jsonOf(t, d)); n > limit || len(d.ReviewReasons) == 0 || len(d.Supports) == 0 {
		t.Errorf("%d bytes with %d reasons and %d supports", n, len(d.ReviewReasons), len(d.Supports))
	}
	if len(d.ReviewReasons)+d.MoreReasons != 20 || len(d.Supports)+d.MoreSupports != 20 || d.Rationale != long(8000, "r") || len(d.Assumptions) != 20 {
		t.Errorf("%d and %d reasons, %d and %d supports", len(d.ReviewReasons), d.MoreReasons, len(d.Supports), d.MoreSupports)
	}
	if n := len(jsonOf(t, w.decision(r.DecisionID))); n <= limit {
		t.Errorf("without a limit it has %d bytes only", n)
	}
	h, err := trace.ListSupportHistory(ctx, w.d, w.who, trace.ListSupportHistoryParams{DecisionID: r.DecisionID, AfterOrdinal: -1, Limit: 1})
	if n := len(jsonOf(t, h)); err != nil || n > limit || h.Supports[0].Quote != long(1500, "o") {
		t.Errorf("one support's history has %d bytes, %v", n, err)
	}
}
