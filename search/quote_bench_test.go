//go:build unix

package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"docket/db"
	"docket/search"
)

// The worst that a call can ask: quotes of the full length that nothing has, and a thousand passages to look for them in. A quote takes
// time in proportion to the passages' words, and a step for each 64 of its own.
func BenchmarkQuotes(b *testing.B) {
	d, word := filled(b, 1000)
	var ids []string
	if err := d.View(b.Context(), func(tx *db.Tx) (err error) {
		ids, err = db.Query(b.Context(), tx, db.Value[string], `SELECT 'c_' || evidence FROM chunk ORDER BY id`)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	for _, chars := range []int{100, 1000, 4000} {
		b.Run(fmt.Sprint(chars), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			var text strings.Builder
			for text.Len() < chars {
				text.WriteString(word(int(rng.ExpFloat64()*100)) + " ")
			}
			start := cpu()
			for b.Loop() {
				v, err := search.CheckCitations(context.Background(), d, search.CitationCheck{
					Quotes: []search.Quote{{EvidenceID: ids[0], Quote: text.String()[:chars]}}, Sources: ids, Fetched: func(string) (bool, bool) { return true, false },
				})
				if err != nil || v.Verdicts[0].QuoteStatus != search.Absent {
					b.Fatalf("%+v, %v", v, err)
				}
			}
			b.ReportMetric(float64((cpu()-start).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}
