package ingest_test

import (
	"context"
	"encoding/json"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
	"docket/ingest"
	"docket/ingest/format"
)

// Case 109: what is indexed, left out, failed, and why: by root, and by key.
func TestStatus(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", note, "b.txt", "caf\xe9\n", "empty.md", "", ".env", "A=1\n", "node_modules/x.md", note, "p.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00")
	w.add("docs")
	w.sync()
	got, err := ingest.Status(t.Context(), w.d)
	if err != nil {
		t.Fatal(err)
	}
	r := got.Roots[0]
	r.Path, r.LastActivationSeq = "", 0
	var rest []string
	for _, f := range r.NotIndexedInFull {
		rest = append(rest, f.Path+" "+f.State+": "+f.Reason)
	}
	r.NotIndexedInFull = nil
	want := ingest.RootStatus{Root: "docs", State: "online", Documents: 3, Files: 5, Indexed: 2, NoText: 1, Skipped: 2, FoldersLeftOut: 1}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	wantRest := []string{".env skipped: may hold secrets", "empty.md no_text: it holds no text", "node_modules/ skipped: dependencies", "p.png skipped: png: no parser yet"}
	if diff := cmp.Diff(wantRest, rest); diff != "" {
		t.Errorf("not indexed in full (-want +got):\n%s", diff)
	}
}

func TestSourceStatus(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", note, ".env", "A=1\n", "caf\u00e9.md", note)
	w.add("docs")
	w.sync()
	s := w.source("docs/a.md")
	if s.State != ingest.SourceCurrent || s.VersionID == "" || s.ContentHash == "" || s.ActivationSeq == 0 || s.JobStatus != "done" ||
		s.JobID == "" || s.LeaseExpiresAt != "" || s.Ledger == nil || s.Ledger.State != "indexed" || s.Ledger.Parser == "" {
		t.Errorf("current source: %+v", s)
	}
	if s := w.source("docs/.env"); s.State != ingest.SourceUnknown || s.Ledger == nil || s.Ledger.Reason != "may hold secrets" {
		t.Errorf("source that is left out: %+v", s)
	}
	for _, key := range []string{"docs/nowhere.md", "nope/a.md", "docs", "", "docs/"} {
		s := w.source(key)
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"document_key":"` + key + `","state":"unknown","indexes":[]}`
		if string(b) != want {
			t.Errorf("unknown source: %s\nwant %s", b, want)
		}
	}
	// A key in another Unicode form names the document, and the answer has the disk's spelling.
	if s := w.source("docs/cafe\u0301.md"); s.State != ingest.SourceCurrent || s.DocumentKey != "docs/caf\u00e9.md" || s.Ledger == nil {
		t.Errorf("source in another form: %+v", s)
	}
	w.remove("a.md")
	w.sync()
	if s := w.source("docs/a.md"); s.State != ingest.SourceDeleted || s.ContentHash != "" || s.VersionID != "" || s.ActivationSeq == 0 {
		t.Errorf("deleted source: %+v", s)
	}
}

// A file that takes long has a job that runs, whose lease is renewed, and holds up no other that is ready.
func TestSlowFile(t *testing.T) {
	w := newWorld(t)
	var now atomic.Int64
	now.Store(time.Now().Add(time.Hour).UnixNano())
	o := dbtest.Options()
	o.Now = func() time.Time { return time.Unix(0, now.Load()) }
	d, err := db.Open(t.Context(), w.path, o)
	if err != nil {
		t.Fatal(err)
	}
	w.d = d
	w.Cleanup(func() { _ = d.Close() })
	w.write("a.md", note, "slow.html", "<html><p>Words.</p></html>", "z.md", note)
	w.add("docs")
	until := func(ok func(a, slow, z ingest.Source) bool) {
		for !ok(w.source("docs/a.md"), w.source("docs/slow.html"), w.source("docs/z.md")) {
			if t.Context().Err() != nil {
				return
			}
			runtime.Gosched()
		}
	}
	req := ingest.SyncRequest{Foreign: func(_ context.Context, _ string, data []byte) (*format.Document, error) {
		var lease string
		until(func(a, slow, z ingest.Source) bool {
			lease = slow.LeaseExpiresAt
			return a.State == ingest.SourceCurrent && slow.State == ingest.SourcePending && slow.JobStatus == "running" && z.JobStatus == "queued"
		})
		now.Add(int64(time.Minute))
		until(func(_, slow, z ingest.Source) bool { return slow.LeaseExpiresAt > lease && z.LeaseExpiresAt > lease })
		return format.ParseHTML(data, format.DefaultLimits())
	}}
	if _, err := ingest.Sync(t.Context(), w.d, req); err != nil {
		t.Fatal(err)
	}
	if s := w.source("docs/slow.html"); s.State != ingest.SourceCurrent || s.JobStatus != "done" || *s.JobAgeSeconds != 60 {
		t.Errorf("the slow file at the end: %+v", s)
	}
}
