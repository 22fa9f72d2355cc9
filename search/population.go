package search

// This file defines how far the indexes have taken one version in.

import (
	"context"
	"fmt"

	"docket/db"
	"docket/search/vector"
)

// A Population is how much of one version an index holds.
type Population struct {
	Name    string `json:"name"`  // lexical or semantic
	State   string `json:"state"` // as in index_state
	Percent int    `json:"population_percent"`
}

// Populations returns, for each index, how many of a version's passages it holds. A passage that the model has no word for is done.
func Populations(ctx context.Context, tx *db.Tx, versionRow int64) ([]Population, error) {
	const passages = `SELECT count(*) FROM chunk c WHERE c.version_id = ? AND c.ord >= 0`
	all, err := db.One(ctx, tx, db.Value[int], passages, versionRow)
	if err != nil {
		return nil, fmt.Errorf("passages of version %d: %w", versionRow, err)
	}
	words, err := db.One(ctx, tx, db.Value[int], passages+` AND c.id IN (SELECT id FROM word_docsize)`, versionRow)
	if err != nil {
		return nil, fmt.Errorf("words of version %d: %w", versionRow, err)
	}
	out := []Population{populated(Lexical, words, all)}
	generations, err := vector.Generations(ctx, tx)
	if err != nil {
		return nil, err
	}
	if len(generations) == 0 {
		return append(out, Population{Name: Semantic, State: Missing}), nil
	}
	vectors, err := generations[0].CountOf(ctx, tx, versionRow)
	if err != nil {
		return nil, err
	}
	return append(out, populated(Semantic, vectors, all)), nil
}

func populated(name string, done, all int) Population {
	p := Population{Name: name, State: Ready, Percent: 100}
	if done < all {
		p.State, p.Percent = Building, 100*done/all
	}
	return p
}
