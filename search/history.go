package search

// This file defines the search in history: which passages are in it that are not current, and how they stand beside those that are.

import (
	"context"
	"encoding/json"
	"fmt"

	"docket/db"
)

// withHistory returns what a scope holds of both indexes: its documents, and those that were deleted. What was in a folder that the
// person took out is in no answer.
func (in *corpus) withHistory(ctx context.Context, tx *db.Tx, scope db.Scope) (*scoped, error) {
	held := &scoped{ids: bitmap{}, history: true}
	type row struct {
		id  int64
		key string
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, v *row) error { return r.Scan(&v.id, &v.key) },
		`SELECT d.id, d.key FROM document d JOIN root r ON r.id = d.root_id WHERE r.state <> 'removed'`)
	if err != nil {
		return nil, fmt.Errorf("documents in scope: %w", err)
	}
	for _, r := range rows {
		if scope.Match(r.key) {
			held.documents++
			held.ids.add(r.id)
		}
	}
	return held, nil
}

// present gives passages that are no longer current, and whose very words a current passage in scope has, that passage's row: it is the
// one to show. Those that have none keep theirs.
func (in *corpus) present(ctx context.Context, tx *db.Tx, rows []ranked, scope *scoped) error {
	list := make([]int64, len(rows))
	for i, r := range rows {
		list[i] = r.row
	}
	past, err := among(ctx, tx, list, `word_history_docsize w ON w.id = j.value`)
	if err != nil || len(past) == 0 {
		return err
	}
	wanted := map[int64]bool{} // folds
	for _, row := range past {
		wanted[in.folds[row]] = true
	}
	keep := in.keep(scope)
	list = list[:0]
	for row, fold := range in.folds { // of passages that were deleted too
		if wanted[fold] && keep(int64(row)) {
			list = append(list, int64(row))
		}
	}
	now, err := among(ctx, tx, list, `word_docsize w ON w.id = j.value`)
	if err != nil {
		return err
	}
	twin := map[int64]int64{} // by fold
	for _, row := range now {
		if _, ok := twin[in.folds[row]]; !ok {
			twin[in.folds[row]] = row
		}
	}
	isPast := map[int64]bool{}
	for _, row := range past {
		isPast[row] = true
	}
	for i := range rows {
		if row, ok := twin[in.folds[rows[i].row]]; ok && isPast[rows[i].row] {
			rows[i].show = row
		}
	}
	return nil
}

// among returns those of the rows that a table has, in the order of their documents' keys and their places.
func among(ctx context.Context, tx *db.Tx, rows []int64, table string) ([]int64, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	out, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT c.id FROM json_each(?) j JOIN `+table+` JOIN chunk c ON c.id = j.value JOIN version v ON v.id = c.version_id
		JOIN document d ON d.id = v.document_id ORDER BY d.key, c.ord, v.activation_seq DESC`, string(list))
	if err != nil {
		return nil, fmt.Errorf("passages and their places: %w", err)
	}
	return out, nil
}
