package ingest_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
	"docket/ingest"
)

const note = "# Title\n\nSome words that stand here.\n"

// A world is a store and a folder beside it.
type world struct {
	testing.TB
	d    *db.DB
	path string // of the store
	dir  string
	now  time.Time
}

// newWorld opens a store whose clock runs an hour ahead of the disk's, so that no file is racy.
func newWorld(tb testing.TB) *world {
	tb.Helper()
	w := &world{TB: tb, path: filepath.Join(tb.TempDir(), "docket.db"), dir: tb.TempDir(), now: time.Now().Add(time.Hour)}
	w.open()
	return w
}

func (w *world) open() {
	w.Helper()
	o := dbtest.Options()
	o.Now = func() time.Time { return w.now }
	d, err := db.Open(w.Context(), w.path, o)
	if err != nil {
		w.Fatal(err)
	}
	w.d = d
	w.Cleanup(func() { _ = d.Close() })
}

func (w *world) file(path string) string { return filepath.Join(w.dir, filepath.FromSlash(path)) }

// write writes files: a path below the folder, and what it holds.
func (w *world) write(files ...string) {
	w.Helper()
	for i := 0; i < len(files); i += 2 {
		p := w.file(files[i])
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(files[i+1]), 0o644); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) remove(paths ...string) {
	w.Helper()
	for _, p := range paths {
		if err := os.RemoveAll(w.file(p)); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) rename(from, to string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.file(to)), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.Rename(w.file(from), w.file(to)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) add(name string) db.Root {
	w.Helper()
	r, err := ingest.AddRoot(w.Context(), w.d, w.dir, name)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// sync syncs all roots and returns the report of the first. Case 20: no operation changes a source.
func (w *world) sync() ingest.RootReport {
	w.Helper()
	r, err := w.trySync(ingest.SyncRequest{})
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func (w *world) trySync(req ingest.SyncRequest) (ingest.RootReport, error) {
	w.Helper()
	before := w.sources()
	r, err := ingest.Sync(w.Context(), w.d, req)
	if diff := cmp.Diff(before, w.sources()); diff != "" {
		w.Fatalf("a sync changed sources:\n%s", diff)
	}
	if len(r.Roots) == 0 {
		return ingest.RootReport{}, err
	}
	return r.Roots[0], err
}

// sources hashes every file of the folder but the store's.
func (w *world) sources() map[string]string {
	w.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.HasPrefix(p, w.path) || strings.HasPrefix(e.Name(), "other") {
			return nil //nolint:nilerr // what cannot be listed cannot be compared
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return nil //nolint:nilerr // nor what cannot be read
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		out[p] = fmt.Sprintf("%x %v %v", sha256.Sum256(b), fi.Mode(), fi.ModTime())
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *world) view(fn func(*db.Tx) error) {
	w.Helper()
	if err := w.d.View(w.Context(), fn); err != nil {
		w.Fatal(err)
	}
}

// ledger returns `state: reason` by path, of all roots.
func (w *world) ledger() map[string]string {
	w.Helper()
	out := map[string]string{}
	w.view(func(tx *db.Tx) error {
		roots, err := tx.Roots(w.Context())
		if err != nil {
			return err
		}
		for _, r := range roots {
			files, err := tx.Files(w.Context(), r.ID)
			if err != nil {
				return err
			}
			for _, f := range files {
				out[f.Path] = strings.TrimSuffix(f.State+": "+f.Reason, ": ")
			}
		}
		return nil
	})
	return out
}

func (w *world) wantLedger(want map[string]string) {
	w.Helper()
	if diff := cmp.Diff(want, w.ledger()); diff != "" {
		w.Errorf("ledger (-want +got):\n%s", diff)
	}
}

func (w *world) source(key string) ingest.Source {
	w.Helper()
	s, err := ingest.SourceStatus(w.Context(), w.d, key)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// documents counts live documents.
func (w *world) documents() (n int) {
	w.Helper()
	s, err := ingest.Status(w.Context(), w.d)
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range s.Roots {
		n += r.Documents
	}
	return n
}

// A live document is what a fresh store would hold of a file, ids included.
type liveDocument struct {
	Version, Hash, Title, Kind, Text string
	Sections                         []db.Section
	Chunks                           []string
}

// snapshot returns all live documents by key.
func (w *world) snapshot() map[string]liveDocument {
	w.Helper()
	out := map[string]liveDocument{}
	ctx := w.Context()
	w.view(func(tx *db.Tx) error {
		roots, err := tx.Roots(ctx)
		if err != nil {
			return err
		}
		for _, r := range roots {
			docs, err := tx.Documents(ctx, r.ID)
			if err != nil {
				return err
			}
			for _, doc := range docs {
				v, err := tx.Version(ctx, doc.Current)
				if err != nil {
					return err
				}
				l := liveDocument{Version: v.ID, Hash: v.ContentHash.String(), Title: v.Title, Kind: v.Kind}
				if l.Text, err = tx.Text(ctx, v.Row, 0, v.Bytes); err != nil {
					return err
				}
				if l.Sections, err = tx.Sections(ctx, v.Row); err != nil {
					return err
				}
				chunks, err := tx.Chunks(ctx, v.Row)
				if err != nil {
					return err
				}
				for _, c := range chunks {
					l.Chunks = append(l.Chunks, fmt.Sprintf("%s %s %d-%d lines %d-%d spans %v", c.ID(), c.Kind, c.Start, c.End, c.LineStart, c.LineEnd, c.Spans))
				}
				out[doc.Key] = l
			}
		}
		return nil
	})
	return out
}

func (w *world) wantSame(want map[string]liveDocument, when string) {
	w.Helper()
	if diff := cmp.Diff(want, w.snapshot()); diff != "" {
		w.Errorf("documents %s (-want +got):\n%s", when, diff)
	}
}

// wantFresh compares the store with one that indexes the same folder for the first time. Only what cannot be read any more may be
// there besides: its last good version.
func (w *world) wantFresh(when string) {
	w.Helper()
	fresh := &world{TB: w.TB, path: filepath.Join(w.TempDir(), "fresh.db"), dir: w.dir, now: w.now}
	fresh.open()
	defer func() {
		if err := fresh.d.Close(); err != nil {
			w.Error(err)
		}
	}()
	w.view(func(tx *db.Tx) error {
		roots, err := tx.Roots(w.Context())
		for _, r := range roots {
			if _, err := ingest.AddRoot(w.Context(), fresh.d, r.Path, r.Name); err != nil {
				return err
			}
		}
		return err
	})
	if _, err := ingest.Sync(w.Context(), fresh.d, ingest.SyncRequest{}); err != nil {
		w.Fatal(err)
	}
	got, ledger := w.snapshot(), w.ledger()
	live := len(got)
	for key := range got {
		_, path, _ := strings.Cut(key, "/")
		if state := ledger[path]; strings.HasPrefix(state, db.FileSkipped) || strings.HasPrefix(state, db.FileFailed) {
			delete(got, key)
		}
	}
	if diff := cmp.Diff(fresh.snapshot(), got); diff != "" {
		w.Fatalf("documents %s (-fresh +incremental):\n%s", when, diff)
	}
	if diff := cmp.Diff(fresh.ledger(), ledger); diff != "" {
		w.Fatalf("ledger %s (-fresh +incremental):\n%s", when, diff)
	}
	w.checkWords()
	if live == len(got) { // else words of a last good version are there besides
		if diff := cmp.Diff(fresh.words(), w.words()); diff != "" {
			w.Fatalf("word index %s (-fresh +incremental):\n%s", when, diff)
		}
	}
}

// words returns what the main word index holds: its passages, and how often each term stands in how many of them.
func (w *world) words() (out []string) {
	w.Helper()
	w.view(func(tx *db.Tx) error {
		passages, err := db.Query(w.Context(), tx, db.Value[string], `SELECT 'c_' || c.evidence FROM word w JOIN chunk c ON c.id = w.rowid ORDER BY 1`)
		if err != nil {
			return err
		}
		terms, err := db.Query(w.Context(), tx, db.Value[string], `SELECT term || ' ' || doc || ' ' || cnt FROM word_term ORDER BY 1`)
		out = append(passages, terms...)
		return err
	})
	return out
}

// checkWords runs FTS5's own check, and looks for rows that the index and the passages do not share. Case 59.
func (w *world) checkWords() {
	w.Helper()
	err := w.d.Update(w.Context(), func(tx *db.Tx) error {
		for _, table := range []string{"word", "word_history"} {
			if _, err := tx.Exec(w.Context(), `INSERT INTO `+table+` (`+table+`) VALUES ('integrity-check')`); err != nil {
				return err
			}
		}
		for what, stmt := range map[string]string{
			"passages of a current version that are not in the main index": `
				SELECT count(*) FROM chunk c JOIN document d ON d.current_version = c.version_id WHERE c.ord >= 0 AND c.id NOT IN (SELECT rowid FROM word)`,
			"rows of the main index without a current passage": `
				SELECT count(*) FROM word w WHERE w.rowid NOT IN (SELECT c.id FROM chunk c JOIN document d ON d.current_version = c.version_id)`,
			"rows of the history index without an old passage": `
				SELECT count(*) FROM word_history w WHERE w.rowid NOT IN
					(SELECT c.id FROM chunk c JOIN version v ON v.id = c.version_id JOIN document d ON d.id = v.document_id
					WHERE d.current_version IS NULL OR d.current_version <> v.id)`,
		} {
			n, err := db.One(w.Context(), tx, db.Value[int], stmt)
			if err != nil {
				return err
			}
			if n != 0 {
				w.Fatalf("%d %s", n, what)
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}
