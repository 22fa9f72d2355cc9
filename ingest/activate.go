package ingest

// This file defines activation: how a file that was read changes the store, as a whole or not at all.

import (
	"context"
	"errors"
	"fmt"

	"docket/db"
)

// A task is one file on its way in. It is filled in step by step: by the plan, the reader, the parser, the writer.
type task struct {
	found
	key    string
	before db.FileRow  // its ledger row so far, zero for none
	doc    db.Document // the live document at its key, zero for none
	queued bool        // it has an open job

	read    content
	same    bool // its bytes are those of the ledger row, and today's parsers would read them alike
	parsed  parsed
	problem *leftError // why there is nothing to activate
	done    chan struct{}

	movedFrom *db.Document // the vanished document that had the same bytes

	state, reason string // what became of it
	activated     bool
	removed       bool
}

// write does in one transaction all that follows from what was read.
func (s *rootSync) write(ctx context.Context, tx *db.Tx, t *task) error {
	row := db.FileRow{RootID: s.root.ID, Path: t.path}
	t.activated, t.removed = false, false // a batch that failed is written again
	switch {
	case t.problem != nil:
		t.state, t.reason = t.problem.state, t.problem.reason
		row.Parser = parserOf(t.path, t.read.data)
		if t.problem.policy && t.doc.ID != 0 {
			t.removed = true
			if err := remove(ctx, tx, t.doc, 0); err != nil {
				return err
			}
		}
	case t.same:
		row = t.before
		t.state, t.reason = t.before.State, t.before.Reason
	default:
		if err := s.activate(ctx, tx, t); err != nil {
			return fmt.Errorf("activate %s: %w", t.key, err)
		}
		v := &t.parsed.version
		row.Parser, row.Parts, row.NoText = v.Parser, v.Pages, len(v.NoText)
		t.state, t.reason = t.parsed.outcome()
	}
	row.State, row.Reason = t.state, t.reason
	if t.read.stat != (stat{}) {
		row.Hash, row.Racy = t.read.hash, t.read.racy(t.before)
		t.read.stat.setRow(&row)
	} else {
		t.found.stat.setRow(&row)
	}
	if row.At = t.before.At; t.queued || row != t.before {
		if err := tx.PutFile(ctx, &row); err != nil {
			return err
		}
	}
	if !t.queued {
		return nil
	}
	problem := ""
	if t.state == db.FileFailed || t.state == db.FilePending {
		problem = t.reason
	}
	return endJob(ctx, tx, t.key, problem)
}

// activate makes the content that was read the document's current version. Content that came back finds its version again.
func (s *rootSync) activate(ctx context.Context, tx *db.Tx, t *task) error {
	doc, err := tx.PutDocument(ctx, s.root.ID, t.key)
	if err != nil {
		return err
	}
	v := t.parsed.version
	stored, err := tx.FindVersion(ctx, doc.ID, v.ContentHash, t.parsed.textHash)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	known := err == nil
	if known {
		v.Row, v.ID, v.DocumentID, v.TextHash, v.Bytes, v.Chars = stored.Row, stored.ID, stored.DocumentID, stored.TextHash, stored.Bytes, stored.Chars
		v.ActivationSeq, v.CreatedAt = stored.ActivationSeq, stored.CreatedAt
		if err := tx.DescribeVersion(ctx, v); err != nil {
			return err
		}
		if v.Row == doc.Current && !s.rebuild {
			return nil // another reading of the same text
		}
	}
	if doc.Current != 0 {
		if err := retire(ctx, tx, doc.Current); err != nil {
			return err
		}
	}
	chunks := t.parsed.chunks
	switch {
	case !known:
		err = tx.PutVersion(ctx, doc, &v, t.parsed.text, t.parsed.sections, chunks)
	case s.rebuild:
		err = tx.ReplaceTree(ctx, doc, v, t.parsed.text, t.parsed.sections, chunks)
	default:
		chunks, err = tx.Chunks(ctx, v.Row)
	}
	if err != nil {
		return err
	}
	if err := index(ctx, tx, v, t.parsed.text, t.parsed.sections, chunks); err != nil {
		return err
	}
	if v.Row == doc.Current {
		return nil // rebuilt where it stands
	}
	if _, err := tx.Activate(ctx, doc.ID, v.Row); err != nil {
		return err
	}
	t.activated = true
	if t.movedFrom == nil {
		return nil
	}
	if err := remove(ctx, tx, *t.movedFrom, doc.ID); err != nil {
		return err
	}
	return tx.DeleteFile(ctx, s.root.ID, s.path(t.movedFrom.Key))
}

// remove makes a document deleted, and says where its bytes went if they moved.
func remove(ctx context.Context, tx *db.Tx, doc db.Document, movedTo int64) error {
	if doc.Current == 0 {
		return nil
	}
	if err := retire(ctx, tx, doc.Current); err != nil {
		return err
	}
	_, err := tx.Remove(ctx, doc.ID, movedTo)
	return err
}
