package watch_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/ingest"
	"docket/trace"
	"docket/watch"
)

const (
	patience = 30 * time.Second // for what must happen, however busy the machine
	grace    = 300 * time.Millisecond
)

// A world is a store, a folder that is one of its roots, and a watcher that can be started and stopped.
type world struct {
	testing.TB
	d    *db.DB
	path string // of the store
	dir  string
	log  *journal
	stop func()
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	dir := tb.TempDir()
	return newWorldAt(tb, filepath.Join(dir, "store.db"), filepath.Join(dir, "docs"))
}

func newWorldAt(tb testing.TB, path, dir string) *world {
	tb.Helper()
	w := &world{TB: tb, path: path, dir: dir, log: new(journal)}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	d, err := db.Open(tb.Context(), path, db.Options{Create: true})
	if err != nil {
		tb.Fatal(err)
	}
	w.d = d
	tb.Cleanup(func() {
		w.end()
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
		if tb.Failed() {
			tb.Logf("the watcher said:\n%s", w.log)
		}
	})
	if _, err := ingest.AddRoot(tb.Context(), d, dir, "docs"); err != nil {
		tb.Fatal(err)
	}
	return w
}

// begin starts the watcher.
func (w *world) begin(o watch.Options) {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	o.Log, o.Command = slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})), true
	go func() { over <- watch.Run(ctx, w.d, o) }()
	w.stop = func() {
		cancel()
		if err := <-over; err != nil {
			w.Errorf("the watcher ended with %v", err)
		}
	}
}

func (w *world) end() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// started starts a watcher and waits until it has looked at everything once.
func (w *world) started(o watch.Options) {
	w.Helper()
	w.begin(o)
	w.eventually("the first look", func() string {
		s, err := watch.ReadStatus(w.d)
		if err != nil || len(s.Roots) == 0 || s.Roots[0].LastLook == "" {
			return fmt.Sprintf("%+v, %v", s, err)
		}
		return ""
	})
}

func quick() watch.Options { return watch.Options{}.ForTest(grace, 0, nil) }

// A journal is the watcher's log.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// eventually waits until a condition holds: until what it returns, the difference to what is wanted, is empty.
func (w *world) eventually(what string, differs func() string) {
	w.Helper()
	end, look := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer look.Stop()
	for {
		diff := differs()
		if diff == "" {
			return
		}
		select {
		case <-end:
			w.Fatalf("%s did not come within %v:\n%s", what, patience, diff)
		case <-look.C:
		}
	}
}

func (w *world) file(path string) string { return filepath.Join(w.dir, filepath.FromSlash(path)) }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// write writes files: a path below the folder, and what it holds.
func (w *world) write(files ...string) {
	w.Helper()
	for i := 0; i < len(files); i += 2 {
		w.must(os.MkdirAll(filepath.Dir(w.file(files[i])), 0o755))
		w.must(os.WriteFile(w.file(files[i]), []byte(files[i+1]), 0o644))
	}
}

func (w *world) rename(from, to string) {
	w.Helper()
	w.must(os.Rename(w.file(from), w.file(to)))
}

func (w *world) remove(paths ...string) {
	w.Helper()
	for _, path := range paths {
		w.must(os.RemoveAll(w.file(path)))
	}
}

// dump lists all that the store holds of the live documents: ids, words, and the ledger.
func dump(ctx context.Context, d *db.DB) (out []string, err error) {
	err = d.View(ctx, func(tx *db.Tx) error {
		for _, stmt := range []string{
			`SELECT 'document ' || d.key || ' ' || v.version_id FROM document d JOIN version v ON v.id = d.current_version ORDER BY 1`,
			`SELECT 'passage ' || c.evidence || ' ' || c.start || '-' || c.end FROM chunk c JOIN document d ON d.current_version = c.version_id WHERE c.ord >= 0 ORDER BY 1`,
			`SELECT 'indexed ' || c.evidence FROM word w JOIN chunk c ON c.id = w.rowid ORDER BY 1`,
			`SELECT 'word ' || term || ' ' || doc || ' ' || cnt FROM word_term ORDER BY 1`,
			// Where a link that is left out points to is written down when the link is looked at, and may come and go without a word.
			`SELECT 'file ' || path || ' ' || state || ' ' || CASE WHEN reason LIKE 'link: %' THEN 'link' ELSE reason END || ' ' || coalesce(hex(hash), '')
				FROM ledger ORDER BY 1`,
		} {
			rows, err := db.Query(ctx, tx, db.Value[string], stmt)
			if err != nil {
				return err
			}
			out = append(out, rows...)
		}
		return nil
	})
	return out, err
}

// fresh returns the dump of a store that indexes the same folder for the first time.
func (w *world) fresh() []string {
	w.Helper()
	path := filepath.Join(w.TempDir(), filepath.Base(w.path)) // the same name, for a folder that holds the store
	d, err := db.Open(w.Context(), path, db.Options{Create: true})
	w.must(err)
	defer func() { w.must(d.Close()) }()
	_, err = ingest.AddRoot(w.Context(), d, w.dir, "docs")
	w.must(err)
	_, err = ingest.Sync(w.Context(), d, ingest.SyncRequest{})
	w.must(err)
	out, err := dump(w.Context(), d)
	w.must(err)
	return out
}

// wantFresh waits until the store holds what a fresh one would.
func (w *world) wantFresh(when string) {
	w.Helper()
	want := w.fresh()
	w.eventually("a store like a fresh one "+when, func() string {
		got, err := dump(w.Context(), w.d)
		w.must(err)
		return cmp.Diff(want, got)
	})
}

func (w *world) count(stmt string, args ...any) (n int) {
	w.Helper()
	w.must(w.d.View(w.Context(), func(tx *db.Tx) (err error) {
		n, err = db.One(w.Context(), tx, db.Value[int], stmt, args...)
		return err
	}))
	return n
}

func addRoot(w *world, dir, name string) {
	w.Helper()
	_, err := ingest.AddRoot(w.Context(), w.d, dir, name)
	w.must(err)
}

func removeRoot(w *world, name string) {
	w.Helper()
	_, err := ingest.RemoveRoot(w.Context(), w.d, name)
	w.must(err)
}

var who = trace.Identity{Project: "p", Agent: "a", Person: true, Fetched: func(string) (bool, bool) { return true, false }}

// decide records a decision that rests on a quote in a document.
func (w *world) decide(key, quote string) string {
	w.Helper()
	var id string
	w.must(w.d.View(w.Context(), func(tx *db.Tx) (err error) {
		id, err = db.One(w.Context(), tx, db.Value[string], `
			SELECT 'c_' || c.evidence FROM document d JOIN chunk c ON c.version_id = d.current_version JOIN text_piece p ON p.version_id = c.version_id
			WHERE d.key = ? AND instr(substr(p.data, c.start + 1, c.end - c.start), CAST(? AS BLOB)) > 0`, key, quote)
		return err
	}))
	_, err := trace.CreateTask(w.Context(), w.d, who, trace.CreateTaskParams{TaskName: "task", Goal: "a goal"})
	w.must(err)
	got, err := trace.RecordDecision(w.Context(), w.d, who, trace.RecordDecisionParams{
		TaskName: "task", ChoiceKey: "choice", Conclusion: "It is so.", Rationale: "Since it says so.",
		Supports: []trace.Support{{Type: "evidence", EvidenceID: id, Quote: quote}}, Assumptions: []string{}, OpenQuestions: []string{},
	})
	w.must(err)
	return got.DecisionID
}

// review waits until a decision is in a state of review.
func (w *world) review(id, want string) {
	w.Helper()
	w.eventually("review "+want, func() string {
		got, err := trace.GetDecision(w.Context(), w.d, who, trace.GetDecisionParams{DecisionID: id})
		w.must(err)
		if got.Review == want {
			return ""
		}
		return fmt.Sprintf("it is %s; reasons %+v", got.Review, got.ReviewReasons)
	})
}
