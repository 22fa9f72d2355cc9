package vector_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	_ "github.com/asg017/sqlite-vec-go-bindings/ncruces" // sqlite-vec 0.1.6 in SQLite 3.47, in WebAssembly
	"github.com/ncruces/go-sqlite3"

	"docket/db"
	"docket/db/dbtest"
	"docket/search/vector"
)

// An engine is another build of SQLite and sqlite-vec, open on a copy of a store.
type engine interface {
	// knn returns row ids and distances for a vector in the form of a row.
	knn(t *testing.T, stmt string, vector []byte, k int) []vector.Match
}

// The file outlives the program, so what is written by one build of vec0 has to mean the same to others: every row of a store, put to
// another engine as a query, has the neighbours there that it has here, by its values and by its bits.
func sameNeighbours(t *testing.T, open func(t *testing.T, path string) engine) {
	d := dbtest.Open(t)
	ctx := t.Context()
	fill(t, d, 700)
	g := state(t, d).Serving
	path := filepath.Join(t.TempDir(), "copy.db") // the store itself must not be opened twice in one process
	if err := d.Backup(ctx, path, func(context.Context, *db.DB) ([]db.Problem, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	other := open(t, path)
	type stored struct {
		id   int64
		e, b []byte
	}
	var rows []stored
	ask := func(stmt string, v []byte, k int) (out []vector.Match) {
		if err := d.View(ctx, func(tx *db.Tx) (err error) {
			out, err = db.Query(ctx, tx, func(r db.Row, m *vector.Match) error { return r.Scan(&m.Chunk, &m.Cosine) }, stmt, v, k)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if err := d.View(ctx, func(tx *db.Tx) (err error) {
		rows, err = db.Query(ctx, tx, func(r db.Row, s *stored) error { return r.Scan(&s.id, &s.e, &s.b) },
			fmt.Sprintf(`SELECT chunk_id, e, b FROM vec_g%d ORDER BY chunk_id`, g.ID))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 300 {
		t.Fatalf("%d rows", len(rows))
	}
	byValues := fmt.Sprintf(`SELECT chunk_id, distance FROM vec_g%d WHERE e MATCH vec_int8(?) AND k = ?`, g.ID)
	byBits := fmt.Sprintf(`SELECT chunk_id, distance FROM vec_g%d WHERE b MATCH vec_bit(?) AND k = ?`, g.ID)
	for _, r := range rows {
		compare(t, r.id, ask(byValues, r.e, 10), other.knn(t, byValues, r.e, 10))
		here, there := ask(byBits, r.b, 10), other.knn(t, byBits, r.b, 10)
		for i := range here { // bits tie, and which of the last is left out is anybody's choice
			if here[i].Cosine != there[i].Cosine {
				t.Errorf("bits of row %d: distances %v here, %v there", r.id, here, there)
				break
			}
		}
	}
	if len(rows) != len(other.knn(t, byValues, rows[0].e, 4096)) {
		t.Error("the copy has another number of rows")
	}
}

func compare(t *testing.T, id int64, here, there []vector.Match) {
	t.Helper()
	same := slices.EqualFunc(here, there, func(a, b vector.Match) bool { return a.Chunk == b.Chunk && math.Abs(a.Cosine-b.Cosine) < 1e-6 })
	if !same {
		t.Errorf("row %d: here %v, there %v", id, here, there)
	}
}

// fill makes a store of so many passages, writes rows, and takes some out again, so that there are holes.
func fill(t *testing.T, d *db.DB, n int) {
	t.Helper()
	ctx := t.Context()
	rnd := rand.New(rand.NewPCG(5, 6))
	ids := store(t, d, "1.md", slices.Repeat([]string{"x y z"}, n)...)
	if err := d.Update(ctx, func(tx *db.Tx) error {
		all, err := vector.Ensure(ctx, tx, model{name: "a", dim: 100})
		if err != nil {
			return err
		}
		var rows []vector.Row
		var gone []int64
		for _, id := range ids {
			v := make([]float32, 100)
			for i := range v {
				v[i] = float32(rnd.NormFloat64())
			}
			rows = append(rows, vector.Row{Chunk: id, Vector: v})
			if rnd.IntN(3) == 0 {
				gone = append(gone, id)
			}
		}
		if err := vector.Put(ctx, tx, all[0], rows); err != nil {
			return err
		}
		if err := vector.Put(ctx, tx, all[0], rows[:50]); err != nil { // again
			return err
		}
		return vector.Drop(ctx, tx, gone)
	}); err != nil {
		t.Fatal(err)
	}
}

// wasm is the engine of the backup's independent check.
type wasm struct{ *sqlite3.Conn }

func TestSameNeighboursInWebAssembly(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a whole SQLite first")
	}
	sameNeighbours(t, func(t *testing.T, path string) engine {
		c, err := sqlite3.Open("file:" + path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
		return wasm{c}
	})
}

func (w wasm) knn(t *testing.T, stmt string, v []byte, k int) (out []vector.Match) {
	t.Helper()
	s, _, err := w.Prepare(stmt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := s.BindBlob(1, v); err != nil {
		t.Fatal(err)
	}
	if err := s.BindInt(2, k); err != nil {
		t.Fatal(err)
	}
	for s.Step() {
		out = append(out, vector.Match{Chunk: s.ColumnInt64(0), Cosine: s.ColumnFloat(1)})
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
