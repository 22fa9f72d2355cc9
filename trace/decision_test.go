package trace_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/trace"
)

// TestRegistration: every bound, code and combination of what a decision may rest on.
func TestRegistration(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.task("other")
	w.put("a.md", page)
	w.put("old.txt", "The old text stands here.\n")
	w.put("secret/b.txt", "A secret that nobody may see.\n")
	passage, outdated, secret := w.evidence("a.md", "30 megabytes"), w.evidence("old.txt", "old text"), w.evidence("secret/b.txt", "secret")
	w.put("old.txt", "The new text stands here.\n")
	for i, body := range []string{"a result", strings.Repeat("x", 32_001), ""} {
		if r, err := trace.RecordEvent(ctx, w.d, w.who, trace.RecordEventParams{TaskName: "t", Kind: "tool_result", Payload: body, RequestID: w.request()}); err != nil || r.Seq != i+1 {
			t.Fatal(r, err)
		}
	}
	step := func(name, state string, seq int, supports ...trace.Support) error {
		_, err := trace.SetStep(ctx, w.d, w.who, trace.SetStepParams{TaskName: "t", Name: name, State: state, ResultEventSeq: seq, Supports: supports, RequestID: w.request()})
		return err
	}
	for _, s := range []struct {
		name, state string
		seq         int
	}{{"done", "completed", 1}, {"open", "in_progress", 0}} {
		if err := step(s.name, s.state, s.seq); err != nil {
			t.Fatal(err)
		}
	}
	event := trace.Support{Type: "event", TaskName: "t", Seq: 1}
	evidence := quoted(passage, "")
	active := w.decide("active", event)
	rejected := w.decide("rejected", event)
	if _, err := trace.RejectDecision(ctx, w.d, w.who, trace.RejectDecisionParams{DecisionID: rejected, Reason: "no", RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	w.put("flag.txt", "This will change soon.\n")
	flagged := w.decide("flagged", quoted(w.evidence("flag.txt", "change"), ""))
	if err := step("flagged", "completed", 1, quoted(w.evidence("flag.txt", "change"), "")); err != nil {
		t.Fatal(err)
	}
	pending := w.decide("pending", event, onDecision(flagged))
	w.put("flag.txt", "This has changed.\n")
	w.wantReview(pending, "unknown")
	stepOf := func(name string) trace.Support { return trace.Support{Type: "step", TaskName: "t", Name: name} }
	foreign := w.who
	foreign.Project = "elsewhere"

	many := func(n int) []trace.Support {
		out := []trace.Support{}
		for range n {
			out = append(out, event)
		}
		return out
	}
	texts := func(n, length int) []string {
		out := []string{}
		for range n {
			out = append(out, strings.Repeat("é", length))
		}
		return out
	}
	scoped, err := db.ParseScope("r/a.md")
	if err != nil {
		t.Fatal(err)
	}
	base := trace.RecordDecisionParams{TaskName: "t", ChoiceKey: "key", Conclusion: "c", Rationale: "r", Supports: []trace.Support{event}, Assumptions: []string{}, OpenQuestions: []string{}}
	for _, tt := range []struct {
		name string
		code string // "" is accepted
		edit func(*trace.RecordDecisionParams, *trace.Identity)
	}{
		{"an event alone", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) {}},
		{"evidence alone", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports = []trace.Support{evidence} }},
		{"all types", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{evidence, event, onDecision(active), stepOf("done")}
		}},
		{"20 supports", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports = many(20) }},
		{"21 supports", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports = many(21) }},
		{"no supports", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports = nil }},
		{"a decision alone", "evidence_required", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{onDecision(active)}
		}},
		{"a step alone", "evidence_required", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports = []trace.Support{stepOf("done")} }},

		{"task name of 200", "task_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.TaskName = strings.Repeat("é", 200) }},
		{"task name of 201", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.TaskName = strings.Repeat("é", 201) }},
		{"no task name", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.TaskName = "" }},
		{"another project's task", "task_not_found", func(_ *trace.RecordDecisionParams, who *trace.Identity) { *who = foreign }},
		{"choice key of 200", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.ChoiceKey = strings.Repeat("é", 200) }},
		{"choice key of 201", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.ChoiceKey = strings.Repeat("é", 201) }},
		{"a choice key that names nothing", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.ChoiceKey = "-_ -" }},
		{"conclusion of 4000", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Conclusion = strings.Repeat("é", 4000) }},
		{"conclusion of 4001", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Conclusion = strings.Repeat("é", 4001) }},
		{"no conclusion", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Conclusion = "" }},
		{"a blank conclusion", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Conclusion = " \n" }},
		{"Case 166f: a placeholder", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Conclusion = "<your conclusion>" }},
		{"Case 166f: dots", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Rationale = "…" }},
		{"rationale of 8000", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Rationale = strings.Repeat("é", 8000) }},
		{"rationale of 8001", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Rationale = strings.Repeat("é", 8001) }},
		{"not UTF-8", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Rationale = "a\xff" }},
		{"20 assumptions of 1000", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Assumptions = texts(20, 1000) }},
		{"21 assumptions", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Assumptions = texts(21, 1) }},
		{"an assumption of 1001", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Assumptions = texts(1, 1001) }},
		{"an empty assumption", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Assumptions = []string{""} }},
		{"20 questions of 1000", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.OpenQuestions = texts(20, 1000) }},
		{"21 questions", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.OpenQuestions = texts(21, 1) }},
		{"a question of 1001", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.OpenQuestions = texts(1, 1001) }},
		{"request id of 64", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.RequestID = strings.Repeat("é", 64) }},
		{"request id of 65", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.RequestID = strings.Repeat("é", 65) }},
		{"no request id", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.RequestID = "" }},
		{"no request id, a person", "", func(p *trace.RecordDecisionParams, who *trace.Identity) { p.RequestID, who.Person = "", true }},
		{"no project", "invalid_parameter", func(_ *trace.RecordDecisionParams, who *trace.Identity) { who.Project = "" }},
		{"no agent", "invalid_parameter", func(_ *trace.RecordDecisionParams, who *trace.Identity) { who.Agent = "" }},

		{"an unknown type", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports[0].Type = "document" }},
		{"a field of another type", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports[0].EvidenceID = passage }},
		{"an event without seq", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports[0].Seq = 0 }},
		{"a group of 64", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports[0].Group = strings.Repeat("é", 64) }},
		{"a group of 65", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports[0].Group = strings.Repeat("é", 65) }},
		{"a blank quote", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted(passage, " ")}
		}},
		{"a quote of 4001", "invalid_parameter", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted(passage, strings.Repeat("é", 4001))}
		}},
		{"a quote with other white space", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted(passage, "limit  is\n30 megabytes")}
		}},
		{"Case 162: a quote that is nowhere", "quote_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted(passage, "limit is 31 megabytes")}
		}},
		{"Case 162: a quote of another passage", "quote_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted(passage, "Nothing else is limited")}
		}},
		{"Case 162: two real halves joined", "quote_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted(passage, "The upload limit is 30 megabytes go through support")}
		}},
		{"a quote in other case", "quote_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted(passage, "the upload limit")}
		}},
		{"not an id", "support_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted("xyz", "")}
		}},
		{"evidence that is nowhere", "support_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted("c_"+strings.Repeat("a", 26), "")}
		}},
		{"evidence outside the scope", "support_not_found", func(p *trace.RecordDecisionParams, who *trace.Identity) {
			p.Supports, who.Scope = []trace.Support{quoted(secret, "")}, scoped
		}},
		{"evidence in the scope", "", func(p *trace.RecordDecisionParams, who *trace.Identity) {
			p.Supports, who.Scope = []trace.Support{evidence}, scoped
		}},
		{"not fetched", "evidence_not_fetched", func(p *trace.RecordDecisionParams, who *trace.Identity) {
			p.Supports, who.Fetched = []trace.Support{evidence}, func(string) (bool, bool) { return false, false }
		}},
		{"nothing fetched", "evidence_not_fetched", func(p *trace.RecordDecisionParams, who *trace.Identity) {
			p.Supports, who.Fetched = []trace.Support{evidence}, nil
		}},
		{"fetched in part", "evidence_partial", func(p *trace.RecordDecisionParams, who *trace.Identity) {
			p.Supports, who.Fetched = []trace.Support{evidence}, func(string) (bool, bool) { return false, true }
		}},
		{"a span of a fetched passage", "", func(p *trace.RecordDecisionParams, who *trace.Identity) {
			p.Supports = []trace.Support{quoted(w.span("a.md", "The upload limit is 30 megabytes for every account."), "30 megabytes")}
			who.Fetched = func(id string) (bool, bool) { return id == passage, false }
		}},
		{"the passage of a fetched span", "evidence_not_fetched", func(p *trace.RecordDecisionParams, who *trace.Identity) {
			span := w.span("a.md", "30 megabytes")
			p.Supports, who.Fetched = []trace.Support{evidence}, func(id string) (bool, bool) { return id == span, false }
		}},
		{"a superseded version", "evidence_not_current", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = []trace.Support{quoted(outdated, "")}
		}},

		{"no such decision", "support_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = append(p.Supports, onDecision("00000000-0000-4000-8000-00000000ffff"))
		}},
		{"not a decision's id", "support_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = append(p.Supports, onDecision("x"))
		}},
		{"a rejected decision", "support_not_reliable", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = append(p.Supports, onDecision(rejected))
		}},
		{"a flagged decision", "support_not_reliable", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = append(p.Supports, onDecision(flagged))
		}},
		{"a pending decision", "support_not_reliable", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = append(p.Supports, onDecision(pending))
		}},
		{"no such step", "support_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = append(p.Supports, stepOf("none"))
		}},
		{"an open step", "support_not_reliable", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = append(p.Supports, stepOf("open"))
		}},
		{"a step on changed evidence", "support_not_reliable", func(p *trace.RecordDecisionParams, _ *trace.Identity) {
			p.Supports = append(p.Supports, stepOf("flagged"))
		}},
		{"no such event", "support_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports[0].Seq = 99 }},
		{"an event of another task", "support_not_found", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.Supports[0].TaskName = "other" }},

		{"a choice that is decided", "choice_already_decided", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.ChoiceKey = "active" }},
		{"the same choice, written otherwise", "choice_already_decided", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.ChoiceKey = " ACTIVE_" }},
		{"the same choice in another task", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.TaskName, p.ChoiceKey = "other", "active" }},
		{"a choice whose decision was rejected", "", func(p *trace.RecordDecisionParams, _ *trace.Identity) { p.ChoiceKey = "rejected" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, who := base, w.who
			p.Supports = append([]trace.Support{}, base.Supports...)
			p.ChoiceKey, p.RequestID = w.request(), w.request()
			tt.edit(&p, &who)
			r, err := trace.RecordDecision(ctx, w.d, who, p)
			if tt.code != "" {
				wantCode(t, err, tt.code)
				return
			}
			if err != nil || r.Status != "active" || r.Review != "current" {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	w.wantSound()
}

// One answer names all ids that must be fetched again.
func TestNotFetchedNamesAll(t *testing.T) {
	w := newWorld(t)
	w.task("t")
	w.put("a.txt", "One thing.\n")
	w.put("b.txt", "Two things.\n")
	a, b := w.evidence("a.txt", "One"), w.evidence("b.txt", "Two")
	w.who.Fetched = nil
	_, err := w.tryDecide("x", quoted(a, ""), quoted(b, ""))
	if e := wantCode(t, err, "evidence_not_fetched"); !strings.Contains(e.Message, a) || !strings.Contains(e.Message, b) {
		t.Errorf("%s does not name %s and %s", e.Message, a, b)
	}
}

// Cases 166c, 166e: superseding is one step, and shows on both sides.
func TestSupersede(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("a.md", page)
	on := quoted(w.evidence("a.md", "30 megabytes"), "")
	a := w.decide("limit", on)
	b := w.decide("page", on, onDecision(a))
	p := trace.SupersedeDecisionParams{DecisionID: a, Conclusion: "none", Rationale: "so", Explanation: "new facts", Supports: []trace.Support{on}, RequestID: w.request()}
	for name, tt := range map[string]struct {
		code string
		edit func(*trace.SupersedeDecisionParams)
	}{
		"an explanation of 4001": {"invalid_parameter", func(p *trace.SupersedeDecisionParams) { p.Explanation = strings.Repeat("é", 4001) }},
		"no explanation":         {"invalid_parameter", func(p *trace.SupersedeDecisionParams) { p.Explanation = "" }},
		"no such decision":       {"decision_not_found", func(p *trace.SupersedeDecisionParams) { p.DecisionID = "00000000-0000-4000-8000-00000000ffff" }},
		"not an id":              {"invalid_parameter", func(p *trace.SupersedeDecisionParams) { p.DecisionID = "A" }},
		"an id in capitals":      {"invalid_parameter", func(p *trace.SupersedeDecisionParams) { p.DecisionID = "ABCDEF00-0000-4000-8000-00000000FFFF" }},
		"on what leans on it":    {"support_cycle", func(p *trace.SupersedeDecisionParams) { p.Supports = append(p.Supports, onDecision(b)) }},
		"on itself":              {"support_cycle", func(p *trace.SupersedeDecisionParams) { p.Supports = append(p.Supports, onDecision(a)) }},
		"on a decision alone":    {"evidence_required", func(p *trace.SupersedeDecisionParams) { p.Supports = []trace.Support{onDecision(b)} }},
		"no conclusion":          {"invalid_parameter", func(p *trace.SupersedeDecisionParams) { p.Conclusion = "" }},
	} {
		q := p
		q.RequestID, q.Supports = w.request(), append([]trace.Support{}, p.Supports...)
		tt.edit(&q)
		_, err := trace.SupersedeDecision(ctx, w.d, w.who, q)
		if wantCode(t, err, tt.code); t.Failed() {
			t.Fatal(name)
		}
	}
	r, err := trace.SupersedeDecision(ctx, w.d, w.who, p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trace.DecisionReceipt{DecisionID: r.DecisionID, Status: "active", Review: "current", Supersedes: a}, r); diff != "" {
		t.Error(diff)
	}
	old, now := w.decision(a), w.decision(r.DecisionID)
	if old.Status != "superseded" || old.SupersededBy != r.DecisionID || old.Review != "" || old.Explanation != "new facts" || len(old.Supports) != 1 {
		t.Errorf("the old one is %+v", old)
	}
	if now.Supersedes != a || now.ChoiceKey != "limit" || now.TaskName != "t" {
		t.Errorf("the new one is %+v", now)
	}
	w.wantReview(b, "unknown")
	w.drain()
	if d := w.wantReview(b, "needs_review", "depends_on"); d.ReviewReasons[0].Detail != "superseded" || d.ReviewReasons[0].DecisionID != a {
		t.Errorf("reason %+v", d.ReviewReasons[0])
	}
	for _, try := range []func() error{
		func() error {
			_, err := trace.SupersedeDecision(ctx, w.d, w.who, withRequest(p, w.request()))
			return err
		},
		func() error {
			_, err := trace.RejectDecision(ctx, w.d, w.who, trace.RejectDecisionParams{DecisionID: a, Reason: "no", RequestID: w.request()})
			return err
		},
		func() error {
			_, err := trace.ReaffirmDecision(ctx, w.d, w.who, trace.ReaffirmDecisionParams{DecisionID: a, EvidenceIDs: []string{on.EvidenceID}, Explanation: "x", RequestID: w.request()})
			return err
		},
	} {
		wantCode(t, try(), "not_active")
	}
	// A superseded upstream is answered by any current evidence; then nothing leads back to it.
	if _, err := trace.ReaffirmDecision(ctx, w.d, w.who, trace.ReaffirmDecisionParams{DecisionID: b, EvidenceIDs: []string{on.EvidenceID}, Explanation: "holds", RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	w.wantReview(b, "current")
	w.wantSound()
}

func withRequest(p trace.SupersedeDecisionParams, id string) trace.SupersedeDecisionParams {
	p.RequestID = id
	return p
}

func TestReaffirm(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("a.txt", "The fact of a.\n")
	w.put("b.txt", "The fact of b.\n")
	w.put("c.txt", "The fact of c.\n")
	up := w.decide("up", quoted(w.evidence("c.txt", "fact"), ""))
	x := w.decide("x", quoted(w.evidence("a.txt", "fact"), ""), quoted(w.evidence("b.txt", "fact"), ""), onDecision(up))
	reaffirm := func(id string, ids ...string) error {
		_, err := trace.ReaffirmDecision(ctx, w.d, w.who, trace.ReaffirmDecisionParams{DecisionID: id, EvidenceIDs: ids, Explanation: "it holds", RequestID: w.request()})
		return err
	}
	w.put("a.txt", "Other a.\n")
	w.put("b.txt", "Other b.\n")
	w.put("c.txt", "Other c.\n")
	w.drain()
	w.wantReview(x, "needs_review", "source_changed", "source_changed", "depends_on")
	if err := reaffirm(x, w.evidence("a.txt", "Other")); err != nil { // answers its own document alone
		t.Fatal(err)
	}
	w.wantReview(x, "needs_review", "source_changed", "depends_on")
	w.remove("b.txt")
	if err := reaffirm(x, w.evidence("a.txt", "Other")); err != nil { // a removed source is answered by any
		t.Fatal(err)
	}
	d := w.wantReview(x, "needs_review", "depends_on") // a flagged upstream stays
	var origins []string
	for _, s := range d.Supports {
		origins = append(origins, fmt.Sprint(s.Ordinal, " ", s.Origin, " ", s.Type, " ", s.State))
	}
	if diff := cmp.Diff([]string{"2 original decision needs_review", "4 refreshed evidence current"}, origins); diff != "" {
		t.Error(diff)
	}
	if err := reaffirm(up, w.evidence("c.txt", "Other")); err != nil {
		t.Fatal(err)
	}
	w.drain()
	w.wantReview(x, "current") // Acceptance 15: cleared with what alone had caused it

	h, err := trace.ListSupportHistory(ctx, w.d, w.who, trace.ListSupportHistoryParams{DecisionID: x, AfterOrdinal: -1, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var story []string
	for _, s := range h.Supports {
		line := fmt.Sprint(s.Ordinal, " ", s.State, ":")
		for _, c := range s.Changes {
			line += " " + c.What
		}
		story = append(story, line)
	}
	if diff := cmp.Diff([]string{
		"0 answered: answered flagged recorded",
		"1 answered: answered removed flagged recorded",
		"2 current: recorded",
		"3 replaced: replaced recorded",
		"4 current: recorded",
	}, story); diff != "" {
		t.Error(diff)
	}
	if s := h.Supports[0]; s.OldText != "The fact of a." || s.NewText != "Other a." {
		t.Errorf("history shows %q and %q", s.OldText, s.NewText)
	}
	if len(h.Acts) != 2 || h.Acts[0].What != "reaffirmed" {
		t.Errorf("acts %+v", h.Acts)
	}
	// pages
	var ordinals []int
	for after, pages := -1, 0; ; pages++ {
		p, err := trace.ListSupportHistory(ctx, w.d, w.who, trace.ListSupportHistoryParams{DecisionID: x, AfterOrdinal: after, Limit: 2})
		if err != nil || pages > 5 {
			t.Fatal(err)
		}
		for _, s := range p.Supports {
			ordinals = append(ordinals, s.Ordinal)
		}
		if p.NextAfterOrdinal == nil {
			break
		}
		after = *p.NextAfterOrdinal
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4}, ordinals); diff != "" {
		t.Error(diff)
	}

	id := w.evidence("a.txt", "Other")
	ids := make([]string, 21)
	for i := range ids {
		ids[i] = id
	}
	wantCode(t, reaffirm(x, ids...), "invalid_parameter")
	wantCode(t, reaffirm(x), "invalid_parameter")
	wantCode(t, reaffirm(x, "nonsense"), "support_not_found")
	w.who.Fetched = nil
	wantCode(t, reaffirm(x, id), "evidence_not_fetched")
	w.wantSound()
}

// Acceptance 12: a retry is answered byte for byte, writes nothing, and lasts across restarts; other arguments are refused.
func TestRequests(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("a.md", page)
	p := trace.RecordDecisionParams{TaskName: "t", ChoiceKey: "limit", Conclusion: "30", Rationale: "so", Supports: []trace.Support{quoted(w.evidence("a.md", "30 megabytes"), "")}, RequestID: "one"}
	refusedFirst := p
	refusedFirst.TaskName = "none"
	_, err := trace.RecordDecision(ctx, w.d, w.who, refusedFirst)
	wantCode(t, err, "task_not_found") // a failure is not saved: the id is free
	first, err := trace.RecordDecision(ctx, w.d, w.who, p)
	if err != nil {
		t.Fatal(err)
	}
	w.put("a.md", "All other now.\n") // whatever happens in between
	w.who.Fetched = nil
	if err := w.d.Close(); err != nil {
		t.Fatal(err)
	}
	w.d, err = db.Open(ctx, w.path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.d.Close() }()
	changes := func() (n int64) {
		w.view(func(tx *db.Tx) (err error) {
			n, err = db.One(ctx, tx, db.Value[int64], `SELECT (SELECT count(*) FROM request) * 1000000 + (SELECT count(*) FROM decision) * 1000 + (SELECT count(*) FROM support_history)`)
			return err
		})
		return n
	}
	before := changes()
	again, err := trace.RecordDecision(ctx, w.d, w.who, p)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(first)
	b, _ := json.Marshal(again)
	if string(a) != string(b) {
		t.Errorf("the retry answered %s, the first %s", b, a)
	}
	if changes() != before {
		t.Error("the retry wrote something")
	}
	other := p
	other.Conclusion = "31"
	_, err = trace.RecordDecision(ctx, w.d, w.who, other)
	wantCode(t, err, "request_id_reused")
	// The key holds project, agent and tool too.
	elsewhere := w.who
	elsewhere.Agent = "b"
	_, err = trace.RecordDecision(ctx, w.d, elsewhere, p)
	wantCode(t, err, "choice_already_decided")
	if _, err := trace.CreateTask(ctx, w.d, w.who, trace.CreateTaskParams{TaskName: "u", Goal: "g", RequestID: "one"}); err != nil {
		t.Error(err)
	}
}

func TestConcurrentRetries(t *testing.T) {
	w := newWorld(t)
	w.task("t")
	p := trace.RecordEventParams{TaskName: "t", Kind: "note", Payload: "once", RequestID: "the same"}
	other, err := db.Open(t.Context(), w.path, db.Options{}) // as another process would
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	var wg sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		d := w.d
		if i%2 == 1 {
			d = other
		}
		wg.Go(func() {
			r, err := trace.RecordEvent(t.Context(), d, w.who, p)
			b, _ := json.Marshal(r)
			results[i] = fmt.Sprint(string(b), err)
		})
	}
	wg.Wait()
	for _, r := range results {
		if r != results[0] || !strings.Contains(r, `"seq":1,`) {
			t.Errorf("one retry got %s, another %s", r, results[0])
		}
	}
	page, err := trace.ListEvents(t.Context(), w.d, w.who, trace.ListEventsParams{TaskName: "t", Limit: 10})
	if err != nil || len(page.Events) != 1 {
		t.Errorf("%d events, %v", len(page.Events), err)
	}
}
