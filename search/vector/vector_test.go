package vector_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
	"docket/search/embed"
	"docket/search/vector"
)

// model is a model that makes vectors up: of the letters in a text, none for a text without letters.
type model struct {
	name  string
	dim   int
	calls *int
}

func (m model) ID() string      { return m.name }
func (m model) Dim() int        { return m.dim }
func (m model) Weight() float64 { return .25 }
func (m model) Embed(text string) ([]float32, bool) {
	if m.calls != nil {
		*m.calls++
	}
	v := make([]float32, m.dim)
	for i, c := range []byte(text) {
		if c >= 'a' && c <= 'z' {
			v[(int(c)*7+i)%m.dim]++
		}
	}
	return v, slices.Max(v) > 0
}

// store makes a document's new version of the texts, one passage each, current, without any vector; it returns the passages' row ids.
func store(t *testing.T, d *db.DB, key string, texts ...string) (ids []int64) {
	t.Helper()
	ctx := t.Context()
	whole := strings.Join(texts, "\n\n")
	chunks := make([]db.Chunk, len(texts))
	at := 0
	for i, s := range texts {
		chunks[i] = db.Chunk{Kind: "paragraph", Start: at, End: at + len(s)}
		at += len(s) + 2
	}
	v := db.Version{ContentHash: db.HashOf(whole), Kind: "text", Title: key, Parser: "text/1", Encoding: "utf-8"}
	if err := d.Update(ctx, func(tx *db.Tx) error {
		r := db.Root{Name: "r", Path: "/r", State: db.RootOnline}
		if err := tx.PutRoot(ctx, &r); err != nil {
			return err
		}
		doc, err := tx.PutDocument(ctx, r.ID, "r/"+key)
		if err != nil {
			return err
		}
		if doc.Current != 0 {
			old, err := tx.Chunks(ctx, doc.Current)
			if err != nil {
				return err
			}
			var gone []int64
			for _, c := range old {
				gone = append(gone, c.Row)
			}
			if err := vector.Retire(ctx, tx, gone); err != nil {
				return err
			}
		}
		if err := tx.PutVersion(ctx, doc, &v, whole, []db.Section{{Parent: -1, End: len(whole)}}, chunks); err != nil {
			return err
		}
		_, err = tx.Activate(ctx, doc.ID, v.Row)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range chunks {
		ids = append(ids, c.Row)
	}
	return ids
}

func texts(ctx context.Context, tx *db.Tx, chunks []int64) (out []string, err error) {
	for _, row := range chunks {
		c, err := tx.Chunk(ctx, row)
		if err != nil {
			return nil, err
		}
		s, err := tx.Text(ctx, c.VersionRow, c.Start, c.End)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func backfill(t *testing.T, d *db.DB, m vector.Model) int {
	t.Helper()
	n, err := vector.Backfill(t.Context(), d, m, 3, texts)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func state(t *testing.T, d *db.DB) (s vector.State) {
	t.Helper()
	if err := d.View(t.Context(), func(tx *db.Tx) error {
		n, err := db.One(t.Context(), tx, db.Value[int], `SELECT count(*) FROM document d JOIN chunk c ON c.version_id = d.current_version`)
		if err != nil {
			return err
		}
		s, err = vector.StateOf(t.Context(), tx, n)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// told is a state as one line.
func told(t *testing.T, d *db.DB) string {
	t.Helper()
	s := state(t, d)
	return fmt.Sprintf("%s %d/%d serving %q next %q", s.State, s.Done, s.Todo, s.Serving.Model, s.Next.Model)
}

func nearest(t *testing.T, d *db.DB, m vector.Model, text string, k int, keep func(int64) bool) (ids []int64) {
	t.Helper()
	if err := d.View(t.Context(), func(tx *db.Tx) error {
		g := generation(t, tx)
		if err := g.Fits(m); err != nil {
			return err
		}
		q, ok := m.Embed(text)
		if !ok {
			return errors.New("the query has no vector")
		}
		n, err := vector.Nearest(t.Context(), tx, g, q, keep)
		for _, m := range n.Top(k) {
			ids = append(ids, m.Chunk)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return ids
}

func sound(t *testing.T, d *db.DB) {
	t.Helper()
	found, err := vector.Check(t.Context(), d)
	if err != nil || len(found) > 0 {
		t.Errorf("check: %v, %v", found, err)
	}
}

func TestStates(t *testing.T) {
	d := dbtest.Open(t)
	a, b := model{name: "a", dim: 12}, model{name: "b", dim: 20}
	want := func(s string) {
		t.Helper()
		sound(t, d)
		if got := told(t, d); got != s {
			t.Errorf("got  %s\nwant %s", got, s)
		}
	}
	store(t, d, "1.md", "apple", "pear", "123", "plum")
	want(`missing 0/4 serving "" next ""`)
	if n := backfill(t, d, a); n != 4 {
		t.Errorf("embedded %d, want 4", n)
	}
	want(`ready 4/0 serving "a" next ""`) // 123 has no vector, and none is missing
	store(t, d, "2.md", "cherry")
	want(`building 4/1 serving "a" next ""`)
	store(t, d, "1.md", "apple", "quince")
	want(`building 0/3 serving "a" next ""`)
	backfill(t, d, a)
	want(`ready 3/0 serving "a" next ""`)

	// Another model, other dimensions: its vectors are made beside the old ones, which go on answering (Cases 64, 66).
	failing := errors.New("cut off")
	calls := 0
	_, err := vector.Backfill(t.Context(), d, b, 2, func(ctx context.Context, tx *db.Tx, c []int64) ([]string, error) {
		if calls++; calls > 1 {
			return nil, failing
		}
		return texts(ctx, tx, c)
	})
	if !errors.Is(err, failing) {
		t.Errorf("backfill: %v", err)
	}
	want(`stale 2/1 serving "a" next "b"`)
	if got := nearest(t, d, a, "quince", 10, nil); len(got) != 3 {
		t.Errorf("meanwhile found %v", got)
	}
	// Resumed, it embeds only what it has not (Case 72).
	if n := backfill(t, d, b); n != 1 {
		t.Errorf("resumed: embedded %d, want 1", n)
	}
	want(`ready 3/0 serving "b" next ""`)
}

// A generation half-way to a model that nobody asks for any more is given up, and the one that answers stays.
func TestModelChangedAgain(t *testing.T) {
	d := dbtest.Open(t)
	a, b, c := model{name: "a", dim: 12}, model{name: "b", dim: 20}, model{name: "c", dim: 16}
	store(t, d, "1.md", "apple", "pear")
	backfill(t, d, a)
	stop := errors.New("stop")
	for _, m := range []model{b, c} {
		if _, err := vector.Backfill(t.Context(), d, m, 2, func(context.Context, *db.Tx, []int64) ([]string, error) { return nil, stop }); !errors.Is(err, stop) {
			t.Fatal(err)
		}
	}
	if got, want := told(t, d), `stale 0/2 serving "a" next "c"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	backfill(t, d, c)
	if got, want := told(t, d), `ready 2/0 serving "c" next ""`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	sound(t, d)
}

// Case 80: a second run embeds nothing, and the file does not grow.
func TestSecondBackfillDoesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docket.db")
	d := dbtest.OpenAt(t, path)
	calls := 0
	m := model{"a", 100, &calls}
	store(t, d, "1.md", "apple", "pear", "...", "plum", "cherry")
	backfill(t, d, m)
	if calls != 5 {
		t.Errorf("embedded %d texts, want 5", calls)
	}
	size := func() (n int64) {
		for _, suffix := range []string{"", "-wal"} {
			if fi, err := os.Stat(path + suffix); err == nil {
				n += fi.Size()
			}
		}
		return n
	}
	before := size()
	if n := backfill(t, d, m); n != 0 || calls != 5 {
		t.Errorf("again: %d passages, %d texts", n, calls)
	}
	if after := size(); after != before {
		t.Errorf("the file went from %d to %d bytes", before, after)
	}
}

// Cases 65, 72: what does not fit is refused and named; a row that is written again takes its place.
func TestPut(t *testing.T) {
	d := dbtest.Open(t)
	ids := store(t, d, "1.md", "apple")
	ctx := t.Context()
	m := model{name: "a", dim: 4}
	put := func(v []float32) error {
		return d.Update(ctx, func(tx *db.Tx) error {
			all, err := vector.Ensure(ctx, tx, m)
			if err != nil {
				return err
			}
			return vector.Put(ctx, tx, all[0], []vector.Row{{Chunk: ids[0], Vector: v}})
		})
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, v := range map[string][]float32{
		"short": {1, 2, 3}, "long": {1, 2, 3, 4, 5}, "empty": {}, "zeros": {0, 0, 0, 0}, "not a number": {1, nan, 0, 0}, "infinite": {1, inf, 0, 0},
	} {
		if err := put(v); err == nil || !strings.Contains(err.Error(), fmt.Sprint("chunk ", ids[0])) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, v := range [][]float32{{1, 0, 0, 0}, nil, {0, 1, 0, 0}, {0, 0, -1, 0}, {0, 0, -1, 0}} {
		if err := put(v); err != nil {
			t.Fatal(err)
		}
		sound(t, d)
		if got := told(t, d); got != `ready 1/0 serving "a" next ""` {
			t.Errorf("after %v: %s", v, got)
		}
	}
	if err := d.View(ctx, func(tx *db.Tx) error {
		n, err := vector.Nearest(ctx, tx, state(t, d).Serving, []float32{0, 0, -2, 0}, nil)
		if top := n.Top(1); len(top) != 1 || top[0].Cosine != 1 {
			t.Errorf("nearest: %v", top)
		}
		if _, err := vector.Nearest(ctx, tx, state(t, d).Serving, []float32{0, 0, 1}, nil); err == nil {
			t.Error("a query of another size was taken")
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// Cases 68, 71: more passages than vec0's limit on k, and a small folder beside a huge one.
func TestScopeIsInsideTheScan(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of rows")
	}
	d := dbtest.Open(t)
	ctx := t.Context()
	var huge []string
	for i := range 5000 {
		huge = append(huge, fmt.Sprintf("apple %d", i))
	}
	store(t, d, "huge.md", huge...)
	small := store(t, d, "small.md", "zebra pen", "quartz", "42")
	m := model{name: "a", dim: 100}
	if _, err := vector.Backfill(ctx, d, m, 1000, texts); err != nil {
		t.Fatal(err)
	}
	if got := nearest(t, d, m, "apple", 10000, nil); len(got) != 5002 {
		t.Errorf("found %d, want all 5002", len(got))
	}
	keep := func(id int64) bool { return slices.Contains(small, id) }
	if got := nearest(t, d, m, "apple", 10, keep); len(got) != 2 || !keep(got[0]) || !keep(got[1]) {
		t.Errorf("in the small folder: %v, want two of %v", got, small)
	}
	if got := nearest(t, d, m, "apple", 10, func(int64) bool { return false }); len(got) != 0 {
		t.Errorf("in an empty scope: %v", got)
	}
}

// The scan over vec0's own tables finds what vec0 finds, after any mix of operations.
func TestNearestIsVec0s(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	rnd := rand.New(rand.NewPCG(1, 2))
	m := model{name: "a", dim: 100}
	var ids []int64
	for i := range 5 {
		ids = append(ids, store(t, d, fmt.Sprint(i), slices.Repeat([]string{"x y z"}, 130)...)...)
	}
	random := func() []float32 {
		v := make([]float32, m.dim)
		for i := range v {
			v[i] = float32(rnd.NormFloat64())
		}
		return v
	}
	for round := range 6 {
		if err := d.Update(ctx, func(tx *db.Tx) error {
			all, err := vector.Ensure(ctx, tx, m)
			if err != nil {
				return err
			}
			var rows []vector.Row
			var gone []int64
			for _, id := range ids {
				switch n := rnd.IntN(10); {
				case n < 4:
					rows = append(rows, vector.Row{Chunk: id, Vector: random()})
				case n < 5:
					rows = append(rows, vector.Row{Chunk: id})
				case n < 7:
					gone = append(gone, id)
				}
			}
			rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			if err := vector.Put(ctx, tx, all[0], rows); err != nil {
				return err
			}
			if round%2 == 0 {
				return vector.Retire(ctx, tx, gone)
			}
			return vector.Drop(ctx, tx, gone)
		}); err != nil {
			t.Fatal(err)
		}
		sound(t, d)
		g := state(t, d).Serving
		for range 10 {
			q := random()
			var got, want []vector.Match
			if err := d.View(ctx, func(tx *db.Tx) error {
				n, err := vector.Nearest(ctx, tx, g, q, nil)
				if err != nil {
					return err
				}
				got = n.Top(20)
				for _, m := range got {
					if c, ok := n.Cosine(m.Chunk); !ok || c != m.Cosine {
						t.Errorf("Cosine(%d) = %v, %v, want %v", m.Chunk, c, ok, m.Cosine)
					}
				}
				want, err = knn(ctx, tx, g, q, 20)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, near); diff != "" {
				t.Fatalf("round %d (-vec0 +scan):\n%s", round, diff)
			}
		}
	}
}

// near takes cosines for equal that differ in the last places of a float32, in which vec0 adds up.
var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })

// knn asks vec0 itself.
func knn(ctx context.Context, tx *db.Tx, g vector.Generation, q []float32, k int) ([]vector.Match, error) {
	return db.Query(ctx, tx, func(r db.Row, m *vector.Match) error {
		err := r.Scan(&m.Chunk, &m.Cosine)
		m.Cosine = 1 - m.Cosine
		return err
	}, fmt.Sprintf(`SELECT chunk_id, distance FROM vec_g%d WHERE e MATCH vec_int8(?) AND k = ? ORDER BY distance`, g.ID), eightBits(q), k)
}

// eightBits is a vector as the rows hold it.
func eightBits(v []float32) []byte {
	var largest float64
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	out := make([]byte, (len(v)+7)/8*8)
	for i, x := range v {
		out[i] = byte(int8(math.Round(float64(x) / largest * 127)))
	}
	return out
}

func TestMedian(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	rnd := rand.New(rand.NewPCG(3, 4))
	m := model{name: "a", dim: 8}
	for size := 1; size < 40; size += 3 {
		ids := store(t, d, fmt.Sprint(size), slices.Repeat([]string{"x"}, size)...)
		rows := make([]vector.Row, size)
		for i := range rows {
			rows[i] = vector.Row{Chunk: ids[i], Vector: make([]float32, 8)}
			for j := range rows[i].Vector {
				rows[i].Vector[j] = float32(rnd.NormFloat64())
			}
		}
		if err := d.Update(ctx, func(tx *db.Tx) error {
			gs, err := vector.Ensure(ctx, tx, m)
			if err != nil {
				return err
			}
			if err := vector.Put(ctx, tx, gs[0], rows); err != nil {
				return err
			}
			n, err := vector.Nearest(ctx, tx, generation(t, tx), rows[0].Vector, func(id int64) bool { return slices.Contains(ids, id) })
			if err != nil {
				return err
			}
			all := n.Top(size)
			want := all[size/2].Cosine
			if n.Rows != size || n.Max != all[0].Cosine || math.Abs(n.Median-want) > .0006 {
				t.Errorf("%d rows: %d, max %v, median %v, want %v", size, n.Rows, n.Max, n.Median, want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func generation(t *testing.T, tx *db.Tx) vector.Generation {
	t.Helper()
	all, err := vector.Generations(t.Context(), tx)
	if err != nil || len(all) == 0 {
		t.Fatalf("generations: %v, %v", all, err)
	}
	return all[0]
}

// What stops being current leaves the index and passes into history; when it comes back it leaves that.
func TestHistory(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	m := model{name: "a", dim: 12}
	history := func() (ids []int64) {
		if err := d.View(ctx, func(tx *db.Tx) (err error) {
			ids, err = db.Query(ctx, tx, db.Value[int64], `SELECT chunk_id FROM vector_history WHERE length(e) = 16 ORDER BY 1`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	old := store(t, d, "1.md", "apple", "pear", "123")
	backfill(t, d, m)
	store(t, d, "1.md", "plum")
	if diff := cmp.Diff(old[:2], history()); diff != "" {
		t.Error(diff)
	}
	if got := nearest(t, d, m, "apple", 10, nil); len(got) != 0 {
		t.Errorf("found %v of what is past", got)
	}
	if err := d.Update(ctx, func(tx *db.Tx) error {
		return vector.Put(ctx, tx, generation(t, tx), []vector.Row{{Chunk: old[0], Vector: make([]float32, 11, 12)}})
	}); err == nil {
		t.Error("a short vector was taken")
	}
	if diff := cmp.Diff(old[:2], history()); diff != "" {
		t.Errorf("after a write that was refused: %s", diff)
	}
	if err := d.Update(ctx, func(tx *db.Tx) error {
		v, _ := m.Embed("apple")
		if err := vector.Put(ctx, tx, generation(t, tx), []vector.Row{{Chunk: old[0], Vector: v}}); err != nil {
			return err
		}
		return vector.Drop(ctx, tx, old[1:])
	}); err != nil {
		t.Fatal(err)
	}
	if got := history(); len(got) != 0 {
		t.Errorf("history holds %v", got)
	}
}

// vec0 does not fill holes, so a store whose files change a lot is built anew, without losing a passage on the way.
func TestHolesAreClosed(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of rows")
	}
	d := dbtest.Open(t)
	ctx := t.Context()
	m := model{name: "a", dim: 8}
	for i := range 20 {
		store(t, d, fmt.Sprint(i, "-stays.md"), "quince") // so that vec0 cannot free a piece
		store(t, d, fmt.Sprint(i, "-changes.md"), slices.Repeat([]string{"apple"}, 250)...)
	}
	backfillAll(t, d, m)
	for i := range 20 {
		store(t, d, fmt.Sprint(i, "-changes.md"), "pear")
	}
	places := func() (n int) {
		if err := d.View(ctx, func(tx *db.Tx) (err error) {
			n, err = db.One(ctx, tx, db.Value[int], fmt.Sprintf(`SELECT sum(size) FROM vec_g%d_chunks`, generation(t, tx).ID))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := places(); n < 4500 {
		t.Fatalf("%d places: vec0 fills holes now", n)
	}
	if n := backfillAll(t, d, m); n != 40 {
		t.Errorf("embedded %d, want 40", n)
	}
	if n := places(); n != 256 {
		t.Errorf("%d places for 40 rows", n)
	}
	if got, want := told(t, d), `ready 40/0 serving "a" next ""`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := nearest(t, d, m, "quince", 100, nil); len(got) != 40 {
		t.Errorf("found %d, want 40", len(got))
	}
	if n := backfillAll(t, d, m); n != 0 {
		t.Errorf("again: embedded %d", n)
	}
	sound(t, d)
}

func backfillAll(t *testing.T, d *db.DB, m vector.Model) int {
	t.Helper()
	n, err := vector.Backfill(t.Context(), d, m, 1000, texts)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// SQLite's own check does not see that vec0 lost a piece; ours does.
func TestCheckFindsDamage(t *testing.T) {
	for name, stmt := range map[string]string{
		"lost vectors": `DELETE FROM vec_g1_vector_chunks00`,
		"lost bits":    `DELETE FROM vec_g1_vector_chunks01`,
		"lost row":     `DELETE FROM vec_g1_rowids WHERE rowid = 1`,
		"lost piece":   `DELETE FROM vec_g1_chunks`,
		"lost bit":     `UPDATE vec_g1_chunks SET validity = zeroblob(length(validity))`,
		"stray row":    `UPDATE document SET current_version = NULL`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			d := dbtest.OpenAt(t, path)
			store(t, d, "1.md", "apple", "pear")
			backfill(t, d, model{name: "a", dim: 12})
			sound(t, d)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			raw(t, path, stmt)
			found, err := vector.Check(t.Context(), dbtest.OpenAt(t, path))
			if err != nil || len(found) == 0 {
				t.Errorf("found %v, %v", found, err)
			}
		})
	}
}

// raw runs a statement on a closed store, with nothing of ours in between.
func raw(t *testing.T, path, stmt string) {
	t.Helper()
	r, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Exec(stmt); err != nil {
		t.Fatalf("%s: %v", stmt, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkNearest(b *testing.B) {
	d := dbtest.Open(b)
	ctx := b.Context()
	m := embed.Static()
	rnd := rand.New(rand.NewPCG(1, 2))
	const n = 100_000
	if err := d.Update(ctx, func(tx *db.Tx) error {
		all, err := vector.Ensure(ctx, tx, m)
		if err != nil {
			return err
		}
		rows := make([]vector.Row, n)
		for i := range rows {
			v := make([]float32, m.Dim())
			for j := range v {
				v[j] = float32(rnd.NormFloat64())
			}
			rows[i] = vector.Row{Chunk: int64(i + 1), Vector: v}
		}
		return vector.Put(ctx, tx, all[0], rows)
	}); err != nil {
		b.Fatal(err)
	}
	q, _ := m.Embed("who approved the migration")
	run := func(name string, fn func(tx *db.Tx, g vector.Generation) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := d.View(ctx, func(tx *db.Tx) error {
					all, err := vector.Generations(ctx, tx)
					if err != nil {
						return err
					}
					return fn(tx, all[0])
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("scan", func(tx *db.Tx, g vector.Generation) error {
		n, err := vector.Nearest(ctx, tx, g, q, nil)
		n.Top(100)
		return err
	})
	run("scoped", func(tx *db.Tx, g vector.Generation) error {
		_, err := vector.Nearest(ctx, tx, g, q, func(id int64) bool { return id%2 == 0 })
		return err
	})
	run("vec0", func(tx *db.Tx, g vector.Generation) error {
		_, err := knn(ctx, tx, g, q, 100)
		return err
	})
	b.Run("after a change", func(b *testing.B) {
		for b.Loop() {
			if err := d.Update(ctx, func(tx *db.Tx) error {
				all, err := vector.Generations(ctx, tx)
				if err != nil {
					return err
				}
				if err := vector.Put(ctx, tx, all[0], []vector.Row{{Chunk: 1, Vector: q}}); err != nil {
					return err
				}
				all, err = vector.Generations(ctx, tx)
				if err != nil {
					return err
				}
				_, err = vector.Nearest(ctx, tx, all[0], q, nil)
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
