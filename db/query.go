package db

// This file defines how SQL is run: statements are prepared once a connection, and rows are read and closed in one place.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// maxStatements bounds a connection's prepared statements; texts beyond it (a filter put together from parts) are prepared each time.
const maxStatements = 400

// A Row can be scanned.
type Row interface{ Scan(dest ...any) error }

func (tx *Tx) prepare(ctx context.Context, stmt string) (_ *sql.Stmt, done func(), _ error) {
	if s, ok := tx.conn.stmts[stmt]; ok {
		return s, func() {}, nil
	}
	s, err := tx.conn.PrepareContext(ctx, stmt)
	if err != nil {
		return nil, nil, err
	}
	if len(tx.conn.stmts) < maxStatements {
		tx.conn.stmts[stmt] = s
		return s, func() {}, nil
	}
	return s, func() { _ = s.Close() }, nil
}

// Exec runs one statement and returns the number of rows it changed.
func (tx *Tx) Exec(ctx context.Context, stmt string, args ...any) (int64, error) {
	s, done, err := tx.prepare(ctx, stmt)
	if err != nil {
		return 0, err
	}
	defer done()
	r, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Insert runs one INSERT and returns the id of the new row.
func (tx *Tx) Insert(ctx context.Context, stmt string, args ...any) (int64, error) {
	s, done, err := tx.prepare(ctx, stmt)
	if err != nil {
		return 0, err
	}
	defer done()
	r, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// Query runs one SELECT and scans every row. It is the only place that touches sql.Rows, so that closing them and asking for
// their error cannot be forgotten. No rows give an empty list that is not nil.
func Query[T any](ctx context.Context, tx *Tx, scan func(Row, *T) error, stmt string, args ...any) ([]T, error) {
	s, done, err := tx.prepare(ctx, stmt)
	if err != nil {
		return nil, err
	}
	defer done()
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := []T{}
	for rows.Next() {
		var v T
		if err := scan(rows, &v); err != nil {
			return nil, fmt.Errorf("scan: %w", err)
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// One runs one SELECT and scans its first row; without a row the error is [ErrNotFound].
func One[T any](ctx context.Context, tx *Tx, scan func(Row, *T) error, stmt string, args ...any) (T, error) {
	var v T
	s, done, err := tx.prepare(ctx, stmt)
	if err != nil {
		return v, err
	}
	defer done()
	row := s.QueryRowContext(ctx, args...)
	err = scan(row, &v)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return v, err
}

// Value scans a row of one column.
func Value[T any](r Row, v *T) error { return r.Scan(v) }
