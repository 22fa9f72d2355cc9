package ingest_test

import (
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

// A world is a store and folders beside it.
type world struct {
	*testing.T
	d    *db.DB
	path string // of the store
	dir  string
	now  time.Time
}

// newWorld opens a store whose clock runs an hour ahead of the disk's, so that no file is racy.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, path: filepath.Join(t.TempDir(), "docket.db"), dir: t.TempDir(), now: time.Now().Add(time.Hour)}
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

// write writes files: a path below the folder, and what it holds.
func (w *world) write(files ...string) {
	w.Helper()
	for i := 0; i < len(files); i += 2 {
		p := filepath.Join(w.dir, filepath.FromSlash(files[i]))
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
		if err := os.RemoveAll(filepath.Join(w.dir, filepath.FromSlash(p))); err != nil {
			w.Fatal(err)
		}
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

// sync syncs all roots and returns the report of the first.
func (w *world) sync() ingest.RootReport {
	w.Helper()
	r, err := ingest.Sync(w.Context(), w.d, ingest.SyncRequest{})
	if err != nil {
		w.Fatal(err)
	}
	return r.Roots[0]
}

// ledger returns `state: reason` by path.
func (w *world) ledger() map[string]string {
	w.Helper()
	out := map[string]string{}
	err := w.d.View(w.Context(), func(tx *db.Tx) error {
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
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *world) wantLedger(want map[string]string) {
	w.Helper()
	if diff := cmp.Diff(want, w.ledger()); diff != "" {
		w.Errorf("ledger (-want +got):\n%s", diff)
	}
}

func TestSync(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "# A\n\nAlpha.\n", "sub/b.txt", "beta\n")
	w.add("docs")
	got := w.sync()
	if got.Indexed != 2 || got.Files != 2 || got.Read != 2 {
		t.Errorf("first sync: %+v", got)
	}
	w.wantLedger(map[string]string{"a.md": "indexed", "sub/b.txt": "indexed"})
	if got := w.sync(); got.Unchanged != 2 || got.Read != 0 {
		t.Errorf("second sync: %+v", got)
	}
	w.write("a.md", "# A\n\nAlpha and more.\n")
	w.remove("sub/b.txt")
	if got := w.sync(); got.Indexed != 1 || got.Removed != 1 {
		t.Errorf("third sync: %+v", got)
	}
	w.wantLedger(map[string]string{"a.md": "indexed"})
}
