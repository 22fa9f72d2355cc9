package ingest

// This file defines forgetting: a document's text leaves every table, the file's free pages and the WAL.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"docket/db"
	"docket/search"
	"docket/trace"
)

// A ForgetReport is what [Forget] did, and what it could not reach.
type ForgetReport struct {
	DocumentKey string   `json:"document_key"`
	Versions    int      `json:"versions"`
	Bytes       int64    `json:"bytes"`         // of text
	Supports    int      `json:"supports"`      // of decisions and steps that cited it: their quotes are gone
	SameContent []string `json:"same_content"`  // other documents that hold the same bytes or the same text
	FileLies    bool     `json:"file_lies"`     // in its root: it comes back at the next sync
	CopiesThere []string `json:"copies_beside"` // older copies of the database beside it, which hold it still
}

// A StillThereError is returned by [Forget] for a document whose file would be read again.
type StillThereError struct{ Key, Why string }

func (e *StillThereError) Error() string { return e.Key + ": " + e.Why }

// Hint says what to do next.
func (e *StillThereError) Hint() string {
	return "delete the file, or name it in .docketignore and run `docket sync`; --even-if-present forgets what is stored all the same"
}

// Forget deletes every version of a document with its text, words, vectors and jobs, and its quotes in decisions, and rewrites the
// file so that no free page and no WAL holds them. Decisions stay, flagged; what was written into them, into tasks and into their
// events in somebody's own words stays too, and so does the key. A document that the next [Sync] would read again is refused unless
// evenIfPresent is set. A [db.CheckpointError] beside a report says that all is deleted, and that the WAL may hold it for a while.
func Forget(ctx context.Context, d *db.DB, key string, evenIfPresent bool) (report ForgetReport, err error) {
	report = ForgetReport{DocumentKey: key, SameContent: []string{}, CopiesThere: []string{}}
	l, err := acquire(ctx, d, nil, nil)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	why := ""
	if err := d.View(ctx, func(tx *db.Tx) (err error) { why, err = comesBack(ctx, tx, key); return err }); err != nil {
		return report, err
	}
	report.FileLies = why != ""
	if report.FileLies && !evenIfPresent {
		return report, &StillThereError{key, why}
	}
	if err := l.update(ctx, func(tx *db.Tx) error { return report.delete(ctx, tx, key) }); err != nil {
		return report, fmt.Errorf("forget %s: %w", key, err)
	}
	if _, err := trace.Drain(ctx, d); err != nil {
		return report, err
	}
	// The indexes keep deleted words until their pages are merged; each is one transaction, and may be repeated.
	for _, table := range []string{"word", "word_history"} {
		err := l.update(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO `+table+` (`+table+`) VALUES ('optimize')`)
			return err
		})
		if err != nil {
			return report, fmt.Errorf("forget the words of %s: %w", key, err)
		}
	}
	if report.CopiesThere, err = filepath.Glob(globQuote(d.Path()) + ".*"); err != nil {
		return report, err
	}
	report.CopiesThere = keepCopies(d.Path(), report.CopiesThere)
	return report, d.Scrub(ctx)
}

// comesBack says why the next sync would read the document again, or "".
func comesBack(ctx context.Context, tx *db.Tx, key string) (string, error) {
	doc, err := tx.Document(ctx, key)
	if errors.Is(err, db.ErrNotFound) {
		return "", &RootError{key, "there is no document of that key", "`docket status` and `docket tree` list keys; it is ROOT/path"}
	}
	if err != nil {
		return "", err
	}
	name, path, _ := strings.Cut(doc.Key, "/")
	root, err := tx.Root(ctx, name)
	if err != nil {
		return "", err
	}
	if root.State == db.RootRemoved {
		return "", nil
	}
	f, err := tx.File(ctx, root.ID, path)
	if err == nil && f.State == db.FileSkipped {
		return "", nil // left out by a rule, so that it may lie there
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return "", err
	}
	if _, err := os.Stat(root.Path); err != nil {
		return "its folder cannot be looked at, and it would come back with it: " + reason(err), nil
	}
	if _, err := os.Lstat(filepath.Join(root.Path, filepath.FromSlash(path))); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return "the file still lies in " + root.Path + ", and the next sync would read it again", nil
}

// delete takes the document out of all tables.
func (report *ForgetReport) delete(ctx context.Context, tx *db.Tx, key string) error {
	doc, err := tx.Document(ctx, key)
	if err != nil {
		return err
	}
	report.DocumentKey, report.Versions, report.Bytes = doc.Key, 0, 0
	versions, err := tx.Versions(ctx, doc.ID)
	if err != nil {
		return err
	}
	if report.SameContent, err = sameContent(ctx, tx, doc.ID); err != nil {
		return err
	}
	report.Supports, err = db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM support WHERE document_id = ?`, doc.ID)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if err := search.Drop(ctx, tx, v.Row); err != nil {
			return err
		}
	}
	if doc.Current != 0 {
		if _, err := tx.Remove(ctx, doc.ID, 0); err != nil {
			return err
		}
	}
	if err := trace.Forget(ctx, tx, doc.ID); err != nil {
		return err
	}
	for _, v := range versions {
		if err := tx.DeleteVersion(ctx, v.Row); err != nil {
			return err
		}
		report.Versions++
		report.Bytes += int64(v.Bytes)
	}
	if _, err := tx.Exec(ctx, `DELETE FROM job WHERE key = ?`, doc.Key); err != nil {
		return err
	}
	_, path, _ := strings.Cut(doc.Key, "/")
	return tx.DeleteFile(ctx, doc.RootID, path)
}

// sameContent returns the keys of other documents with a version of the same bytes or the same text.
func sameContent(ctx context.Context, tx *db.Tx, documentID int64) ([]string, error) {
	return db.Query(ctx, tx, db.Value[string], `
		SELECT DISTINCT d.key FROM version v JOIN version o ON o.document_id <> v.document_id AND (o.content_hash = v.content_hash OR o.text_hash = v.text_hash)
		JOIN document d ON d.id = o.document_id WHERE v.document_id = ? ORDER BY d.key`, documentID)
}

// keepCopies returns those of the files beside the store that are older copies of it.
func keepCopies(store string, beside []string) []string {
	out := []string{}
	for _, path := range beside {
		rest := strings.TrimPrefix(path, store)
		if (strings.HasPrefix(rest, ".schema-") || strings.HasPrefix(rest, ".before-restore")) && !strings.HasSuffix(rest, "-shm") {
			out = append(out, path)
		}
	}
	return out
}

// globQuote keeps a path from being read as a pattern.
func globQuote(path string) string {
	if os.PathSeparator == '\\' { // there a backslash quotes nothing, and no name holds * or ?
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
