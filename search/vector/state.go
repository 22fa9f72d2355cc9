package vector

// This file defines what the store's vectors are good for at the moment, and the check that they are whole.

import (
	"context"
	"encoding/binary"
	"fmt"

	"docket/db"
)

// The states of the vector index.
const (
	Ready    = "ready"
	Building = "building" // passages are missing from the generation that answers
	Stale    = "stale"    // it is another model's than the one that is being built to replace it
	Missing  = "missing"  // there is none
)

// A State is what the store's vectors are good for.
type State struct {
	State   string
	Serving Generation // with id 0 in a store without vectors
	Next    Generation // with id 0 where none is being built
	Done    int        // current passages that are done: in Next if the state is stale, else in Serving
	Todo    int        // and those that are not
	Sparse  bool       // Serving has so many holes that a backfill builds it anew
}

// StateOf returns the state of the vectors of a store with so many current passages.
func StateOf(ctx context.Context, tx *db.Tx, passages int) (State, error) {
	s := State{State: Missing}
	all, err := Generations(ctx, tx)
	if err != nil {
		return State{}, err
	}
	for _, g := range all {
		c, err := g.count(ctx, tx)
		if err != nil {
			return State{}, err
		}
		switch {
		case g.Serving:
			s.Serving, s.State, s.Done, s.Sparse = g, Ready, c.done, c.sparse
			if c.done < passages {
				s.State = Building
			}
		case g.Model != s.Serving.Model:
			s.Next, s.State, s.Done = g, Stale, c.done
		default: // the same vectors, without the holes
			s.Next = g
		}
	}
	s.Todo = max(0, passages-s.Done)
	return s, nil
}

// counts are what is counted of a generation.
type counts struct {
	done   int  // passages that it has dealt with
	sparse bool // see manyHoles
}

// count counts a generation's rows, unless that was done since they last changed.
func (g Generation) count(ctx context.Context, tx *db.Tx) (counts, error) {
	kept := memoryOf(tx)
	kept.Lock()
	c, ok := kept.counts[g.state]
	kept.Unlock()
	if ok {
		return c, nil
	}
	var rows, none, places int
	_, err := db.One(ctx, tx, func(r db.Row, _ *struct{}) error { return r.Scan(&rows, &none, &places) }, `
		SELECT (SELECT count(*) FROM `+g.table()+`_rowids), (SELECT count(*) FROM vector_none WHERE generation = ?),
			(SELECT coalesce(sum(size), 0) FROM `+g.table()+`_chunks)`, g.ID)
	if err != nil {
		return counts{}, fmt.Errorf("count vectors of model %s: %w", g.Model, err)
	}
	c = counts{done: rows + none, sparse: places-rows > manyHoles && 3*(places-rows) > rows}
	kept.Lock()
	defer kept.Unlock()
	if len(kept.counts) > 8 {
		clear(kept.counts)
	}
	kept.counts[g.state] = c
	return c, nil
}

// CountOf returns how many of a version's passages the generation has dealt with.
func (g Generation) CountOf(ctx context.Context, tx *db.Tx, versionRow int64) (int, error) {
	n, err := db.One(ctx, tx, db.Value[int], `
		SELECT count(*) FROM chunk c WHERE c.version_id = ? AND c.ord >= 0 AND (EXISTS (SELECT 1 FROM `+g.table()+`_rowids r WHERE r.rowid = c.id)
			OR EXISTS (SELECT 1 FROM vector_none n WHERE n.generation = ? AND n.chunk_id = c.id))`, versionRow, g.ID)
	if err != nil {
		err = fmt.Errorf("vectors of version %d: %w", versionRow, err)
	}
	return n, err
}

// Check looks for damage that SQLite's own check cannot see, as to it a vec0 table is rows of bytes: rows that are listed and not
// there, or there and not listed, and rows of passages that are not current.
func Check(ctx context.Context, d *db.DB) ([]db.Problem, error) {
	found := []db.Problem{}
	err := d.View(ctx, func(tx *db.Tx) error {
		all, err := Generations(ctx, tx)
		if err != nil {
			return err
		}
		for _, g := range all {
			problems, err := g.check(ctx, tx)
			if err != nil {
				return fmt.Errorf("check vectors of model %s: %w", g.Model, err)
			}
			for _, p := range problems {
				found = append(found, db.Problem{Where: "vectors of model " + g.Model, What: p})
			}
		}
		return nil
	})
	return found, err
}

func (g Generation) check(ctx context.Context, tx *db.Tx) (problems []string, err error) {
	stray, err := db.One(ctx, tx, db.Value[int], `
		SELECT count(*) FROM `+g.table()+`_rowids r LEFT JOIN chunk c ON c.id = r.rowid AND c.ord >= 0
		LEFT JOIN document d ON d.current_version = c.version_id WHERE d.id IS NULL`)
	if err != nil {
		return nil, err
	}
	if stray > 0 {
		problems = append(problems, fmt.Sprintf("%d rows are of passages that are not current", stray))
	}
	listed := map[int64]int64{} // row id → its piece and place, as one number
	type place struct{ id, piece, offset int64 }
	places, err := db.Query(ctx, tx, func(r db.Row, p *place) error { return r.Scan(&p.id, &p.piece, &p.offset) },
		`SELECT rowid, chunk_id, chunk_offset FROM `+g.table()+`_rowids`)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		listed[p.id] = p.piece*chunkSize + p.offset
	}
	there, wrong := 0, 0
	_, err = db.Query(ctx, tx, func(row db.Row, _ *struct{}) error {
		var piece, eBytes, bBytes int64
		var valid, ids []byte
		if err := row.Scan(&piece, &valid, &ids, &eBytes, &bBytes); err != nil {
			return err
		}
		if len(valid) != chunkSize/8 || len(ids) != 8*chunkSize || eBytes != int64(chunkSize*g.width) || bBytes != int64(chunkSize*g.width/8) {
			problems = append(problems, fmt.Sprintf("piece %d is not whole", piece))
			return nil
		}
		for i := range chunkSize {
			if valid[i/8]>>(i%8)&1 == 0 {
				continue
			}
			there++
			if at, ok := listed[int64(binary.LittleEndian.Uint64(ids[8*i:]))]; !ok || at != piece*chunkSize+int64(i) {
				wrong++
			}
		}
		return nil
	}, `SELECT c.chunk_id, c.validity, c.rowids, coalesce(length(e.vectors), 0), coalesce(length(b.vectors), 0) FROM `+g.table()+`_chunks c
		LEFT JOIN `+g.table()+`_vector_chunks00 e ON e.rowid = c.chunk_id LEFT JOIN `+g.table()+`_vector_chunks01 b ON b.rowid = c.chunk_id ORDER BY c.chunk_id`)
	if err != nil {
		return nil, err
	}
	if wrong > 0 || there != len(listed) {
		problems = append(problems, fmt.Sprintf("%d rows are listed, %d are there, %d of them where they should not be", len(listed), there, wrong))
	}
	return problems, nil
}
