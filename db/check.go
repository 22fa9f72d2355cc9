package db

// This file defines the check of a store: what SQLite can tell of its own damage, and what only the hashes beside the rows can.

import (
	"context"
	"fmt"
)

// A Problem is one thing that a check found wrong.
type Problem struct {
	Where string `json:"where"` // the table or thing
	What  string `json:"what"`
}

// Check looks for damage in the rows this package owns: SQLite's own integrity and foreign keys, and, where deep is set, that
// every text and every passage still has the hash it was stored with. It writes nothing. An error means that the check could not
// be made; what it found is in the list.
func (d *DB) Check(ctx context.Context, deep bool) ([]Problem, error) {
	found := []Problem{}
	err := d.View(ctx, func(tx *Tx) error {
		lines, err := Query(ctx, tx, Value[string], `PRAGMA integrity_check(100)`)
		if err != nil {
			return fmt.Errorf("integrity check: %w", err)
		}
		for _, l := range lines {
			if l != "ok" {
				found = append(found, Problem{"file", l})
			}
		}
		keys, err := Query(ctx, tx, func(r Row, p *Problem) error { return r.Scan(&p.Where, &p.What) }, `
			SELECT "table", 'row ' || coalesce(rowid, '?') || ' points at a row of ' || parent || ' that is not there'
			FROM pragma_foreign_key_check ORDER BY 1, 2 LIMIT 100`)
		if err != nil {
			return fmt.Errorf("foreign keys: %w", err)
		}
		found = append(found, keys...)
		if !deep {
			return nil
		}
		hashes, err := tx.checkHashes(ctx)
		found = append(found, hashes...)
		return err
	})
	return found, err
}

func (tx *Tx) checkHashes(ctx context.Context) ([]Problem, error) {
	var found []Problem
	rows, err := Query(ctx, tx, Value[int64], `SELECT id FROM version ORDER BY id`)
	if err != nil {
		return nil, err
	}
	for _, row := range rows { // one version's text in memory at a time
		v, err := tx.Version(ctx, row)
		if err != nil {
			return nil, err
		}
		text, err := tx.Text(ctx, row, 0, v.Bytes)
		if err != nil {
			found = append(found, Problem{"version " + v.ID, err.Error()})
			continue
		}
		if HashOf(text) != v.TextHash {
			found = append(found, Problem{"version " + v.ID, "its text is not what was stored"})
		}
		type passage struct {
			Chunk
			hash []byte
		}
		chunks, err := Query(ctx, tx, func(r Row, p *passage) error { return r.Scan(&p.name, &p.Start, &p.End, &p.hash) },
			`SELECT evidence, start, end, hash FROM chunk WHERE version_id = ? ORDER BY ord`, row)
		if err != nil {
			return nil, err
		}
		for _, c := range chunks {
			if c.Start < 0 || c.End > len(text) || c.Start >= c.End {
				found = append(found, Problem{"passage " + c.ID(), "its range is outside the text"})
			} else if h := HashOf(text[c.Start:c.End]); string(h[:]) != string(c.hash) {
				found = append(found, Problem{"passage " + c.ID(), "its text is not what was stored"})
			}
		}
	}
	return found, nil
}
