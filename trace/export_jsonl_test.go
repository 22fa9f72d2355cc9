package trace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"docket/trace"
)

// The export can be read without a database: every record is a line of JSON, and a decision's passages stand in it.
func TestExport(t *testing.T) {
	w := newWorld(t)
	w.task("t")
	w.put("lease.md", "Dogs are allowed \"inside\".\n")
	a := w.decide("pets", quoted(w.evidence("lease.md", "Dogs"), "Dogs are allowed"))
	if _, err := trace.RecordEvent(t.Context(), w.d, w.who, trace.RecordEventParams{
		TaskName: "t", Kind: trace.EventNote, Role: "user", Name: "n", Payload: "NUL \x00, a tab\t and 日本", RequestID: "e1",
	}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := trace.Export(t.Context(), w.d, &b); err != nil {
		t.Fatal(err)
	}
	records := map[string]map[string]any{}
	for line := range strings.Lines(b.String()) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		records[r["record"].(string)] = r
	}
	for _, tt := range []struct{ record, member, want string }{
		{"task", "name", "t"},
		{"event", "body", "NUL \x00, a tab\t and 日本"},
		{"decision", "decision_id", a},
		{"decision", "review", "current"},
		{"support", "quote", "Dogs are allowed"},
		{"support", "document_key", "r/lease.md"},
		{"support", "passage", `Dogs are allowed "inside".`},
		{"support", "decision_id", a},
	} {
		if got := records[tt.record][tt.member]; got != tt.want {
			t.Errorf("%s: %s is %q, want %q", tt.record, tt.member, got, tt.want)
		}
	}
	var again strings.Builder
	if err := trace.Export(t.Context(), w.d, &again); err != nil || again.String() != b.String() {
		t.Errorf("a second export differs, %v", err)
	}
}
