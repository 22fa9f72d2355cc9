package vector

// This file defines rows: how a vector becomes one, and how rows come, go and pass into history.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"docket/db"
)

// chunkSize is how many rows vec0 keeps in one piece. It frees a piece only when all of it is deleted, hence not its own 1,024.
const chunkSize = 256

// A Row is a passage's vector, nil for a passage that has none.
type Row struct {
	Chunk  int64
	Vector []float32
}

// Put writes rows into a generation, each in place of the one that its passage has already. It refuses a vector of another size than the
// generation's, and one without a direction.
func Put(ctx context.Context, tx *db.Tx, g Generation, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	for _, r := range rows {
		if err := put(ctx, tx, g, r); err != nil {
			return fmt.Errorf("vector of chunk %d: %w", r.Chunk, err)
		}
	}
	return touch(ctx, tx, g)
}

func put(ctx context.Context, tx *db.Tx, g Generation, r Row) error {
	if g.Serving {
		if _, err := tx.Exec(ctx, `DELETE FROM vector_history WHERE chunk_id = ?`, r.Chunk); err != nil {
			return err
		}
	}
	if r.Vector == nil {
		if err := g.delete(ctx, tx, r.Chunk); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO vector_none (generation, chunk_id) VALUES (?, ?)`, g.ID, r.Chunk)
		return err
	}
	if len(r.Vector) != g.Dim {
		return fmt.Errorf("%d values, and vectors of model %s have %d", len(r.Vector), g.Model, g.Dim)
	}
	e, err := quantise(r.Vector, g.width)
	if err != nil {
		return err
	}
	if err := g.delete(ctx, tx, r.Chunk); err != nil { // vec0 knows no upsert, and an UPDATE loses what type a vector has
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO `+g.table()+` (chunk_id, e, b) VALUES (?, vec_int8(?), vec_bit(?))`, r.Chunk, e, signs(e))
	return err
}

// Retire moves the rows of passages that stop being current into history, from the generation that answers; one that is being
// built just loses them. A passage that has no vector has an empty row there, so that none is missing.
func Retire(ctx context.Context, tx *db.Tx, chunks []int64) error {
	return each(ctx, tx, chunks, func(g Generation, chunk int64) error {
		if !g.Serving {
			return nil
		}
		_, err := tx.Exec(ctx, `INSERT OR REPLACE INTO vector_history (chunk_id, model, e)
			SELECT chunk_id, ?, e FROM `+g.table()+` WHERE chunk_id = ? UNION ALL
			SELECT chunk_id, ?, x'' FROM vector_none WHERE generation = ? AND chunk_id = ?`, g.Model, chunk, g.Model, g.ID, chunk)
		return err
	})
}

// Drop deletes all rows of passages that are about to be deleted.
func Drop(ctx context.Context, tx *db.Tx, chunks []int64) error {
	return each(ctx, tx, chunks, func(_ Generation, chunk int64) error {
		_, err := tx.Exec(ctx, `DELETE FROM vector_history WHERE chunk_id = ?`, chunk)
		return err
	})
}

// each takes the passages out of every generation, after it called first.
func each(ctx context.Context, tx *db.Tx, chunks []int64, first func(g Generation, chunk int64) error) error {
	all, err := Generations(ctx, tx)
	if err != nil || len(chunks) == 0 {
		return err
	}
	for _, g := range all {
		for _, chunk := range chunks {
			if err := first(g, chunk); err != nil {
				return fmt.Errorf("vector of chunk %d: %w", chunk, err)
			}
			if err := g.delete(ctx, tx, chunk); err != nil {
				return fmt.Errorf("vector of chunk %d: %w", chunk, err)
			}
		}
		if err := touch(ctx, tx, g); err != nil {
			return err
		}
	}
	return nil
}

// delete takes a passage out of the generation, if it is in it.
func (g Generation) delete(ctx context.Context, tx *db.Tx, chunk int64) error {
	_, err := db.One(ctx, tx, db.Value[int], `SELECT 1 FROM `+g.table()+`_rowids WHERE rowid = ?`, chunk)
	switch {
	case errors.Is(err, db.ErrNotFound):
		_, err = tx.Exec(ctx, `DELETE FROM vector_none WHERE generation = ? AND chunk_id = ?`, g.ID, chunk)
	case err == nil:
		_, err = tx.Exec(ctx, `DELETE FROM `+g.table()+` WHERE chunk_id = ?`, chunk)
	}
	return err
}

// touch makes what was read of the generation out of date. The id tells apart what one transaction wrote and did not commit from what
// the next one writes.
func touch(ctx context.Context, tx *db.Tx, g Generation) error {
	_, err := tx.Exec(ctx, `UPDATE vector_generation SET changes = changes + 1, change = ? WHERE id = ?`, tx.NewID(), g.ID)
	return err
}

// quantise rounds a vector to 8 bits a value, signed, the largest to 127, and fills it up with zeros.
func quantise(v []float32, width int) ([]byte, error) {
	var largest float64
	for _, x := range v {
		if a := math.Abs(float64(x)); a > largest || math.IsNaN(a) {
			largest = a
		}
	}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) {
		return nil, errors.New("it points nowhere: its values are all zero, or not all finite")
	}
	out := make([]byte, width)
	for i, x := range v {
		out[i] = byte(int8(math.Round(float64(x) / largest * 127)))
	}
	return out, nil
}

// signs returns a bit for each value, set where it is above zero, the first in the lowest bit.
func signs(e []byte) []byte {
	out := make([]byte, len(e)/8)
	for i, x := range e {
		if int8(x) > 0 {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return out
}
