package search

// This file defines the check of the word index: that it holds the passages it should, and no others.

import (
	"context"
	"fmt"

	"docket/db"
)

// Check looks for rows of the word indexes that are missing or left over. Where deep is set it also counts the words: to FTS5's own
// integrity check, which [db.DB.Check] has made, a page of a table without text that was emptied is a sound one. It writes nothing.
func Check(ctx context.Context, d *db.DB, deep bool) ([]db.Problem, error) {
	found := []db.Problem{}
	err := d.View(ctx, func(tx *db.Tx) error {
		for _, c := range []struct{ where, what, count string }{
			{"words", "%d current passages are not in the index", `
				SELECT count(*) FROM document d JOIN chunk c ON c.version_id = d.current_version
				WHERE c.ord >= 0 AND NOT EXISTS (SELECT 1 FROM word_docsize w WHERE w.id = c.id)`},
			{"words", "%d rows of the index are of passages that are not current", `
				SELECT count(*) FROM word_docsize w LEFT JOIN chunk c ON c.id = w.id
				LEFT JOIN document d ON d.current_version = c.version_id WHERE d.id IS NULL`},
			{"words of old versions", "%d passages are not in the index", `
				SELECT count(*) FROM version v JOIN document d ON d.id = v.document_id JOIN chunk c ON c.version_id = v.id
				WHERE c.ord >= 0 AND d.current_version IS NOT v.id AND NOT EXISTS (SELECT 1 FROM word_history_docsize w WHERE w.id = c.id)`},
			{"words of old versions", "%d rows of the index are of passages that are gone or current", `
				SELECT count(*) FROM word_history_docsize w LEFT JOIN chunk c ON c.id = w.id
				LEFT JOIN document d ON d.current_version = c.version_id WHERE c.id IS NULL OR d.id IS NOT NULL`},
			{"words", "%d passages are in an index and not in its list, or the other way round", `
				SELECT (SELECT count(*) FROM passage p WHERE NOT EXISTS (SELECT 1 FROM word_docsize w WHERE w.id = p.chunk_id)
						AND NOT EXISTS (SELECT 1 FROM word_history_docsize w WHERE w.id = p.chunk_id))
					+ (SELECT count(*) FROM word_docsize w WHERE NOT EXISTS (SELECT 1 FROM passage p WHERE p.chunk_id = w.id))
					+ (SELECT count(*) FROM word_history_docsize w WHERE NOT EXISTS (SELECT 1 FROM passage p WHERE p.chunk_id = w.id))`},
		} {
			n, err := db.One(ctx, tx, db.Value[int], c.count)
			if err != nil {
				return fmt.Errorf("check %s: %w", c.where, err)
			}
			if n > 0 {
				found = append(found, db.Problem{Where: c.where, What: fmt.Sprintf(c.what, n)})
			}
		}
		if !deep {
			return nil
		}
		indexed, err := db.One(ctx, tx, db.Value[int64], `SELECT coalesce(sum(cnt), 0) FROM word_term`)
		if err != nil {
			return fmt.Errorf("check words: %w", err)
		}
		sizes, err := db.Query(ctx, tx, db.Value[[]byte], `SELECT sz FROM word_docsize`)
		if err != nil {
			return fmt.Errorf("check words: %w", err)
		}
		var stored int64
		for _, sz := range sizes {
			stored += total(sz)
		}
		if indexed != stored {
			found = append(found, db.Problem{Where: "words", What: fmt.Sprintf("%d words were indexed, and %d are in the index", stored, indexed)})
		}
		return nil
	})
	return found, err
}

// total adds up the lengths of a row's columns, which FTS5 keeps as SQLite's varints.
func total(sizes []byte) (n int64) {
	var one int64
	for _, b := range sizes {
		one = one<<7 | int64(b&0x7f)
		if b < 0x80 {
			n, one = n+one, 0
		}
	}
	return n
}
