package trace_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"docket/db"
	"docket/trace"
)

const (
	killStore = "DOCKET_TRACE_KILL_STORE"
	killAt    = "DOCKET_TRACE_KILL_AT"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(killStore); path != "" {
		killedWriter(path, os.Getenv(killAt))
		return
	}
	os.Exit(m.Run())
}

// killedWriter makes its requests and is killed at the n-th place: places are before and after the row of every table that is written,
// and between requests. It prints each answer that it got.
func killedWriter(path, at string) {
	n := 0
	tick := func(int64) bool {
		if n++; fmt.Sprint(n) == at {
			self, err := os.FindProcess(os.Getpid())
			must(err)
			must(self.Kill())
			select {}
		}
		return true
	}
	ctx := context.Background()
	d, err := db.Open(ctx, path, db.Options{})
	must(err)
	w := &killWorld{d: d, who: trace.Identity{Project: "p", Agent: "a", Fetched: func(string) (bool, bool) { return true, false }}}
	f := db.NewFilter(tick)
	must(d.Update(ctx, func(tx *db.Tx) error {
		for _, table := range []string{"holder", "decision", "decision_act", "support", "support_history", "event", "request"} {
			for _, when := range []string{"BEFORE INSERT", "AFTER INSERT", "AFTER UPDATE"} {
				_, err := tx.Exec(ctx, fmt.Sprintf(`CREATE TEMP TRIGGER "%s %s" %s ON main.%s BEGIN SELECT docket_filter(%d, 0); END`, table, when, when, table, f.Handle()))
				if err != nil {
					return err
				}
			}
		}
		return nil
	}))
	w.all(func(answer string) {
		fmt.Println(answer)
		tick(0)
	})
	fmt.Println("end")
}

type killWorld struct {
	d   *db.DB
	who trace.Identity
}

// all does the same requests each time, and tells of each answer.
func (w *killWorld) all(told func(string)) {
	ctx := context.Background()
	var id string
	err := w.d.View(ctx, func(tx *db.Tx) error {
		doc, err := tx.Document(ctx, "r/a.md")
		if err != nil {
			return err
		}
		c, err := tx.ChunkByOrd(ctx, doc.Current, 0)
		id = c.ID()
		return err
	})
	must(err)
	a, err := trace.RecordDecision(ctx, w.d, w.who, trace.RecordDecisionParams{
		TaskName: "t", ChoiceKey: "k", Conclusion: "c", Rationale: "r",
		Supports: []trace.Support{quoted(id, "")}, RequestID: "1",
	})
	must(err)
	told(fmt.Sprintf("%+v", a))
	b, err := trace.SupersedeDecision(ctx, w.d, w.who, trace.SupersedeDecisionParams{
		DecisionID: a.DecisionID, Conclusion: "c2", Rationale: "r", Explanation: "e",
		Supports: []trace.Support{quoted(id, "")}, RequestID: "2",
	})
	must(err)
	told(fmt.Sprintf("%+v", b))
	c, err := trace.ReaffirmDecision(ctx, w.d, w.who, trace.ReaffirmDecisionParams{DecisionID: b.DecisionID, EvidenceIDs: []string{id}, Explanation: "e", RequestID: "3"})
	must(err)
	told(fmt.Sprintf("%+v", c))
	e, err := trace.RecordEvent(ctx, w.d, w.who, trace.RecordEventParams{TaskName: "t", Kind: "note", Payload: "p", RequestID: "4"})
	must(err)
	told(fmt.Sprintf("%+v", e))
	r, err := trace.RejectDecision(ctx, w.d, w.who, trace.RejectDecisionParams{DecisionID: b.DecisionID, Reason: "r", RequestID: "5"})
	must(err)
	told(fmt.Sprintf("%+v", r))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A writer that is killed anywhere leaves the old state, or the new one with its request record: sent again, every request is
// answered, what was answered before is answered alike, and nothing is done twice.
func TestKilledWriter(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	w := newWorld(t)
	w.task("t")
	w.put("a.md", page)
	if err := w.d.Close(); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 1; ; at++ {
		path := filepath.Join(t.TempDir(), "docket.db")
		if err := os.WriteFile(path, fresh, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), killStore+"="+path, killAt+"="+fmt.Sprint(at))
		out, err := cmd.Output()
		before := strings.Split(strings.TrimSpace(string(out)), "\n")
		if before[0] == "" {
			before = nil
		}
		if err == nil { // it came to its end
			if at < 50 {
				t.Errorf("only %d places to be killed at", at-1)
			}
			return
		}
		d, err := db.Open(t.Context(), path, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var after []string
		(&killWorld{d: d, who: w.who}).all(func(answer string) { after = append(after, answer) })
		for i, answer := range before {
			if after[i] != answer {
				t.Errorf("killed at %d: request %d was answered %s, then %s", at, i+1, answer, after[i])
			}
		}
		problems, err := trace.Check(t.Context(), d, true)
		if err != nil || len(problems) > 0 {
			t.Errorf("killed at %d: %v %v", at, problems, err)
		}
		if err := d.View(t.Context(), func(tx *db.Tx) error {
			for table, want := range map[string]int{"decision": 2, "decision_act": 3, "event": 1, "request": 6} { // one request made the task
				n, err := db.One(t.Context(), tx, db.Value[int], `SELECT count(*) FROM `+table)
				if err != nil || n != want {
					t.Errorf("killed at %d: %d rows in %s, want %d (%v)", at, n, table, want, err)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
