package search_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"docket/search"
)

// plainDistance is what the bit-parallel search computes, by the textbook.
func plainDistance(quote, text []string) int {
	row := make([]int, len(quote)+1)
	for i := range row {
		row[i] = i
	}
	least := row[len(quote)]
	for _, w := range text {
		diagonal := row[0]
		for i := range quote {
			replace := diagonal
			if quote[i] != w {
				replace++
			}
			diagonal = row[i+1]
			row[i+1] = min(replace, row[i]+1, row[i+1]+1)
		}
		least = min(least, row[len(quote)])
	}
	return least
}

func TestDistanceIsTheTextbooks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		letters := 2 + rng.IntN(20)
		words := func(n int) []string {
			out := make([]string, n)
			for i := range out {
				out[i] = string(rune('a' + rng.IntN(letters)))
			}
			return out
		}
		quote, text := words(1+rng.IntN(200)), words(1+rng.IntN(300))
		if rng.IntN(2) == 0 { // much of it is there
			at := rng.IntN(len(text))
			text = append(text[:at:at], append(append([]string{}, quote...), text[at:]...)...)
			for range rng.IntN(8) {
				text[rng.IntN(len(text))] = "other"
			}
		}
		want := plainDistance(quote, text)
		got, said := search.Closest(strings.Join(quote, " "), strings.Join(text, " "))
		if got != want && want < len(quote) || got < want {
			t.Fatalf("%v in %v: distance %d, want %d", quote, text, got, want)
		}
		if got < len(quote) && (said < len(quote)-got || said > len(quote)+got) {
			t.Fatalf("%v in %v: %d words at a distance of %d", quote, text, said, got)
		}
	}
}
