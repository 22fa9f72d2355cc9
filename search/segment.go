package search

// This file defines segmentation: how a text is cut into words before the index sees it. Index and query are cut alike.
//
// FTS5's unicode61 finds the words of most scripts by itself. Three things it cannot do, and so they happen here. Scripts without
// spaces between words become overlapping pairs of characters, and single ones. Identifiers, versions and file names become their
// parts, as before, and the whole. Vowel signs, which unicode61 takes for gaps, are kept as private-use characters, which it
// takes for letters.

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	joiner   = '\U000F002E' // between the parts of a whole: 1.2.3 is never the number 123
	markBase = 0xF0000      // a vowel sign is kept at this plus its low 16 bits
	maxWhole = 100          // bytes: what is longer is data, not a name
)

// A token is one word as it is handed to FTS5, and the bytes it stands for.
type token struct {
	text       string
	start, end int
	whole      bool // an identifier, whose parts are tokens too
	extra      bool // a whole that its parts nearly say: they are words, not mere numbers or humps
}

// A segmenter hands the tokens of a text to emit.
type segmenter struct {
	emit  func(token)
	query bool // pairs of characters are enough: who asks for two does not ask for one
}

// spaceless are the scripts that put no space between words, and Hangul, whose words carry endings.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// A class is what a code point is to segmentation.
type class int

const (
	gap   class = iota
	word        // a letter or digit
	gram        // a character of a script without spaces
	mark        // belongs to the character before it
	blank       // invisible inside a word
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return word
		}
		return gap
	case r == 0xAD || r == 0x200D || r == 0x2060 || r == 0xFEFF || r == 0x640:
		return blank
	case r == 0x30FC || r == 0xFF70: // the long vowel of kana
		return gram
	case 0x1160 <= r && r <= 0x11FF || 0xD7B0 <= r && r <= 0xD7FF: // a syllable's vowel and end, where it is written in letters
		return mark
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		if r >= 0xE00 && unicode.In(r, spaceless...) {
			return gram
		}
		return word
	case unicode.IsMark(r):
		return mark
	}
	return gap
}

func (s *segmenter) text(text string) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch classOf(r) {
		case word:
			i = s.name(text, i)
		case gram:
			i = s.grams(text, i)
		default:
			i += n
			if r == 0x1b {
				i += colour(text[i:])
			}
		}
	}
}

// colour returns the length of what follows an ESC in the sequences that colour a terminal's text. Their letter stands right before
// the coloured word, of which it is no part.
func colour(text string) int {
	if !strings.HasPrefix(text, "[") {
		return 0
	}
	n := 1
	for n < len(text) && ' ' <= text[n] && text[n] < '@' {
		n++
	}
	if n < len(text) && text[n] <= '~' {
		return n + 1
	}
	return 0
}

// run returns the end of the run of c, marks and blanks that starts at i.
func run(text string, i int, c class) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if k := classOf(r); k != c && k != mark && k != blank {
			break
		}
		i += n
	}
	return i
}

// fold brings a run into the form that is indexed: compatibility forms resolved, invisible characters dropped, vowel signs kept.
func fold(run string) string {
	ascii := true
	for i := 0; i < len(run) && ascii; i++ {
		ascii = run[i] < utf8.RuneSelf
	}
	if ascii {
		return run
	}
	var b strings.Builder
	for _, r := range norm.NFKC.String(run) {
		switch {
		case classOf(r) == blank:
		case r < 0x370 || !unicode.IsMark(r):
			b.WriteRune(r) // Latin marks are folded by unicode61
		case 0x591 <= r && r <= 0x6ED: // points of Hebrew and Arabic, which few people write
		default:
			b.WriteRune(markBase + r&0xFFFF)
		}
	}
	return b.String()
}

// grams emits a run of a script without spaces, one character and one pair at a time. It returns the end of the run.
func (s *segmenter) grams(text string, start int) int {
	end := run(text, start, gram)
	type unit struct{ start, end int } // a character with its marks
	var units []unit
	for i, r := range text[start:end] {
		at := start + i
		if k := classOf(r); len(units) == 0 || k == gram {
			units = append(units, unit{at, at + utf8.RuneLen(r)})
		} else {
			units[len(units)-1].end = at + utf8.RuneLen(r)
		}
	}
	for i, u := range units {
		if !s.query || len(units) == 1 {
			s.emit(token{fold(text[u.start:u.end]), u.start, u.end, false, false})
		}
		if i+1 < len(units) {
			s.emit(token{fold(text[u.start:units[i+1].end]), u.start, units[i+1].end, false, false})
		}
	}
	return end
}

// name emits a word, or words tied by dots, hyphens and the like without a space: `v1.2.3-rc.1`, `parseURL`, `a'b`. Each part is a
// token; so is the whole, and what stands between its hyphens, where it looks like an identifier and not like prose. It returns the end.
func (s *segmenter) name(text string, start int) int {
	type part struct{ start, end int }
	parts := []part{{start, run(text, start, word)}}
	var ties []byte
	for {
		at := parts[len(parts)-1].end
		if at+1 >= len(text) || strings.IndexByte("._-'", text[at]) < 0 {
			break
		}
		if r, _ := utf8.DecodeRuneInString(text[at+1:]); classOf(r) != word {
			break
		}
		ties = append(ties, text[at])
		parts = append(parts, part{at + 1, run(text, at+1, word)})
	}
	end := parts[len(parts)-1].end
	if initials(text[start:end], len(parts)) {
		s.emit(token{strings.ReplaceAll(text[start:end], ".", ""), start, end, false, false})
		return end
	}
	identifier := bytes.ContainsAny(ties, "._")
	for _, p := range parts {
		w := fold(text[p.start:p.end])
		identifier = identifier || strings.ContainsAny(w, "0123456789")
		if cuts := humps(text[p.start:p.end]); len(cuts) > 0 {
			identifier = true
			from := 0
			for _, to := range append(cuts, p.end-p.start) {
				s.emit(token{fold(text[p.start+from : p.start+to]), p.start + from, p.start + to, false, false})
				from = to
			}
			s.emit(token{w, p.start, p.end, true, false})
		} else {
			s.emit(token{w, p.start, p.end, false, false})
		}
	}
	if !identifier || len(parts) == 1 || end-start > maxWhole {
		return end
	}
	for from := 0; from < len(parts); {
		to := from
		for to < len(ties) && ties[to] != '-' && ties[to] != '\'' {
			to++
		}
		if to > from && to-from < len(parts)-1 {
			s.whole(text, parts[from].start, parts[to].end)
		}
		from = to + 1
	}
	if bytes.IndexByte(ties, '\'') < 0 {
		s.whole(text, start, end)
	}
	return end
}

// initials reports whether a name of so many parts is letters with dots between: U.S. is indexed as US.
func initials(name string, parts int) bool {
	letters := 0
	for i, r := range name {
		if i%2 == 0 && (r < 'A' || r > 'Z' && r < 'a' || r > 'z') || i%2 == 1 && r != '.' {
			return false
		}
		letters += 1 - i%2
	}
	return parts > 1 && letters == parts
}

// whole emits an identifier as one token, and a version also without its v.
func (s *segmenter) whole(text string, start, end int) {
	w := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && classOf(r) == gap {
			return joiner
		}
		return r
	}, text[start:end])
	w = fold(w)
	extra := strings.ContainsFunc(w, func(r rune) bool { return r != joiner && (r < '0' || r > '9') })
	s.emit(token{w, start, end, true, extra})
	if len(w) > 1 && (w[0] == 'v' || w[0] == 'V') && '0' <= w[1] && w[1] <= '9' {
		s.whole(text, start+1, end)
	}
}

// humps returns where camelCase is cut: before a capital that follows a small letter, and before the last of several capitals
// when a small letter follows it.
func humps(w string) []int {
	var cuts []int
	for i := 1; i < len(w); i++ {
		if w[i] < 'A' || w[i] > 'Z' {
			continue
		}
		before, capital := w[i-1], w[i-1] >= 'A' && w[i-1] <= 'Z'
		small := i+1 < len(w) && w[i+1] >= 'a' && w[i+1] <= 'z' && w[i+1:] != "s" // URLs
		if before >= 'a' && before <= 'z' || before >= '0' && before <= '9' && small || capital && small {
			cuts = append(cuts, i)
		}
	}
	return cuts
}

// indexed returns a text as it is handed to FTS5.
func indexed(texts ...string) string {
	var b strings.Builder
	s := segmenter{emit: func(t token) {
		b.WriteString(t.text)
		b.WriteByte(' ')
	}}
	for _, t := range texts {
		s.text(t)
	}
	return b.String()
}
