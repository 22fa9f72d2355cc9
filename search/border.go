package search

// This file defines where a text may be cut.

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// lookBack is how many code points a grapheme cluster is looked for before a place; a longer one is an attack, not a letter.
const lookBack = 64

// back returns the last border between grapheme clusters at or before a place in text that lies on a code-point border.
func back(text string, at int) int {
	if at <= 0 || at >= len(text) {
		return at
	}
	from := at
	for range lookBack {
		if from == 0 || from < at && text[from] == '\n' {
			break
		}
		_, n := utf8.DecodeLastRuneInString(text[:from])
		from -= n
	}
	rest, state, border := text[from:], -1, from
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if border+len(cluster) > at {
			return border
		}
		if border += len(cluster); border == at {
			return at
		}
	}
	return border
}

// cut returns the first n characters of text, less what would go through a grapheme cluster, and whether anything is missing.
func cut(text string, n int) (string, bool) {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if at == len(text) {
		return text, false
	}
	return text[:back(text, at)], true
}
