package trace

// This file defines atoms: the pieces into which a version's text is cut to be compared with another version's.

import (
	"crypto/sha256"
	"strings"
	"unicode"
	"unicode/utf8"

	"docket/db"
)

// The kinds of spans that matter here.
const (
	spanSentence = "sentence"
	spanRow      = "row"
	spanLines    = "lines"
)

// An atomHash tells atoms apart by what they say, without what does not matter in text of their kind.
type atomHash [16]byte

// An atom is a sentence, a list item, a table row, or one line of code: a span, except that groups of code lines are taken apart,
// since where one group ends depends on what stands above it.
type atom struct {
	hash       atomHash
	start, end int  // bytes in the version's text
	chars      int  // code points of the normalised text
	row        bool // a table's row: it is recognised by its place alone
	front      bool // front matter, whose order means nothing
}

// longSentence is the length in bytes from which a sentence that does not end like one is taken for a piece of a longer text, a log or
// a list without points. Where such a text is cut depends on what stands above, so it is compared line by line.
const longSentence = 600

// atomsOf cuts a version's text along its spans, in reading order.
func atomsOf(kind, text string, chunks []db.Chunk) []atom {
	var out []atom
	front := frontEnd(kind, text)
	pieces := 0 // the end of the last piece of a text that is too long for one span
	for i := range chunks {
		c := &chunks[i]
		spans := c.Spans
		if len(spans) == 0 {
			spans = []db.Span{{Kind: spanSentence, Start: c.Start, End: c.End}}
		}
		header := ""
		if c.HeaderEnd > c.HeaderStart {
			header = foldLines(text[c.HeaderStart:c.HeaderEnd])
		}
		for _, s := range spans {
			switch s.Kind {
			case spanLines:
				first := len(out)
				out = appendLines(out, text, s)
				for k := first; k < len(out); k++ {
					out[k].front = out[k].end <= front
				}
			case spanRow:
				words := foldLines(text[s.Start:s.End])
				a := newAtom(words, s.Start, s.End)
				if a.row = true; header != "" && s.Start >= c.HeaderEnd { // a cell means what its column's header says
					a.hash = hashOf(words + "\x00" + header)
				}
				out = append(out, a)
			default:
				words := fold(text[s.Start:s.End]) // how long it is does not hang on line ends either
				if goesOn := pieces > 0 && oneBreak(text[pieces:s.Start]); goesOn || len(words) > longSentence && !ends(words) {
					out = appendLines(out, text, s)
					pieces = s.End
					continue
				}
				out = append(out, newAtom(words, s.Start, s.End))
			}
			pieces = 0
		}
	}
	return out
}

// frontEnd returns where the front matter of a note ends.
func frontEnd(kind, text string) int {
	if kind != "markdown" || !strings.HasPrefix(text, "---") {
		return 0
	}
	at := 0
	for l := range strings.Lines(text) {
		if mark := strings.TrimRight(l, " \t\r\n"); at > 0 && (mark == "---" || mark == "...") {
			return at
		}
		at += len(l)
	}
	return 0
}

// oneBreak reports whether a gap is the end of one line and no more.
func oneBreak(gap string) bool {
	gap = strings.ReplaceAll(gap, "\r\n", "\n")
	return strings.Count(gap, "\n")+strings.Count(gap, "\r") == 1
}

// ends reports whether a text ends as a sentence does.
func ends(s string) bool {
	s = strings.TrimRight(s, "\"')]}*_~`”’»›」』）】》")
	for _, mark := range []string{".", "!", "?", "…", "。", "｡", "！", "？"} {
		if strings.HasSuffix(s, mark) {
			return true
		}
	}
	return false
}

func newAtom(words string, start, end int) atom {
	return atom{hash: hashOf(words), start: start, end: end, chars: utf8.RuneCountInString(words)}
}

func hashOf(words string) atomHash {
	h := sha256.Sum256([]byte(words))
	return atomHash(h[:16])
}

// appendLines appends one atom for each line of s that is not blank. A span begins behind the indentation of its first line, which
// is put back, so that a line's hash does not depend on where in its group it stands.
func appendLines(out []atom, text string, s db.Span) []atom {
	first := s.Start
	for first > 0 && (text[first-1] == ' ' || text[first-1] == '\t') {
		first--
	}
	if first > 0 && text[first-1] != '\n' && text[first-1] != '\r' {
		first = s.Start // it begins in the middle of a line
	}
	for at := s.Start; at < s.End; {
		n := strings.IndexAny(text[at:s.End], "\r\n")
		if n < 0 {
			n = s.End - at
		}
		from := at
		if at == s.Start {
			from = first
		}
		if line := strings.TrimRight(text[from:at+n], " \t"); strings.TrimSpace(line) != "" {
			out = append(out, newAtom(line, at, from+len(line)))
		}
		at += n + 1
	}
	return out
}

// fold makes every run of white space one space: what prose says does not depend on how its lines are broken.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// wordsHash is kept beside a place, so that damage shows.
func wordsHash(s string) []byte {
	h := db.HashOf(fold(s))
	return h[:]
}

// foldLines keeps the white space inside lines, which means something in data and code, but not line ends and what trails before them.
func foldLines(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// A run is a range of atoms: first up to but not including last.
type run struct{ first, last int }

func (r run) len() int { return r.last - r.first }

// runOf returns the atoms that the bytes start to end touch.
func runOf(atoms []atom, start, end int) run {
	r := run{}
	for r.first < len(atoms) && atoms[r.first].end <= start {
		r.first++
	}
	for r.last = r.first; r.last < len(atoms) && atoms[r.last].start < end; r.last++ {
	}
	return r
}

// anchorOf returns the smallest run of whole spans of c that covers the bytes start to end.
func anchorOf(c *db.Chunk, start, end int) (int, int) {
	from, to := -1, -1
	for _, s := range c.Spans {
		if s.End > start && s.Start < end {
			if from < 0 {
				from = s.Start
			}
			to = s.End
		}
	}
	if from < 0 {
		return start, end
	}
	return from, to
}

// findQuote returns the range of text that covers every place where the quote stands: word for word, or else with other white
// space. A quote that stands in several places could mean any of them, so all of them are watched.
func findQuote(text, quote string) (start, end int, ok bool) {
	if start = strings.Index(text, quote); start >= 0 {
		return start, strings.LastIndex(text, quote) + len(quote), true
	}
	folded, at := foldWithPlaces(text)
	quote = fold(quote)
	if quote == "" {
		return 0, 0, false
	}
	first := strings.Index(folded, quote)
	if first < 0 {
		return 0, 0, false
	}
	last := strings.LastIndex(folded, quote) + len(quote)
	return at[first], at[last-1] + 1, true
}

// foldWithPlaces folds like fold, and tells for each byte of the result where it stood.
func foldWithPlaces(s string) (string, []int) {
	var b []byte
	var at []int
	space := false
	for i, r := range s {
		if unicode.IsSpace(r) {
			space = len(b) > 0
			continue
		}
		if space {
			b, at, space = append(b, ' '), append(at, i-1), false
		}
		n := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, n = utf8.DecodeRuneInString(s[i:])
		}
		for k := range n {
			b, at = append(b, s[i+k]), append(at, i+k)
		}
	}
	return string(b), at
}
