package db

// This file defines what is saved out of a damaged store: rows, read from both ends of each table as far as they can be.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// salvaged are the tables that hold what cannot be derived, parents first. Indexes, vectors and jobs are made anew.
var salvaged = []string{
	"root", "document", "version", "text_piece", "section", "chunk", "activation", "task", "event", "holder", "step", "decision", "decision_act",
	"support", "support_history", "review_reason", "request",
}

// A Saved is what became of one table.
type Saved struct {
	Table  string `json:"table"`
	Rows   int    `json:"rows"`             // that were carried over
	Broken string `json:"broken,omitempty"` // why reading it ended too soon, if it did
	Bad    int    `json:"bad,omitempty"`    // rows whose values no such row can have
	Loose  int    `json:"loose,omitempty"`  // rows given up, since what they belong to is lost
}

// Salvage reads a damaged store at path, through a copy that it makes first, and puts every row that can be read into d, which must be new. No process may
// have the damaged store open, else the error is a [LiveError]; to find out, its journal mode is changed, and nothing else in it. mend is called in the same transaction, once all rows are in, and makes
// what can be made for those whose parents are lost; what still belongs to nothing is given up then, and counted.
func (d *DB) Salvage(ctx context.Context, path string, mend func(*Tx) error) (report []Saved, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(d.path), ".docket-repair-")
	if err != nil {
		return nil, fmt.Errorf("salvage %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "copy.db")
	for _, s := range append([]string{""}, sidecars...) {
		if s == "-shm" {
			continue
		}
		if err := CopyFile(path+s, copied+s); err != nil && (s == "" || !errors.Is(err, os.ErrNotExist)) {
			return nil, fmt.Errorf("salvage %s: %w", path, err)
		}
	}
	if err := alone(ctx, path); err != nil { // while it was copied
		return nil, err
	}
	wreck, err := sql.Open("sqlite", dsn(copied, url.Values{"mode": {"rw"}, "_query_only": {"1"}}))
	if err != nil {
		return nil, fmt.Errorf("salvage %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, wreck.Close()) }()
	err = d.Update(ctx, func(tx *Tx) error {
		report = nil
		if _, err := tx.Exec(ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
			return err
		}
		for _, table := range salvaged {
			s, err := tx.salvage(ctx, wreck, table)
			if err != nil {
				return err
			}
			report = append(report, s)
		}
		if !slices.ContainsFunc(report, func(s Saved) bool { return s.Rows > 0 || s.Broken == "" }) {
			return &ForeignFileError{path, "no row of it can be read"}
		}
		if mend != nil {
			if err := mend(tx); err != nil {
				return err
			}
		}
		loose, err := tx.cutLoose(ctx)
		for i := range report {
			report[i].Loose = loose[report[i].Table]
		}
		return err
	})
	return report, err
}

// salvage copies one table: forwards to the first row that cannot be read, and then backwards to it.
func (tx *Tx) salvage(ctx context.Context, wreck *sql.DB, table string) (Saved, error) {
	s := Saved{Table: table}
	columns, err := Query(ctx, tx, Value[string], `SELECT name FROM pragma_table_info(?) ORDER BY cid`, table)
	if err != nil {
		return s, err
	}
	keys, err := Query(ctx, tx, Value[string], `SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk`, table)
	if err != nil {
		return s, err
	}
	insert := `INSERT INTO ` + table + ` (` + strings.Join(columns, ", ") + `) VALUES (?` + strings.Repeat(", ?", len(columns)-1) + `) ON CONFLICT DO NOTHING`
	for _, order := range []string{"", " DESC"} {
		broken, err := eachRow(ctx, wreck, `SELECT `+strings.Join(columns, ", ")+` FROM `+table+` ORDER BY `+strings.Join(keys, order+", ")+order, len(columns), func(row []any) error {
			n, err := tx.Exec(ctx, insert, row...)
			s.Rows += int(n)
			if constraint(err) {
				s.Bad++
				return nil
			}
			return err
		})
		if err != nil {
			return s, fmt.Errorf("salvage %s: %w", table, err)
		}
		if broken == nil {
			return s, nil
		}
		s.Broken = broken.Error()
	}
	return s, nil
}

// eachRow calls do with each row. broken is why the rows ended too soon; err is do's, or that the caller gave up.
func eachRow(ctx context.Context, wreck *sql.DB, stmt string, width int, do func([]any) error) (broken, err error) {
	rows, err := wreck.QueryContext(ctx, stmt)
	if err != nil {
		return err, ctx.Err()
	}
	defer func() { _ = rows.Close() }()
	row, at := make([]any, width), make([]any, width)
	for i := range row {
		at[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			return err, nil
		}
		for i, v := range row {
			if b, ok := v.([]byte); ok && b == nil { // an empty one, which would be bound as NULL
				row[i] = []byte{}
			}
		}
		if err := do(row); err != nil {
			return nil, err
		}
	}
	return rows.Err(), ctx.Err()
}

func constraint(err error) bool {
	se, ok := errors.AsType[*sqlite.Error](err)
	return ok && (se.Code()&0xff == lib.SQLITE_CONSTRAINT || se.Code()&0xff == lib.SQLITE_MISMATCH)
}

// cutLoose ends references to rows that are lost: those that may be empty become so, and rows that cannot be without are given up.
func (tx *Tx) cutLoose(ctx context.Context) (map[string]int, error) {
	loose := map[string]int{}
	n, err := tx.Exec(ctx, `DELETE FROM section WHERE version_id NOT IN (SELECT id FROM version)`) // it has no row ids to be told by
	if err != nil {
		return nil, err
	}
	loose["section"] += int(n)
	type reference struct {
		table, column string
		row           int64
		needed        bool
	}
	for { // what is given up may have been something's parent
		found, err := Query(ctx, tx, func(r Row, f *reference) error { return r.Scan(&f.table, &f.column, &f.row, &f.needed) }, `
			SELECT c."table", f."from", c.rowid, t."notnull" OR t.pk > 0
			FROM pragma_foreign_key_check c JOIN pragma_foreign_key_list(c."table") f ON f.id = c.fkid
			JOIN pragma_table_info(c."table") t ON t.name = f."from" WHERE c.rowid IS NOT NULL ORDER BY 1, 2, 3`)
		if err != nil || len(found) == 0 {
			return loose, err
		}
		for _, f := range found {
			if !f.needed {
				_, err = tx.Exec(ctx, `UPDATE `+f.table+` SET "`+f.column+`" = NULL WHERE rowid = ?`, f.row)
			} else if n, err = tx.Exec(ctx, `DELETE FROM `+f.table+` WHERE rowid = ?`, f.row); err == nil {
				loose[f.table] += int(n)
			}
			if err != nil {
				return nil, err
			}
		}
	}
}

// PutText stores a version's text in the place of the one that it has.
func (tx *Tx) PutText(ctx context.Context, versionRow int64, text string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM text_piece WHERE version_id = ?`, versionRow); err != nil {
		return fmt.Errorf("text of version %d: %w", versionRow, err)
	}
	for i := 0; i*pieceSize < len(text); i++ {
		piece := []byte(text[i*pieceSize : min((i+1)*pieceSize, len(text))])
		if _, err := tx.Exec(ctx, `INSERT INTO text_piece (version_id, ord, data) VALUES (?, ?, ?)`, versionRow, i, piece); err != nil {
			return fmt.Errorf("text of version %d: %w", versionRow, err)
		}
	}
	return nil
}
