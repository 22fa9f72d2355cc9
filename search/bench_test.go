//go:build unix

package search_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"docket/db"
	"docket/db/dbtest"
	"docket/search"
)

// cpu returns the processor time that the process has used.
func cpu() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// filled makes a store of n passages of 120 words, spread as unevenly as those of a language, and a word by its rank.
func filled(tb testing.TB, n int) (*db.DB, func(rank int) string) {
	tb.Helper()
	d := dbtest.Open(tb)
	rng := rand.New(rand.NewPCG(5, 6))
	word := func(rank int) string {
		var b []byte
		for r := rank + 30; r > 0; r /= 20 {
			b = append(b, "bcdfghjklmnpqrstvwxz"[r%20], "aeiou"[r%5])
		}
		return string(b)
	}
	zipf := rand.NewZipf(rng, 1.07, 3, 60_000)
	err := d.Update(tb.Context(), func(tx *db.Tx) error {
		root := db.Root{Name: "r", Path: "/r", State: db.RootOnline}
		if err := tx.PutRoot(tb.Context(), &root); err != nil {
			return err
		}
		for i := 0; i < n; {
			doc, err := tx.PutDocument(tb.Context(), root.ID, fmt.Sprintf("r/%05d.md", i))
			if err != nil {
				return err
			}
			var text strings.Builder
			var chunks []db.Chunk
			for range 5 { // passages a document
				start := text.Len()
				for range 120 {
					text.WriteString(word(int(zipf.Uint64())))
					text.WriteByte(' ')
				}
				chunks = append(chunks, db.Chunk{Kind: "paragraph", Start: start, End: text.Len()})
				i++
			}
			v := db.Version{Kind: "text", Title: word(int(zipf.Uint64())), ContentHash: db.HashOf(text.String())}
			sections := []db.Section{{Parent: -1, End: text.Len()}}
			if err := tx.PutVersion(tb.Context(), doc, &v, text.String(), sections, chunks); err != nil {
				return err
			}
			if err := search.Index(tb.Context(), tx, v, text.String(), sections, chunks); err != nil {
				return err
			}
			if _, err := tx.Activate(tb.Context(), doc.ID, v.Row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return d, word
}

// BenchmarkEvidence measures whole searches, snippets included, over 10,000 passages. cpu-µs/op is what docs/benchmarks.md quotes.
func BenchmarkEvidence(b *testing.B) {
	d, word := filled(b, 10_000)
	rng := rand.New(rand.NewPCG(11, 12))
	scope, err := db.ParseScope("r/0*")
	if err != nil {
		b.Fatal(err)
	}
	for _, bb := range []struct {
		name  string
		words int
		from  float64 // the commonest word that may be in a query, by rank
		scope db.Scope
	}{
		{"1 rare word", 1, 1000, db.Scope{}},
		{"3 words", 3, 100, db.Scope{}},
		{"8 words", 8, 100, db.Scope{}},
		{"8 words, common ones too", 8, 1, db.Scope{}},
		{"25 words, common ones too", 25, 1, db.Scope{}},
		{"8 words in a scope", 8, 100, scope},
	} {
		queries := make([]string, 64)
		for i := range queries {
			var q []string
			for range bb.words {
				q = append(q, word(int(bb.from*math.Exp(rng.Float64()*math.Log(20_000/bb.from)))))
			}
			queries[i] = strings.Join(q, " ")
		}
		b.Run(bb.name, func(b *testing.B) {
			i, hits := 0, 0
			run := func() {
				r, err := search.Evidence(b.Context(), d, search.Query{Text: queries[i%len(queries)], Mode: search.Lexical, Limit: 10, SnippetChars: 240, Scope: bb.scope})
				if err != nil {
					b.Fatal(err)
				}
				i, hits = i+1, hits+len(r.Hits)
			}
			for range queries {
				run() // frequencies are looked up once a change of the index
			}
			start := cpu()
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64((cpu()-start).Microseconds())/float64(b.N), "cpu-µs/op")
			b.ReportMetric(float64(hits)/float64(i), "hits/op")
		})
	}
}

// BenchmarkIndex measures what the word index costs a document of five passages.
func BenchmarkIndex(b *testing.B) {
	text := strings.Repeat("The migration was approved by Mara, who had asked for a second look at v1.2.3 of the parser. ", 90)
	d := dbtest.Open(b)
	b.SetBytes(int64(len(text)))
	i := 0
	err := d.Update(b.Context(), func(tx *db.Tx) error {
		root := db.Root{Name: "r", Path: "/r", State: db.RootOnline}
		if err := tx.PutRoot(b.Context(), &root); err != nil {
			return err
		}
		for b.Loop() {
			b.StopTimer()
			doc, err := tx.PutDocument(b.Context(), root.ID, fmt.Sprintf("r/%d.txt", i))
			if err != nil {
				return err
			}
			i++
			v := db.Version{Kind: "text", Title: "notes", ContentHash: db.HashOf(text)}
			chunks := make([]db.Chunk, 5)
			for k := range chunks {
				chunks[k] = db.Chunk{Kind: "paragraph", Start: k * len(text) / 5, End: (k + 1) * len(text) / 5}
			}
			sections := []db.Section{{Parent: -1, End: len(text)}}
			if err := tx.PutVersion(b.Context(), doc, &v, text, sections, chunks); err != nil {
				return err
			}
			b.StartTimer()
			if err := search.Index(b.Context(), tx, v, text, sections, chunks); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
