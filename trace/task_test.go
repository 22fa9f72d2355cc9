package trace_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/trace"
)

func TestCreateTask(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	create := func(who trace.Identity, name, goal string) (trace.Task, error) {
		return trace.CreateTask(ctx, w.d, who, trace.CreateTaskParams{TaskName: name, Goal: goal, RequestID: w.request()})
	}
	first, err := create(w.who, "t", "goal")
	if err != nil {
		t.Fatal(err)
	}
	who := w.who
	who.Agent = "b"
	again, err := create(who, "t", "goal")
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Errorf("the same again: %v %s", err, diff)
	}
	_, err = create(w.who, "t", "other")
	wantCode(t, err, "task_exists")
	who.Project = "q"
	if _, err := create(who, "t", "other"); err != nil {
		t.Errorf("the same name in another project: %v", err)
	}
	for _, tt := range []struct {
		name, goal string
		ok         bool
	}{
		{strings.Repeat("日", 200), "g", true},
		{strings.Repeat("日", 201), "g", false},
		{"", "g", false},
		{"u", strings.Repeat("日", 4000), true},
		{"v", strings.Repeat("日", 4001), false},
		{"v", "", false},
		{"v", "  ", false},
		{"v\xff", "g", false},
	} {
		if _, err := create(w.who, tt.name, tt.goal); tt.ok != (err == nil) {
			t.Errorf("name of %d, goal of %d: %v", len(tt.name), len(tt.goal), err)
		} else if err != nil {
			wantCode(t, err, "invalid_parameter")
		}
	}
}

// Acceptance 21: the text is cut on a character border, and its hash and length are those of all of it.
func TestEvents(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	record := func(kind, payload, role, name string) (trace.EventReceipt, error) {
		return trace.RecordEvent(ctx, w.d, w.who, trace.RecordEventParams{TaskName: "t", Kind: kind, Payload: payload, Role: role, Name: name, RequestID: w.request()})
	}
	for i, tt := range []struct {
		payload   string
		truncated bool
	}{
		{"", false},
		{"line\r\nwith \x00 in it", false},
		{strings.Repeat("é", 32_000), false},
		{strings.Repeat("é", 32_001), true},
		{strings.Repeat("😀", 1_000_000), true},
	} {
		r, err := record("tool_result", tt.payload, strings.Repeat("r", 100), strings.Repeat("n", 200))
		if err != nil {
			t.Fatal(err)
		}
		want := trace.EventReceipt{
			TaskName: "t", Seq: i + 1, Chars: utf8.RuneCountInString(tt.payload), Truncated: tt.truncated,
			FullSHA256: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(tt.payload))), CreatedAt: r.CreatedAt,
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Error(diff)
		}
		e, err := trace.FetchEvent(ctx, w.d, w.who, trace.FetchEventParams{TaskName: "t", Seq: i + 1})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(tt.payload, e.Body) || e.StoredChars != min(want.Chars, 32_000) || utf8.RuneCountInString(e.Body) != e.StoredChars || e.FullSHA256 != want.FullSHA256 {
			t.Errorf("event %d: %d characters stored", i+1, e.StoredChars)
		}
		var all strings.Builder
		for offset := 0; ; { // in parts
			part, err := trace.FetchEvent(ctx, w.d, w.who, trace.FetchEventParams{TaskName: "t", Seq: i + 1, Offset: offset, MaxChars: 9_999})
			if err != nil {
				t.Fatal(err)
			}
			all.WriteString(part.Body)
			if part.NextOffset == 0 {
				break
			}
			offset = part.NextOffset
		}
		if all.String() != e.Body {
			t.Errorf("event %d: its parts are not the whole", i+1)
		}
	}
	for _, tt := range []struct{ kind, payload, role, name string }{
		{"", "x", "", ""},
		{"memo", "x", "", ""},
		{"note", strings.Repeat("x", 1_000_001), "", ""},
		{"note", "\xff", "", ""},
		{"note", "x", strings.Repeat("r", 101), ""},
		{"note", "x", "", strings.Repeat("n", 201)},
	} {
		_, err := record(tt.kind, tt.payload, tt.role, tt.name)
		wantCode(t, err, "invalid_parameter")
	}
	_, err := trace.RecordEvent(ctx, w.d, w.who, trace.RecordEventParams{TaskName: "none", Kind: "note", RequestID: w.request()})
	wantCode(t, err, "task_not_found")

	page, err := trace.ListEvents(ctx, w.d, w.who, trace.ListEventsParams{TaskName: "t", AfterSeq: 1, Limit: 2})
	if err != nil || len(page.Events) != 2 || page.Events[0].Seq != 2 || page.NextAfterSeq != 3 {
		t.Errorf("page %+v, %v", page, err)
	}
	if n := utf8.RuneCountInString(page.Events[1].Preview); n > 241 {
		t.Errorf("a preview of %d characters", n)
	}
	page, err = trace.ListEvents(ctx, w.d, w.who, trace.ListEventsParams{TaskName: "t", AfterSeq: 3, Limit: 2})
	if err != nil || len(page.Events) != 2 || page.NextAfterSeq != 0 {
		t.Errorf("last page %+v, %v", page, err)
	}
	for _, p := range []trace.ListEventsParams{{TaskName: "t", Limit: 0}, {TaskName: "t", Limit: 201}, {TaskName: "t", AfterSeq: -1, Limit: 1}, {Limit: 1}} {
		_, err := trace.ListEvents(ctx, w.d, w.who, p)
		wantCode(t, err, "invalid_parameter")
	}
	for _, p := range []trace.FetchEventParams{{TaskName: "t", Seq: 0}, {TaskName: "t", Seq: 1, Offset: -1}, {TaskName: "t", Seq: 1, MaxChars: -1}, {Seq: 1}} {
		_, err := trace.FetchEvent(ctx, w.d, w.who, p)
		wantCode(t, err, "invalid_parameter")
	}
	_, err = trace.FetchEvent(ctx, w.d, w.who, trace.FetchEventParams{TaskName: "t", Seq: 99})
	wantCode(t, err, "event_not_found")
	w.wantSound()
}

func TestSteps(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("a.txt", "The fact of a.\n")
	for _, body := range []string{"a result", strings.Repeat("x", 32_001), ""} {
		if _, err := trace.RecordEvent(ctx, w.d, w.who, trace.RecordEventParams{TaskName: "t", Kind: "tool_result", Payload: body, RequestID: w.request()}); err != nil {
			t.Fatal(err)
		}
	}
	on := quoted(w.evidence("a.txt", "fact"), "")
	many := []trace.Support{}
	for range 21 {
		many = append(many, on)
	}
	for _, tt := range []struct {
		name string
		code string
		p    trace.SetStepParams
	}{
		{"the least", "", trace.SetStepParams{Name: "a", State: "not_started"}},
		{"all of it", "", trace.SetStepParams{Name: "b", State: "completed", Kind: "analysis", ResultEventSeq: 1, ResultBasis: "supported", Supports: many[:20]}},
		{"independent", "", trace.SetStepParams{Name: "c", State: "completed", Kind: "read", ResultEventSeq: 1, ResultBasis: "independent"}},
		{"a result that is not final may be cut", "", trace.SetStepParams{Name: "d", State: "in_progress", ResultEventSeq: 2}},
		{"no state", "invalid_parameter", trace.SetStepParams{Name: "e"}},
		{"an unknown state", "invalid_parameter", trace.SetStepParams{Name: "e", State: "done"}},
		{"an unknown kind", "invalid_parameter", trace.SetStepParams{Name: "e", State: "failed", Kind: "write"}},
		{"an unknown basis", "invalid_parameter", trace.SetStepParams{Name: "e", State: "failed", ResultBasis: "sure"}},
		{"no name", "invalid_parameter", trace.SetStepParams{State: "failed"}},
		{"a name of 201", "invalid_parameter", trace.SetStepParams{Name: strings.Repeat("é", 201), State: "failed"}},
		{"a seq below 1", "invalid_parameter", trace.SetStepParams{Name: "e", State: "failed", ResultEventSeq: -1}},
		{"21 supports", "invalid_parameter", trace.SetStepParams{Name: "e", State: "failed", Supports: many}},
		{"supported by nothing", "evidence_required", trace.SetStepParams{Name: "e", State: "failed", ResultBasis: "supported"}},
		{"completed without a result", "result_required", trace.SetStepParams{Name: "e", State: "completed"}},
		{"a result that is nowhere", "result_required", trace.SetStepParams{Name: "e", State: "completed", ResultEventSeq: 99}},
		{"any state, a result that is nowhere", "result_required", trace.SetStepParams{Name: "e", State: "failed", ResultEventSeq: 99}},
		{"an empty result", "result_required", trace.SetStepParams{Name: "e", State: "completed", ResultEventSeq: 3}},
		{"a result that was cut", "result_truncated", trace.SetStepParams{Name: "e", State: "completed", ResultEventSeq: 2}},
		{"no such task", "task_not_found", trace.SetStepParams{TaskName: "none", Name: "e", State: "failed"}},
		{"no such support", "support_not_found", trace.SetStepParams{Name: "e", State: "failed", Supports: []trace.Support{quoted("c_"+strings.Repeat("a", 26), "")}}},
	} {
		p := tt.p
		if p.TaskName == "" {
			p.TaskName = "t"
		}
		p.RequestID = w.request()
		r, err := trace.SetStep(ctx, w.d, w.who, p)
		if tt.code != "" {
			if wantCode(t, err, tt.code); t.Failed() {
				t.Fatal(tt.name)
			}
		} else if err != nil || r.State != p.State || r.Name != p.Name || r.Supports != len(p.Supports) || r.Review != "current" {
			t.Errorf("%s: %+v, %v", tt.name, r, err)
		}
	}
	names := func(p trace.ListStepsParams) (out []string, next string) {
		page, err := trace.ListSteps(ctx, w.d, w.who, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page.Steps {
			out = append(out, s.Name)
		}
		return out, page.NextAfterName
	}
	if got, next := names(trace.ListStepsParams{TaskName: "t", Limit: 3}); fmt.Sprint(got) != "[a b c]" || next != "c" {
		t.Errorf("%v %q", got, next)
	}
	if got, next := names(trace.ListStepsParams{TaskName: "t", AfterName: "c", Limit: 3}); fmt.Sprint(got) != "[d]" || next != "" {
		t.Errorf("%v %q", got, next)
	}
	if got, _ := names(trace.ListStepsParams{TaskName: "t", State: "completed", Limit: 200}); fmt.Sprint(got) != "[b c]" {
		t.Errorf("%v", got)
	}
	for _, p := range []trace.ListStepsParams{{TaskName: "t", Limit: 0}, {TaskName: "t", Limit: 201}, {TaskName: "t", Limit: 1, State: "x"}, {Limit: 1}} {
		_, err := trace.ListSteps(ctx, w.d, w.who, p)
		wantCode(t, err, "invalid_parameter")
	}

	// A decision that rests on a step learns of it when the step, its result or its evidence changes.
	x := w.decide("x", trace.Support{Type: "event", TaskName: "t", Seq: 1}, trace.Support{Type: "step", TaskName: "t", Name: "b"})
	w.put("a.txt", "Other.\n")
	w.drain()
	if d := w.wantReview(x, "needs_review", "depends_on"); d.ReviewReasons[0].Name != "b" {
		t.Errorf("reason %+v", d.ReviewReasons[0])
	}
	w.put("a.txt", "The fact of a.\n")
	w.drain()
	w.wantReview(x, "current")
	set := func(state string, seq int) {
		t.Helper()
		if _, err := trace.SetStep(ctx, w.d, w.who, trace.SetStepParams{TaskName: "t", Name: "b", State: state, ResultEventSeq: seq, RequestID: w.request()}); err != nil {
			t.Fatal(err)
		}
	}
	set("failed", 1)
	w.wantReview(x, "needs_review", "depends_on")
	set("completed", 1)
	w.wantReview(x, "current")
	if _, err := trace.RecordEvent(ctx, w.d, w.who, trace.RecordEventParams{TaskName: "t", Kind: "note", Payload: "another result", RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	set("completed", 4)
	if d := w.wantReview(x, "needs_review", "depends_on"); d.ReviewReasons[0].Detail != "result_changed" {
		t.Errorf("reason %+v", d.ReviewReasons[0])
	}
	_, err := trace.SetStep(ctx, w.d, w.who, trace.SetStepParams{TaskName: "t", Name: "b", State: "failed", Supports: []trace.Support{onDecision(x)}, RequestID: w.request()})
	wantCode(t, err, "support_not_reliable")
	set("completed", 1)
	_, err = trace.SetStep(ctx, w.d, w.who, trace.SetStepParams{TaskName: "t", Name: "b", State: "failed", Supports: []trace.Support{onDecision(x)}, RequestID: w.request()})
	wantCode(t, err, "support_cycle")
	w.wantSound()
}

// The resume view fits an answer whatever was written.
func TestGetTask(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	empty, err := trace.GetTask(ctx, w.d, w.who, trace.GetTaskParams{TaskName: "t"})
	if err != nil || empty.Truncated || empty.Goal != "goal of t" || empty.OpenSteps == nil || empty.LastEvents == nil || empty.OpenQuestions == nil || empty.ActiveDecisions == nil {
		t.Errorf("%+v, %v", empty, err)
	}
	wide := func(n int) string { return strings.Repeat("\x01", n-1) + "x" } // six bytes a character in JSON
	big := strings.Repeat("T", 190)
	if _, err := trace.CreateTask(ctx, w.d, w.who, trace.CreateTaskParams{TaskName: big, Goal: wide(4000), RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		if _, err := trace.RecordEvent(ctx, w.d, w.who, trace.RecordEventParams{TaskName: big, Kind: "note", Payload: wide(300), Role: wide(100), Name: wide(200), RequestID: w.request()}); err != nil {
			t.Fatal(err)
		}
		if _, err := trace.SetStep(ctx, w.d, w.who, trace.SetStepParams{TaskName: big, Name: wide(190) + fmt.Sprint(i), State: "in_progress", RequestID: w.request()}); err != nil {
			t.Fatal(err)
		}
		if _, err := trace.RecordDecision(ctx, w.d, w.who, trace.RecordDecisionParams{
			TaskName: big, ChoiceKey: wide(190) + fmt.Sprint(i), Conclusion: wide(4000), Rationale: "r",
			Supports: []trace.Support{{Type: "event", TaskName: big, Seq: 1}}, OpenQuestions: []string{wide(1000)}, RequestID: w.request(),
		}); err != nil {
			t.Fatal(err)
		}
	}
	full, err := trace.GetTask(ctx, w.d, w.who, trace.GetTaskParams{TaskName: big})
	if err != nil {
		t.Fatal(err)
	}
	if full.Events != 30 || full.Decisions != 30 || full.Steps.InProgress != 30 || !full.Truncated || len(full.LastEvents) == 0 {
		t.Errorf("%d events, %d decisions, %+v", full.Events, full.Decisions, full.Steps)
	}
	if n := len(jsonOf(t, full)); n > 58_000 {
		t.Errorf("the resume view has %d bytes", n)
	}
	_, err = trace.GetTask(ctx, w.d, w.who, trace.GetTaskParams{TaskName: "none"})
	wantCode(t, err, "task_not_found")
}

// Damage to what cannot be derived is seen.
func TestCheck(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("a.txt", "The fact of a.\n")
	if _, err := trace.RecordEvent(ctx, w.d, w.who, trace.RecordEventParams{TaskName: "t", Kind: "note", Payload: "one", RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	id := w.decide("x", quoted(w.evidence("a.txt", "fact"), "The fact"))
	w.decide("y", trace.Support{Type: "event", TaskName: "t", Seq: 1}, onDecision(id))
	if _, err := trace.RejectDecision(ctx, w.d, w.who, trace.RejectDecisionParams{DecisionID: id, Reason: "no", RequestID: w.request()}); err != nil {
		t.Fatal(err)
	}
	w.drain()
	w.wantSound()
	for _, damage := range []string{
		`UPDATE task SET goal = 'other'`,
		`UPDATE event SET body = x'00'`,
		`UPDATE event SET seq = 2`,
		`UPDATE event SET created_at = ''`,
		`UPDATE decision SET conclusion = conclusion || '.'`,
		`UPDATE decision SET assumptions = '["none"]'`,
		`UPDATE decision_act SET explanation = 'yes'`,
		`UPDATE support SET quote = 'the fact' WHERE quote <> ''`,
		`UPDATE support SET first_evidence = '' WHERE type = 'evidence'`,
		`DELETE FROM support_history; DELETE FROM support WHERE type = 'event'`,
		`UPDATE decision SET status = 'active' WHERE status = 'rejected'`,
		`UPDATE holder SET review = 'current'`,
	} {
		undo := fmt.Errorf("undo")
		err := w.d.Update(ctx, func(tx *db.Tx) error {
			for stmt := range strings.SplitSeq(damage, ";") {
				if _, err := tx.Exec(ctx, stmt); err != nil {
					t.Fatal(err)
				}
			}
			problems, err := trace.CheckTx(ctx, tx, true)
			if err != nil {
				t.Fatal(err)
			}
			if len(problems) == 0 {
				t.Errorf("not seen: %s", damage)
			}
			return undo
		})
		if err == nil {
			t.Fatal("not undone")
		}
	}
	w.wantSound()
}
