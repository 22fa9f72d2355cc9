package search

// This file defines the semantic leg: what of a passage is embedded, when, and how near the passages in scope are to a query.

import (
	"context"
	"fmt"
	"strings"

	"docket/db"
	"docket/search/embed"
	"docket/search/vector"
)

// defaultModel is the model of a new store. It embeds a passage in less time than its words take to index, so vectors are written in
// the transaction that makes their passages current.
func defaultModel() vector.Model { return embed.Static() }

// modelOf returns the model that a generation's vectors were made by; the error says that this docket does not have it. It is the
// store that says what a query is embedded by, and no default takes its place.
func modelOf(g vector.Generation) (vector.Model, error) {
	m := defaultModel()
	return m, g.Fits(m)
}

// passageText is what stands for a passage when it is embedded: what the word index has of it, the title once.
func passageText(v db.Version, sections []db.Section, c db.Chunk, text string) string {
	passage := headings(v, sections, c, text) + "\n" + text[c.Start:c.End]
	if strings.Contains(passage, v.Title) {
		return passage
	}
	return v.Title + "\n" + passage
}

// putVectors writes the vectors of passages that become current, into each generation whose model is at hand. The others lack them
// then, which a backfill finds.
func putVectors(ctx context.Context, tx *db.Tx, v db.Version, text string, sections []db.Section, chunks []db.Chunk) error {
	generations, err := vector.Ensure(ctx, tx, defaultModel())
	if err != nil {
		return err
	}
	for _, g := range generations {
		m, err := modelOf(g)
		if err != nil {
			continue
		}
		rows := make([]vector.Row, len(chunks))
		for i, c := range chunks {
			rows[i].Chunk = c.Row
			if vec, ok := m.Embed(passageText(v, sections, c, text)); ok {
				rows[i].Vector = vec
			}
		}
		if err := vector.Put(ctx, tx, g, rows); err != nil {
			return err
		}
	}
	return nil
}

// eachVector calls do with the passages of a version.
func eachVector(ctx context.Context, tx *db.Tx, versionRow int64, do func(context.Context, *db.Tx, []int64) error) error {
	rows, err := db.Query(ctx, tx, db.Value[int64], `SELECT id FROM chunk WHERE version_id = ? ORDER BY id`, versionRow)
	if err != nil {
		return fmt.Errorf("vectors of version %d: %w", versionRow, err)
	}
	return do(ctx, tx, rows)
}

// Backfill makes the vectors that current passages lack, in small transactions, and returns how many passages it dealt with: those
// of a store that is older than its model, and all of them where the default model is another than the store's. Whoever indexes
// calls it after each sync; where nothing is lacking it writes nothing.
func Backfill(ctx context.Context, d *db.DB) (passages int, err error) {
	const batch = 256
	m, done := defaultModel(), false
	err = d.View(ctx, func(tx *db.Tx) error { // whether passages are lacking is counted first, which is quicker than to look for them
		in, err := open(ctx, tx)
		if err != nil {
			return err
		}
		s, err := vector.StateOf(ctx, tx, int(in.rows))
		done = s.State == vector.Ready && !s.Sparse && s.Serving.Fits(m) == nil || in.rows == 0 && s.State == vector.Missing
		return err
	})
	if err != nil || done {
		return 0, err
	}
	return vector.Backfill(ctx, d, m, batch, func(ctx context.Context, tx *db.Tx, rows []int64) ([]string, error) {
		var version db.Version
		var text string
		var sections []db.Section
		out := make([]string, len(rows))
		for i, row := range rows { // passages of one version follow each other
			c, err := tx.Chunk(ctx, row)
			if err != nil {
				return nil, err
			}
			if c.VersionRow != version.Row {
				if version, err = tx.Version(ctx, c.VersionRow); err != nil {
					return nil, err
				}
				if text, err = tx.Text(ctx, version.Row, 0, version.Bytes); err != nil {
					return nil, err
				}
				if sections, err = tx.Sections(ctx, version.Row); err != nil {
					return nil, err
				}
			}
			out[i] = passageText(version, sections, c, text)
		}
		return out, nil
	})
}

// A meaning is how near the passages in scope are to a query.
type meaning struct {
	vector.Neighbours
	weight float64 // beside a lexical score
}

// meaning compares a query with the passages in scope. A failure says why it could not, or could not do so with all of them; a query
// that the model cannot make sense of is near to nothing.
func (in *corpus) meaning(ctx context.Context, tx *db.Tx, query string, scope *scoped) (meaning, *Failure, error) {
	generations, err := vector.Generations(ctx, tx)
	switch {
	case err != nil || in.rows == 0 && !scope.history:
		return meaning{}, nil, err
	case len(generations) == 0:
		return meaning{}, &Failure{Leg: Semantic, Reason: "the passages have no vectors yet; docket sync makes them", RetrySafe: true}, nil
	}
	g := generations[0]
	m, err := modelOf(g)
	if err != nil {
		return meaning{}, &Failure{Leg: Semantic, Reason: err.Error() + "; docket sync makes them anew", RetrySafe: true}, nil
	}
	vec, ok := m.Embed(query)
	if !ok {
		return meaning{}, nil, nil
	}
	nearest := vector.Nearest
	var failure *Failure
	if scope.history {
		nearest = vector.NearestEver
		if failure, err = in.pastWithoutVector(ctx, tx, g, scope); err != nil {
			return meaning{}, nil, err
		}
	}
	n, err := nearest(ctx, tx, g, vec, in.keep(scope))
	if err != nil {
		return meaning{}, nil, fmt.Errorf("search by meaning: %w", err)
	}
	return meaning{n, g.Weight}, failure, nil
}

// pastWithoutVector is the failure of passages that are no longer current and have no vector of the model: nothing makes them anew.
func (in *corpus) pastWithoutVector(ctx context.Context, tx *db.Tx, g vector.Generation, scope *scoped) (*Failure, error) {
	rows, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT w.id FROM word_history_docsize w LEFT JOIN vector_history v ON v.chunk_id = w.id AND v.model = ? WHERE v.chunk_id IS NULL`, g.Model)
	if err != nil {
		return nil, fmt.Errorf("passages in history without a vector: %w", err)
	}
	keep, n := in.keep(scope), 0
	for _, row := range rows {
		if keep(row) {
			n++
		}
	}
	if n == 0 {
		return nil, nil
	}
	return &Failure{Leg: Semantic, Reason: fmt.Sprintf("passages of earlier versions that have no vector and are found by their words alone: %d", n)}, nil
}

// semanticState returns how far the vectors of the documents in scope are, given how far their words are.
func (in *corpus) semanticState(ctx context.Context, tx *db.Tx, scope *scoped, lexical LegState) (LegState, error) {
	if in.rows == 0 {
		return lexical, nil
	}
	s, err := vector.StateOf(ctx, tx, int(in.rows))
	if err != nil {
		return LegState{}, err
	}
	out := LegState{State: s.State, Done: lexical.Done, Todo: lexical.Todo}
	if _, err := modelOf(s.Serving); err != nil && s.State != vector.Missing {
		out.State = Stale
	}
	switch {
	case s.State == vector.Missing, out.State == Stale && s.Next.ID == 0:
		out.Done, out.Todo = 0, lexical.Done+lexical.Todo
		return out, nil
	case s.Todo > 0:
		lacking, err := in.lackingVectors(ctx, tx, s, scope)
		if err != nil {
			return LegState{}, err
		}
		out.Done, out.Todo = out.Done-lacking, out.Todo+lacking
	}
	if out.State == vector.Ready && out.Todo > 0 {
		out.State = Building
	} else if out.State == vector.Building && out.Todo == 0 { // what is lacking is out of scope
		out.State = Ready
	}
	return out, nil
}

// lackingVectors counts the documents in scope that have a passage without a vector.
func (in *corpus) lackingVectors(ctx context.Context, tx *db.Tx, s vector.State, scope *scoped) (documents int, err error) {
	g := s.Serving
	if s.State == vector.Stale {
		g = s.Next
	}
	rows, err := vector.Lacking(ctx, tx, g)
	if err != nil {
		return 0, err
	}
	keep := in.keep(scope)
	var seen bitmap
	for _, row := range rows {
		if doc := in.documents[row]; (keep == nil || keep(row)) && !seen.has(doc) {
			seen.add(doc)
			documents++
		}
	}
	return documents, nil
}
