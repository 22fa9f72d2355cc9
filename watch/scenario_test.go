package watch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"docket/watch"
)

func text(n int) string { return fmt.Sprintf("# Note %d\n\nThe words of note %d stand here.\n", n, n) }

// many writes n notes into a folder.
func (w *world) many(dir string, n, from int) {
	w.Helper()
	for i := range n {
		w.write(fmt.Sprintf("%s%02d.md", dir, i), text(from+i))
	}
}

// Whatever is done to a folder, by whatever dance, soon after the store holds what a first index of the folder would.
func TestScenarios(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w *world)
	}{
		{"case 84: vim saves twice, writing a new file over the old one", func(w *world) {
			for i := range 2 {
				w.write("4913", "", "a.md.new", text(100+i))
				w.remove("4913")
				w.rename("a.md.new", "a.md")
				w.wantFresh(fmt.Sprintf("after save %d", i+1))
			}
		}},
		{"an editor that moves the old file aside", func(w *world) {
			w.rename("a.md", "a.md~")
			w.write("a.md", text(100))
			w.remove("a.md~")
		}},
		{"JetBrains' safe write", func(w *world) {
			w.write("a.md___jb_tmp___", text(100))
			w.rename("a.md", "a.md___jb_old___")
			w.rename("a.md___jb_tmp___", "a.md")
			w.remove("a.md___jb_old___")
		}},
		{"a file that is cut and written in place", func(w *world) {
			w.must(os.Truncate(w.file("a.md"), 0))
			w.write("a.md", text(100))
		}},
		{"many short writes", func(w *world) {
			f, err := os.OpenFile(w.file("a.md"), os.O_APPEND|os.O_WRONLY, 0)
			w.must(err)
			for i := range 200 {
				_, err := fmt.Fprintf(f, "Line %d.\n", i)
				w.must(err)
			}
			w.must(f.Close())
		}},
		{"case 85: a checkout of another branch and back", func(w *world) {
			w.many("src/", 20, 200)
			w.wantFresh("on the first branch")
			w.remove("src")
			w.many("src/", 12, 300)
			w.many("src/other/", 8, 320)
			w.remove("src")
			w.many("src/", 20, 200)
		}},
		{"folders and files made faster than they can be watched", func(w *world) {
			for i := range 40 {
				dir := fmt.Sprintf("r%d/", i)
				for depth := range 6 {
					dir += fmt.Sprintf("%d/", depth)
					w.write(dir+"f.md", text(1000+10*i+depth))
				}
			}
		}},
		{"case 90: a folder is renamed, and written in", func(w *world) {
			w.rename("d", "e")
			w.write("e/b.md", text(100), "e/new.md", text(101))
		}},
		{"a folder is renamed again and again", func(w *world) {
			for i := range 10 {
				w.rename([]string{"d", "e"}[i%2], []string{"e", "d"}[i%2])
			}
			w.write("d/b.md", text(100))
		}},
		{"case 90: a folder leaves the root, and is written in", func(w *world) {
			out := filepath.Join(w.TempDir(), "out")
			w.must(os.Rename(w.file("d"), out))
			w.must(os.WriteFile(filepath.Join(out, "b.md"), []byte(text(100)), 0o644))
			w.write("d2/c.md", text(101))
		}},
		{"a folder comes into the root, and is written in", func(w *world) {
			in := filepath.Join(w.TempDir(), "in")
			w.must(os.MkdirAll(filepath.Join(in, "deep"), 0o755))
			w.must(os.WriteFile(filepath.Join(in, "deep", "x.md"), []byte(text(100)), 0o644))
			w.must(os.Rename(in, w.file("in")))
			w.wantFresh("after the folder came")
			w.write("in/deep/x.md", text(101), "in/deep/y.md", text(102))
		}},
		{"two folders change places", func(w *world) {
			w.write("e/b.md", text(50), "e/sub/c.md", text(51))
			w.wantFresh("before")
			w.rename("d", "t")
			w.rename("e", "d")
			w.rename("t", "e")
			w.write("d/b.md", text(100), "e/sub/c.md", text(101))
		}},
		{"a folder is removed and made again and again", func(w *world) {
			for i := range 15 {
				w.remove("d")
				w.write("d/b.md", text(100+i), "d/sub/c.md", text(200+i))
			}
		}},
		{"case 92: the root is renamed away and back", func(w *world) {
			w.must(os.Rename(w.dir, w.dir+"-away"))
			w.offline()
			w.must(os.Rename(w.dir+"-away", w.dir))
			w.write("d/b.md", text(100))
		}},
		{"case 92: the root is removed and made again", func(w *world) {
			w.must(os.RemoveAll(w.dir))
			w.offline()
			w.write("a.md", text(1), "d/b.md", text(100), "d/sub/c.md", text(3))
		}},
		{"case 95: rewritten with the same length, and its time set back", func(w *world) {
			fi, err := os.Stat(w.file("a.md"))
			w.must(err)
			for i := range 5 {
				w.write("a.md", text(2+i))
				w.must(os.Chtimes(w.file("a.md"), fi.ModTime(), fi.ModTime()))
			}
		}},
		{"a file becomes a folder, and a folder a file", func(w *world) {
			w.remove("a.md", "d")
			w.write("a.md/x.md", text(100), "d", text(101))
		}},
		{"a folder becomes a link that leaves the root", func(w *world) {
			out := w.TempDir()
			w.must(os.WriteFile(filepath.Join(out, "b.md"), []byte("outside"), 0o644))
			w.remove("d")
			if err := os.Symlink(out, w.file("d")); err != nil {
				w.Skip(err)
			}
		}},
		{"ignore files come, change and go", func(w *world) {
			w.write(".gitignore", "d/\n")
			w.wantFresh("with an ignored folder")
			w.write(".gitignore", "sub/\n", "d/.docketignore", "b.md\n")
			w.wantFresh("with other rules")
			w.remove(".gitignore", "d/.docketignore")
			w.wantFresh("without rules")
			w.write("d/new/x.md", text(100))
		}},
		{"a folder turns out to be a virtual environment, and is one no more", func(w *world) {
			w.write("d/pyvenv.cfg", "home = /usr\n")
			w.wantFresh("as one")
			w.remove("d/pyvenv.cfg")
		}},
		{"a folder of dependencies is not watched", func(w *world) {
			w.many("node_modules/x/", 30, 100)
			w.write("b.md", text(100))
		}},
		{"case 96: names in two spellings", func(w *world) {
			w.write("caf\u00e9.md", text(100), "cafe\u0301.md", text(101))
			w.wantFresh("with both")
			w.remove("cafe\u0301.md")
			w.rename("caf\u00e9.md", "cafe\u0301.md")
		}},
		{"names that are not text", func(w *world) {
			if runtime.GOOS != "linux" {
				w.Skip("names are text there")
			}
			w.write("b\xff.md", text(100), "line\nbreak.md", text(101))
			w.wantFresh("with them")
			w.remove("b\xff.md", "line\nbreak.md")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("a.md", text(1), "d/b.md", text(2), "d/sub/c.md", text(3))
			w.started(quick())
			tt.do(w)
			w.wantFresh("in the end")
		})
	}
}

// offline waits until the root is known to be offline, and makes sure that nothing was taken for gone.
func (w *world) offline() {
	w.Helper()
	w.eventually("an offline root", func() string {
		s, err := watch.ReadStatus(w.d)
		w.must(err)
		if len(s.Roots) == 1 && s.Roots[0].Mode == watch.ModeOffline {
			return ""
		}
		return fmt.Sprintf("%+v", s)
	})
	got, err := dump(w.Context(), w.d)
	w.must(err)
	if n := strings.Count(strings.Join(got, "\n"), "document docs/"); n != 3 {
		w.Errorf("an offline root has %d documents left, want all 3", n)
	}
}

// Case 93: where the system reports nothing, the folders are looked at again and again.
func TestPolled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("a.md", text(1), "d/b.md", text(2))
	o := quick()
	o.Poll = true
	w.started(o)
	w.write("a.md", text(3), "e/new.md", text(4))
	w.remove("d")
	w.wantFresh("by polling")
	if s, err := watch.ReadStatus(w.d); err != nil || s.Roots[0].Mode != watch.ModePolled || s.Roots[0].Reason == "" {
		t.Errorf("status %+v, %v; want it to say polled, and why", s, err)
	}
}

// Case 94: where watches run out, what has none is polled, and the status says which limit that is.
func TestWatchesRunOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.many("a/", 3, 1)
	for i := range 12 {
		w.write(fmt.Sprintf("f%02d/x.md", i), text(10+i))
	}
	w.started(watch.Options{}.ForTest(grace, 5, nil))
	for i := range 12 {
		w.write(fmt.Sprintf("f%02d/x.md", i), text(100+i), fmt.Sprintf("f%02d/new/y.md", i), text(200+i))
	}
	w.wantFresh("with 5 watches")
	w.eventually("the status says 5 of 26 folders are watched, and the reason", func() string { // it is told after the look
		s, err := watch.ReadStatus(w.d)
		w.must(err)
		if r := s.Roots[0]; runtime.GOOS == "linux" && (r.Mode != watch.ModePartly || r.Folders != 5 || !strings.Contains(r.Reason, "21 of 26 folders have no watch")) {
			return fmt.Sprintf("status %+v", r)
		}
		return ""
	})
}

// What the system reports is a hint: lost reports cost a look at everything, and nothing else.
func TestLostReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.many("d/", 5, 1)
	w.started(watch.Options{}.ForTest(grace, 0, func(rel string) error {
		if strings.HasPrefix(rel, "d") {
			return errors.New("the queue ran over")
		}
		return nil
	}))
	w.many("d/", 10, 100)
	w.remove("d/03.md")
	w.wantFresh("after lost reports")
	if runtime.GOOS == "linux" && !strings.Contains(w.log.String(), "events were lost") {
		t.Error("the log says nothing of lost events")
	}
}

// Case 87: what the store itself writes in a watched folder is not looked at, and the store is never opened as a document.
func TestStoreInTheFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorldAt(t, filepath.Join(dir, "store.db"), dir)
	w.write("a.md", text(1))
	w.started(quick())
	begun := len(w.log.String())
	for i := range 5 { // each makes the store write
		w.write("a.md", text(10+i))
		key := fmt.Sprintf("note %d stand", 10+i)
		w.eventually("an edit", func() string { return w.lacks(key) })
	}
	for line := range strings.Lines(w.log.String()[begun:]) {
		if strings.Contains(line, "looking") && (!strings.Contains(line, "whole=false") || strings.Contains(line, "store.db")) {
			t.Errorf("something but the edited file woke the watcher: %s", line)
		}
	}
	got, err := dump(t.Context(), w.d)
	w.must(err)
	for _, line := range got {
		if strings.HasPrefix(line, "file store.db") && !strings.Contains(line, "skipped the store itself ") {
			t.Errorf("%q; want the store left out, and never read", line)
		}
	}
}

// lacks returns "" once a current document holds the words.
func (w *world) lacks(words string) string {
	w.Helper()
	n := w.count(`SELECT count(*) FROM document d JOIN text_piece p ON p.version_id = d.current_version WHERE instr(p.data, CAST(? AS BLOB)) > 0`, words)
	if n > 0 {
		return ""
	}
	return "no document holds " + words
}

// Case 88: what happened while nobody watched is found at the start.
func TestDowntime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.many("d/", 8, 1)
	w.started(quick())
	w.wantFresh("at first")
	w.end()
	w.write("d/01.md", text(100), "new/x.md", text(101))
	w.remove("d/02.md")
	w.rename("d/03.md", "d/moved.md")
	w.begin(quick())
	w.wantFresh("after a restart")
}

// Case 98: a root that cannot be read stops no other, and a root that is added or removed is noticed.
func TestSeveralRoots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("a.md", text(1))
	w.started(quick())
	bad, good := w.TempDir(), w.TempDir()
	addRoot(w, bad, "bad")
	w.must(os.RemoveAll(bad))
	addRoot(w, good, "good")
	w.must(os.WriteFile(filepath.Join(good, "g.md"), []byte(text(50)), 0o644))
	w.eventually("a document of the new root", func() string { return w.lacks("note 50 stand") })
	w.write("a.md", text(51))
	w.eventually("an edit in the old root", func() string { return w.lacks("note 51 stand") })
	removeRoot(w, "good")
	w.eventually("two roots", func() string {
		s, err := watch.ReadStatus(w.d)
		w.must(err)
		if len(s.Roots) == 2 {
			return ""
		}
		return fmt.Sprintf("%+v", s.Roots)
	})
}

// A document that is gone is missing first. Back at its place within the grace period it is what it was; after it, it is removed.
func TestGrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("a.md", text(1), "b.md", text(2))
	w.started(watch.Options{}.ForTest(5*time.Second, 0, nil))
	id := w.decide("docs/a.md", "The words of note 1 stand here.")
	w.must(os.Rename(w.file("a.md"), w.file("../a.md")))
	w.review(id, "unknown")
	w.must(os.Rename(w.file("../a.md"), w.file("a.md")))
	w.review(id, "current")
	w.rename("a.md", "moved.md")
	w.eventually("the move", func() string {
		if w.count(`SELECT count(*) FROM document WHERE key = 'docs/a.md' AND moved_to IS NOT NULL`) == 1 {
			return ""
		}
		return "it is not noticed"
	})
	w.review(id, "current")
	w.write("moved.md", strings.Replace(text(1), "words", "sentences", 1))
	w.review(id, "needs_review")
	w.write("moved.md", text(1))
	w.review(id, "current")
	gone := time.Now()
	w.remove("moved.md")
	w.review(id, "unknown")
	w.review(id, "needs_review")
	if waited := time.Since(gone); waited < 5*time.Second {
		t.Errorf("it was taken for gone after %v, within the grace period", waited)
	}
	if n := w.count(`SELECT count(*) FROM review_reason WHERE cause <> 'source_changed' AND cause <> 'source_removed'`); n != 0 {
		t.Errorf("%d reasons speak of something else than the edit and the removal", n)
	}
}
