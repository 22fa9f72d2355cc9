package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db/dbtest"
	"docket/trace"
)

// writing lets a server do all that it can.
func writing(o *Options) {
	o.Project, o.Agent, o.ReadOnly, o.AllowReject = "p", "a", false, true
}

func toolsOf(t testing.TB, change func(*Options)) (json.RawMessage, []listedTool) {
	t.Helper()
	o := Defaults()
	change(&o)
	s, err := New(dbtest.Open(t), o)
	if err != nil {
		t.Fatal(err)
	}
	m := serve(t, s).initialize().request("tools/list", map[string]any{})
	var list struct{ Tools []listedTool }
	if err := json.Unmarshal(m.Result, &list); err != nil {
		t.Fatal(err)
	}
	return m.Result, list.Tools
}

// What models see of the task and decision tools is reviewed as a diff of testdata/trace_tools.json.
func TestTraceToolsGolden(t *testing.T) {
	raw, tools := toolsOf(t, writing)
	_, evidence := listTools(t)
	var got bytes.Buffer
	for _, tool := range tools {
		if slices.ContainsFunc(evidence, func(e listedTool) bool { return e.Name == tool.Name }) {
			continue
		}
		b, err := json.MarshalIndent(tool, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got.Write(b)
		got.WriteByte('\n')
	}
	path := filepath.Join("testdata", "trace_tools.json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("run with -update and read the diff (-want +got):\n%s", diff)
	}
	if len(raw) > 60_000 {
		t.Errorf("tools/list has %d bytes", len(raw))
	}
	t.Logf("%d tools in %d bytes", len(tools), len(raw))
	for _, tool := range tools {
		t.Run(tool.Name, func(t *testing.T) { lintTool(t, tool) })
	}
}

var (
	traceReads = []string{
		"fetch_event", "get_decision", "get_task", "list_conflicts", "list_decisions", "list_decisions_for_review", "list_events", "list_steps",
		"list_support_history", "search_decisions",
	}
	traceWrites = []string{"continue_decision_review", "create_task", "reaffirm_decision", "record_decision", "record_event", "set_step", "supersede_decision"}
)

// Every combination of settings offers what it should, and no more; what is off is not listed.
func TestTraceToolsOffered(t *testing.T) {
	_, evidence := listTools(t)
	for _, project := range []string{"", "p"} {
		for _, agent := range []string{"", "a"} {
			for _, readOnly := range []bool{true, false} {
				for _, reject := range []bool{true, false} {
					set := func(o *Options) { o.Project, o.Agent, o.ReadOnly, o.AllowReject = project, agent, readOnly, reject }
					name := fmt.Sprintf("project %q, agent %q, read-only %v, reject %v", project, agent, readOnly, reject)
					var want []string
					if project != "" && agent != "" {
						want = append(want, traceReads...)
						if !readOnly {
							want = append(want, traceWrites...)
							if reject {
								want = append(want, "reject_decision")
							}
						}
					} else if !readOnly { // refused at the start
						o := Defaults()
						set(&o)
						if _, err := New(dbtest.Open(t), o); err == nil {
							t.Errorf("%s: the server starts", name)
						}
						continue
					}
					_, tools := toolsOf(t, set)
					var got []string
					for _, tool := range tools {
						if !slices.ContainsFunc(evidence, func(e listedTool) bool { return e.Name == tool.Name }) {
							got = append(got, tool.Name)
						}
					}
					slices.Sort(got)
					slices.Sort(want)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s (-want +got):\n%s", name, diff)
					}
				}
			}
		}
	}
}

// tracer returns a session that may write, and whose results are held to the schemas.
func (l *library) tracer() *reader {
	l.Helper()
	_, tools := toolsOf(l, writing)
	return &reader{serve(l, newServer(l, l.d, writing)).initialize(), tools}
}

func evidenceSupport(id, quote string) map[string]any {
	return map[string]any{"type": "evidence", "evidence_id": id, "quote": quote}
}

// The demonstration, over the protocol: fetch, decide, edit elsewhere, edit what was cited, reaffirm.
func TestDecisionsOverMCP(t *testing.T) {
	l := newLibrary(t)
	r := l.tracer()
	n := 0
	do := func(tool string, arguments map[string]any) map[string]any {
		t.Helper()
		n++
		if _, ok := arguments["request_id"]; !ok && slices.Contains(append([]string{"reject_decision"}, traceWrites...), tool) && tool != "continue_decision_review" {
			arguments["request_id"] = fmt.Sprint("r", n)
		}
		var out map[string]any
		r.ask(tool, arguments, &out)
		return out
	}
	do("create_task", map[string]any{"task_name": "t", "goal": "find out when to come"})
	do("record_event", map[string]any{"task_name": "t", "kind": "note", "payload": "begin", "role": nil})
	do("set_step", map[string]any{"task_name": "t", "name": "look", "state": "completed", "result_event_seq": "1"})
	hours, letter := r.find("reading room opens at nine"), r.find("archive keeps every letter")

	// Nothing can be rested on what was not fetched in this session.
	arguments := map[string]any{
		"task_name": "t", "choice_key": "when", "conclusion": "at nine", "rationale": "it opens then", "assumptions": []string{}, "open_questions": []string{"and on Sundays?"},
		"supports": []any{evidenceSupport(hours, "The reading room opens at nine.")}, "request_id": "first",
	}
	if e := r.call("record_decision", arguments).failed(t); e.Code != "evidence_not_fetched" || !strings.Contains(e.NextAction, hours) {
		t.Errorf("%+v", e)
	}
	r.fetch(10, hours)
	if e := r.call("record_decision", arguments).failed(t); e.Code != "evidence_partial" {
		t.Errorf("%+v", e)
	}
	r.fetch(0, hours, letter)
	first := do("record_decision", arguments)
	a := first["decision_id"].(string)
	again := r.call("record_decision", arguments)
	once := r.call("record_decision", arguments)
	if string(again.Structured) != string(once.Structured) || !strings.Contains(string(again.Structured), a) {
		t.Errorf("a retry answered %s", again.Structured)
	}
	arguments["conclusion"] = "at ten"
	if e := r.call("record_decision", arguments).failed(t); e.Code != "request_id_reused" {
		t.Errorf("%+v", e)
	}
	b := do("record_decision", map[string]any{
		"task_name": "t", "choice_key": "who", "conclusion": "everybody", "rationale": "so", "assumptions": []string{}, "open_questions": []string{},
		"supports": []any{evidenceSupport(letter, "Nobody removes a letter without asking."), map[string]any{"type": "decision", "decision_id": a}, map[string]any{"type": "step", "task_name": "t", "name": "look"}},
	})["decision_id"].(string)
	review := func(id string) string {
		t.Helper()
		d := do("get_decision", map[string]any{"decision_id": id})
		return fmt.Sprint(d["review"], " ", len(d["review_reasons"].([]any)))
	}
	want := func(id, state string) {
		t.Helper()
		if got := review(id); got != state {
			t.Errorf("review of %s is %s, want %s", id, got, state)
		}
	}
	edit := func(old, new string) {
		t.Helper()
		path := filepath.Join(l.dir, "notes", "guide.md")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l.write("notes/guide.md", strings.Replace(string(text), old, new, 1))
		l.sync()
	}
	edit("It closes at five", "It closes at six")
	want(a, "current 0")
	want(b, "current 0")
	edit("opens at nine.", "opens at ten.")
	want(a, "needs_review 1")
	want(b, "needs_review 1")
	flagged := do("list_decisions_for_review", map[string]any{})
	if text := fmt.Sprint(flagged); !strings.Contains(text, "[-nine-]{+ten+}") || fmt.Sprint(flagged["needs_review"]) != "2" {
		t.Errorf("for review: %s", text)
	}
	now := r.find("reading room opens at ten")
	if e := r.call("reaffirm_decision", map[string]any{"decision_id": a, "evidence_ids": []string{hours}, "explanation": "x", "request_id": "old"}).failed(t); e.Code != "evidence_not_current" {
		t.Errorf("%+v", e)
	}
	r.fetch(0, now)
	do("reaffirm_decision", map[string]any{"decision_id": a, "evidence_ids": []string{now}, "explanation": "nine was early"})
	want(b, "unknown 1")
	if p := do("continue_decision_review", map[string]any{"limit": 1}); fmt.Sprint(p["settled"], p["remaining"]) != "1 0" {
		t.Errorf("progress %v", p)
	}
	want(a, "current 0")
	want(b, "current 0")

	next := do("supersede_decision", map[string]any{
		"decision_id": a, "conclusion": "at ten", "rationale": "so", "explanation": "it opens later", "assumptions": []string{}, "open_questions": []string{},
		"supports": []any{evidenceSupport(now, "")},
	})
	if next["supersedes"] != a {
		t.Errorf("%v", next)
	}
	do("reject_decision", map[string]any{"decision_id": next["decision_id"], "reason": "not ours"})
	do("continue_decision_review", map[string]any{})
	want(b, "needs_review 1")

	// Every read answers by its schema.
	for tool, arguments := range map[string]map[string]any{
		"get_task":             {"task_name": "t"},
		"list_events":          {"task_name": "t", "limit": 1},
		"fetch_event":          {"task_name": "t", "seq": 1, "max_chars": 3},
		"list_steps":           {"task_name": "t", "state": "completed"},
		"search_decisions":     {"query": "everybody", "limit": 100},
		"list_conflicts":       {},
		"list_support_history": {"decision_id": a, "limit": 1},
		"list_decisions":       {"task_name": "t", "limit": 2},
	} {
		do(tool, arguments)
	}
	for tool, arguments := range map[string]map[string]any{
		"get_task":                  {"task_name": ""},
		"list_events":               {"task_name": "t", "limit": 201},
		"fetch_event":               {"task_name": "t", "seq": 0},
		"list_steps":                {"task_name": "t", "state": "done"},
		"search_decisions":          {"query": "x", "limit": 101},
		"list_conflicts":            {"limit": 101},
		"list_support_history":      {"decision_id": a, "after_ordinal": -2},
		"list_decisions":            {"task_name": "t", "limit": 0},
		"list_decisions_for_review": {"limit": 101},
		"continue_decision_review":  {"limit": 101},
		"get_decision":              {"decision_id": "x"},
		"create_task":               {"task_name": "u", "goal": "g", "request_id": ""},
		"record_event":              {"task_name": "t", "kind": "note", "payload": "x", "request_id": "z", "agent": "b"},
	} {
		if e := r.call(tool, arguments).failed(t); e.Code != "invalid_parameter" {
			t.Errorf("%s %v: %+v", tool, arguments, e)
		}
	}
	if e := r.call("get_task", map[string]any{"task_name": "none"}).failed(t); e.Code != "task_not_found" || e.RetrySafe {
		t.Errorf("%+v", e)
	}

	// Another session has fetched nothing.
	other := l.tracer()
	arguments["request_id"], arguments["choice_key"] = "second", "other"
	arguments["supports"] = []any{evidenceSupport(now, "")}
	if e := other.call("record_decision", arguments).failed(t); e.Code != "evidence_not_fetched" {
		t.Errorf("%+v", e)
	}
}

func TestReviewResources(t *testing.T) {
	l := newLibrary(t)
	r := l.tracer()
	id := r.find("reading room opens at nine")
	r.fetch(0, id)
	who := trace.Identity{Project: "p", Agent: "a", Person: true, Fetched: func(string) (bool, bool) { return true, false }}
	if _, err := trace.CreateTask(t.Context(), l.d, who, trace.CreateTaskParams{TaskName: "t", Goal: "g"}); err != nil {
		t.Fatal(err)
	}
	d, err := trace.RecordDecision(t.Context(), l.d, who, trace.RecordDecisionParams{
		TaskName: "t", ChoiceKey: "k", Conclusion: "c", Rationale: "r",
		Supports: []trace.Support{{Type: "evidence", EvidenceID: id, Quote: "The reading room opens at nine."}},
	})
	if err != nil {
		t.Fatal(err)
	}
	read := func(uri string) string {
		t.Helper()
		m := r.request("resources/read", map[string]any{"uri": uri})
		if m.Error != nil {
			return fmt.Sprint(m.Error.Code)
		}
		var got struct {
			Contents []struct{ Text, MIMEType string }
		}
		if err := json.Unmarshal(m.Result, &got); err != nil || len(got.Contents) != 1 || got.Contents[0].MIMEType != "application/json" {
			t.Fatalf("%s: %v", m.Result, err)
		}
		return got.Contents[0].Text
	}
	for _, uri := range []string{"docket://impact/notes/guide.md", "docket://impact/notes%2Fguide.md", "docket://impact/" + id} {
		if got := read(uri); !strings.Contains(got, d.DecisionID) {
			t.Errorf("%s: %s", uri, got)
		}
	}
	if got := read("docket://impact/" + d.DecisionID); !strings.Contains(got, `"decisions":0`) {
		t.Errorf("impact of the decision: %s", got)
	}
	for _, uri := range []string{"docket://impact/none.md", "docket://impact/", "docket://impact/00000000-0000-4000-8000-00000000ffff", "docket://reviews"} {
		if got := read(uri); got != "-32602" {
			t.Errorf("%s: %s", uri, got)
		}
	}
	if got := read("docket://review"); !strings.Contains(got, `"needs_review":0`) {
		t.Errorf("review: %s", got)
	}

	if m := r.request("resources/subscribe", map[string]any{"uri": "docket://other"}); m.Error == nil {
		t.Error("something else can be subscribed to")
	}
	if m := r.request("resources/subscribe", map[string]any{"uri": "docket://review"}); m.Error != nil {
		t.Fatal(m.Error)
	}
	l.write("notes/guide.md", "# Guide to the archive\n\nClosed.\n")
	l.sync()
	if m := r.receive(); m.Method != "notifications/resources/updated" {
		t.Errorf("got %+v", m)
	}
	if got := read("docket://review"); !strings.Contains(got, d.DecisionID) {
		t.Errorf("review: %s", got)
	}
	if m := r.request("resources/unsubscribe", map[string]any{"uri": "docket://review"}); m.Error != nil {
		t.Fatal(m.Error)
	}

	// A server without a project has none of it.
	plain := serve(t, newServer(t, l.d, nil)).initialize()
	if m := plain.request("resources/read", map[string]any{"uri": "docket://review"}); m.Error == nil {
		t.Error("the review is shown without a project")
	}
	if m := plain.request("resources/subscribe", map[string]any{"uri": "docket://review"}); m.Error == nil {
		t.Error("the review can be subscribed to without a project")
	}
}

func TestTracePrompts(t *testing.T) {
	p := serve(t, newServer(t, dbtest.Open(t), writing)).initialize()
	get := func(name string, arguments map[string]any) message {
		return p.request("prompts/get", map[string]any{"name": name, "arguments": arguments})
	}
	if m := get("resume_task", nil); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("without a task: %s", m.Result)
	}
	for _, m := range []message{get("resume_task", map[string]any{"task_name": "the <task>"}), get("review_flagged_decisions", map[string]any{"task_name": "the <task>"})} {
		if m.Error != nil || !strings.Contains(string(m.Result), "the <task>") {
			t.Errorf("%s %v", m.Result, m.Error)
		}
	}
	if m := get("review_flagged_decisions", nil); m.Error != nil || !strings.Contains(string(m.Result), "of the project") {
		t.Errorf("%s %v", m.Result, m.Error)
	}
}
