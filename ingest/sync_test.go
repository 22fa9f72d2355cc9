package ingest_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/ingest"
	"docket/ingest/format"
	"docket/ingest/worker"
	"docket/search"
)

// Case 109: every file has a row. Case 118: one current version; the older one stays, superseded.
func TestSync(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "# A\n\nAlpha.\n", "sub/b.txt", "beta\n", "empty.md", "")
	w.add("docs")
	if got := w.sync(); got.Indexed != 2 || got.NoText != 1 || got.Files != 3 || got.Read != 3 {
		t.Errorf("first sync: %+v", got)
	}
	w.wantLedger(map[string]string{"a.md": "indexed", "sub/b.txt": "indexed", "empty.md": "no_text: it holds no text"})
	if got := w.sync(); got.Unchanged != 3 || got.Read != 0 {
		t.Errorf("second sync: %+v", got)
	}
	first := w.source("docs/a.md")
	w.write("a.md", "# A\n\nAlpha and more.\n")
	w.remove("sub/b.txt")
	if got := w.sync(); got.Indexed != 1 || got.Removed != 1 || got.Read != 1 {
		t.Errorf("third sync: %+v", got)
	}
	w.wantLedger(map[string]string{"a.md": "indexed", "empty.md": "no_text: it holds no text"})
	w.view(func(tx *db.Tx) error {
		doc, err := tx.Document(t.Context(), "docs/a.md")
		if err != nil {
			return err
		}
		vs, err := tx.Versions(t.Context(), doc.ID)
		if err != nil {
			return err
		}
		var states []string
		for _, v := range vs {
			states = append(states, v.State(doc))
		}
		if diff := cmp.Diff([]string{db.Current, db.Superseded}, states); diff != "" || vs[1].ID != first.VersionID {
			t.Errorf("versions: %v\n%s", vs, diff)
		}
		return nil
	})
	w.wantFresh("after changes")
}

// Case 116: what is deleted is found no more, and what replaced a text is found instead of it.
func TestSearchFollows(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "# A\n\nThe zebra grazes.\n", "b.md", "# B\n\nThe zebra sleeps.\n")
	w.add("docs")
	find := func(query string) (keys []string) {
		t.Helper()
		r, err := search.Evidence(t.Context(), w.d, search.Query{Text: query, Mode: search.Lexical, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			keys = append(keys, h.DocumentKey)
		}
		return keys
	}
	for _, tt := range []struct {
		name  string
		edit  func()
		query string
		want  []string
	}{
		{"indexed", func() {}, "zebra", []string{"docs/a.md", "docs/b.md"}},
		{"changed", func() { w.write("a.md", "# A\n\nThe giraffe grazes.\n") }, "zebra", []string{"docs/b.md"}},
		{"its new text", func() {}, "giraffe", []string{"docs/a.md"}},
		{"moved", func() { w.rename("b.md", "c.md") }, "zebra", []string{"docs/c.md"}},
		{"deleted", func() { w.remove("c.md") }, "zebra", nil},
		{"back", func() { w.write("a.md", "# A\n\nThe zebra grazes.\n") }, "zebra", []string{"docs/a.md"}},
		{"ignored", func() { w.write(".gitignore", "a.md\n") }, "zebra", nil},
	} {
		tt.edit()
		w.sync()
		if diff := cmp.Diff(tt.want, find(tt.query)); diff != "" {
			t.Errorf("%s: hits for %q (-want +got):\n%s", tt.name, tt.query, diff)
		}
	}
}

// Content that comes back is the old version again, with its ids, as often as it does.
func TestContentComesBack(t *testing.T) {
	w := newWorld(t)
	a, b := "# A\n\nThe first wording.\n", "# A\n\nThe second wording, which is longer.\n"
	w.write("a.md", a)
	w.add("docs")
	w.sync()
	before := w.snapshot()
	for i := range 3 {
		w.write("a.md", b)
		w.sync()
		w.write("a.md", a)
		w.sync()
		w.wantSame(before, fmt.Sprintf("after round %d", i))
	}
	w.remove("a.md")
	if got := w.sync(); got.Removed != 1 {
		t.Errorf("removal: %+v", got)
	}
	if s := w.source("docs/a.md"); s.State != ingest.SourceDeleted {
		t.Errorf("state %q after the removal", s.State)
	}
	w.write("a.md", a)
	w.sync()
	w.wantSame(before, "after it came back")
	w.view(func(tx *db.Tx) error {
		doc, err := tx.Document(t.Context(), "docs/a.md")
		if err != nil {
			return err
		}
		if vs, err := tx.Versions(t.Context(), doc.ID); err != nil || len(vs) != 2 {
			t.Errorf("%d versions, %v; want 2", len(vs), err)
		}
		return nil
	})
}

// Case 80: a second sync of an unchanged folder reads no file and changes no byte of the store.
func TestUnchangedWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", note, "b.txt", "beta\n", ".env", "A=1\n", "node_modules/x.md", note, "bin.md", "\x00\x01\x02\x03\x04\x05\x06\x07", "empty.md", "",
		"big.md", strings.Repeat("word ", 100000))
	if err := os.Symlink("a.md", w.file("link.md")); err != nil {
		t.Log(err)
	}
	w.add("docs")
	w.sync()
	hash := func() string {
		if err := w.d.Close(); err != nil { // all is in the one file then
			t.Fatal(err)
		}
		b, err := os.ReadFile(w.path)
		if err != nil {
			t.Fatal(err)
		}
		w.open()
		return fmt.Sprintf("%x", sha256.Sum256(b))
	}
	before := hash()
	for range 2 {
		if got := w.sync(); got.Read != 0 || got.Indexed != 0 || got.Files != got.Unchanged+got.Skipped {
			t.Errorf("sync of an unchanged folder: %+v", got)
		}
	}
	if hash() != before {
		t.Error("a sync that had nothing to do changed the file")
	}
}

// A touched file is read once more, and makes no version.
func TestTouched(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", note, "b.md", note)
	w.add("docs")
	w.sync()
	before := w.source("docs/a.md")
	past := w.now.Add(-48 * time.Hour)
	if err := os.Chtimes(w.file("a.md"), past, past); err != nil {
		t.Fatal(err)
	}
	if got := w.sync(); got.Read != 1 || got.Unchanged != 2 || got.Indexed != 0 {
		t.Errorf("sync after a touch: %+v", got)
	}
	after := w.source("docs/a.md")
	if after.ActivationSeq != before.ActivationSeq || after.State != ingest.SourceCurrent || after.JobStatus != "done" {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	if got := w.sync(); got.Read != 0 {
		t.Errorf("sync after that: %+v", got)
	}
}

// Case 95: a rewrite of the same length inside one tick of the clock, with the old times put back, is seen.
func TestRacyRewrite(t *testing.T) {
	w := newWorld(t)
	w.now = time.Now()
	w.write("a.md", "# A\n\nfirst words\n")
	w.add("docs")
	w.sync()
	fi, err := os.Stat(w.file("a.md"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(w.file("a.md"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("# A\n\nother words\n"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), os.Chtimes(w.file("a.md"), fi.ModTime(), fi.ModTime())); err != nil {
		t.Fatal(err)
	}
	// As on a disk without inodes and times of change, or with a coarse clock: nothing in the stat gives the rewrite away.
	err = w.d.Update(t.Context(), func(tx *db.Tx) error {
		root, err := tx.Root(t.Context(), "docs")
		if err != nil {
			return err
		}
		row, err := tx.File(t.Context(), root.ID, "a.md")
		if err != nil {
			return err
		}
		if !row.Racy {
			t.Error("a file that was read within its tick is not racy")
		}
		_, err = tx.Exec(t.Context(), `UPDATE ledger SET ctime_ns = ? WHERE path = 'a.md'`, ctimeNS(t, w.file("a.md")))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.sync(); got.Indexed != 1 {
		t.Errorf("sync after the rewrite: %+v", got)
	}
	// Once the window has passed it is read a last time.
	w.now = w.now.Add(time.Minute)
	if got := w.sync(); got.Read != 1 || got.Indexed != 0 {
		t.Errorf("sync after the window: %+v", got)
	}
	if got := w.sync(); got.Read != 0 {
		t.Errorf("sync once nothing is racy: %+v", got)
	}
}

// A file from the future is trusted once it was read twice with a window between.
func TestFutureFile(t *testing.T) {
	w := newWorld(t)
	w.now = time.Now()
	w.write("a.md", note)
	future := w.now.Add(1000 * time.Hour)
	if err := os.Chtimes(w.file("a.md"), future, future); err != nil {
		t.Fatal(err)
	}
	w.add("docs")
	for i, read := range []int{1, 1, 1, 0} {
		if got := w.sync(); got.Read != read {
			t.Errorf("sync %d read %d files, want %d", i, got.Read, read)
		}
		if i > 0 {
			w.now = w.now.Add(time.Minute)
		}
	}
}

// Cases 4 and 8: one bad file stops no other, and holds nothing up.
func TestOneBadFile(t *testing.T) {
	w := newWorld(t)
	want := map[string]string{"latin.txt": "indexed: read as windows-1252, which is a guess", "photo.md": "", "nul.py": "indexed"}
	for i := range 10 {
		name := fmt.Sprintf("f%d.txt", i)
		w.write(name, fmt.Sprintf("plain text %d\n", i))
		want[name] = "indexed"
	}
	w.write("latin.txt", "caf\xe9 \x97 dash\n", "photo.md", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", "nul.py", "s = \"a\x00b\"\n")
	w.add("docs")
	w.sync()
	got := w.ledger()
	if !strings.HasPrefix(got["photo.md"], "skipped: png") {
		t.Errorf("photo.md: %q", got["photo.md"])
	}
	delete(want, "photo.md")
	delete(got, "photo.md")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
	w.write("f3.txt", "changed\n")
	if got := w.sync(); got.Indexed != 1 {
		t.Errorf("a later change: %+v", got)
	}
}

// Cases 122 and 123: what cannot be read leaves the last good version as it was, and is remembered until the file changes.
func TestLastGoodVersionStays(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", note)
	w.add("docs")
	w.sync()
	good := w.snapshot()
	w.write("a.md", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00")
	if got := w.sync(); got.Read != 1 || got.Skipped != 1 || got.Removed != 0 {
		t.Errorf("sync of what is no text any more: %+v", got)
	}
	w.wantSame(good, "after the file became a picture")
	if got := w.sync(); got.Read != 0 || got.Skipped != 1 {
		t.Errorf("the failure was not remembered: %+v", got)
	}
	s := w.source("docs/a.md")
	if s.State != ingest.SourceCurrent || s.Ledger == nil || s.Ledger.State != db.FileSkipped {
		t.Errorf("source: %+v", s)
	}
	w.write("a.md", note)
	if got := w.sync(); got.Read != 1 || got.Skipped != 0 {
		t.Errorf("sync of the text again: %+v", got)
	}
	w.wantLedger(map[string]string{"a.md": "indexed"})
	w.wantSame(good, "after the text came back")
}

// A kind whose parser is not there is left out, and read as soon as it is.
func TestForeignParser(t *testing.T) {
	w := newWorld(t)
	w.write("page.html", "<!DOCTYPE html><html><body><p>Words on a page.</p></body></html>\n", "big.html", "<!DOCTYPE html>\n"+strings.Repeat("<p>More words.</p>\n", 20000), "bad.html", "<html>boom</html>", "a.md", note)
	w.add("docs")
	w.sync()
	w.wantLedger(map[string]string{"page.html": "skipped: html: no parser yet", "big.html": "skipped: html: no parser yet", "bad.html": "skipped: html: no parser yet", "a.md": "indexed"})
	if got := w.sync(); got.Read != 0 {
		t.Errorf("second sync: %+v", got)
	}
	req := ingest.SyncRequest{Foreign: func(_ context.Context, name string, data []byte) (*format.Document, error) {
		if name == "bad.html" {
			return nil, errors.New("the parser did not survive it: killed")
		}
		return format.ParseHTML(data, format.DefaultLimits())
	}}
	if got, err := w.trySync(req); err != nil || got.Read != 3 || got.Indexed != 2 || got.Failed != 1 || got.Unchanged != 1 {
		t.Errorf("sync with a parser: %+v, %v", got, err)
	}
	w.wantLedger(map[string]string{"page.html": "indexed", "big.html": "indexed", "bad.html": "failed: the parser did not survive it: killed", "a.md": "indexed"})
	if got, err := w.trySync(req); err != nil || got.Read != 0 || got.Failed != 1 {
		t.Errorf("a file that the parser did not survive was tried again: %+v, %v", got, err)
	}
	w.write("new.html", "<!DOCTYPE html><p>New words.</p>")
	away := ingest.SyncRequest{Foreign: func(context.Context, string, []byte) (*format.Document, error) {
		return nil, fmt.Errorf("%w: no memory", worker.ErrUnavailable)
	}}
	if got, err := w.trySync(away); err != nil || got.Pending != 1 {
		t.Errorf("sync while the parser is not available: %+v, %v", got, err)
	}
	if got, err := w.trySync(req); err != nil || got.Indexed != 1 || got.Pending != 0 {
		t.Errorf("sync once it is: %+v, %v", got, err)
	}
}

func TestTooLarge(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", note)
	if err := os.Truncate(w.file("a.md"), 65<<20); err != nil {
		t.Fatal(err)
	}
	w.add("docs")
	w.sync()
	w.wantLedger(map[string]string{"a.md": "skipped: larger than 64 MB (65 MB)"})
	if got := w.sync(); got.Read != 0 {
		t.Errorf("second sync: %+v", got)
	}
}

// A complete sync takes the same bytes at a new key, where the old is gone, for a move.
func TestMoves(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "# A\n\nAlpha.\n", "dir/LICENSE", "free\n", "dir/deep/b.md", "# B\n\nBeta.\n", "other/LICENSE", "free\n", "stay.md", note, "empty.md", "")
	w.add("docs")
	w.sync()
	w.rename("a.md", "sub/renamed.md")
	w.rename("dir", "folder")
	w.rename("other", "another")
	w.rename("empty.md", "still-empty.md")
	w.write("copy.md", note)
	got := w.sync()
	if got.Moved != 4 || got.Removed != 1 {
		t.Errorf("sync after the moves: %+v", got)
	}
	w.view(func(tx *db.Tx) error {
		for from, to := range map[string]string{
			"a.md": "sub/renamed.md", "dir/LICENSE": "folder/LICENSE", "dir/deep/b.md": "folder/deep/b.md", "other/LICENSE": "another/LICENSE", "empty.md": "",
		} {
			doc, err := tx.Document(t.Context(), "docs/"+from)
			if err != nil {
				return err
			}
			moved := ""
			if doc.MovedTo != 0 {
				now, err := tx.DocumentByID(t.Context(), doc.MovedTo)
				if err != nil {
					return err
				}
				moved = strings.TrimPrefix(now.Key, "docs/")
			}
			// Two files of the same bytes may change places, as nothing tells them apart.
			if moved != to && !strings.HasSuffix(to, "LICENSE") || doc.Current != 0 || !strings.HasSuffix(moved, filepath.Base(to)) && to != "" {
				t.Errorf("%s moved to %q, want %q; current %d", from, moved, to, doc.Current)
			}
		}
		return nil
	})
	w.wantFresh("after moves")
}

// Offline is not empty: a root that is gone, is no folder or a link, or stands on another device without its files keeps everything.
func TestOffline(t *testing.T) {
	w := newWorld(t)
	w.dir = filepath.Join(w.dir, "root")
	w.write("a.md", note, "b.md", note)
	w.add("docs")
	w.sync()
	before := w.snapshot()
	offline := func(why string) {
		t.Helper()
		for range 2 {
			got, err := w.trySync(ingest.SyncRequest{})
			oe, is := errors.AsType[*ingest.RootOfflineError](err)
			if !is || oe.Hint() == "" || got.State != db.RootOffline || !strings.Contains(got.Reason, why) {
				t.Errorf("sync: %+v, %v; want offline with %q", got, err, why)
			}
		}
		w.wantSame(before, "while offline: "+why)
		if s, err := ingest.Status(t.Context(), w.d); err != nil || s.Roots[0].State != db.RootOffline || s.Roots[0].Indexed != 2 {
			t.Errorf("status: %+v, %v", s, err)
		}
	}
	online := func() {
		t.Helper()
		if got := w.sync(); got.State != db.RootOnline || got.Unchanged != 2 {
			t.Errorf("sync once it is back: %+v", got)
		}
	}
	away := filepath.Join(filepath.Dir(w.dir), "away")
	if err := os.Rename(w.dir, away); err != nil {
		t.Fatal(err)
	}
	offline("no such file")
	if err := os.WriteFile(w.dir, []byte("a file"), 0o644); err != nil {
		t.Fatal(err)
	}
	offline("not a directory")
	if err := errors.Join(os.Remove(w.dir), os.Rename(away, w.dir)); err != nil {
		t.Fatal(err)
	}
	online()
	// Case 100: a link took its place, even one to the same files.
	if err := os.Rename(w.dir, away); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, w.dir); err == nil { // not every system has them
		offline("a link stands in its place")
	}
	if err := errors.Join(os.RemoveAll(w.dir), os.Rename(away, w.dir)); err != nil {
		t.Fatal(err)
	}
	online()
	// The disk is not mounted: an empty folder stands in its place, on the device of its parent.
	otherDevice := func() {
		err := w.d.Update(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE root SET device = device + 1`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if ctimeNS(t, w.file("a.md")) == 0 {
		return // the system tells no devices
	}
	otherDevice()
	if err := errors.Join(os.Rename(w.dir, away), os.Mkdir(w.dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	offline("another device")
	if err := errors.Join(os.Remove(w.dir), os.Rename(away, w.dir)); err != nil {
		t.Fatal(err)
	}
	online() // the same files, on a disk that is numbered otherwise
	otherDevice()
	w.remove("a.md", "b.md")
	offline("another device")
	if got, err := w.trySync(ingest.SyncRequest{AllowRemovals: true}); err != nil || got.Removed != 2 {
		t.Errorf("sync with AllowRemovals: %+v, %v", got, err)
	}
}

// Case 114: most of a root gone at once is not believed without a word from the person.
func TestRemovalCap(t *testing.T) {
	w := newWorld(t)
	for i := range 40 {
		w.write(fmt.Sprintf("d/f%02d.md", i), fmt.Sprintf("# F\n\nText %d.\n", i))
	}
	w.add("docs")
	w.sync()
	before := w.snapshot()
	w.rename("d", "../d-away")
	w.write("new.md", note)
	for range 2 {
		got, err := w.trySync(ingest.SyncRequest{})
		re, is := errors.AsType[*ingest.RemovalsError](err)
		if !is || re.Hint() == "" || got.RefusedRemovals != 40 || got.Removed != 0 {
			t.Errorf("sync: %+v, %v", got, err)
		}
	}
	if n := w.documents(); n != 41 {
		t.Errorf("%d documents, want the 40 old ones and the new one", n)
	}
	if got := w.ledger()["d/f00.md"]; !strings.HasPrefix(got, "failed: it is gone") {
		t.Errorf("ledger row of a document that is kept: %q", got)
	}
	w.rename("../d-away", "d")
	w.remove("new.md")
	w.sync()
	w.wantSame(before, "after the folder came back")
	w.wantFresh("after the folder came back")
	w.remove("d")
	if got, err := w.trySync(ingest.SyncRequest{AllowRemovals: true}); err != nil || got.Removed != 40 {
		t.Errorf("sync with AllowRemovals: %+v, %v", got, err)
	}
	w.wantLedger(map[string]string{})
}

// A file whose folder becomes a file is gone; a folder that takes a file's place takes its document.
func TestFileAndFolderSwap(t *testing.T) {
	w := newWorld(t)
	w.write("x/a.md", note, "y", "plain words\n", "z/deep/b.md", note+"More.\n")
	w.add("docs")
	w.sync()
	w.remove("x", "y", "z")
	w.write("x", "now a file\n", "y/c.md", "# C\n\nGamma.\n", "z/deep", "a file here\n")
	w.sync()
	w.wantLedger(map[string]string{"x": "indexed", "y/c.md": "indexed", "z/deep": "indexed"})
	w.wantFresh("after the swaps")
}

// A title, a heading or a symbol is one line of bounded length, as it stands beside every passage of an answer. The text has all of it.
func TestNamesAreBounded(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("e\u0301", 4000)
	w.write(
		"front.md", "---\ntitle: "+long+"\n---\n\nBody.\n",
		"lines.md", "---\ntitle: \"A \\n B\"\n---\n\nTwo\nlines\n=====\n\nBody.\n",
		"page.html", "<html><title>"+long+"</title><h1>"+long+"</h1><p>Body.</p></html>",
		"code.go", "package p\n\nfunc "+strings.Repeat("F", 9000)+"() {}\n",
	)
	w.add("docs")
	w.sync()
	docs := w.snapshot()
	if got := docs["docs/lines.md"]; got.Title != "A B" || len(got.Sections) != 2 || got.Sections[1].Path[0] != "Two lines" {
		t.Errorf("title %q, sections %+v", got.Title, got.Sections)
	}
	for key, doc := range docs {
		names := []string{doc.Title}
		for _, s := range doc.Sections {
			names = append(append(names, s.Symbol), s.Path...)
		}
		for _, n := range names {
			if utf8.RuneCountInString(n) > 501 || strings.HasSuffix(n, "e…") {
				t.Errorf("%s: a name of %d bytes, %q at its end", key, len(n), n[len(n)-8:])
			}
		}
	}
	if got := docs["docs/front.md"]; !strings.Contains(got.Text, long) || !strings.HasSuffix(got.Title, "…") {
		t.Errorf("title of %d bytes, text of %d", len(got.Title), len(got.Text))
	}
}

// sync --rebuild makes all derived rows anew, with the ids that they had.
func TestRebuild(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "# A\n\n"+strings.Repeat("A sentence stands here. ", 300)+"\n\n## B\n\nMore.\n", "b.csv", "a,b\n1,2\n", "c.go", "package c\n\nfunc F() {}\n")
	w.add("docs")
	w.sync()
	before, seq := w.snapshot(), w.source("docs/a.md").ActivationSeq
	got, err := w.trySync(ingest.SyncRequest{Rebuild: true})
	if err != nil || got.Indexed != 3 || got.Read != 3 {
		t.Errorf("rebuild: %+v, %v", got, err)
	}
	w.wantSame(before, "after the rebuild")
	if now := w.source("docs/a.md").ActivationSeq; now != seq {
		t.Errorf("a rebuild is no change, yet the sequence went from %d to %d", seq, now)
	}
}

// Ids are equal on a second store, and after the store was deleted and made again.
func TestIdsEverywhere(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", note, "sub/b.md", strings.Repeat("One sentence. Another one.\n\n", 200))
	w.add("docs")
	w.sync()
	before := w.snapshot()
	w.wantFresh("on the first store")
	if err := w.d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.add("docs")
	w.sync()
	w.wantSame(before, "on a store that was made again")
}

// Two indexers take turns, and the one that waits says so.
func TestTwoIndexers(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", note)
	w.add("docs")
	inside, leave := make(chan bool), make(chan bool)
	done := make(chan error)
	go func() {
		first := true
		_, err := ingest.Sync(t.Context(), w.d, ingest.SyncRequest{Progress: func(ingest.Progress) {
			if first {
				first = false
				inside <- true
				<-leave
			}
		}})
		done <- err
	}()
	<-inside
	ctx, stop := context.WithCancel(t.Context())
	waited := false
	_, err := ingest.Sync(ctx, w.d, ingest.SyncRequest{Progress: func(p ingest.Progress) {
		waited = waited || p.Stage == ingest.StageWaiting
		stop()
	}})
	ie, is := errors.AsType[*ingest.IndexingError](err)
	_, busy := errors.AsType[*db.BusyError](err)
	if !waited || !is || !busy || ie.Hint() == "" || !errors.Is(err, context.Canceled) {
		t.Errorf("a second sync: waited %v, %v", waited, err)
	}
	leave <- true
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := w.sync(); got.Unchanged != 1 {
		t.Errorf("a sync after both: %+v", got)
	}
}

// A sync that is cut off leaves whole documents only, and the next one finishes.
func TestCutOff(t *testing.T) {
	w := newWorld(t)
	for i := range 300 {
		w.write(fmt.Sprintf("f%03d.md", i), fmt.Sprintf("# F\n\nText %d.\n", i))
	}
	w.add("docs")
	ctx, stop := context.WithCancel(t.Context())
	_, err := ingest.Sync(ctx, w.d, ingest.SyncRequest{Progress: func(p ingest.Progress) {
		if p.Done >= 70 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("sync: %v", err)
	}
	n := w.documents()
	if n == 0 || n == 300 {
		t.Errorf("%d documents after it was cut off", n)
	}
	s, err := ingest.Status(t.Context(), w.d)
	if err != nil || s.Roots[0].Pending != 300-n || s.Roots[0].Indexed != n {
		t.Errorf("status: %d pending, %d indexed of %d documents, %v", s.Roots[0].Pending, s.Roots[0].Indexed, n, err)
	}
	if s := w.source("docs/f299.md"); s.State != ingest.SourcePending || s.JobStatus != "queued" {
		t.Errorf("a file that waits: %+v", s)
	}
	w.now = w.now.Add(time.Hour)
	if s := w.source("docs/f299.md"); s.State != ingest.SourceFailed || s.JobAgeSeconds == nil || *s.JobAgeSeconds != 3600 {
		t.Errorf("a file whose job's lease ran out: %+v", s)
	}
	w.sync()
	if s := w.source("docs/f299.md"); s.State != ingest.SourceCurrent || s.JobStatus != "done" {
		t.Errorf("a file after the next sync: %+v", s)
	}
	w.wantFresh("after the next sync")
}
