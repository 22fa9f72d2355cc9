package embed

// This file defines which rows a text's words stand for, and what a word stands for that the table does not hold.

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxWord = 48 // bytes; what is longer is no word
	minStem = 3  // letters that an ending leaves
	minHalf = 4  // letters of each half of a compound
)

// endings are tried in this order; each is replaced by what stands beside it.
var endings = [...]struct{ from, to string }{
	{"ies", "y"},
	{"ied", "y"},
	{"es", "e"},
	{"es", ""},
	{"s", ""},
	{"ed", "e"},
	{"ed", ""},
	{"ing", ""},
	{"ing", "e"},
	{"ily", "y"},
	{"ly", ""},
	{"er", "e"},
	{"er", ""},
	{"or", "e"},
	{"or", ""},
	{"isation", "ization"},
	{"ise", "ize"},
	{"yse", "yze"},
	{"our", "or"},
	{"ae", "e"},
	{"ization", "ize"},
	{"ation", "ate"},
	{"ation", "e"},
	{"ation", ""},
	{"ness", ""},
	{"able", ""},
	{"able", "e"},
	{"ally", ""},
	{"ic", ""},
	{"al", ""},
	{"ity", ""},
	{"ity", "e"},
	{"ism", ""},
	{"ist", ""},
}

// text adds the rows of a text's words: runs of letters and digits, whatever their case, accents and compatibility forms.
func (s *sum) text(text string) {
	for at := 0; at < len(text); {
		start, plain, letters := at, true, false
		for at < len(text) {
			if c := text[at]; c < utf8.RuneSelf {
				if !alnum(c) && !(c == '-' && at > start && at+1 < len(text) && alnum(text[at+1])) {
					break
				}
				at, letters = at+1, letters || c >= 'A'
				continue
			}
			r, n := utf8.DecodeRuneInString(text[at:])
			if !unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Cf) && r != hyphen {
				break
			}
			at, plain, letters = at+n, false, letters || unicode.IsLetter(r)
		}
		if at == start {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
			continue
		}
		before := s.common
		if word := text[start:at]; plain {
			s.word(word)
		} else if word = fold(word); ascii(word) {
			s.word(word)
			s.common = before // naïve and café are rarer than für and già
		}
		if letters {
			s.words++
			s.common = min(s.common, before+1)
		} else {
			s.common = before
		}
	}
}

// hyphen is one at which no line may end.
const hyphen = '\u2011'

// borrowed are words that are common in English texts as parts of names, and in texts of other languages as what they are.
var borrowed = set("al au da das de dei del della den der des di die do dos du e el en et ja je la las le les los ma mi na ne o que se si su te tu un una und van von y")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fold returns a word in compatibility form, without accents and without marks that nobody sees.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Cf):
			return -1
		case r == '‐': // what NFKD makes of a hyphen
			return '-'
		}
		return r
	}, norm.NFKD.String(word))
}

func alnum(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// word adds the rows of a word, in whichever way the table knows it.
func (s *sum) word(text string) {
	if len(text) > maxWord {
		return
	}
	var buf [maxWord]byte
	w := append(buf[:0], text...)
	for i, c := range w {
		if c >= 'A' && c <= 'Z' {
			w[i] = c | 0x20
		}
	}
	if rank, ok := s.m.ranks[string(w)]; ok {
		s.add(rank)
		return
	}
	if head, tail, found := strings.Cut(text, "-"); found {
		s.word(head)
		s.word(tail)
		return
	}
	if rank, ok := s.stem(w); ok {
		s.add(rank)
		return
	}
	if i := border(text); i > 0 {
		s.word(text[:i])
		s.word(text[i:])
		return
	}
	if a, b, ok := s.compound(w); ok {
		s.add(a)
		s.add(b)
	}
}

// stem looks for the word without its ending.
func (s *sum) stem(w []byte) (rank int32, ok bool) {
	var buf [maxWord + 8]byte
	for _, e := range endings {
		if len(w)-len(e.from) < minStem || !bytes.HasSuffix(w, []byte(e.from)) {
			continue
		}
		stem := append(append(buf[:0], w[:len(w)-len(e.from)]...), e.to...)
		if rank, ok = s.m.ranks[string(stem)]; ok {
			return rank, true
		}
		if n := len(stem); e.to == "" && n > minStem && stem[n-1] == stem[n-2] { // planned, running
			if rank, ok = s.m.ranks[string(stem[:n-1])]; ok {
				return rank, true
			}
		}
	}
	return 0, false
}

// border returns where a name like httpServer, HTTPServer or utf8 falls into words, 0 for nowhere.
func border(w string) int {
	for i := 1; i < len(w); i++ {
		a, b := w[i-1], w[i]
		switch {
		case lower(a) && upper(b), digit(a) != digit(b):
			return i
		case upper(a) && upper(b) && i+1 < len(w) && lower(w[i+1]):
			return i
		}
	}
	return 0
}

func lower(c byte) bool { return c >= 'a' && c <= 'z' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

// compound finds the two words that make up the word: of all such pairs the one whose rarer word is the commonest.
func (s *sum) compound(w []byte) (a, b int32, ok bool) {
	for i := minHalf; i <= len(w)-minHalf; i++ {
		head, ok1 := s.m.ranks[string(w[:i])]
		tail, ok2 := s.m.ranks[string(w[i:])]
		if ok1 && ok2 && (!ok || max(head, tail) < max(a, b)) {
			a, b, ok = head, tail, true
		}
	}
	return a, b, ok
}
