package ingest

// This file defines the repair of a damaged store: a new one of all that can still be read, and of the folders.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"docket/db"
	"docket/search"
	"docket/trace"
)

// A RepairReport says what a repair saved.
type RepairReport struct {
	Tables   []db.Saved   `json:"tables"`
	Tasks    int          `json:"tasks_made"`    // in the place of lost ones, for what belonged to them
	Mended   int          `json:"texts_mended"`  // damaged texts that were read again from unchanged files
	Lost     []string     `json:"texts_lost"`    // versions whose text is nowhere any more
	Unread   []string     `json:"roots_offline"` // roots that could not be read: what was saved of them stands
	Problems []db.Problem `json:"problems"`      // of the new store; none if all is well
}

// Repair fills the new store d from the damaged one at path, row by row as far as it can be read: folders, documents, every version
// whose text is whole, and all of tasks and decisions. A damaged text is read again where its file is unchanged. Then the folders are
// synced, all indexes are made anew, and the new store is checked. The rows at path are not changed. tell may be nil.
func Repair(ctx context.Context, d *db.DB, path string, foreign ForeignParser, tell func(Progress)) (report RepairReport, err error) {
	report.Lost, report.Unread = []string{}, []string{}
	parsers := parserSet{foreign}
	report.Tables, err = d.Salvage(ctx, path, func(tx *db.Tx) error {
		report.Lost, report.Mended = []string{}, 0
		var err error
		if report.Tasks, err = trace.Mend(ctx, tx); err != nil {
			return err
		}
		return report.texts(ctx, tx, parsers)
	})
	if err != nil {
		return report, err
	}
	if err := d.Update(ctx, func(tx *db.Tx) error { return reindex(ctx, tx) }); err != nil {
		return report, fmt.Errorf("index what was saved: %w", err)
	}
	if err := trace.Rebuild(ctx, d); err != nil {
		return report, err
	}
	_, err = Sync(ctx, d, SyncRequest{Rebuild: true, Foreign: foreign, Progress: tell, AllowRemovals: true})
	for _, e := range separate(err) {
		off, ok := errors.AsType[*RootOfflineError](e)
		if !ok {
			return report, err
		}
		report.Unread = append(report.Unread, off.Name)
	}
	if err := d.Update(ctx, func(tx *db.Tx) error { return flagLost(ctx, tx) }); err != nil {
		return report, err
	}
	if _, err := trace.Drain(ctx, d); err != nil {
		return report, err
	}
	if _, err := search.Backfill(ctx, d); err != nil {
		return report, err
	}
	report.Problems, err = Check(ctx, d, true)
	return report, err
}

// separate takes the errors of a sync apart.
func separate(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, separate(e)...)
	}
	return all
}

// texts makes sure of every version's text: a damaged one is read again from its file if that is what it was, and given up if not.
func (report *RepairReport) texts(ctx context.Context, tx *db.Tx, parsers parserSet) error {
	rows, err := db.Query(ctx, tx, db.Value[int64], `SELECT id FROM version ORDER BY id`)
	if err != nil {
		return err
	}
	for _, row := range rows {
		v, err := tx.Version(ctx, row)
		if err == nil {
			var sound bool
			if sound, err = wholeVersion(ctx, tx, v); err == nil && sound {
				continue
			}
		}
		if err != nil && ctx.Err() != nil {
			return err
		}
		mended, err := mendText(ctx, tx, v, parsers)
		if err != nil {
			return err
		}
		if mended {
			report.Mended++
			continue
		}
		report.Lost = append(report.Lost, v.ID)
		if _, err := tx.Exec(ctx, `DELETE FROM version WHERE id = ?`, row); err != nil {
			return err
		}
	}
	return nil
}

// wholeVersion reports whether a version's text and passages are what was stored.
func wholeVersion(ctx context.Context, tx *db.Tx, v db.Version) (bool, error) {
	text, err := tx.Text(ctx, v.Row, 0, v.Bytes)
	if err != nil || db.HashOf(text) != v.TextHash {
		return false, nil //nolint:nilerr // what cannot be read is not whole
	}
	if sections, err := tx.Sections(ctx, v.Row); err != nil || len(sections) == 0 {
		return false, nil //nolint:nilerr // as above
	}
	type passage struct {
		start, end int
		hash       []byte
	}
	chunks, err := db.Query(ctx, tx, func(r db.Row, p *passage) error { return r.Scan(&p.start, &p.end, &p.hash) },
		`SELECT start, end, hash FROM chunk WHERE version_id = ?`, v.Row)
	if err != nil {
		return false, err
	}
	if len(chunks) == 0 && strings.TrimSpace(text) != "" {
		return false, nil
	}
	for _, c := range chunks {
		if c.start < 0 || c.end > len(text) || c.start >= c.end {
			return false, nil
		}
		if h := db.HashOf(text[c.start:c.end]); string(h[:]) != string(c.hash) {
			return false, nil
		}
	}
	return true, nil
}

// mendText reads a version's file again. It reports false where the file is gone or another one by now.
func mendText(ctx context.Context, tx *db.Tx, v db.Version, parsers parserSet) (bool, error) {
	doc, err := tx.DocumentByID(ctx, v.DocumentID)
	if err != nil {
		return false, nil //nolint:nilerr // its document is lost, and so is what it was called
	}
	name, path, _ := strings.Cut(doc.Key, "/")
	root, err := tx.Root(ctx, name)
	if err != nil {
		return false, nil //nolint:nilerr // as above
	}
	t, err := openTree(tx.DB(), root.Path, parsers.unsupported)
	if err != nil {
		return false, nil //nolint:nilerr // the folder is not there now
	}
	defer t.close()
	c, err := t.read(ctx, tx.DB(), path)
	if err != nil || c.hash != v.ContentHash {
		return false, ctx.Err()
	}
	p, err := parsers.parse(ctx, path, c)
	if err != nil || p.textHash != v.TextHash {
		return false, ctx.Err()
	}
	if err := tx.PutText(ctx, v.Row, p.text); err != nil {
		return false, err
	}
	return true, tx.ReplaceTree(ctx, doc, v, p.text, p.sections, p.chunks, false)
}

// reindex puts the words and vectors of all versions where they belong.
func reindex(ctx context.Context, tx *db.Tx) error {
	docs, err := db.Query(ctx, tx, db.Value[int64], `SELECT id FROM document ORDER BY id`)
	if err != nil {
		return err
	}
	s := &rootSync{rebuilt: map[int64]bool{}}
	for _, id := range docs {
		doc, err := tx.DocumentByID(ctx, id)
		if err == nil {
			err = s.rebuildWords(ctx, tx, doc)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flagLost flags what rests on documents whose current version was lost and did not come back with the folders.
func flagLost(ctx context.Context, tx *db.Tx) error {
	docs, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT DISTINCT d.id FROM document d JOIN support s ON s.document_id = d.id AND s.live = 1 AND s.type = 'evidence' AND s.state <> 'removed'
		WHERE d.current_version IS NULL AND d.moved_to IS NULL ORDER BY d.id`)
	if err != nil {
		return err
	}
	for _, id := range docs {
		if _, err := trace.Removed(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}
