package trace

// This file defines what a change of a document means to the supports that lean on it: the entry for package ingest.

import (
	"context"

	"docket/db"
)

// A Change is a document that gets another current version. For [Align] the new version need not be stored yet: its hashes, its
// text and the ranges and spans of its chunks are enough. For [Apply] its row and its chunks' ids must be filled in.
type Change struct {
	Document  db.Document // with its id; not stored yet (id 0) means that nothing can lean on it
	New       db.Version
	NewText   string
	NewChunks []db.Chunk
	MovedTo   db.Document // set when the whole file moved: New is this document's version then, and Document is the old key
}

// An Alignment is where every live support of a document stands in its new version, computed before the transaction that
// activates it. It holds no resources.
type Alignment struct {
}

// An Outcome counts what a change did to supports and to what they belong to.
type Outcome struct {
	Carried   int // supports whose text still stands where it stood, or stands elsewhere in the new version
	Restored  int // flagged supports whose text is back
	Flagged   int // supports that lost their text by this change
	Decisions int // decisions that need a review now and did not before
}

// Align finds, outside any transaction, where the live supports of c.Document stand in c.New. It costs nothing where there are
// none, and returns nil then. Align never fails a change for reasons that lie in the documents.
func Align(ctx context.Context, d *db.DB, c Change) (*Alignment, error) {
	return nil, nil
}

// Apply carries or flags every live support of the document, inside the transaction that activates c.New, after [db.Tx.Activate].
// a may be nil, or out of date: Apply checks that the supports are those that were aligned, and aligns again where they are not.
// With c.MovedTo the supports move to the other document's ids, unflagged where their text is the same; call it once the new
// document is active, before or after [db.Tx.Remove] of the old one, and do not call [Removed] for it.
func Apply(ctx context.Context, tx *db.Tx, c Change, a *Alignment) (Outcome, error) {
	return Outcome{}, nil
}

// Removed flags every live support of a document that is gone for good: the grace period is over. Call it after [db.Tx.Remove].
func Removed(ctx context.Context, tx *db.Tx, documentID int64) (Outcome, error) {
	return Outcome{}, nil
}

// The causes for which a document cannot be looked at.
const (
	ParseFailed = "failed"  // its bytes changed and could not be read as text
	Pending     = "pending" // its bytes changed and were not read yet
	Missing     = "missing" // it is not at its place, and the grace period runs
)

// Unreadable records that a document cannot be looked at, for one of the causes above: what rests on it becomes unknown. It may
// be called again. An activation ([Apply]) and a removal ([Removed]) end every cause by themselves.
func Unreadable(ctx context.Context, tx *db.Tx, documentID int64, cause string) error { return nil }

// Readable ends one cause, or all of them where cause is empty: the document was looked at, and its current version is what stands
// on the disk.
func Readable(ctx context.Context, tx *db.Tx, documentID int64, cause string) error { return nil }

// RootChanged is called after [db.Tx.SetRootState]: what rests on documents of an offline root is unknown until it is online again.
func RootChanged(ctx context.Context, tx *db.Tx, rootID int64) error { return nil }

// LeansOn reports whether a decision or a step leans on a version, now or in its history. Such a version is not pruned.
func LeansOn(ctx context.Context, tx *db.Tx, versionRow int64) (bool, error) { return false, nil }

// Drain settles every pending review, a batch of decisions a transaction, and returns how many it settled. The indexer calls it
// after changes; it may be cut short and called again.
func Drain(ctx context.Context, d *db.DB) (settled int, err error) { return 0, nil }

// Forget removes a document's words from every support and reason, before its versions are deleted for good; the decisions stay,
// flagged as [Removed] flags them.
func Forget(ctx context.Context, tx *db.Tx, documentID int64) error { return nil }
