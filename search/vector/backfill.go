package vector

// This file defines the backfill: it gives passages the vectors that they lack, and replaces generations.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"docket/db"
)

// A generation is built anew when so many of its places are holes, and holes outnumber a third of its rows: vec0 does not fill them.
const manyHoles = 4096

// Backfill gives every current passage the vector that it lacks, batch passages at a time, and returns how many passages it dealt
// with. In a store whose vectors are another model's, it first makes those of m beside them, and switches once they are complete.
// texts returns what to embed for each of the passages with these row ids. A backfill that was cut off goes on where it stopped; one that finds
// nothing to do writes nothing.
func Backfill(ctx context.Context, d *db.DB, m Model, batch int, texts func(context.Context, *db.Tx, []int64) ([]string, error)) (embedded int, err error) {
	g, todo, err := plan(ctx, d, m)
	if err != nil || !todo {
		return 0, err
	}
	var after int64
	for {
		var chunks []int64
		var text []string
		err := d.View(ctx, func(tx *db.Tx) (err error) {
			if chunks, err = g.lacking(ctx, tx, after, math.MaxInt64, batch); err != nil {
				return err
			}
			text, err = texts(ctx, tx, chunks)
			return err
		})
		if err != nil {
			return embedded, fmt.Errorf("backfill vectors: %w", err)
		}
		if len(chunks) == 0 {
			break
		}
		rows := make([]Row, len(chunks))
		for i, c := range chunks {
			rows[i].Chunk = c
			if v, ok := m.Embed(text[i]); ok {
				rows[i].Vector = v
			}
		}
		n, err := g.fill(ctx, d, rows)
		if err != nil {
			return embedded, fmt.Errorf("backfill vectors: %w", err)
		}
		embedded, after = embedded+n, chunks[len(chunks)-1]
	}
	return embedded, d.Update(ctx, func(tx *db.Tx) error { return g.complete(ctx, tx) })
}

// plan returns the generation that is to be filled, and begins it if need be. todo is false where nothing is lacking.
func plan(ctx context.Context, d *db.DB, m Model) (g Generation, todo bool, err error) {
	choose := func(tx *db.Tx, write bool) error {
		all, err := Generations(ctx, tx)
		if err != nil {
			return err
		}
		g, todo = Generation{}, true
		if n := len(all); n > 0 {
			g = all[n-1]
		}
		fits := g.ID != 0 && g.Fits(m) == nil
		var c counts
		if fits && g.Serving {
			if c, err = g.count(ctx, tx); err != nil {
				return err
			}
		}
		switch {
		case fits && g.Serving && !c.sparse:
			lacking, err := g.lacking(ctx, tx, 0, math.MaxInt64, 1)
			todo = len(lacking) > 0
			return err
		case fits && !g.Serving || !write:
			return nil
		}
		state := building
		switch {
		case g.ID == 0:
			state = serving
		case !g.Serving: // half of a model that nobody asks for any more
			if err := discard(ctx, tx, g); err != nil {
				return err
			}
		}
		g, err = begin(ctx, tx, m, state)
		return err
	}
	err = d.View(ctx, func(tx *db.Tx) error { return choose(tx, false) })
	if err != nil || !todo {
		return g, todo, err
	}
	err = d.Update(ctx, func(tx *db.Tx) error { return choose(tx, true) })
	return g, todo, err
}

// Lacking returns the row ids of all current passages that the generation has not dealt with.
func Lacking(ctx context.Context, tx *db.Tx, g Generation) ([]int64, error) {
	return g.lacking(ctx, tx, 0, math.MaxInt64, math.MaxInt64)
}

// lacking returns such row ids in ascending order, of those after one and up to another.
func (g Generation) lacking(ctx context.Context, tx *db.Tx, after, last int64, limit int) ([]int64, error) {
	ids, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT c.id FROM chunk c JOIN document d ON d.current_version = c.version_id
		WHERE c.id > ? AND c.id <= ? AND c.ord >= 0 AND NOT EXISTS (SELECT 1 FROM `+g.table()+`_rowids r WHERE r.rowid = c.id)
			AND NOT EXISTS (SELECT 1 FROM vector_none n WHERE n.generation = ? AND n.chunk_id = c.id)
		ORDER BY c.id LIMIT ?`, after, last, g.ID, limit)
	if err != nil {
		err = fmt.Errorf("passages without a vector of model %s: %w", g.Model, err)
	}
	return ids, err
}

// fill writes the rows of those passages that are still current and still lack one: others may have written since they were read.
func (g Generation) fill(ctx context.Context, d *db.DB, rows []Row) (n int, err error) {
	err = d.Update(ctx, func(tx *db.Tx) error {
		still, err := g.lacking(ctx, tx, rows[0].Chunk-1, rows[len(rows)-1].Chunk, len(rows))
		if err != nil {
			return err
		}
		var left []Row
		for _, r := range rows {
			if slices.Contains(still, r.Chunk) {
				left = append(left, r)
			}
		}
		n = len(left)
		return Put(ctx, tx, g, left)
	})
	return n, err
}

// complete makes a generation that lacks nothing the one that answers.
func (g Generation) complete(ctx context.Context, tx *db.Tx) error {
	all, err := Generations(ctx, tx)
	if err != nil || g.Serving || len(all) != 2 || all[1].ID != g.ID {
		return err
	}
	lacking, err := g.lacking(ctx, tx, 0, math.MaxInt64, 1)
	if err != nil || len(lacking) > 0 {
		return err // an activation got in between; the next backfill finishes it
	}
	return finish(ctx, tx, all[0], g)
}
