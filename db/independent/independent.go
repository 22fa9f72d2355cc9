// Package independent has a copy of a store read by a second build of SQLite and sqlite-vec, compiled to WebAssembly and sharing no
// code with the one that wrote it, and compares what both find.
//
// It opens copies only, and those as files that nobody writes: two SQLites on one file in one process would lose each other's locks.
// It writes nothing. The invariant: what it does not find different, two programs that were written apart agree upon.
package independent

// This file defines the comparison.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	_ "github.com/asg017/sqlite-vec-go-bindings/ncruces" // SQLite 3.47 with sqlite-vec 0.1.6
	"github.com/ncruces/go-sqlite3"

	"docket/db"
)

// How much is asked: evenly spread over what there is, and the same each time.
const (
	samples   = 48
	neighbour = 10
)

// A pair is a row of an answer: a row id or count, and a distance where there is one.
type pair struct {
	id       int64
	distance float64
}

// A question is one statement that both programs are asked. nearest says that its rows are neighbours, of which those at the last
// distance may be any.
type question struct {
	where, stmt string
	args        []any
	nearest     bool
}

// Compare has the other program check the copy at path, which d has open, and put questions to it that d is asked as well: counts of
// every kind of row, the passages of words, and the neighbours of vectors.
func Compare(ctx context.Context, d *db.DB, path string) (found []db.Problem, err error) {
	// The file's name is a URI, as the copy must not be locked: SQLite here has it open too.
	u := url.URL{Scheme: "file", OmitHost: true, Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/"), RawQuery: "mode=ro&immutable=1"} // C:/… too
	c, err := sqlite3.OpenContext(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("open %s in a second SQLite: %w", path, err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.SetInterrupt(ctx)
	lines, err := texts(c, `PRAGMA integrity_check(100)`)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		lines = []string{err.Error()}
	}
	for _, l := range lines {
		if l != "ok" {
			found = append(found, db.Problem{Where: "file, to a second SQLite", What: l})
		}
	}
	return found, d.View(ctx, func(tx *db.Tx) error {
		questions, err := questionsFor(ctx, tx)
		if err != nil {
			return err
		}
		for _, q := range questions {
			here, err := db.Query(ctx, tx, func(r db.Row, p *pair) error { return r.Scan(&p.id, &p.distance) }, q.stmt, q.args...)
			if err != nil {
				return fmt.Errorf("%s: %w", q.where, err)
			}
			there, err := ask(c, q)
			if err != nil {
				found = append(found, db.Problem{Where: q.where, What: "a second SQLite cannot read it: " + err.Error()})
				continue
			}
			if !agree(q, here, there) {
				found = append(found, db.Problem{Where: q.where, What: "a second SQLite finds something else in it"})
			}
		}
		return nil
	})
}

func questionsFor(ctx context.Context, tx *db.Tx) ([]question, error) {
	var out []question
	for _, table := range []string{
		"root", "document", "version", "text_piece", "section", "chunk", "ledger", "passage", "word_docsize", "word_history_docsize",
		"task", "event", "holder", "step", "decision", "decision_act", "support", "support_history", "review_reason", "request",
	} {
		out = append(out, question{where: "rows of " + table, stmt: `SELECT count(*), 0.0 FROM ` + table})
	}
	out = append(out,
		question{where: "texts", stmt: `SELECT coalesce(sum(length(data)), 0), 0.0 FROM text_piece`},
		question{where: "words", stmt: `SELECT coalesce(sum(cnt), 0), 0.0 FROM word_term`},
	)
	terms, err := db.Query(ctx, tx, db.Value[string], `SELECT term FROM word_term`)
	if err != nil {
		return nil, fmt.Errorf("words to ask for: %w", err)
	}
	for _, term := range spread(terms) {
		out = append(out, question{
			where: "passages of a word", args: []any{`"` + strings.ReplaceAll(term, `"`, `""`) + `"`},
			stmt: `SELECT rowid, 0.0 FROM word WHERE word MATCH ? ORDER BY rowid`,
		})
	}
	generations, err := db.Query(ctx, tx, db.Value[int64], `SELECT id FROM vector_generation ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("vectors to ask for: %w", err)
	}
	for _, g := range generations {
		table := fmt.Sprintf("vec_g%d", g)
		ids, err := db.Query(ctx, tx, db.Value[int64], `SELECT rowid FROM `+table+`_rowids ORDER BY rowid`)
		if err != nil {
			return nil, fmt.Errorf("vectors to ask for: %w", err)
		}
		out = append(out, question{where: "rows of " + table, stmt: `SELECT count(*), 0.0 FROM ` + table + `_rowids`})
		for _, id := range spread(ids) {
			v, err := db.One(ctx, tx, db.Value[[]byte], `SELECT e FROM `+table+` WHERE chunk_id = ?`, id)
			if err != nil {
				return nil, fmt.Errorf("vector of chunk %d: %w", id, err)
			}
			out = append(out, question{
				where: "neighbours of a vector", args: []any{v, neighbour}, nearest: true,
				stmt: `SELECT chunk_id, distance FROM ` + table + ` WHERE e MATCH vec_int8(?) AND k = ?`,
			})
		}
	}
	return out, nil
}

// spread picks a few of many, evenly.
func spread[T any](all []T) []T {
	if len(all) <= samples {
		return all
	}
	out := make([]T, samples)
	for i := range out {
		out[i] = all[i*len(all)/samples]
	}
	return out
}

// agree compares two answers. Distances are computed in another order, so they differ in the last bits.
func agree(q question, here, there []pair) bool {
	const same = 1e-5
	if !q.nearest {
		return slices.Equal(here, there)
	}
	if len(here) != len(there) {
		return false
	}
	for i := range here {
		if math.Abs(here[i].distance-there[i].distance) > same {
			return false
		}
		if last := here[len(here)-1].distance; here[i].distance > last-same { // cut off among equals
			continue
		}
		if !slices.ContainsFunc(there, func(p pair) bool { return p.id == here[i].id && math.Abs(p.distance-here[i].distance) <= same }) {
			return false
		}
	}
	return true
}

func texts(c *sqlite3.Conn, stmt string) (out []string, err error) {
	s, _, err := c.Prepare(stmt)
	if err != nil {
		return nil, err
	}
	for s.Step() {
		out = append(out, s.ColumnText(0))
	}
	return out, errors.Join(s.Err(), s.Close())
}

func ask(c *sqlite3.Conn, q question) (out []pair, err error) {
	s, _, err := c.Prepare(q.stmt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for i, a := range q.args {
		switch a := a.(type) {
		case string:
			err = s.BindText(i+1, a)
		case []byte:
			err = s.BindBlob(i+1, a)
		case int:
			err = s.BindInt(i+1, a)
		}
		if err != nil {
			return nil, err
		}
	}
	for s.Step() {
		out = append(out, pair{s.ColumnInt64(0), s.ColumnFloat(1)})
	}
	return out, s.Err()
}
