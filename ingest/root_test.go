package ingest_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"docket/db"
	"docket/db/dbtest"
	"docket/ingest"
)

func TestAddRoot(t *testing.T) {
	d := dbtest.Open(t)
	dir := t.TempDir()
	mk := func(parts ...string) string {
		p := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
		return p
	}
	add := func(path, name string) (string, error) {
		r, err := ingest.AddRoot(t.Context(), d, path, name)
		return r.Name, err
	}
	ok := func(path, name, want string) {
		t.Helper()
		if got, err := add(path, name); err != nil || got != want {
			t.Errorf("AddRoot(%q, %q) = %q, %v; want %q", path, name, got, err, want)
		}
	}
	refused := func(path, name, why string) {
		t.Helper()
		_, err := add(path, name)
		re, is := errors.AsType[*ingest.RootError](err)
		if !is || !strings.Contains(err.Error(), why) || re.Hint() == "" {
			t.Errorf("AddRoot(%q, %q): %v; want a RootError with %q and a hint", path, name, err, why)
		}
	}
	docs := mk("one", "docs")
	ok(docs, "", "docs")
	ok(docs, "", "docs") // the same folder twice is one root
	ok(docs+"/../docs/", "docs", "docs")
	refused(docs, "papers", "already added, as docs")
	ok(mk("two", "docs"), "", "docs-2")
	ok(mk("three", "docs"), "", "docs-3")
	refused(mk("four"), "docs", "another folder's")
	refused(mk("one", "docs", "sub"), "", "inside")
	refused(mk("one"), "", "inside it was added as docs")
	refused(filepath.Join(dir, "nowhere"), "", "no such file")
	file := filepath.Join(dir, "file.md")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(file, "", "not a folder")
	for _, name := range []string{"a/b", `a\b`, "a\nb", "a,b", "a*", " a", "..", ".", strings.Repeat("n", 101)} {
		refused(mk("named"), name, "cannot be a name")
	}
	ok(mk("it's, [odd] * name"), "", "it's- -odd- - name")
	ok(mk("...", "."), "", "root")
	// A name has one spelling, whichever way its letters are put together.
	ok(mk("nfd", "e\u0301t\u00e9"), "", "\u00e9t\u00e9")
	refused(mk("five"), "e\u0301te\u0301", "another folder's")
	if runtime.GOOS != "windows" {
		link := filepath.Join(dir, "link")
		if err := os.Symlink(docs, link); err != nil {
			t.Fatal(err)
		}
		ok(link, "", "docs")
		if err := os.Symlink(mk("one", "docs", "sub"), filepath.Join(dir, "below")); err != nil {
			t.Fatal(err)
		}
		refused(filepath.Join(dir, "below"), "", "inside")
	}
}

// A root that was removed leaves no document behind, and comes back with the same ids.
func TestRemoveRoot(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", note, "sub/b.md", note+"More.\n", ".env", "A=1\n")
	w.add("docs")
	w.sync()
	before := w.snapshot()
	n, err := ingest.RemoveRoot(t.Context(), w.d, "docs")
	if err != nil || n != 2 {
		t.Fatalf("RemoveRoot: %d, %v", n, err)
	}
	if s, err := ingest.Status(t.Context(), w.d); err != nil || len(s.Roots) != 0 {
		t.Errorf("status after the removal: %+v, %v", s, err)
	}
	if s := w.source("docs/a.md"); s.State != ingest.SourceDeleted || s.ContentHash != "" || s.Ledger != nil {
		t.Errorf("source after the removal: %+v", s)
	}
	if _, err := ingest.RemoveRoot(t.Context(), w.d, "docs"); err == nil {
		t.Error("a root was removed twice")
	}
	if r, err := ingest.Sync(t.Context(), w.d, ingest.SyncRequest{}); err != nil || len(r.Roots) != 0 {
		t.Errorf("sync without roots: %+v, %v", r, err)
	}
	w.add("docs")
	if got := w.sync(); got.Indexed != 2 {
		t.Errorf("sync after it was added again: %+v", got)
	}
	w.wantSame(before, "after it was added again")
	err = w.d.View(t.Context(), func(tx *db.Tx) error {
		doc, err := tx.Document(t.Context(), "docs/a.md")
		if err != nil {
			return err
		}
		if vs, err := tx.Versions(t.Context(), doc.ID); err != nil || len(vs) != 1 {
			t.Errorf("%d versions of the same bytes, %v", len(vs), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSyncUnknownRoot(t *testing.T) {
	w := newWorld(t)
	if _, err := ingest.Sync(t.Context(), w.d, ingest.SyncRequest{Roots: []string{"nope"}}); err == nil || !strings.Contains(err.Error(), "nope") {
		t.Errorf("sync of an unknown root: %v", err)
	}
}
