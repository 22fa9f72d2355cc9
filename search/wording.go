package search

// This file defines wordings: a text as quotes are compared with it, with all folded that a faithful quote may change.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A wording is a text, its folded form and its words. Folded are runs of white space, of quote marks and of dashes, white space beside those
// and between characters of a script without spaces, case, and what looks the same: composed and decomposed letters, ligatures,
// an ellipsis and three dots, soft hyphens and what else cannot be seen. Nothing else is: another number, word or comma is another text.
type wording struct {
	raw    string
	folded string
	words  []said
}

// A said is one word of a wording: a run of letters and digits, a number with its points, or one character of a script without spaces.
type said struct {
	id         int32  // equal words have equal ones
	gap        string // what stands before it, folded
	start, end int    // bytes in raw
}

// A vocabulary numbers words.
type vocabulary map[string]int32

func (v vocabulary) id(word string) int32 {
	n, ok := v[word]
	if !ok {
		n = int32(len(v))
		v[word] = n
	}
	return n
}

// A glyph is one character of a folded text, and the bytes it came from.
type glyph struct {
	r          rune
	start, end int
}

const (
	quoteMark = '"'
	dash      = '-'
)

// newWording folds a text and cuts it into words.
func (v vocabulary) newWording(text string) *wording {
	glyphs := foldGlyphs(text)
	w := &wording{raw: text}
	var b strings.Builder
	for _, m := range glyphs {
		b.WriteRune(m.r)
	}
	w.folded = b.String()
	places := make([]int, len(glyphs)+1) // of the glyphs in folded
	for i, m := range glyphs {
		places[i+1] = places[i] + utf8.RuneLen(m.r)
	}
	gap := 0
	for i := 0; i < len(glyphs); {
		end := wordEnd(glyphs, i)
		if end == i {
			i++
			continue
		}
		w.words = append(w.words, said{v.id(w.folded[places[i]:places[end]]), w.folded[places[gap]:places[i]], glyphs[i].start, glyphs[end-1].end})
		i, gap = end, end
	}
	return w
}

// wordEnd returns the end of the word that begins at i, i where none does.
func wordEnd(glyphs []glyph, i int) int {
	at := func(i int) class {
		if i >= len(glyphs) {
			return gap
		}
		return classOf(glyphs[i].r)
	}
	switch at(i) {
	case gram:
		for i++; at(i) == mark; i++ {
		}
		return i
	case word:
	default:
		return i
	}
	for {
		for at(i) == word || at(i) == mark {
			i++
		}
		if i < len(glyphs) && (glyphs[i].r == '.' || glyphs[i].r == ',') && unicode.IsDigit(glyphs[i-1].r) && i+1 < len(glyphs) && unicode.IsDigit(glyphs[i+1].r) {
			i++
			continue
		}
		return i
	}
}

// foldGlyphs folds a text.
func foldGlyphs(text string) []glyph {
	out := make([]glyph, 0, len(text))
	space := glyph{r: -1} // white space since the last character, if it is a space
	add := func(r rune, start, end int) {
		switch {
		case unicode.IsSpace(r):
			if space.r < 0 {
				space = glyph{' ', start, end}
			}
			return
		case invisible(r):
			return
		}
		r = foldRune(r)
		if n := len(out); n > 0 {
			last := out[n-1].r
			if last == r && space.r < 0 && (r == quoteMark || r == dash) {
				out[n-1].end = end
				return
			}
			if space.r >= 0 && !closes(last) && !closes(r) {
				out = append(out, space)
			}
		}
		space.r = -1
		out = append(out, glyph{r, start, end})
	}
	if norm.NFC.IsNormalString(text) {
		for i, r := range text {
			_, n := utf8.DecodeRuneInString(text[i:])
			addAll(add, r, i, i+n)
		}
		return out
	}
	var it norm.Iter
	it.InitString(norm.NFC, text)
	for !it.Done() {
		start := it.Pos()
		piece := string(it.Next())
		for _, r := range piece {
			addAll(add, r, start, it.Pos())
		}
	}
	return out
}

// addAll adds a character, or those that it stands for.
func addAll(add func(rune, int, int), r rune, start, end int) {
	if s, ok := spelled[r]; ok {
		for _, r := range s {
			add(r, start, end)
		}
		return
	}
	add(r, start, end)
}

var spelled = map[rune]string{'…': "...", 'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st"}

// closes reports whether white space beside a character says nothing.
func closes(r rune) bool { return r == quoteMark || r == dash || classOf(r) == gram }

func invisible(r rune) bool {
	return r == 0xAD || r == 0x34F || r == 0xFEFF || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x206F
}

// foldRune gives all quote marks one form, all dashes one, and letters that differ in case alone.
func foldRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return r
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	}
	switch r {
	case '"', '\'', '`', '´', 'ʹ', 'ʺ', 'ʻ', 'ʼ', 'ʽ', '«', '»', '‹', '›', '′', '″', '‴', '「', '」', '『', '』', '〝', '〞', '〟', '＂', '＇', '｢', '｣':
		return quoteMark
	case '-', '−', '⸺', '⸻', '﹘', '﹣', '－', '⁃':
		return dash
	}
	switch {
	case 0x2018 <= r && r <= 0x201F:
		return quoteMark
	case 0x2010 <= r && r <= 0x2015:
		return dash
	case r < utf8.RuneSelf:
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return foldASCII(least)
}

// foldASCII is for the few letters outside ASCII whose other case is inside: the Kelvin sign, the long s.
func foldASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// has reports whether a folded quote stands in the text.
func (w *wording) has(folded string) bool { return folded != "" && strings.Contains(w.folded, folded) }

// says reports whether a folded quote stands in the text as words of its own, not as a part of longer ones.
func (w *wording) says(folded string) bool {
	if folded == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(w.folded[at:], folded)
		if i < 0 {
			return false
		}
		if border(w.folded, at+i) && border(w.folded, at+i+len(folded)) {
			return true
		}
		_, n := utf8.DecodeRuneInString(w.folded[at+i:])
		at += i + n
	}
}

// place returns the bytes of raw where a folded quote stands first.
func (w *wording) place(folded string) (start, end int, ok bool) {
	at := strings.Index(w.folded, folded)
	if at < 0 || folded == "" {
		return 0, 0, false
	}
	start = -1
	i := 0 // in folded
	for _, g := range foldGlyphs(w.raw) {
		if i >= at && i < at+len(folded) {
			if start < 0 {
				start = g.start
			}
			end = g.end
		}
		i += utf8.RuneLen(g.r)
	}
	return start, end, true
}

// border reports whether no word goes on across a place.
func border(text string, at int) bool {
	if at == 0 || at == len(text) {
		return true
	}
	a, _ := utf8.DecodeLastRuneInString(text[:at])
	b, _ := utf8.DecodeRuneInString(text[at:])
	x, y := classOf(a), classOf(b)
	return (x != word && x != mark || y != word) && y != mark
}
