package trace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docket/db"
	"docket/db/dbtest"
	"docket/ingest"
	"docket/trace"
)

// The whole way, from files on the disk: sync carries and flags, and settles what follows.
func TestSync(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	now := time.Now().Add(time.Hour) // so that no file is racy
	o := dbtest.Options()
	o.Now = func() time.Time { return now }
	d, err := db.Open(ctx, filepath.Join(t.TempDir(), "docket.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	w := &world{TB: t, d: d, n: new(int), who: trace.Identity{Project: "p", Agent: "a", Fetched: func(string) (bool, bool) { return true, false }}}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sync := func() {
		t.Helper()
		now = now.Add(time.Minute)
		if _, err := ingest.Sync(ctx, d, ingest.SyncRequest{}); err != nil {
			t.Fatal(err)
		}
		w.drain()
	}
	write("a.md", page)
	write("b.md", "Another file.\n")
	if w.root, err = ingest.AddRoot(ctx, d, dir, "r"); err != nil {
		t.Fatal(err)
	}
	sync()
	w.task("t")
	a := w.decide("limit", quoted(w.evidence("a.md", "30 megabytes"), "limit is 30 megabytes"))
	b := w.decide("page", quoted(w.evidence("b.md", "Another"), ""), onDecision(a))
	both := func(review string, causesA, causesB []string) {
		t.Helper()
		w.wantReview(a, review, causesA...)
		w.wantReview(b, review, causesB...)
	}
	both("current", nil, nil)

	write("a.md", "# Preface\n\nHello.\n\n"+strings.ReplaceAll(page, "\n", "\r\n"))
	sync()
	both("current", nil, nil)
	if err := os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, "c.md")); err != nil {
		t.Fatal(err)
	}
	sync()
	both("current", nil, nil)
	if key := w.decision(a).Supports[0].DocumentKey; key != "r/c.md" {
		t.Errorf("after the rename it stands in %s", key)
	}
	write("c.md", strings.Replace(page, "30 megabytes", "60 megabytes", 1))
	sync()
	both("needs_review", []string{"source_changed"}, []string{"depends_on"})
	write("c.md", page)
	sync()
	both("current", nil, nil)
	if err := os.Remove(filepath.Join(dir, "c.md")); err != nil {
		t.Fatal(err)
	}
	sync()
	both("needs_review", []string{"source_removed"}, []string{"depends_on"})
	write("c.md", page)
	sync()
	both("current", nil, nil)
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Sync(ctx, d, ingest.SyncRequest{}); err == nil {
		t.Error("a root that is not there was synced")
	}
	w.drain()
	both("unknown", nil, nil) // offline, never empty
	if err := os.Rename(dir+"-away", dir); err != nil {
		t.Fatal(err)
	}
	sync()
	both("current", nil, nil)
	w.wantSound()
}
