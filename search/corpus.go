package search

// This file defines the corpus: what ranking needs to know of all passages together, and what is kept of it in memory.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"docket/db"
)

// A corpus is the main index under one snapshot.
type corpus struct {
	rows     float64 // passages
	average  float64 // tokens in one
	passages         // what is known of each
	memory   *memory
	state    string
}

// passages holds what is known of each passage, by chunk row.
type passages struct {
	lengths   []int32 // tokens
	folds     []int64 // see foldOf
	documents []int64 // row ids
}

// A memory keeps what was computed, for the state of the index that it was computed under. The sequence number of activations would
// not do as a name of that state: a document that is rebuilt where it stands does not move it. FTS5's own two records do.
type memory struct {
	mu     sync.Mutex
	state  string
	dfs    map[string]float64
	scopes map[db.Scope]*scoped
	passages
}

type memoryKey struct{}

func open(ctx context.Context, tx *db.Tx) (*corpus, error) {
	blocks, err := db.Query(ctx, tx, db.Value[[]byte], `SELECT block FROM word_data WHERE id IN (1, 10) ORDER BY id`)
	if err != nil || len(blocks) != 2 {
		return nil, fmt.Errorf("state of the word index: %w", errors.Join(err, fmt.Errorf("%d records", len(blocks))))
	}
	seq, err := tx.Seq(ctx)
	if err != nil {
		return nil, err
	}
	in := &corpus{memory: tx.DB().Memo(memoryKey{}, func() any { return &memory{} }).(*memory)}
	in.state = fmt.Sprintf("%d %x %x", seq, blocks[0], blocks[1])
	for i, b := 0, blocks[0]; len(b) > 0; i++ { // rows, then the tokens of each column
		var n int64
		n, b = varint(b)
		if i == 0 {
			in.rows = float64(n)
		} else {
			in.average += float64(n)
		}
	}
	in.average /= max(in.rows, 1)
	m := in.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state != in.state {
		if err := m.load(ctx, tx); err != nil {
			return nil, err
		}
		m.state, m.dfs, m.scopes = in.state, map[string]float64{}, map[db.Scope]*scoped{}
	}
	in.passages = m.passages
	return in, nil
}

// load reads the lengths of passages that came since. Row ids only grow and a passage never changes, so what is known stays right; as
// a superseded passage may come back, the history index is read as well.
func (m *memory) load(ctx context.Context, tx *db.Tx) error {
	type row struct {
		id, fold, document int64
		sizes              []byte
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, v *row) error { return r.Scan(&v.id, &v.fold, &v.document, &v.sizes) }, `
		SELECT p.chunk_id, p.fold, p.document_id, coalesce(w.sz, h.sz) FROM passage p
		LEFT JOIN word_docsize w ON w.id = p.chunk_id LEFT JOIN word_history_docsize h ON h.id = p.chunk_id
		WHERE p.chunk_id >= ? ORDER BY p.chunk_id`, len(m.lengths))
	if err != nil || len(rows) == 0 {
		return err
	}
	n := rows[len(rows)-1].id + 1
	p := passages{make([]int32, n), make([]int64, n), make([]int64, n)} // searches under way keep the old slices
	copy(p.lengths, m.lengths)
	copy(p.folds, m.folds)
	copy(p.documents, m.documents)
	for _, r := range rows {
		for b := r.sizes; len(b) > 0; {
			var v int64
			v, b = varint(b)
			p.lengths[r.id] += int32(v)
		}
		p.folds[r.id], p.documents[r.id] = r.fold, r.document
	}
	m.passages = p
	return nil
}

// varint reads one of SQLite's variable-length integers.
func varint(b []byte) (int64, []byte) {
	v := int64(0)
	for i, c := range b {
		if i == 8 {
			return v<<8 | int64(c), b[9:]
		}
		v = v<<7 | int64(c&0x7f)
		if c < 0x80 {
			return v, b[i+1:]
		}
	}
	return v, nil
}

// frequency returns how many passages have a term, in the form that the index stores.
func (in *corpus) frequency(ctx context.Context, tx *db.Tx, term string) (float64, error) {
	m := in.memory
	m.mu.Lock()
	df, ok := m.dfs[term]
	ok = ok && m.state == in.state
	m.mu.Unlock()
	if ok {
		return df, nil
	}
	df, err := db.One(ctx, tx, db.Value[float64], `SELECT doc FROM word_term WHERE term = ?`, term)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return 0, fmt.Errorf("frequency of %q: %w", term, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state == in.state && len(m.dfs) < 100_000 {
		m.dfs[term] = df
	}
	return df, nil
}

// idf is what a term is worth that df passages have. Not bm25()'s formula, which gives nothing for a term that more than half of the
// passages have: in a small store that is most of them.
func (in *corpus) idf(df float64) float64 { return math.Log(1 + (in.rows-df+.5)/(df+.5)) }
