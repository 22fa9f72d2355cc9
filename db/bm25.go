package db

// This file defines the ranking of FTS5 rows: BM25 with a length normalisation of our choice, which FTS5's own bm25() fixes at .75.
// It is an FTS5 auxiliary function, so that SQLite finds the rows and walks their positions; the driver offers no way to make one,
// hence the calls into its C API below.

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// A Ranking scores the rows that an FTS5 query matches. SQL calls it as `docket_bm25(table, ?)` with [Ranking.Handle] as value; the
// higher the better. It serves one query at a time.
type Ranking struct {
	K1, B   float64
	Average float64   // tokens in a row, on average
	Columns []float64 // what one occurrence counts, by column
	Phrases []float64 // what a phrase of the query weighs, its idf above all; 0 for one that only selects
	Pairs   []Pair
	Lengths []int32 // tokens in a row, by row id; of a row that is not in it, or 0 there, FTS5 is asked

	handle int64
	calls  fts5Calls
	places [][]int64 // where the row has a phrase that is in a pair: column and offset
	paired []bool    // by phrase
}

// A Pair is two phrases whose nearness counts: Weight is added once to a row that has them with at most Within tokens between.
type Pair struct {
	A, B   int // phrases of the query
	Within int64
	Weight float64
}

var (
	rankings    sync.Map // handle → *Ranking
	lastRanking atomic.Int64
)

// Open makes the ranking callable from SQL until Close. Nothing in it may be changed in between.
func (r *Ranking) Open() {
	r.places, r.paired = make([][]int64, len(r.Phrases)), make([]bool, len(r.Phrases))
	for _, p := range r.Pairs {
		r.paired[p.A], r.paired[p.B] = true, true
	}
	r.handle = lastRanking.Add(1)
	rankings.Store(r.handle, r)
}

// Handle returns the value that names the ranking in SQL.
func (r *Ranking) Handle() int64 { return r.handle }

// Close makes the handle invalid.
func (r *Ranking) Close() { rankings.Delete(r.handle) }

// fts5Calls are the functions of Fts5ExtensionApi that a ranking uses.
type fts5Calls struct {
	api         uintptr
	rowid       func(*libc.TLS, uintptr) int64
	phraseCount func(*libc.TLS, uintptr) int32
	columnSize  func(tls *libc.TLS, ctx uintptr, column int32, size uintptr) int32
	phraseFirst func(tls *libc.TLS, ctx uintptr, phrase int32, iter, column, offset uintptr) int32
	phraseNext  func(tls *libc.TLS, ctx, iter, column, offset uintptr)
}

func (c *fts5Calls) resolve(api uintptr) {
	if c.api == api {
		return
	}
	a := at[lib.TFts5ExtensionApi](api)
	*c = fts5Calls{
		api:         api,
		rowid:       callable[func(*libc.TLS, uintptr) int64](a.FxRowid),
		phraseCount: callable[func(*libc.TLS, uintptr) int32](a.FxPhraseCount),
		columnSize:  callable[func(*libc.TLS, uintptr, int32, uintptr) int32](a.FxColumnSize),
		phraseFirst: callable[func(*libc.TLS, uintptr, int32, uintptr, uintptr, uintptr) int32](a.FxPhraseFirst),
		phraseNext:  callable[func(*libc.TLS, uintptr, uintptr, uintptr, uintptr)](a.FxPhraseNext),
	}
}

// cursor is the memory that FTS5 writes into while it walks a phrase's positions in one row.
type cursor struct {
	_              lib.TFts5PhraseIter
	column, offset int32
}

// bm25 is the auxiliary function. SQLite calls it once a row.
func bm25(tls *libc.TLS, api, ctx, result uintptr, n int32, args uintptr) {
	if n != 1 {
		lib.Xsqlite3_result_error_code(tls, result, lib.SQLITE_MISUSE)
		return
	}
	found, ok := rankings.Load(lib.Xsqlite3_value_int64(tls, *at[uintptr](args)))
	if !ok {
		lib.Xsqlite3_result_error_code(tls, result, lib.SQLITE_MISUSE)
		return
	}
	r := found.(*Ranking)
	r.calls.resolve(api)
	score, rc := r.score(tls, ctx)
	if rc != lib.SQLITE_OK {
		lib.Xsqlite3_result_error_code(tls, result, rc)
		return
	}
	lib.Xsqlite3_result_double(tls, result, score)
}

func (r *Ranking) score(tls *libc.TLS, ctx uintptr) (float64, int32) {
	const size = int(unsafe.Sizeof(cursor{}))
	buf := tls.Alloc(size)
	defer tls.Free(size)
	cur := at[cursor](buf)
	iter, column, offset := buf, buf+unsafe.Offsetof(cur.column), buf+unsafe.Offsetof(cur.offset)

	if int(r.calls.phraseCount(tls, ctx)) != len(r.Phrases) {
		return 0, lib.SQLITE_MISUSE
	}
	var length float64
	if row := r.calls.rowid(tls, ctx); row < int64(len(r.Lengths)) && r.Lengths[row] > 0 {
		length = float64(r.Lengths[row])
	} else {
		if rc := r.calls.columnSize(tls, ctx, -1, column); rc != lib.SQLITE_OK {
			return 0, rc
		}
		length = float64(cur.column)
	}
	norm := r.K1 * (1 - r.B + r.B*length/r.Average)
	score := 0.0
	for p, weight := range r.Phrases {
		if weight == 0 {
			continue
		}
		if rc := r.calls.phraseFirst(tls, ctx, int32(p), iter, column, offset); rc != lib.SQLITE_OK {
			return 0, rc
		}
		tf, places := 0.0, r.places[p][:0]
		for cur.column >= 0 {
			tf += r.Columns[cur.column]
			if r.paired[p] {
				places = append(places, int64(cur.column)<<32|int64(cur.offset))
			}
			r.calls.phraseNext(tls, ctx, iter, column, offset)
		}
		r.places[p] = places
		if tf > 0 {
			score += weight * tf * (r.K1 + 1) / (tf + norm)
		}
	}
	for _, p := range r.Pairs {
		if near(r.places[p.A], r.places[p.B], p.Within) {
			score += p.Weight
		}
	}
	return score, lib.SQLITE_OK
}

// near reports whether two ascending lists of places have one each in the same column with at most within tokens between them.
func near(a, b []int64, within int64) bool {
	for len(a) > 0 && len(b) > 0 {
		d := b[0] - a[0] // in another column it is out of all proportion
		switch {
		case d != 0 && -within-1 <= d && d <= within+1:
			return true
		case d > 0:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}

func init() {
	if rc := lib.Xsqlite3_auto_extension(libc.NewTLS(), pointer(register)); rc != lib.SQLITE_OK {
		panic("sqlite3_auto_extension: " + libc.GoString(lib.Xsqlite3_errstr(nil, rc)))
	}
}

// register makes bm25 known to a connection that is being opened.
func register(tls *libc.TLS, conn, _, _ uintptr) int32 {
	api, rc := fts5API(tls, conn)
	if rc != lib.SQLITE_OK {
		return rc
	}
	name, err := libc.CString("docket_bm25")
	if err != nil {
		return lib.SQLITE_NOMEM
	}
	defer libc.Xfree(tls, name)
	create := callable[func(tls *libc.TLS, api, name, data, function, destroy uintptr) int32](at[lib.Tfts5_api](api).FxCreateFunction)
	return create(tls, api, name, 0, pointer(bm25), 0)
}

// fts5API asks a connection for the C API of its FTS5, in the way that SQLite prescribes: a pointer bound to a statement.
func fts5API(tls *libc.TLS, conn uintptr) (api uintptr, rc int32) {
	stmt, err := libc.CString("SELECT fts5(?1)")
	if err != nil {
		return 0, lib.SQLITE_NOMEM
	}
	defer libc.Xfree(tls, stmt)
	kind, err := libc.CString("fts5_api_ptr")
	if err != nil {
		return 0, lib.SQLITE_NOMEM
	}
	defer libc.Xfree(tls, kind)
	const word = int(unsafe.Sizeof(uintptr(0)))
	out := tls.Alloc(2 * word) // the statement, and the pointer that FTS5 fills in
	defer tls.Free(2 * word)
	prepared, answer := at[uintptr](out), at[uintptr](out+uintptr(word))
	*answer = 0
	if rc := lib.Xsqlite3_prepare_v2(tls, conn, stmt, -1, out, 0); rc != lib.SQLITE_OK {
		return 0, rc
	}
	lib.Xsqlite3_bind_pointer(tls, *prepared, 1, out+uintptr(word), kind, 0)
	lib.Xsqlite3_step(tls, *prepared)
	if rc := lib.Xsqlite3_finalize(tls, *prepared); rc != lib.SQLITE_OK {
		return 0, rc
	}
	if *answer == 0 {
		return 0, lib.SQLITE_ERROR
	}
	return *answer, lib.SQLITE_OK
}

// at reads an address in SQLite's memory, which Go's collector neither owns nor moves.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// pointer turns a top-level function into a C function pointer as modernc's translation represents it: the code's address in a word.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// callable turns such a pointer into a function again.
func callable[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }
