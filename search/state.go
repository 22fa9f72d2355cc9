package search

// This file defines what a scope holds, and how far its indexes are.

import (
	"context"
	"fmt"

	"docket/db"
)

// A LegState is the state of one index, with the documents that are in it and the files that are still to come.
type LegState struct {
	State string `json:"state"` // ready, building, stale, missing
	Done  int    `json:"done"`
	Todo  int    `json:"todo"`
}

// Coverage tells "not found" from "could not be read".
type Coverage struct {
	Documents        int `json:"documents"`          // that can be found
	Unreadable       int `json:"unreadable"`         // files read in part, without text, failed or skipped
	PagesWithoutText int `json:"pages_without_text"` // in those
}

// An IndexState says how far the indexes are, for the documents in scope.
type IndexState struct {
	Lexical  LegState `json:"lexical"`
	Semantic LegState `json:"semantic"`
	Coverage Coverage `json:"coverage"`
}

// The states of an index.
const (
	Ready    = "ready"
	Building = "building"
	Stale    = "stale"
	Missing  = "missing"
)

// State returns how far the indexes are, and what could not be read, for the documents in scope.
func State(ctx context.Context, tx *db.Tx, scope db.Scope) (IndexState, error) {
	in, err := open(ctx, tx)
	if err != nil {
		return IndexState{}, err
	}
	return in.indexState(ctx, tx, scope)
}

func (in *corpus) indexState(ctx context.Context, tx *db.Tx, scope db.Scope) (IndexState, error) {
	held, err := in.scope(ctx, tx, scope)
	if err != nil {
		return IndexState{}, err
	}
	s := IndexState{Lexical: LegState{State: Ready, Done: held.documents}, Coverage: Coverage{Documents: held.documents}}
	type left struct {
		key, state    string
		files, noText int
	}
	// The names are only looked at where there is a scope, else SQL adds up.
	group := "l.root_id, l.state"
	if !scope.All() {
		group = "l.root_id, l.path"
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, v *left) error { return r.Scan(&v.key, &v.state, &v.files, &v.noText) }, `
		SELECT r.name || '/' || l.path, l.state, count(*), sum(l.no_text) FROM ledger l JOIN root r ON r.id = l.root_id
		WHERE l.state <> 'indexed' AND r.state <> 'removed' AND substr(l.path, -1) <> '/' -- a folder left out is no document
		GROUP BY `+group)
	if err != nil {
		return IndexState{}, fmt.Errorf("coverage: %w", err)
	}
	for _, v := range rows {
		switch {
		case !scope.Match(v.key):
		case v.state == db.FilePending:
			s.Lexical.Todo += v.files
		default:
			s.Coverage.Unreadable += v.files
			s.Coverage.PagesWithoutText += v.noText
		}
	}
	if s.Lexical.Todo > 0 {
		s.Lexical.State = Building
	}
	s.Semantic, err = in.semanticState(ctx, tx, held, s.Lexical)
	return s, err
}

// A scoped is what a scope holds of the main index.
type scoped struct {
	documents int
	ids       bitmap // of the documents; nil for all
	history   bool   // passages that are no longer current are in it too
}

// keep returns what tells whether a passage is in a scope, nil where all are.
func (in *corpus) keep(scope *scoped) func(chunk int64) bool {
	if scope.ids == nil {
		return nil
	}
	return func(chunk int64) bool { return chunk < int64(len(in.documents)) && scope.ids.has(in.documents[chunk]) }
}

// A bitmap is a set of small numbers.
type bitmap []uint64

func (b bitmap) has(i int64) bool { return i>>6 < int64(len(b)) && b[i>>6]>>(i&63)&1 == 1 }

func (b *bitmap) add(i int64) {
	for int64(len(*b)) <= i>>6 {
		*b = append(*b, 0)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}

// maxScopes bounds the scopes that are remembered; a server has one.
const maxScopes = 8

// scope returns what a scope holds under the corpus's snapshot.
func (in *corpus) scope(ctx context.Context, tx *db.Tx, scope db.Scope) (*scoped, error) {
	m := in.memory
	m.mu.Lock()
	held, ok := m.scopes[scope]
	ok = ok && m.state == in.state
	m.mu.Unlock()
	if ok {
		return held, nil
	}
	held = &scoped{}
	if scope.All() {
		n, err := db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM document WHERE current_version IS NOT NULL`)
		if err != nil {
			return nil, fmt.Errorf("documents: %w", err)
		}
		held.documents = n
	} else {
		held.ids = bitmap{}
		type row struct {
			id  int64
			key string
		}
		rows, err := db.Query(ctx, tx, func(r db.Row, v *row) error { return r.Scan(&v.id, &v.key) },
			`SELECT id, key FROM document WHERE current_version IS NOT NULL`)
		if err != nil {
			return nil, fmt.Errorf("documents in scope: %w", err)
		}
		for _, r := range rows {
			if scope.Match(r.key) {
				held.documents++
				held.ids.add(r.id)
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state == in.state {
		if len(m.scopes) >= maxScopes {
			clear(m.scopes)
		}
		m.scopes[scope] = held
	}
	return held, nil
}
