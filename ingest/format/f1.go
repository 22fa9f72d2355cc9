package format

// This file defines the score of an extraction: how far its words are those of a reference.

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// F1 scores an extracted text against a reference by their bags of words: 1 where they hold the same words equally often, in any
// order. Words are runs of letters, marks and digits after NFKC, in lower case; Chinese and Japanese count by character.
func F1(got, want string) float64 {
	g, w := wordBag(got), wordBag(want)
	var ng, nw, both int
	for word, n := range g {
		ng += n
		both += min(n, w[word])
	}
	for _, n := range w {
		nw += n
	}
	if ng+nw == 0 {
		return 1
	}
	return 2 * float64(both) / float64(ng+nw)
}

func wordBag(s string) map[string]int {
	bag := map[string]int{}
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			bag[word.String()]++
			word.Reset()
		}
	}
	for _, r := range strings.ToLower(norm.NFKC.String(s)) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush()
			bag[string(r)]++
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			word.WriteRune(r)
		default:
			flush()
		}
	}
	flush()
	return bag
}
