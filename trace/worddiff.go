package trace

// This file defines the word diff: what a reader is shown of two texts that should be the same.

import (
	"strings"
	"unicode"
)

// The operations of a [DiffPart].
const (
	DiffEqual  = "equal"
	DiffDelete = "delete"
	DiffInsert = "insert"
)

// A DiffPart is a stretch of text that both versions have, or one of them.
type DiffPart struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// WordDiff tells two texts apart word by word: the equal and deleted parts together are the old text, the equal and inserted parts
// the new one. Texts that have too little in common come out as one deletion and one insertion.
func WordDiff(oldText, newText string) []DiffPart {
	a, b := tokens(oldText), tokens(newText)
	ids := map[string]int{}
	number := func(words []string) []int {
		out := make([]int, len(words))
		for i, w := range words {
			id, ok := ids[w]
			if !ok {
				id = len(ids)
				ids[w] = id
			}
			out[i] = id
		}
		return out
	}
	matches := diff(number(a), number(b))
	matches = append(dropWeak(matches, a, len(b)), match{len(a), len(b)})
	var out []DiffPart
	add := func(op string, words []string) {
		if len(words) == 0 {
			return
		}
		text := strings.Join(words, "")
		if n := len(out); n > 0 && out[n-1].Op == op {
			out[n-1].Text += text
			return
		}
		out = append(out, DiffPart{op, text})
	}
	i, j := 0, 0
	for _, m := range matches {
		add(DiffDelete, a[i:m.A])
		add(DiffInsert, b[j:m.B])
		if m.A < len(a) {
			add(DiffEqual, a[m.A:m.A+1])
		}
		i, j = m.A+1, m.B+1
	}
	return out
}

// dropWeak leaves out matches of white space and signs that stand alone between two changes: they would cut a change into crumbs.
func dropWeak(matches []match, a []string, endB int) []match {
	var out []match
	for first := 0; first < len(matches); {
		last := first + 1
		for last < len(matches) && matches[last].A == matches[last-1].A+1 && matches[last].B == matches[last-1].B+1 {
			last++
		}
		from, to := matches[first], matches[last-1]
		words := false
		for _, m := range matches[first:last] {
			words = words || strings.ContainsFunc(a[m.A], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		}
		atEdge := from.A == 0 && from.B == 0 || to.A == len(a)-1 && to.B == endB-1
		if words || atEdge {
			out = append(out, matches[first:last]...)
		}
		first = last
	}
	return out
}

// tokens cuts a text into words, runs of white space, and single signs; every ideograph is a word.
func tokens(s string) []string {
	const (
		space = iota
		word
		single
	)
	class := func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return space
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			return single
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return word
		}
		return single
	}
	var out []string
	start, was := 0, -1
	for i, r := range s {
		c := class(r)
		if i > 0 && (c != was || c == single) {
			out = append(out, s[start:i])
			start = i
		}
		was = c
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// diffContext is how many characters of equal text are shown on each side of a change.
const diffContext = 60

// renderDiff writes a diff as [-old-]{+new+}, with long equal stretches left out, in about limit characters.
func renderDiff(parts []DiffPart, limit int) string {
	var b strings.Builder
	for i, p := range parts {
		text := p.Text
		switch p.Op {
		case DiffDelete:
			text = "[-" + cut(text, limit/2) + "-]"
		case DiffInsert:
			text = "{+" + cut(text, limit/2) + "+}"
		default:
			if n := chars(text); n > 2*diffContext+1 {
				before, after := "", ""
				if i > 0 {
					before = head(text, diffContext)
				}
				if i+1 < len(parts) {
					after = text[len(head(text, n-diffContext)):]
				}
				text = before + "…" + after
			}
		}
		b.WriteString(text)
		if chars(b.String()) > limit {
			return cut(b.String(), limit)
		}
	}
	return b.String()
}
