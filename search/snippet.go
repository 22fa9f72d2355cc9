package search

// This file defines snippets: the few words of a passage around its best match, safe to show anywhere.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docket/db"
)

// edge is how far, in bytes, a snippet's end is moved to stand between two words.
const edge = 60

// A match is a place where a passage has a term of the query.
type match struct{ start, end, term int }

// snippet returns at most n characters of a passage: a verbatim run of it around the place where most of the query's weight lies
// together. Credentials are masked; control characters are made visible, and what turns or hides text is dropped.
func snippet(text string, words []term, n int) (string, error) {
	found, err := matches(text, words)
	if err != nil {
		return "", err
	}
	text = Mask(text)
	start, end := window(text, found, words, n)
	return visible(text[start:end]), nil
}

// matches finds the terms of a query in a text, by the index's own idea of what a word is.
func matches(text string, words []term) ([]match, error) {
	at := map[string]int{}
	for i, w := range words {
		at[w.stored] = i
	}
	var joined strings.Builder
	var tokens []token
	var starts []int // of the tokens in joined
	s := segmenter{emit: func(t token) {
		tokens, starts = append(tokens, t), append(starts, joined.Len())
		joined.WriteString(t.text)
		joined.WriteByte(' ')
	}}
	s.text(text)
	stored, err := db.Terms(joined.String())
	if err != nil {
		return nil, err
	}
	var out []match
	i := 0
	for _, w := range stored {
		for i+1 < len(starts) && starts[i+1] <= w.Start {
			i++
		}
		if k, ok := at[w.Text]; ok {
			out = append(out, match{tokens[i].start, tokens[i].end, k})
		}
	}
	return out, nil
}

// window chooses the bytes of text to show, at most n characters.
func window(text string, found []match, words []term, n int) (start, end int) {
	if utf8.RuneCountInString(text) <= n {
		return 0, len(text)
	}
	first, last := best(text, found, words, n)
	start, end = first, last
	room := n - utf8.RuneCountInString(text[first:last])
	// Half of what is left goes before the matches; what one side does not need is the other's.
	for i := 0; i < room && (start > 0 || end < len(text)); i++ {
		if start > 0 && (i%2 == 0 || end == len(text)) {
			_, size := utf8.DecodeLastRuneInString(text[:start])
			start -= size
		} else {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
	}
	start = startAt(text, start, max(first, start))
	return start, endAt(text, end, min(last, end), start)
}

// best returns the run of matches that fits into n characters and weighs most, a repeated term little more than once; the first of
// equals. Without a match it is the beginning.
func best(text string, found []match, words []term, n int) (start, end int) {
	most := 0.0
	for i := range found {
		seen := map[int]bool{}
		weight, chars, at := 0.0, 0, found[i].start
		for _, m := range found[i:] {
			if m.end > at {
				chars += utf8.RuneCountInString(text[at:m.end])
				at = m.end
			}
			if chars > n {
				break
			}
			w := 1 / float64(len(found))
			if !seen[m.term] {
				seen[m.term] = true
				w += max(words[m.term].weight, 1e-3)
			}
			if weight += w; weight > most {
				most, start, end = weight, found[i].start, at
			}
		}
	}
	return start, end
}

// startAt moves the start of a window on to the next word, at most to the first match.
func startAt(text string, start, first int) int {
	for at := start; at <= first && at-start <= edge; {
		if opens(text, at) {
			return at
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	for at := start; at <= first; at++ { // on, not back: the window may not grow
		if (at == len(text) || utf8.RuneStart(text[at])) && back(text, at) == at {
			return at
		}
	}
	return start
}

// endAt moves the end of a window back to the end of a word, at most to the last match's, and leaves something after floor.
func endAt(text string, end, last, floor int) int {
	for at := end; at >= last && at > floor && end-at <= edge; {
		if opens(text, at) || at == len(text) || spaceAt(text, at) {
			return floor + len(strings.TrimRightFunc(text[floor:at], unicode.IsSpace))
		}
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return max(back(text, end), floor)
}

func spaceAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsSpace(r)
}

// opens reports whether a word begins at a place: after white space, or at any whole character of a script without spaces.
func opens(text string, at int) bool {
	if at == 0 {
		return true
	}
	if at == len(text) {
		return false
	}
	a, _ := utf8.DecodeLastRuneInString(text[:at])
	b, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsSpace(a) && !unicode.IsSpace(b) || (classOf(a) == gram || classOf(b) == gram) && back(text, at) == at
}

// visible makes text safe to show: control characters become pictures of themselves, a lone CR a line end, and characters that
// turn the direction of text or cannot be seen are dropped. No character becomes two.
func visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f }) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r' && strings.HasPrefix(s[i:], "\r\n"):
			b.WriteRune(r)
		case r == '\r':
			b.WriteByte('\n')
		case r < ' ':
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		case 0x80 <= r && r < 0xa0, r == 0xAD, r == 0x61C, r == 0xFEFF, 0x200B <= r && r <= 0x200F && r != 0x200C && r != 0x200D,
			0x2028 <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F, 0xFFF9 <= r && r <= 0xFFFB, 0xE0000 <= r && r <= 0xE0FFF:
			// variation selectors above the first sixteen are in here too: they can carry hidden text
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
