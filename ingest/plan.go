package ingest

// This file defines the plan of a sync: what the listing of a root means for what the store knows of it. Nothing is read yet.

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/text/unicode/norm"

	"docket/db"
	"docket/trace"
)

const (
	reasonClosed  = "its folder cannot be read"
	reasonRefused = "it is gone, and so are most documents of this folder"
	reasonMissing = "it is gone; if it stays so for a while, it leaves the index"
)

// A plan is what to do about a listing.
type plan struct {
	tasks   []*task      // files to read, in the order of the walk
	puts    []db.FileRow // ledger rows to write before
	deletes []string     // ledger rows of what is gone and was no document
	unknown []unknown    // documents that cannot be looked at now
}

// An unknown is a document of which it cannot be said whether it still is what it was.
type unknown struct {
	id    int64
	cause string
}

// A goneDocument waits to be removed, or to be found again under another name.
type goneDocument struct {
	doc   db.Document
	path  string
	hash  db.Hash
	taken bool // by the document that its bytes moved to
	there bool // it is left out on purpose now, and has a ledger row that says so
}

// plan compares the listing with the store, and notes in s.gone which documents have no file any more.
func (s *rootSync) plan(t *tree, l listing) plan {
	var p plan
	seen := make(map[string]bool, len(l.files)+len(l.left)) // by path: whether a document there stays
	for _, f := range l.files {
		seen[f.path] = true
		s.planFile(&p, f)
	}
	var closed, out []string // folders of which nothing is known now, and folders left out on purpose
	for _, x := range l.left {
		seen[x.path] = !x.policy
		switch folder := strings.HasSuffix(x.path, "/"); {
		case folder && x.policy:
			out = append(out, x.path)
		case folder:
			closed = append(closed, x.path)
		}
		s.planLeft(&p, x)
	}
	below := func(dirs []string, path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(path, dir) })
	}
	for _, path := range s.live {
		doc := s.docs[path]
		stays, listed := seen[path]
		switch {
		case stays:
		case below(closed, path):
			p.unknown = append(p.unknown, unknown{doc.ID, trace.ParseFailed})
			s.planUnread(&p, path, db.FileFailed, reasonClosed)
			s.count(db.FileFailed, reasonClosed, path, true)
		case listed || below(out, path) || s.absent(t, l, path):
			s.gone = append(s.gone, goneDocument{doc: doc, path: path, there: listed})
		}
	}
	s.planAbsent(t, l)
	for path := range s.rows {
		if _, listed := seen[path]; !listed && s.docs[path].Current == 0 && !below(closed, path) {
			p.deletes = append(p.deletes, path)
		}
	}
	slices.Sort(p.deletes)
	return p
}

// loadGone finds out which bytes the documents held that are gone.
func (s *rootSync) loadGone(ctx context.Context) error {
	if len(s.gone) == 0 {
		return nil
	}
	return s.d.View(ctx, func(tx *db.Tx) error {
		for i := range s.gone {
			v, err := tx.Version(ctx, s.gone[i].doc.Current)
			if err != nil {
				return err
			}
			s.gone[i].hash = v.ContentHash
		}
		return nil
	})
}

// planFile decides whether a file has to be read.
func (s *rootSync) planFile(p *plan, f found) {
	row, known := s.rows[f.path]
	doc := s.docs[f.path]
	moved := !known || rowStat(row) != f.stat
	if !moved && !s.rebuild && !row.Racy && s.settled(row, doc) {
		s.count(row.State, row.Reason, f.path, true)
		return
	}
	k := &task{found: f, key: s.root.Name + "/" + f.path, before: row, doc: doc, queued: moved, done: make(chan struct{})}
	p.tasks = append(p.tasks, k)
	if !moved { // a second look at what is most likely the same
		return
	}
	row.RootID, row.Path, row.State, row.Reason = s.root.ID, f.path, db.FilePending, ""
	p.puts = append(p.puts, row)
	if doc.Current != 0 {
		p.unknown = append(p.unknown, unknown{doc.ID, trace.Pending})
	}
}

// planLeft writes down why something is not read.
func (s *rootSync) planLeft(p *plan, x left) {
	if doc := s.docs[x.path]; doc.Current != 0 && !x.policy {
		p.unknown = append(p.unknown, unknown{doc.ID, trace.ParseFailed})
		s.planUnread(p, x.path, db.FileFailed, x.reason)
		return
	}
	row := db.FileRow{RootID: s.root.ID, Path: x.path, State: x.state, Reason: x.reason, At: s.rows[x.path].At}
	if row != s.rows[x.path] {
		p.puts = append(p.puts, row)
	}
}

// planUnread makes the ledger say that a document's file could not be looked at. Without a hash it is read again as soon as it can be.
func (s *rootSync) planUnread(p *plan, path, state, why string) {
	row := s.rows[path]
	row.RootID, row.Path, row.State, row.Reason, row.Hash = s.root.ID, path, state, why, db.Hash{}
	if row != s.rows[path] {
		p.puts = append(p.puts, row)
	}
}

// settled reports whether a ledger row can stand for its file as long as the file's stat does not change.
func (s *rootSync) settled(row db.FileRow, doc db.Document) bool {
	switch row.State {
	case db.FilePending:
		return false
	case db.FileFailed: // what could not even be read is tried again every time
		return row.Hash != (db.Hash{}) && s.parsers.current(row.Parser)
	case db.FileIndexed, db.FilePartly, db.FileNoText:
		return doc.Current != 0 && s.parsers.current(row.Parser)
	}
	return s.parsers.current(row.Parser)
}

// absent makes sure that a file is gone: its folder was listed without it, and asking for the file itself says so too.
func (s *rootSync) absent(t *tree, l listing, path string) bool {
	fi, err := t.lstat(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	if !fi.Mode().IsRegular() { // something else has its name
		return true
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
func (s *rootSync) writeDown(ctx context.Context, p plan) error {
	var writes []func(*db.Tx) error
	for _, k := range p.tasks {
		if k.queued {
			writes = append(writes, func(tx *db.Tx) error { return queueJob(ctx, tx, k.key) })
		}
	}
	for i := range p.puts {
		writes = append(writes, func(tx *db.Tx) error { return tx.PutFile(ctx, &p.puts[i]) })
	}
	for _, path := range p.deletes {
		writes = append(writes, func(tx *db.Tx) error { return tx.DeleteFile(ctx, s.root.ID, path) })
	}
	for _, u := range p.unknown {
		writes = append(writes, func(tx *db.Tx) error { return trace.Unreadable(ctx, tx, u.id, u.cause) })
	}
	return s.inBatches(ctx, writes, batchRows)
}

// inBatches runs writes in their order, some in each transaction.
func (s *rootSync) inBatches(ctx context.Context, writes []func(*db.Tx) error, size int) error {
	for batch := range slices.Chunk(writes, size) {
		err := s.lock.update(ctx, func(tx *db.Tx) error {
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

// removeGone removes the documents that are gone and did not turn up under another name, once their grace period is over.
func (s *rootSync) removeGone(ctx context.Context) error {
	left := slices.DeleteFunc(s.gone, func(g goneDocument) bool { return g.taken })
	var due, waiting []goneDocument
	for _, g := range left {
		a, known := s.since(g.doc)
		if !known {
			a.Since = s.d.Now()
		}
		at := a.Since.Add(s.grace)
		if s.grace == 0 || g.there || known && !at.After(s.d.Now()) {
			due = append(due, g)
			continue
		}
		if waiting = append(waiting, g); s.report.RemovalDue.IsZero() || at.Before(s.report.RemovalDue) {
			s.report.RemovalDue = at
		}
	}
	s.report.Missing = len(waiting)
	if err := s.keep(ctx, waiting, db.FilePending, reasonMissing); err != nil {
		return err
	}
	if !s.allow && len(due) > 0 && len(left) > freeRemovals && 2*len(left) > s.total {
		if err := s.keep(ctx, due, db.FileFailed, reasonRefused); err != nil {
			return err
		}
		s.report.RefusedRemovals = len(due)
		return &RemovalsError{s.root.Name, len(left), s.total}
	}
	for batch := range slices.Chunk(due, batchDocuments) {
		err := s.lock.update(ctx, func(tx *db.Tx) error {
			docs := make([]db.Document, len(batch))
			for i, g := range batch {
				docs[i] = g.doc
				if g.there {
					continue
				}
				if err := tx.DeleteFile(ctx, s.root.ID, g.path); err != nil {
					return err
				}
			}
			return removeDocuments(ctx, tx, docs)
		})
		if err != nil {
			return err
		}
		s.report.Removed += len(batch)
	}
	return nil
}

// keep keeps documents whose files are gone, says so in the ledger, and makes what rests on them unknown.
func (s *rootSync) keep(ctx context.Context, docs []goneDocument, state, why string) error {
	var p plan
	for _, g := range docs {
		if _, known := s.since(g.doc); !known {
			p.unknown = append(p.unknown, unknown{g.doc.ID, trace.Missing})
		}
		if _, loaded := s.docs[g.path]; loaded && !g.there {
			s.planUnread(&p, g.path, state, why)
		}
	}
	return s.writeDown(ctx, p)
}
