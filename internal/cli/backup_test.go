package cli

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
)

// Of a folder's backups the newest stay, each with its export, and files that docket did not name are left alone.
func TestBackupEvery(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := dbtest.Options()
	now, made := dbtest.Start, 0
	o.Now = func() time.Time { return now }
	d, err := db.Open(ctx, filepath.Join(t.TempDir(), "docket.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	for _, name := range []string{"docket-20240101-000000.db", "docket-20240101-000000.db.traces.jsonl", "docket-2024.db", "notes.txt", "docket-20240101-000000.db.old"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, stderr bytes.Buffer
	c := &call{out: bufio.NewWriter(&writes{&out, func() {
		now = now.Add(time.Hour)
		if made++; made == 3 {
			cancel()
		}
	}}), stderr: &stderr}
	if err := c.backupEvery(ctx, d, dir, time.Millisecond, 2, false); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{
		"docket-2024.db", "docket-20240101-000000.db.old",
		"docket-20260102-040405.db", "docket-20260102-040405.db.traces.jsonl", "docket-20260102-050405.db", "docket-20260102-050405.db.traces.jsonl",
		"notes.txt",
	}
	if diff := cmp.Diff(want, left); diff != "" || stderr.Len() > 0 {
		t.Errorf("(-want +got):\n%s%s", diff, stderr.String())
	}
	if n := strings.Count(out.String(), "Backed up to"); n != 3 {
		t.Errorf("%d reports", n)
	}
}

// writes calls after each write.
type writes struct {
	to    *bytes.Buffer
	after func()
}

func (w *writes) Write(b []byte) (int, error) {
	defer w.after()
	return w.to.Write(b)
}
