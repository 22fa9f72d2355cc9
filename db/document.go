package db

// This file defines documents: one source each, named by a key that holds as long as its path does.

import (
	"context"
	"fmt"

	"golang.org/x/text/unicode/norm"
)

// A Document is one file inside a root.
type Document struct {
	ID      int64
	RootID  int64
	Key     string // ROOT/relative/path, forward slashes, the disk's spelling
	Current int64  // row id of the current version, 0 once the document is deleted
	MovedTo int64  // row id of the document that the same bytes moved to, or 0
}

const documentColumns = `id, root_id, key, coalesce(current_version, 0), coalesce(moved_to, 0)`

func scanDocument(r Row, v *Document) error {
	return r.Scan(&v.ID, &v.RootID, &v.Key, &v.Current, &v.MovedTo)
}

// Document returns the document with this key, deleted ones too, or [ErrNotFound]. The disk's own spelling comes first, then the
// same name in another Unicode form, if only one document has it.
func (tx *Tx) Document(ctx context.Context, key string) (Document, error) {
	rows, err := Query(ctx, tx, scanDocument, `SELECT `+documentColumns+` FROM document WHERE key = ?`, key)
	if err == nil && len(rows) == 0 {
		rows, err = Query(ctx, tx, scanDocument, `SELECT `+documentColumns+` FROM document WHERE key_nfc = ? ORDER BY id LIMIT 2`, norm.NFC.String(key))
	}
	if err == nil && len(rows) != 1 {
		err = ErrNotFound
	}
	if err != nil {
		return Document{}, fmt.Errorf("document %s: %w", key, err)
	}
	return rows[0], nil
}

// DocumentByID returns the document of a row id.
func (tx *Tx) DocumentByID(ctx context.Context, id int64) (Document, error) {
	d, err := One(ctx, tx, scanDocument, `SELECT `+documentColumns+` FROM document WHERE id = ?`, id)
	if err != nil {
		err = fmt.Errorf("document %d: %w", id, err)
	}
	return d, err
}

// Documents returns the live documents of a root, by key.
func (tx *Tx) Documents(ctx context.Context, rootID int64) ([]Document, error) {
	return Query(ctx, tx, scanDocument, `
		SELECT `+documentColumns+` FROM document WHERE root_id = ? AND current_version IS NOT NULL ORDER BY key`, rootID)
}

// AllDocuments returns the documents of a root, deleted ones too, by key.
func (tx *Tx) AllDocuments(ctx context.Context, rootID int64) ([]Document, error) {
	return Query(ctx, tx, scanDocument, `SELECT `+documentColumns+` FROM document WHERE root_id = ? ORDER BY key`, rootID)
}

// DocumentsAt returns the document of a key and those of all keys below it, deleted ones too, by key.
func (tx *Tx) DocumentsAt(ctx context.Context, key string) ([]Document, error) {
	return Query(ctx, tx, scanDocument, `
		SELECT `+documentColumns+` FROM document WHERE key = ?1 UNION ALL
		SELECT `+documentColumns+` FROM document WHERE key >= ?1 || '/' AND key < ?1 || '0' ORDER BY key`, key) // 0 follows /
}

// CountDocuments returns how many live documents a root has.
func (tx *Tx) CountDocuments(ctx context.Context, rootID int64) (int, error) {
	return One(ctx, tx, Value[int], `SELECT count(*) FROM document WHERE root_id = ? AND current_version IS NOT NULL`, rootID)
}

// DocumentsWithVersions returns the live documents with more than keep versions, and the deleted ones with any, by row id.
func (tx *Tx) DocumentsWithVersions(ctx context.Context, keep int) ([]Document, error) {
	return Query(ctx, tx, scanDocument, `
		SELECT `+documentColumns+` FROM document
		WHERE (SELECT count(*) FROM version v WHERE v.document_id = document.id) > CASE WHEN current_version IS NULL THEN 0 ELSE ? END
		ORDER BY id`, keep)
}

// PutDocument returns the document with exactly this key, and makes it first where there is none.
func (tx *Tx) PutDocument(ctx context.Context, rootID int64, key string) (Document, error) {
	d, err := One(ctx, tx, scanDocument, `
		INSERT INTO document (root_id, key, key_nfc) VALUES (?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET root_id = excluded.root_id
		RETURNING `+documentColumns, rootID, key, norm.NFC.String(key))
	if err != nil {
		err = fmt.Errorf("document %s: %w", key, err)
	}
	return d, err
}

// Activate makes a version the document's current one and returns the sequence number of that change.
func (tx *Tx) Activate(ctx context.Context, documentID, versionRow int64) (seq int64, err error) {
	seq, err = tx.logActivation(ctx, documentID, versionRow)
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `UPDATE version SET activation_seq = ? WHERE id = ?`, seq, versionRow); err != nil {
		return 0, fmt.Errorf("activate version %d: %w", versionRow, err)
	}
	if _, err := tx.Exec(ctx, `UPDATE document SET current_version = ?, moved_to = NULL WHERE id = ?`, versionRow, documentID); err != nil {
		return 0, fmt.Errorf("activate version %d: %w", versionRow, err)
	}
	return seq, nil
}

// Remove marks the document deleted; movedTo, if not 0, is the document its bytes moved to. It returns the sequence number of that change.
func (tx *Tx) Remove(ctx context.Context, documentID, movedTo int64) (seq int64, err error) {
	seq, err = tx.logActivation(ctx, documentID, 0)
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `UPDATE document SET current_version = NULL, moved_to = nullif(?, 0) WHERE id = ?`, movedTo, documentID); err != nil {
		return 0, fmt.Errorf("remove document %d: %w", documentID, err)
	}
	return seq, nil
}

func (tx *Tx) logActivation(ctx context.Context, documentID, versionRow int64) (int64, error) {
	seq, err := tx.Insert(ctx, `INSERT INTO activation (document_id, version_id, at) VALUES (?, nullif(?, 0), ?)`, documentID, versionRow, tx.Stamp())
	if err != nil {
		return 0, fmt.Errorf("log change of document %d: %w", documentID, err)
	}
	return seq, nil
}

// Seq returns the sequence number of the newest activation or removal, 0 before the first. What is derived from documents and
// kept in memory is valid as long as it has not moved.
func (tx *Tx) Seq(ctx context.Context) (int64, error) {
	return One(ctx, tx, Value[int64], `SELECT coalesce(max(seq), 0) FROM activation`)
}

// LastChange returns the sequence number of the document's newest activation or removal, 0 if it has none.
func (tx *Tx) LastChange(ctx context.Context, documentID int64) (int64, error) {
	return One(ctx, tx, Value[int64], `SELECT coalesce(max(seq), 0) FROM activation WHERE document_id = ?`, documentID)
}
