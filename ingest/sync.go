package ingest

// This file defines a sync: one complete pass over roots, after which the store says what the folders say.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"docket/db"
)

// A SyncRequest says what to bring up to date.
type SyncRequest struct {
	Roots         []string       // names; none stands for all
	Rebuild       bool           // read every file, and make all derived rows anew
	AllowRemovals bool           // believe it when most of a root's documents are gone, or the folder stands on another device
	Progress      func(Progress) // called now and then, never by two goroutines at once; may be nil
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
func Sync(ctx context.Context, d *db.DB, req SyncRequest) (SyncReport, error) {
	report := SyncReport{Roots: []RootReport{}}
	tell := req.Progress
	if tell == nil {
		tell = func(Progress) {}
	}
	roots, err := selectRoots(ctx, d, req.Roots)
	if err != nil {
		return report, err
	}
	l, err := acquire(ctx, d, func() { tell(Progress{Stage: StageWaiting}) })
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, l.release()) }()
	if err := failLostJobs(ctx, d); err != nil {
		return report, err
	}
	var errs []error
	for _, r := range roots {
		s := &rootSync{d: d, root: r, rebuild: req.Rebuild, allow: req.AllowRemovals, tell: tell}
		s.report = RootReport{Root: r.Name, Path: r.Path, State: db.RootOnline, SkippedBy: []ReasonCount{}, Problems: []Problem{}}
		err := s.run(ctx)
		report.Roots = append(report.Roots, s.report)
		errs = append(errs, err)
		if err != nil && !expected(err) {
			break
		}
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
	root           db.Root
	rebuild, allow bool
	tell           func(Progress)
	report         RootReport

	rows map[string]db.FileRow  // the ledger, by path
	docs map[string]db.Document // live documents, by path
	keys []string               // paths of docs, sorted
	gone []goneDocument         // documents whose file is not there any more, by path

	mu       sync.Mutex // guards progress
	progress Progress
}

// A goneDocument waits to be removed, or to be found again under another name.
type goneDocument struct {
	doc   db.Document
	path  string
	hash  db.Hash
	taken bool
}

// path returns the path that a document's key has in the root.
func (s *rootSync) path(key string) string { return strings.TrimPrefix(key, s.root.Name+"/") }

func (s *rootSync) run(ctx context.Context) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	t, err := openTree(s.d, s.root.Path)
	if err != nil {
		return s.offline(ctx, reason(err))
	}
	defer t.close()
	fi, err := os.Stat(s.root.Path)
	if err != nil {
		return s.offline(ctx, reason(err))
	}
	l, err := t.walk(ctx, func(files int) { s.step(func(p *Progress) { p.Stage, p.Files = StageWalking, files }) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return s.offline(ctx, reason(err))
	}
	device := statOf(fi).device
	if device != s.root.Device && s.root.Device != 0 && !s.allow && !s.recognises(l) {
		return s.offline(ctx, "it stands on another device, and the files that were indexed are not there")
	}
	if s.root.State != db.RootOnline || s.root.Device != device {
		if err := s.setState(ctx, db.RootOnline, "", device); err != nil {
			return err
		}
	}
	tasks, err := s.plan(ctx, t, l)
	if err != nil {
		return err
	}
	if err := s.process(ctx, t, tasks); err != nil {
		return err
	}
	err = s.removeGone(ctx)
	s.countRest(l)
	return err
}

// load reads what the store knows of the root.
func (s *rootSync) load(ctx context.Context) error {
	s.rows, s.docs = map[string]db.FileRow{}, map[string]db.Document{}
	return s.d.View(ctx, func(tx *db.Tx) error {
		files, err := tx.Files(ctx, s.root.ID)
		if err != nil {
			return err
		}
		for _, f := range files {
			s.rows[f.Path] = f
		}
		docs, err := tx.Documents(ctx, s.root.ID)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			path := s.path(doc.Key)
			s.docs[path], s.keys = doc, append(s.keys, path)
		}
		return nil
	})
}

// recognises reports whether the folder holds at least half of the files that the ledger has read there. Device numbers change when a
// disk is plugged in elsewhere; an unmounted disk leaves an empty folder behind.
func (s *rootSync) recognises(l listing) bool {
	there := 0
	for _, f := range l.files {
		if _, ok := s.docs[f.path]; ok {
			there++
		}
	}
	return 2*there >= len(s.docs)
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
	return s.d.Update(ctx, func(tx *db.Tx) error { return tx.SetRootState(ctx, s.root.ID, state, why, device) })
}

// step changes the progress and tells of it.
func (s *rootSync) step(change func(*Progress)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.Root = s.root.Name
	change(&s.progress)
	s.tell(s.progress)
}

// plan compares the listing with the store: it returns the files to read, notes what is gone, and writes down what is left out.
func (s *rootSync) plan(ctx context.Context, t *tree, l listing) ([]*task, error) {
	var tasks []*task
	var puts []db.FileRow
	seen := make(map[string]bool, len(l.files)+len(l.left))
	var closed []string // folders of which nothing is known now
	var out []string    // folders left out on purpose
	for _, f := range l.files {
		seen[f.path] = true
		row, known := s.rows[f.path]
		doc := s.docs[f.path]
		if known && !s.rebuild && !row.Racy && rowStat(row) == f.stat && settled(row, doc) {
			s.count(row.State, row.Reason, f.path, true)
			continue
		}
		key := s.root.Name + "/" + f.path
		t := &task{found: f, key: key, before: row, doc: doc, done: make(chan struct{})}
		t.queued = !known || rowStat(row) != f.stat
		tasks = append(tasks, t)
		if t.queued {
			row.RootID, row.Path, row.State, row.Reason = s.root.ID, f.path, db.FilePending, ""
			puts = append(puts, row)
		}
	}
	policy := map[string]bool{}
	for _, x := range l.left {
		seen[x.path] = true
		policy[x.path] = x.policy
		if dir, ok := strings.CutSuffix(x.path, "/"); ok && x.policy {
			out = append(out, dir+"/")
		} else if ok {
			closed = append(closed, dir+"/")
		}
		row := db.FileRow{RootID: s.root.ID, Path: x.path, State: x.state, Reason: x.reason}
		if old, ok := s.rows[x.path]; ok {
			if _, live := s.docs[x.path]; live && !x.policy { // what was read of it before stays true
				row = old
				row.State, row.Reason = x.state, x.reason
			}
			row.At = old.At
			if row == old {
				continue
			}
		}
		puts = append(puts, row)
	}
	below := func(dirs []string, path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(path, dir) })
	}
	var deletes []string
	for _, path := range s.keys {
		if seen[path] && !policy[path] || below(closed, path) {
			continue
		}
		if !seen[path] && !below(out, path) && !s.absent(t, l, path) {
			continue
		}
		s.gone = append(s.gone, goneDocument{doc: s.docs[path], path: path, hash: s.rows[path].Hash})
	}
	for path := range s.rows {
		if _, live := s.docs[path]; !live && !seen[path] && !below(closed, path) {
			deletes = append(deletes, path)
		}
	}
	slices.Sort(deletes)
	return tasks, s.writeDown(ctx, tasks, puts, deletes)
}

// settled reports whether a ledger row can stand for its file as long as the file's stat does not change.
func settled(row db.FileRow, doc db.Document) bool {
	switch row.State {
	case db.FilePending:
		return false
	case db.FileFailed:
		return row.Hash != (db.Hash{}) && parserCurrent(row.Parser) // what could not even be read is tried again every time
	case db.FileIndexed, db.FilePartly, db.FileNoText:
		return doc.ID != 0 && parserCurrent(row.Parser)
	}
	return parserCurrent(row.Parser)
}

// absent makes sure that a file is gone: its folder was listed without it, and asking for the file itself says so too.
func (s *rootSync) absent(t *tree, l listing, path string) bool {
	fi, err := t.lstat(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || isNotFolder(err)
	}
	// A disk that folds case finds the file under its new spelling.
	return slices.ContainsFunc(l.files, func(f found) bool {
		if f.path == path || !strings.EqualFold(norm.NFC.String(f.path), norm.NFC.String(path)) {
			return false
		}
		other, err := t.lstat(f.path)
		return err == nil && os.SameFile(fi, other)
	})
}

// writeDown tells the store what the walk saw, before anything is read: a file that waits is pending, and has a job.
func (s *rootSync) writeDown(ctx context.Context, tasks []*task, puts []db.FileRow, deletes []string) error {
	var writes []func(*db.Tx) error
	for _, t := range tasks {
		if t.queued {
			writes = append(writes, func(tx *db.Tx) error { return queueJob(ctx, tx, t.key) })
		}
	}
	for i := range puts {
		writes = append(writes, func(tx *db.Tx) error { return tx.PutFile(ctx, &puts[i]) })
	}
	for _, path := range deletes {
		writes = append(writes, func(tx *db.Tx) error { return tx.DeleteFile(ctx, s.root.ID, path) })
	}
	for batch := range slices.Chunk(writes, batchRows) {
		err := s.d.Update(ctx, func(tx *db.Tx) error {
			for _, w := range batch {
				if err := w(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// removeGone removes the documents that are gone and did not turn up under another name.
func (s *rootSync) removeGone(ctx context.Context) error {
	left := slices.DeleteFunc(s.gone, func(g goneDocument) bool { return g.taken })
	if !s.allow && len(left) > freeRemovals && 2*len(left) > len(s.docs) {
		s.report.RefusedRemovals = len(left)
		return &RemovalsError{s.root.Name, len(left), len(s.docs)}
	}
	for batch := range slices.Chunk(left, batchDocuments) {
		err := s.d.Update(ctx, func(tx *db.Tx) error {
			for _, g := range batch {
				if err := remove(ctx, tx, g.doc, 0); err != nil {
					return err
				}
				// A row that says why the file is left out stays.
				if row, ok := s.rows[g.path]; ok && row.Hash != (db.Hash{}) {
					if now, err := tx.File(ctx, s.root.ID, g.path); err == nil && now.Hash == (db.Hash{}) && now.State == db.FileSkipped {
						continue
					}
				}
				if err := tx.DeleteFile(ctx, s.root.ID, g.path); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		s.report.Removed += len(batch)
	}
	return nil
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
