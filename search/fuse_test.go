package search_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docket/search"
)

// A hybrid ranking is that of all passages, however few are asked for: each limit gives the beginning of the longest list, in which no
// passage is missing that either leg finds.
func TestLimitCutsTheRanking(t *testing.T) {
	w := corpus(t)
	for _, q := range []string{
		"who approved the migration", "the", "how long are readings kept", "water level at the harbour", "backup restore procedure time",
		"complaints by customers about wrong numbers", "Drucksonde kalibrieren", "電池", "money",
	} {
		for _, mode := range []string{search.Lexical, search.Semantic, search.Hybrid} {
			all := w.ask(search.Query{Text: q, Mode: mode, Limit: 10_000})
			if all.Truncated {
				t.Fatalf("%s %q: truncated", mode, q)
			}
			for i := 1; i < len(all.Hits); i++ {
				if all.Hits[i].Score > all.Hits[i-1].Score {
					t.Errorf("%s %q: hit %d scores more than the one before", mode, q, i+1)
				}
			}
			for _, limit := range []int{1, 2, 5, 17, 60} {
				r := w.ask(search.Query{Text: q, Mode: mode, Limit: limit})
				if r.Truncated != (limit < len(all.Hits)) {
					t.Errorf("%s %q, limit %d of %d: truncated %v", mode, q, limit, len(all.Hits), r.Truncated)
				}
				// A rank below what was looked at is not told, and how often a text is repeated below it neither.
				for i, h := range r.Hits {
					want := all.Hits[i]
					if h.EvidenceID != want.EvidenceID || h.Score != want.Score {
						t.Fatalf("%s %q, limit %d, hit %d: %s %v, want %s %v", mode, q, limit, i+1, h.EvidenceID, h.Score, want.EvidenceID, want.Score)
					}
				}
			}
		}
	}
}

// A hybrid score is the words' share of the best plus the meaning's, by the weight of the model.
func TestFusedScore(t *testing.T) {
	w := corpus(t)
	const query = "who approved the migration to the new database"
	words := w.ask(search.Query{Text: query, Mode: search.Lexical, Limit: 10_000})
	meaning := w.ask(search.Query{Text: query, Mode: search.Semantic, Limit: 10_000})
	best, nearest := words.Hits[0].Score, meaning.Hits[0].Score
	lexical, semantic := map[string]float64{}, map[string]float64{}
	for _, h := range words.Hits {
		lexical[h.EvidenceID] = h.Score
	}
	for _, h := range meaning.Hits {
		semantic[h.EvidenceID] = h.Score
	}
	median := meaning.Hits[(len(meaning.Hits)-1)/2].Score
	got, want := map[string]float64{}, map[string]float64{}
	for _, h := range w.ask(search.Query{Text: query, Mode: search.Hybrid, Limit: 10_000}).Hits {
		got[h.EvidenceID] = h.Score
		want[h.EvidenceID] = lexical[h.EvidenceID]/best + .15*max(0, (semantic[h.EvidenceID]-median)/(nearest-median))
		if l := h.Legs.Lexical; l != nil && l.Score != lexical[h.EvidenceID] {
			t.Errorf("%s: words %v, alone %v", h.EvidenceID, l.Score, lexical[h.EvidenceID])
		}
		if l := h.Legs.Semantic; l != nil && l.Score != semantic[h.EvidenceID] {
			t.Errorf("%s: meaning %v, alone %v", h.EvidenceID, l.Score, semantic[h.EvidenceID])
		}
	}
	// The median is that of all passages, of which some were folded into others here.
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, .01)); diff != "" || len(got) < 20 {
		t.Errorf("%d scores (-want +got):\n%s", len(got), diff)
	}
}
