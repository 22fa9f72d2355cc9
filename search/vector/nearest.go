package vector

// This file defines the search for the nearest passages: an exact scan of all rows, over a copy of them in memory.

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"docket/db"
)

// A Match is a passage and the cosine of its vector to the query's.
type Match struct {
	Chunk  int64
	Cosine float64
}

// Neighbours are what a scan found.
type Neighbours struct {
	Rows   int     // that were compared
	Median float64 // of all cosines, to 1/1000
	Max    float64

	parts []part
}

// A part is what was compared of the current passages, or of those in history.
type part struct {
	*rows
	cosines []float32 // by row; NaN for one that was left out
}

// Cosine returns how near a passage is. ok is false for one that was not compared.
func (n *Neighbours) Cosine(chunk int64) (c float64, ok bool) {
	for _, p := range n.parts {
		if i, found := slices.BinarySearch(p.chunks, chunk); found && !math.IsNaN(float64(p.cosines[i])) {
			return float64(p.cosines[i]), true
		}
	}
	return 0, false
}

// Nearest compares the query with the rows of a generation, those of the passages that keep allows, or all where it is nil, and
// tells how near they are. The query must be a vector of the generation's model.
func Nearest(ctx context.Context, tx *db.Tx, g Generation, query []float32, keep func(chunk int64) bool) (Neighbours, error) {
	return nearest(ctx, tx, g, query, keep, load)
}

// NearestEver compares the query with the rows in history as well, as far as they are of the generation's model.
func NearestEver(ctx context.Context, tx *db.Tx, g Generation, query []float32, keep func(chunk int64) bool) (Neighbours, error) {
	return nearest(ctx, tx, g, query, keep, load, history)
}

func nearest(
	ctx context.Context, tx *db.Tx, g Generation, query []float32, keep func(chunk int64) bool,
	from ...func(context.Context, *db.Tx, Generation) (*rows, error),
) (Neighbours, error) {
	if len(query) != g.Dim {
		return Neighbours{}, fmt.Errorf("the query's vector has %d values, and those of model %s have %d", len(query), g.Model, g.Dim)
	}
	q, err := quantise(query, g.width)
	if err != nil {
		return Neighbours{}, fmt.Errorf("the query's vector: %w", err)
	}
	n := Neighbours{Max: -1}
	length := math.Sqrt(float64(dot(q, q)))
	var counts [2*medianSteps + 1]int
	for _, rowsOf := range from {
		r, err := rowsOf(ctx, tx, g)
		if err != nil {
			return Neighbours{}, err
		}
		p := part{r, make([]float32, len(r.chunks))}
		n.parts = append(n.parts, p)
		for i, chunk := range r.chunks {
			if i%(1<<14) == 0 && ctx.Err() != nil {
				return Neighbours{}, ctx.Err()
			}
			if keep != nil && !keep(chunk) {
				p.cosines[i] = float32(math.NaN())
				continue
			}
			c := float64(dot(q, r.values[i*r.width:(i+1)*r.width])) / (length * float64(r.lengths[i]))
			p.cosines[i] = float32(c)
			counts[min(max(int(math.Round(c*medianSteps)), -medianSteps), medianSteps)+medianSteps]++
			n.Rows, n.Max = n.Rows+1, max(n.Max, float64(p.cosines[i]))
		}
	}
	n.Median = median(counts[:], n.Rows)
	return n, nil
}

// medianSteps is how finely the cosines are counted: what is between two steps does not change a fused score that anyone sees.
const medianSteps = 1000

// median returns the middle of so many cosines, counted by step. It depends on the set alone, not on the order of the rows.
func median(counts []int, total int) float64 {
	seen := 0
	for i, c := range counts {
		if seen += c; c > 0 && 2*seen >= total {
			return float64(i-medianSteps) / medianSteps
		}
	}
	return 0
}

// Top returns the k nearest passages, the nearest first and equally near ones by row id.
func (n *Neighbours) Top(k int) []Match {
	// A heap of the best so far, the farthest of them at its root.
	heap := make([]Match, 0, min(k, n.Rows))
	for _, p := range n.parts {
		for i, c := range p.cosines {
			m := Match{p.chunks[i], float64(c)}
			switch {
			case math.IsNaN(m.Cosine):
			case len(heap) < k:
				heap = append(heap, m)
				up(heap)
			case k > 0 && nearer(m, heap[0]) < 0:
				heap[0] = m
				down(heap)
			}
		}
	}
	slices.SortFunc(heap, nearer)
	return heap
}

func nearer(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Chunk, b.Chunk))
}

func up(h []Match) {
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if nearer(h[i], h[parent]) < 0 {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func down(h []Match) {
	for i := 0; ; {
		far := 2*i + 1
		if far >= len(h) {
			return
		}
		if far+1 < len(h) && nearer(h[far], h[far+1]) < 0 {
			far++
		}
		if nearer(h[far], h[i]) < 0 {
			return
		}
		h[i], h[far] = h[far], h[i]
		i = far
	}
}

// dot is the product of two rows of one width, a multiple of 8.
func dot(a, b []byte) int32 {
	var s0, s1, s2, s3 int32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]byte)(a), (*[8]byte)(b)
		s0 += int32(int8(x[0]))*int32(int8(y[0])) + int32(int8(x[4]))*int32(int8(y[4]))
		s1 += int32(int8(x[1]))*int32(int8(y[1])) + int32(int8(x[5]))*int32(int8(y[5]))
		s2 += int32(int8(x[2]))*int32(int8(y[2])) + int32(int8(x[6]))*int32(int8(y[6]))
		s3 += int32(int8(x[3]))*int32(int8(y[3])) + int32(int8(x[7]))*int32(int8(y[7]))
		a, b = a[8:], b[8:]
	}
	return s0 + s1 + s2 + s3
}

// A generationState names what a generation holds: what was read of it is good as long as its name is the same.
type generationState struct {
	id, changes int64
	change      string // the last one
}

// rows are the rows of a generation, by ascending row id.
type rows struct {
	of      generationState
	width   int
	chunks  []int64
	values  []byte // 8 bits each, signed
	lengths []float32
}

// A memory keeps what was read of a store last.
type memory struct {
	sync.Mutex
	rows   *rows
	counts map[generationState]counts
}

type memoryKey struct{}

func memoryOf(tx *db.Tx) *memory {
	return tx.DB().Memo(memoryKey{}, func() any { return &memory{counts: map[generationState]counts{}} }).(*memory)
}

// maxKept is how many bytes of rows are worth keeping: a million passages of the built-in model. What is larger is read anew by
// each search.
const maxKept = 128 << 20

// load returns the rows as the transaction sees them.
func load(ctx context.Context, tx *db.Tx, g Generation) (*rows, error) {
	kept := memoryOf(tx)
	kept.Lock()
	r := kept.rows
	kept.Unlock()
	if r != nil && r.of == g.state {
		return r, nil
	}
	r, err := read(ctx, tx, g)
	if err != nil {
		return nil, fmt.Errorf("read vectors of model %s: %w", g.Model, err)
	}
	if len(r.values) <= maxKept {
		kept.Lock()
		kept.rows = r
		kept.Unlock()
	}
	return r, nil
}

// read reads the rows out of vec0's own tables: pieces of so many rows each, a bit for each row that is there, and the row ids.
// Asking the virtual table for one row after the other costs a hundred times that.
func read(ctx context.Context, tx *db.Tx, g Generation) (*rows, error) {
	n, err := db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM `+g.table()+`_rowids`)
	if err != nil {
		return nil, err
	}
	r := &rows{
		of: g.state, width: g.width,
		chunks: make([]int64, 0, n), values: make([]byte, 0, n*g.width), lengths: make([]float32, 0, n),
	}
	type piece struct{ valid, ids, values []byte }
	sorted := true
	_, err = db.Query(ctx, tx, func(row db.Row, _ *struct{}) error {
		var p piece
		if err := row.Scan(&p.valid, &p.ids, &p.values); err != nil {
			return err
		}
		if len(p.ids) != 8*chunkSize || len(p.values) != g.width*chunkSize || len(p.valid) != chunkSize/8 {
			return fmt.Errorf("a piece of %s is damaged", g.table())
		}
		for i := range chunkSize {
			if p.valid[i/8]>>(i%8)&1 == 0 {
				continue
			}
			id := int64(binary.LittleEndian.Uint64(p.ids[8*i:]))
			sorted = sorted && (len(r.chunks) == 0 || r.chunks[len(r.chunks)-1] < id)
			r.add(id, p.values[i*g.width:(i+1)*g.width])
		}
		return nil
	}, `SELECT c.validity, c.rowids, v.vectors FROM `+g.table()+`_chunks c JOIN `+g.table()+`_vector_chunks00 v ON v.rowid = c.chunk_id ORDER BY c.chunk_id`)
	if err != nil {
		return nil, err
	}
	if !sorted {
		r = r.byID()
	}
	return r, nil
}

// history reads the rows that passed into history. Few searches ask for them, so they are not kept in memory.
func history(ctx context.Context, tx *db.Tx, g Generation) (*rows, error) {
	r := &rows{width: g.width}
	_, err := db.Query(ctx, tx, func(row db.Row, _ *struct{}) error {
		var id int64
		var values []byte
		if err := row.Scan(&id, &values); err != nil {
			return err
		}
		if len(values) != g.width {
			return fmt.Errorf("the row of chunk %d is damaged", id)
		}
		r.add(id, values)
		return nil
	}, `SELECT chunk_id, e FROM vector_history WHERE model = ? AND e <> x'' ORDER BY chunk_id`, g.Model)
	if err != nil {
		return nil, fmt.Errorf("read vectors in history of model %s: %w", g.Model, err)
	}
	return r, nil
}

func (r *rows) add(id int64, values []byte) {
	r.chunks = append(r.chunks, id)
	r.values = append(r.values, values...)
	r.lengths = append(r.lengths, float32(math.Sqrt(float64(dot(values, values)))))
}

func (r *rows) byID() *rows {
	order := make([]int, len(r.chunks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.chunks[a], r.chunks[b]) })
	out := *r
	out.chunks, out.values, out.lengths = make([]int64, len(order)), make([]byte, 0, len(r.values)), make([]float32, len(order))
	for i, from := range order {
		out.chunks[i], out.lengths[i] = r.chunks[from], r.lengths[from]
		out.values = append(out.values, r.values[from*r.width:(from+1)*r.width]...)
	}
	return &out
}
