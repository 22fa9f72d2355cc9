// Package embed turns a text into a vector whose direction is its meaning. It owns the models; it knows no database, opens no
// file and asks no network.
//
// The built-in model is a table of words, embedded in the binary. Its arithmetic is over integers up to the last step, so that a
// text has the same vector on every machine. A text that the model cannot make sense of, for want of a word that it knows or because it
// is in another language, has no vector at all: one of zeros would be as near to everything as to nothing, and one of foreign names near
// to other foreign names. Whoever changes what a text's vector is gives the model a new ID.
package embed

// This file defines the built-in model: a table of words, a vector for each, and how a text's vector is made of them.

import (
	_ "embed"
	"encoding/binary"
	"math"
	"strings"
	"sync"
)

// What names the built-in model: its table, the rules of this package that lead from a text to rows of it, and the first half of
// the table's SHA-256 (model/PROVENANCE.md).
const (
	staticID     = "static-t4.1-43d5d8d709111004"
	staticWeight = .15
)

const tableMagic = "docketE1"

//go:embed model/static-t4-int4.bin
var staticTable string

// A Model is a table of word vectors. It is safe for concurrent use.
type Model struct {
	id     string
	dim    int
	weight float64

	ranks  map[string]int32 // word → row; the commonest word is row 0
	common []bool           // whether a row's word tells that a text is in English; of the first rows only
	scales string           // 4 bytes a row, in units of 2^-32
	rows   string           // half a byte a value, low half first, 8 stands for 0
}

// Static returns the built-in model, which is read the first time it is asked for.
func Static() *Model { return static() }

var static = sync.OnceValue(func() *Model {
	m := readTable(staticTable)
	m.id, m.weight = staticID, staticWeight
	return m
})

// readTable takes a table apart: the magic, the numbers of words, dimensions and bytes of words, each a little-endian uint32, the
// words, each ended by a newline, then the scales and the rows. Nothing is copied.
func readTable(t string) *Model {
	word := func(at int) int { return int(binary.LittleEndian.Uint32([]byte(t[at : at+4]))) }
	const header = len(tableMagic) + 12
	n, dim, size := word(8), word(12), word(16)
	if t[:8] != tableMagic || len(t) != header+size+4*n+n*dim/2 {
		panic("embed: the built-in table is damaged") // it is part of the binary
	}
	words, rest := t[header:header+size], t[header+size:]
	m := &Model{dim: dim, ranks: make(map[string]int32, n), scales: rest[:4*n], rows: rest[4*n:]}
	for w := range strings.Lines(words) {
		w = w[:len(w)-1]
		if len(m.common) < commonest {
			m.common = append(m.common, !borrowed[w])
		}
		m.ranks[w] = int32(len(m.ranks))
	}
	return m
}

// ID names the model and its rules. Vectors of different ids cannot be compared.
func (m *Model) ID() string { return m.id }

// Dim returns the number of values of a vector.
func (m *Model) Dim() int { return m.dim }

// Weight returns how much the model's similarity should count beside a lexical score, when both lie between 0 and 1.
func (m *Model) Weight() float64 { return m.weight }

// Embed returns the text's vector, of length 1. ok is false for a text that holds no word the model knows, and for one in another
// language than the model's.
func (m *Model) Embed(text string) (vec []float32, ok bool) {
	s := sum{m: m, values: make([]int64, m.dim)}
	s.text(text)
	return s.unit()
}

// A sum adds rows up, in units of 2^-32: whole numbers, so that neither the order of the words nor the machine matters.
type sum struct {
	m      *Model
	values []int64

	words, common int // words of the text, and those of them that are among the commonest of the table
}

func (s *sum) add(rank int32) {
	b := s.m.scales[4*rank : 4*rank+4]
	scale := int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 | int64(b[3])<<24
	half := len(s.values) / 2
	row := s.m.rows[int(rank)*half : (int(rank)+1)*half]
	for i := range len(row) {
		s.values[2*i] += scale * (int64(row[i]&15) - 8)
		s.values[2*i+1] += scale * (int64(row[i]>>4) - 8)
	}
	if int(rank) < len(s.m.common) && s.m.common[rank] {
		s.common++
	}
}

const (
	commonest = 10_000 // words of the table that make up most of any English text
	expected  = 55     // in a hundred of a text's words at least are among them
)

// foreign reports whether the text is in another language than the model. Such a text has words that the table holds, names and
// borrowings, but not what they mean in it. Fewer common words than expected, by more than twice the deviation that chance allows
// (the square root of the words), tell.
func (s *sum) foreign() bool {
	missing := expected*s.words - 100*s.common
	return missing > 0 && missing*missing > 100*100*s.words
}

// unit returns the sum's direction. The conversions keep a compiler from fusing a product into a sum, which not every machine can.
func (s *sum) unit() (vec []float32, ok bool) {
	var square float64
	for _, v := range s.values {
		square += float64(float64(v) * float64(v))
	}
	if square == 0 || s.foreign() {
		return nil, false
	}
	length := math.Sqrt(square)
	vec = make([]float32, len(s.values))
	for i, v := range s.values {
		vec[i] = float32(float64(v) / length)
	}
	return vec, true
}
