// Package vector owns the vectors of passages: vec0 tables by generation, one generation a model, written in the transaction that
// makes a passage current, and the search for those nearest to a query.
//
// A row is the vector in 8-bit values, scaled by its own largest one, and the signs of its values; the distance is the cosine, which
// does not see the scale. Only current passages are in a generation, so that what is near does not depend on the past. A passage
// without a vector has no row, never one of zeros. A vector that does not fit a generation is refused, and no generation is given up
// before another is complete. The package embeds nothing itself, and never compares a query with another model's rows.
package vector

// This file defines generations: which model's vectors the store holds, and which of them answer.

import (
	"context"
	"fmt"

	"docket/db"
)

// A Model turns texts into vectors. ok is false for a text that has none.
type Model interface {
	ID() string
	Dim() int
	Weight() float64
	Embed(text string) (vec []float32, ok bool)
}

const (
	serving  = "serving"
	building = "building"
)

// A Generation is one model's vectors of the current passages.
type Generation struct {
	ID      int64
	Model   string
	Dim     int
	Weight  float64 // what a cosine counts beside a lexical score
	Serving bool    // it answers; the other one, if there is one, is still being built

	width int // values in a row
	state generationState
}

// Fits reports whether the model is the one whose vectors the generation holds; the error says what does not fit.
func (g Generation) Fits(m Model) error {
	switch {
	case g.Model != m.ID():
		return fmt.Errorf("the store's vectors were made by model %s, not by %s", g.Model, m.ID())
	case g.Dim != m.Dim():
		return fmt.Errorf("the store's vectors have %d values, those of model %s %d", g.Dim, m.ID(), m.Dim())
	}
	return nil
}

func (g Generation) table() string { return fmt.Sprintf("vec_g%d", g.ID) }

// Generations returns the store's generations: none, the one that answers, or that and the one that is to replace it.
func Generations(ctx context.Context, tx *db.Tx) ([]Generation, error) {
	return db.Query(ctx, tx, scanGeneration, `
		SELECT id, model, dim, width, weight, changes, change, state = 'serving' FROM vector_generation ORDER BY state DESC`)
}

func scanGeneration(r db.Row, g *Generation) error {
	err := r.Scan(&g.ID, &g.Model, &g.Dim, &g.width, &g.Weight, &g.state.changes, &g.state.change, &g.Serving)
	g.state.id = g.ID
	return err
}

// begin makes an empty generation for the model.
func begin(ctx context.Context, tx *db.Tx, m Model, state string) (Generation, error) {
	g := Generation{Model: m.ID(), Dim: m.Dim(), Weight: m.Weight(), Serving: state == serving}
	g.width = (g.Dim + 7) / 8 * 8 // bit[n] takes whole bytes only
	var err error
	g.ID, err = tx.Insert(ctx, `INSERT INTO vector_generation (state, model, dim, width, weight, changes, change, created_at) VALUES (?, ?, ?, ?, ?, 0, '', ?)`,
		state, g.Model, g.Dim, g.width, g.Weight, tx.Stamp())
	if err == nil {
		_, err = tx.Exec(ctx, fmt.Sprintf(`CREATE VIRTUAL TABLE %s USING vec0 (
			chunk_id integer primary key, e int8[%d] distance_metric=cosine, b bit[%d], chunk_size=%d)`, g.table(), g.width, g.width, chunkSize))
	}
	if err != nil {
		return Generation{}, fmt.Errorf("begin vectors of model %s: %w", m.ID(), err)
	}
	g.state.id = g.ID
	return g, nil
}

// finish makes a complete generation the one that answers, and gives up the one that did.
func finish(ctx context.Context, tx *db.Tx, old, g Generation) error {
	if err := discard(ctx, tx, old); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE vector_generation SET state = 'serving' WHERE id = ?`, g.ID); err != nil {
		return fmt.Errorf("switch to vectors of model %s: %w", g.Model, err)
	}
	_, err := tx.Exec(ctx, `DELETE FROM vector_history WHERE model <> ?`, g.Model)
	return err
}

func discard(ctx context.Context, tx *db.Tx, g Generation) error {
	if _, err := tx.Exec(ctx, `DROP TABLE `+g.table()); err != nil {
		return fmt.Errorf("give up vectors of model %s: %w", g.Model, err)
	}
	_, err := tx.Exec(ctx, `DELETE FROM vector_generation WHERE id = ?`, g.ID)
	return err
}

// Ensure returns the generations, and begins one for the model in a store that has none.
func Ensure(ctx context.Context, tx *db.Tx, m Model) ([]Generation, error) {
	all, err := Generations(ctx, tx)
	if err != nil || len(all) > 0 {
		return all, err
	}
	g, err := begin(ctx, tx, m, serving)
	return []Generation{g}, err
}
