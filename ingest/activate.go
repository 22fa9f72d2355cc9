package ingest

// This file defines activation: how a file that was read changes the store, as a whole or not at all. It is the one place where
// the other packages are told that a document changed, all in the transaction that changes it.

import (
	"context"
	"errors"
	"fmt"

	"docket/db"
	"docket/search"
	"docket/trace"
)

// A task is one file on its way in. It is filled in step by step: by the plan, the reader, the parser, the writer.
type task struct {
	found
	key     string
	before  db.FileRow  // its ledger row so far, zero for none
	doc     db.Document // the document at its key, deleted or not; zero for none
	queued  bool        // it is pending, and has an open job
	running bool        // and the job says that it runs

	read    content
	same    bool // its bytes are those of the ledger row, and today's parsers would read them alike
	parsed  parsed
	problem *leftError // why there is nothing to activate
	done    chan struct{}

	movedFrom *goneDocument // the vanished document that had the same bytes
	aligned   *trace.Alignment
	alignedMv *trace.Alignment // of movedFrom

	state, reason string // what became of it
	changed       bool   // its rows were made
	removed       bool   // its document was
}

// align finds out, before the transaction, where the supports of the documents concerned stand in what was read.
func (k *task) align(ctx context.Context, d *db.DB) (err error) {
	if k.problem != nil || k.same {
		return nil
	}
	c := trace.Change{Document: k.doc, New: k.parsed.version, NewText: k.parsed.text, NewChunks: k.parsed.chunks}
	c.New.TextHash = k.parsed.textHash
	if k.doc.ID != 0 {
		if k.aligned, err = trace.Align(ctx, d, c); err != nil {
			return fmt.Errorf("align %s: %w", k.key, err)
		}
	}
	if k.movedFrom != nil {
		c.Document, c.MovedTo = k.movedFrom.doc, k.doc
		if k.alignedMv, err = trace.Align(ctx, d, c); err != nil {
			return fmt.Errorf("align %s: %w", c.Document.Key, err)
		}
	}
	return nil
}

// write does in one transaction all that follows from what was read.
func (s *rootSync) write(ctx context.Context, tx *db.Tx, k *task) error {
	row := db.FileRow{RootID: s.root.ID, Path: k.path}
	k.changed, k.removed = false, false // a batch that failed is written again
	switch {
	case k.problem != nil:
		k.state, k.reason, row.Parser = k.problem.state, k.problem.reason, k.problem.parser
		if err := s.writeProblem(ctx, tx, k); err != nil {
			return err
		}
	case k.same:
		row = k.before
		k.state, k.reason = k.before.State, k.before.Reason
		if k.queued && k.doc.Current != 0 {
			if err := trace.Readable(ctx, tx, k.doc.ID, trace.Pending); err != nil {
				return err
			}
		}
	default:
		if err := s.activate(ctx, tx, k); err != nil {
			return fmt.Errorf("activate %s: %w", k.key, err)
		}
		v := &k.parsed.version
		row.Parser, row.Parts, row.NoText = v.Parser, v.Pages, len(v.NoText)
		k.state, k.reason = k.parsed.outcome()
	}
	row.State, row.Reason = k.state, k.reason
	k.found.stat.setRow(&row)
	if k.read.stat != (stat{}) {
		row.Hash, row.Racy = k.read.hash, k.read.racy(k.before)
		k.read.stat.setRow(&row)
	}
	if row.At = k.before.At; k.queued || row != k.before {
		if err := tx.PutFile(ctx, &row); err != nil {
			return err
		}
	}
	if !k.queued {
		return nil
	}
	problem := ""
	if k.state == db.FileFailed || k.state == db.FilePending {
		problem = k.reason
	}
	return endJob(ctx, tx, k.key, problem)
}

// writeProblem does what a file that gives no version means for the document that it was. What must not be kept goes; otherwise the
// last good version stays, and what rests on it becomes unknown.
func (s *rootSync) writeProblem(ctx context.Context, tx *db.Tx, k *task) error {
	switch {
	case k.doc.Current == 0:
		return nil
	case k.problem.policy:
		k.removed = true
		s.words = append(s.words, func() error { return search.Retire(ctx, tx, k.doc.Current) })
		return removeDocument(ctx, tx, k.doc)
	case k.problem.state == db.FilePending:
		return trace.Unreadable(ctx, tx, k.doc.ID, trace.Pending)
	}
	return trace.Unreadable(ctx, tx, k.doc.ID, trace.ParseFailed)
}

// activate makes the content that was read the document's current version. Content that came back finds its version again.
func (s *rootSync) activate(ctx context.Context, tx *db.Tx, k *task) error {
	doc, err := tx.PutDocument(ctx, s.root.ID, k.key)
	if err != nil {
		return err
	}
	v, text := k.parsed.version, k.parsed.text
	sections, chunks := k.parsed.sections, k.parsed.chunks
	stored, err := tx.FindVersion(ctx, doc.ID, v.ContentHash, k.parsed.textHash)
	known := err == nil
	relay := s.rebuild || stored.Parser != v.Parser // another parser may cut the same text otherwise
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if known {
		stored.Kind, stored.Title, stored.Parser, stored.Encoding = v.Kind, v.Title, v.Parser, v.Encoding
		stored.Pages, stored.NoText, stored.Notes = v.Pages, v.NoText, v.Notes
		v = stored
		if err := tx.DescribeVersion(ctx, v); err != nil {
			return err
		}
		if v.Row == doc.Current && !relay { // another reading of the same text
			return trace.Readable(ctx, tx, doc.ID, "")
		}
	}
	if doc.Current != 0 && doc.Current != v.Row {
		s.words = append(s.words, func() error { return search.Retire(ctx, tx, doc.Current) })
	}
	switch {
	case !known:
		err = tx.PutVersion(ctx, doc, &v, text, sections, chunks)
	case relay:
		err = relayTree(ctx, tx, doc, v, text, sections, chunks)
	default:
		if chunks, err = tx.Chunks(ctx, v.Row); err == nil {
			sections, err = tx.Sections(ctx, v.Row)
		}
	}
	if err != nil {
		return err
	}
	s.words = append(s.words, func() error { return search.Index(ctx, tx, v, text, sections, chunks) })
	k.changed = true
	if v.Row == doc.Current { // made anew where it stands
		return trace.Readable(ctx, tx, doc.ID, "")
	}
	if v.ActivationSeq, err = tx.Activate(ctx, doc.ID, v.Row); err != nil {
		return err
	}
	change := trace.Change{Document: doc, New: v, NewText: text, NewChunks: chunks}
	if _, err := trace.Apply(ctx, tx, change, k.aligned); err != nil || k.movedFrom == nil {
		return err
	}
	return s.move(ctx, tx, k, change)
}

// relayTree cuts a stored version anew. What was cited of it stays citable.
func relayTree(ctx context.Context, tx *db.Tx, doc db.Document, v db.Version, text string, sections []db.Section, chunks []db.Chunk) error {
	if err := search.Drop(ctx, tx, v.Row); err != nil {
		return err
	}
	keep, err := trace.LeansOn(ctx, tx, v.Row)
	if err != nil {
		return err
	}
	return tx.ReplaceTree(ctx, doc, v, text, sections, chunks, keep)
}

// move ends the document that the activated one has the bytes of: what leant on it leans on the new one.
func (s *rootSync) move(ctx context.Context, tx *db.Tx, k *task, change trace.Change) error {
	from := k.movedFrom.doc
	s.words = append(s.words, func() error { return search.Retire(ctx, tx, from.Current) })
	if _, err := tx.Remove(ctx, from.ID, change.Document.ID); err != nil {
		return err
	}
	change.Document, change.MovedTo = from, change.Document
	if _, err := trace.Apply(ctx, tx, change, k.alignedMv); err != nil || k.movedFrom.there {
		return err
	}
	return tx.DeleteFile(ctx, s.root.ID, k.movedFrom.path)
}

// removeDocuments makes documents deleted.
func removeDocuments(ctx context.Context, tx *db.Tx, docs []db.Document) error {
	for _, doc := range docs {
		if err := removeDocument(ctx, tx, doc); err != nil {
			return err
		}
	}
	for _, doc := range docs {
		if err := search.Retire(ctx, tx, doc.Current); err != nil {
			return err
		}
	}
	return nil
}

// removeDocument makes a document deleted, and leaves it to the caller to retire its words.
func removeDocument(ctx context.Context, tx *db.Tx, doc db.Document) error {
	if _, err := tx.Remove(ctx, doc.ID, 0); err != nil {
		return err
	}
	_, err := trace.Removed(ctx, tx, doc.ID)
	return err
}
