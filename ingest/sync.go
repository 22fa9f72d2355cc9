package ingest

// This file defines a sync: one complete pass over roots, after which the store says what the folders say.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"docket/db"
	"docket/search"
	"docket/trace"
)

// A SyncRequest says what to bring up to date.
type SyncRequest struct {
	Roots         []string       // names; none stands for all
	Rebuild       bool           // read every file, and make all derived rows anew
	AllowRemovals bool           // believe it when most of a root's documents are gone, or the folder stands on another device
	Foreign       ForeignParser  // nil leaves PDF, Word and HTML out
	Progress      func(Progress) // called now and then, never by two goroutines at once; may be nil

	// What follows is for a watcher.
	Leader  *Lease                 // nothing is written once this is lost
	Touched []string               // look at these paths of the one root named, and all below them, alone; nil for the whole of it
	Grace   time.Duration          // how long a document may be missing before it is removed
	Visit   func(root, dir string) // called with each folder before it is listed, as a path that ends in a slash, "" for the root
}

// The stages of a sync.
const (
	StageWaiting  = "waiting" // for another docket that indexes
	StageWalking  = "walking"
	StageIndexing = "indexing"
)

// Progress is how far a sync has come.
type Progress struct {
	Root  string `json:"root"`
	Stage string `json:"stage"`
	Done  int    `json:"done"`  // files
	Files int    `json:"files"` // to do; while walking, those found so far
	Bytes int64  `json:"bytes"` // read so far
}

// A SyncReport is what a sync did, by root.
type SyncReport struct {
	Roots []RootReport `json:"roots"`
}

// A RootReport is what a sync did in one root. Files are those of the folder; what is counted under them adds up to it, but for
// Removed and Moved, which count documents, and FoldersLeftOut.
type RootReport struct {
	Root            string        `json:"root"`
	Path            string        `json:"path"`
	State           string        `json:"state"`            // online or offline
	Reason          string        `json:"reason,omitempty"` // why it is offline
	Files           int           `json:"files"`
	Indexed         int           `json:"indexed"`   // read anew and in full
	Unchanged       int           `json:"unchanged"` // as they were
	Partly          int           `json:"partly"`    // read anew, but not all of it
	NoText          int           `json:"no_text"`   // read anew, and without text
	Skipped         int           `json:"skipped"`
	Failed          int           `json:"failed"`
	Pending         int           `json:"pending"` // would not hold still
	FoldersLeftOut  int           `json:"folders_left_out"`
	Read            int           `json:"read"` // files opened
	Bytes           int64         `json:"bytes"`
	Removed         int           `json:"removed"`
	Moved           int           `json:"moved"`
	RefusedRemovals int           `json:"refused_removals"`
	Missing         int           `json:"missing"`    // documents that are not there, and are not yet believed to be gone
	RemovalDue      time.Time     `json:"-"`          // when the first of them will be; zero for none
	Again           []string      `json:"-"`          // paths that changed so shortly before that they have to be looked at once more
	SkippedBy       []ReasonCount `json:"skipped_by"` // files and folders by reason
	Problems        []Problem     `json:"problems"`   // each file and folder that failed or is pending
}

// ReasonCount is how many files and folders were left out for one reason.
type ReasonCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// A Problem is a file that could not be indexed.
type Problem struct {
	Path   string `json:"path"`
	State  string `json:"state"`
	Reason string `json:"reason"`
}

// A RootOfflineError is returned by [Sync] for a root that could not be read. All that was indexed of it stays.
type RootOfflineError struct{ Name, Path, Reason string }

func (e *RootOfflineError) Error() string {
	return fmt.Sprintf("%s (%s) is offline: %s", e.Name, e.Path, e.Reason)
}

// Hint says what to do next.
func (e *RootOfflineError) Hint() string {
	return "its documents are kept as they were; bring the folder back and sync, or `docket remove " + e.Name + "`"
}

// A RemovalsError is returned by [Sync] when so many of a root's documents are gone that something else may be wrong. They are kept.
type RemovalsError struct {
	Name        string
	Gone, Total int
}

func (e *RemovalsError) Error() string {
	return fmt.Sprintf("%s: %d of %d documents are gone; they were kept, in case the folder is not what it was", e.Name, e.Gone, e.Total)
}

// Hint says what to do next.
func (e *RemovalsError) Hint() string {
	return "if they are to go, run `docket sync " + e.Name + " --allow-removals`"
}

// A pass that would remove more than half of a root's documents, and more than this many, is not believed without AllowRemovals.
const freeRemovals = 20

// Sync walks the roots, indexes what is new or changed, and removes what is gone. What goes wrong with a file is its row in the
// ledger and in the report, and stops nothing else. An offline root and refused removals are errors beside a report that is complete.
// It waits while another process indexes, and fails with an [IndexingError] if ctx ends first.
func Sync(ctx context.Context, d *db.DB, req SyncRequest) (report SyncReport, err error) {
	report = SyncReport{Roots: []RootReport{}}
	tell := req.Progress
	if tell == nil {
		tell = func(Progress) {}
	}
	roots, err := selectRoots(ctx, d, req.Roots)
	if err != nil {
		return report, err
	}
	l, err := acquire(ctx, d, req.Leader, func() { tell(Progress{Stage: StageWaiting}) })
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	if err := failLostJobs(ctx, l); err != nil {
		return report, err
	}
	var errs []error
	for _, r := range roots {
		s := &rootSync{d: d, lock: l, root: r, rebuild: req.Rebuild, allow: req.AllowRemovals, parsers: parserSet{req.Foreign}, tell: tell, grace: req.Grace}
		if req.Touched != nil {
			s.scope = newScope(req.Touched)
		}
		s.visit = func(dir string) {
			if req.Visit != nil {
				req.Visit(r.Name, dir)
			}
		}
		s.report = RootReport{Root: r.Name, Path: r.Path, State: db.RootOnline, SkippedBy: []ReasonCount{}, Problems: []Problem{}}
		err := s.run(ctx)
		report.Roots = append(report.Roots, s.report)
		errs = append(errs, err)
		if err != nil && !expected(err) {
			break
		}
	}
	if err := errors.Join(errs...); err != nil && !expected(err) {
		return report, err
	}
	if req.Rebuild {
		if err := trace.Rebuild(ctx, d); err != nil {
			return report, errors.Join(append(errs, err)...)
		}
	}
	if _, err := trace.Drain(ctx, d); err != nil { // what this sync made pending is settled when it returns
		errs = append(errs, err)
	}
	if _, err := search.Backfill(ctx, d); err != nil { // passages that are older than the model
		errs = append(errs, err)
	}
	return report, errors.Join(errs...)
}

// expected tells what concerns one root alone from what would befall the next as well.
func expected(err error) bool {
	_, offline := errors.AsType[*RootOfflineError](err)
	_, refused := errors.AsType[*RemovalsError](err)
	return offline || refused
}

func selectRoots(ctx context.Context, d *db.DB, names []string) (roots []db.Root, err error) {
	err = d.View(ctx, func(tx *db.Tx) error { roots, err = tx.Roots(ctx); return err })
	if err != nil || len(names) == 0 {
		return roots, err
	}
	var out []db.Root
	for _, name := range names {
		i := slices.IndexFunc(roots, func(r db.Root) bool { return r.Name == norm.NFC.String(name) })
		if i < 0 {
			return nil, &RootError{name, "there is no folder of that name", "`docket status` lists them"}
		}
		if !slices.ContainsFunc(out, func(r db.Root) bool { return r.ID == roots[i].ID }) {
			out = append(out, roots[i])
		}
	}
	return out, nil
}

// A rootSync is a sync of one root.
type rootSync struct {
	d              *db.DB
	lock           *lock
	root           db.Root
	rebuild, allow bool
	scope          *scope        // what is looked at
	grace          time.Duration // before what is missing is removed
	visit          func(dir string)
	parsers        parserSet
	tell           func(Progress)
	report         RootReport

	rows map[string]db.FileRow  // the ledger, by path
	docs map[string]db.Document // all documents, by path
	live []string               // paths of those that are not deleted, sorted
	gone []goneDocument         // documents whose file is not there any more, by path

	// These are of the whole root, whatever the scope.
	total   int             // documents that are not deleted
	missing []trace.Absence // documents that were missing before, by key

	rebuilt map[int64]bool // documents whose rows were made anew

	// words are the changes of the word index that the transaction under way ends with: every statement on another table that may
	// have to be undone alone makes FTS5 write out what it has gathered, at a cost that was measured as a quarter of the whole.
	words []func() error

	mu       sync.Mutex // guards progress
	progress Progress
}

// path returns the path that a document's key has in the root.
func (s *rootSync) path(key string) string { return strings.TrimPrefix(key, s.root.Name+"/") }

func (s *rootSync) run(ctx context.Context) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	t, err := openTree(s.d, s.root.Path, s.parsers.unsupported)
	if err != nil {
		return s.offline(ctx, reason(err))
	}
	defer t.close()
	fi, err := os.Stat(s.root.Path)
	if err != nil {
		return s.offline(ctx, reason(err))
	}
	device := statOf(fi).device
	if s.scope != nil && (s.root.State != db.RootOnline || s.root.Device != device) { // all of it has to be looked at
		s.scope = nil
		if err := s.load(ctx); err != nil {
			return err
		}
	}
	l, err := t.walk(ctx, s.scope, s.visit, func(files int) { s.step(func(p *Progress) { p.Stage, p.Files = StageWalking, files }) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return s.offline(ctx, reason(err))
	}
	if device != s.root.Device && s.root.Device != 0 && !s.allow && !s.recognises(l) {
		return s.offline(ctx, "it stands on another device, and the files that were indexed are not there")
	}
	if s.root.State != db.RootOnline || s.root.Device != device {
		if err := s.setState(ctx, db.RootOnline, "", device); err != nil {
			return err
		}
	}
	p := s.plan(t, l)
	if err := s.loadGone(ctx); err != nil {
		return err
	}
	if err := s.writeDown(ctx, p); err != nil {
		return err
	}
	tasks := p.tasks
	p, l.files = plan{}, nil // a large folder's lists are not kept while it is read
	if err := s.process(ctx, t, tasks); err != nil {
		return err
	}
	err = s.removeGone(ctx)
	s.countRest(l)
	if s.rebuild && (err == nil || expected(err)) {
		err = errors.Join(err, s.rebuildRest(ctx))
	}
	return err
}

// load reads what the store knows of the root.
func (s *rootSync) load(ctx context.Context) error {
	s.rows, s.docs, s.live, s.rebuilt = map[string]db.FileRow{}, map[string]db.Document{}, nil, map[int64]bool{}
	return s.d.View(ctx, func(tx *db.Tx) (err error) {
		var files []db.FileRow
		var docs []db.Document
		if s.scope != nil {
			var whole bool
			if files, docs, whole, err = s.loadScope(ctx, tx); err != nil {
				return err
			}
			if whole {
				s.scope = nil
			}
		}
		if s.scope == nil {
			if files, err = tx.Files(ctx, s.root.ID); err != nil {
				return err
			}
			if docs, err = tx.AllDocuments(ctx, s.root.ID); err != nil {
				return err
			}
		}
		for _, f := range files {
			s.rows[f.Path] = f
		}
		for _, doc := range docs {
			path := s.path(doc.Key)
			if s.docs[path] = doc; doc.Current != 0 {
				s.live = append(s.live, path)
			}
		}
		if slices.Sort(s.live); s.scope == nil {
			s.total = len(s.live)
		}
		s.missing, err = trace.Absences(ctx, tx, s.root.ID)
		return err
	})
}

// recognises reports whether the folder holds at least half of the files that the ledger has read there. Device numbers change when a
// disk is plugged in elsewhere; an unmounted disk leaves an empty folder behind.
func (s *rootSync) recognises(l listing) bool {
	there := 0
	for _, f := range l.files {
		if s.docs[f.path].Current != 0 {
			there++
		}
	}
	return 2*there >= len(s.live)
}

func (s *rootSync) offline(ctx context.Context, why string) error {
	s.report.State, s.report.Reason = db.RootOffline, why
	if s.root.State != db.RootOffline || s.root.Reason != why {
		if err := s.setState(ctx, db.RootOffline, why, s.root.Device); err != nil {
			return err
		}
	}
	return &RootOfflineError{s.root.Name, s.root.Path, why}
}

func (s *rootSync) setState(ctx context.Context, state, why string, device int64) error {
	return s.lock.update(ctx, func(tx *db.Tx) error {
		if err := tx.SetRootState(ctx, s.root.ID, state, why, device); err != nil {
			return err
		}
		return trace.RootChanged(ctx, tx, s.root.ID)
	})
}

// step changes the progress and tells of it.
func (s *rootSync) step(change func(*Progress)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.Root = s.root.Name
	change(&s.progress)
	s.tell(s.progress)
}

// count adds one file to the report.
func (s *rootSync) count(state, why, path string, unchanged bool) {
	r := &s.report
	if !strings.HasSuffix(path, "/") {
		r.Files++
	}
	switch {
	case state == db.FileFailed || state == db.FilePending:
		r.Problems = append(r.Problems, Problem{path, state, why})
		if state == db.FilePending {
			r.Pending++
		} else {
			r.Failed++
		}
	case state == db.FileSkipped:
		if strings.HasSuffix(path, "/") {
			r.FoldersLeftOut++
		} else {
			r.Skipped++
		}
		i, ok := slices.BinarySearchFunc(r.SkippedBy, why, func(c ReasonCount, why string) int { return strings.Compare(c.Reason, why) })
		if !ok {
			r.SkippedBy = slices.Insert(r.SkippedBy, i, ReasonCount{Reason: why})
		}
		r.SkippedBy[i].Count++
	case unchanged:
		r.Unchanged++
	case state == db.FilePartly:
		r.Partly++
	case state == db.FileNoText:
		r.NoText++
	default:
		r.Indexed++
	}
}

// countRest adds to the report what the walk left out, and puts its problems in order.
func (s *rootSync) countRest(l listing) {
	for _, x := range l.left {
		s.count(x.state, x.reason, x.path, true)
	}
	slices.SortFunc(s.report.Problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
}
