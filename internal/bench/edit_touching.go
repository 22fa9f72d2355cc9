package bench

// This file defines the edits that change what is cited. Each must be flagged.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var touching = []Edit{
	{"change a cited word", true, func(s *scene) bool { return s.change(s.Start, s.End) }},
	{"change a cited number", true, func(s *scene) bool {
		from, to, ok := s.pick(number, s.Start, s.End)
		return ok && s.put(from, to, string('0'+(s.old()[from]-'0'+1)%10)+s.old()[from+1:to])
	}},
	{"change the case of a cited letter", true, func(s *scene) bool {
		from, to, ok := s.pick(word, s.Start, s.End)
		if !ok {
			return false
		}
		r, n := utf8.DecodeRuneInString(s.old()[from:to])
		other := unicode.ToUpper(r)
		if other == r {
			other = unicode.ToLower(r)
		}
		return other != r && s.put(from, from+n, string(other))
	}},
	{"put a word into what is cited", true, func(s *scene) bool {
		from, _, ok := s.pick(word, s.Start, s.End)
		return ok && s.put(from, from, "not ")
	}},
	{"take a word out of what is cited", true, func(s *scene) bool {
		from, to, ok := s.pick(word, s.Start, s.End)
		return ok && s.put(from, to, "") && len(word.FindAllStringIndex(s.cited(), 3)) > 2 && s.fewer()
	}},
	{"delete what is cited", true, func(s *scene) bool { return s.put(s.Start, s.End, "") && s.fewer() && !s.couldBeAnother("") }},
	{"replace what is cited", true, func(s *scene) bool {
		return s.put(s.Start, s.End, "Nothing of what stood here is left.") && s.fewer() && !s.couldBeAnother("Nothing of what stood here is left.")
	}},
	{"put a sentence between cited ones", true, func(s *scene) bool {
		if len(s.Spans) < 2 || !s.all("sentence") || s.old()[s.Spans[0].End:s.Spans[1].Start] != " " {
			return false
		}
		return s.put(s.Spans[0].End, s.Spans[0].End, " Something new was said here.") && s.fewer()
	}},
	{"put a line between cited ones", true, func(s *scene) bool {
		first := s.lineEnd(s.Start)
		if s.all("sentence") || first >= s.End || strings.TrimSpace(s.old()[first:s.End]) == "" {
			return false
		}
		line := s.old()[s.lineStart(s.Start):first]
		from := word.FindStringIndex(line)
		if from == nil {
			return false
		}
		return s.put(first, first, line[:from[0]]+"brandnew"+line[from[1]:]) && s.fewer()
	}},
	{"swap two cited pieces", true, func(s *scene) bool {
		if len(s.Spans) < 2 {
			return false
		}
		i := s.rng.IntN(len(s.Spans) - 1)
		a, b := s.Spans[i], s.Spans[i+1]
		if f := s.front(); len(f) > 0 && a.Start < f[len(f)-1].end { // its order means nothing
			return false
		}
		if !word.MatchString(s.old()[a.Start:a.End]) || !word.MatchString(s.old()[b.Start:b.End]) || a.Kind != b.Kind {
			return false
		}
		return s.put(a.Start, b.End, s.old()[b.Start:b.End]+s.old()[a.End:b.Start]+s.old()[a.Start:a.End]) && s.fewer()
	}},
	{"change a cell of a cited row", true, func(s *scene) bool {
		_, _, ok := s.citedTable()
		return ok && s.change(s.Start, s.End)
	}},
	{"change the header of a cited row", true, func(s *scene) bool {
		t, _, ok := s.citedTable()
		return ok && s.change(t.start, s.lineEnd(t.start)-1)
	}},
	{"delete a cited row", true, func(s *scene) bool {
		_, _, ok := s.citedTable()
		return ok && s.put(s.lineStart(s.Start), s.lineEnd(s.End-1), "") && s.fewer() && !s.couldBeAnother("")
	}},
	{"indent a cited line of code", true, func(s *scene) bool {
		at := s.lineStart(s.Start)
		return s.Kind == "code" && s.all("lines") && strings.TrimSpace(s.old()[at:s.Start]) == "" && s.put(at, at, "  ")
	}},
	{"change the words around a tiny quote", true, func(s *scene) bool {
		if s.Quote == "" || len(s.Spans) != 1 {
			return false
		}
		from, to, ok := s.pick(word, s.Start, s.End)
		return ok && s.old()[from:to] != s.Quote && s.changeAt(from)
	}},
	{"change one of several copies, the cited one", true, func(s *scene) bool { return s.count(s.old()) > 1 && s.change(s.Start, s.End) }},
	{"change a cited word and much else", true, func(s *scene) bool {
		at, _, ok := s.pick(word, s.Start, s.End)
		if !ok {
			return false
		}
		s.changeOthers(3, s.second(at))
		return true
	}},
	{"delete the file", true, func(s *scene) bool { s.gone = true; return true }},
}

// fewer reports whether what is cited stands less often than before. Where it does not, something that looks the same has come up
// elsewhere, and a reader could say that it was moved.
func (s *scene) fewer() bool { return s.count(s.text) < s.count(s.old()) }

// couldBeAnother reports whether the new text is also what comes of replacing another copy of what is cited, so that nobody can tell.
func (s *scene) couldBeAnother(words string) bool {
	now, cited := fold(s.text), s.cited()
	for at := 0; ; {
		n := strings.Index(s.old()[at:], cited)
		if n < 0 {
			return false
		}
		at += n
		if at != s.Start && fold(s.old()[:at]+words+s.old()[at+len(cited):]) == now {
			return true
		}
		at++
	}
}

// changeOthers changes a word in every nth span that has nothing to do with what is cited, and the word around also, if any.
func (s *scene) changeOthers(n, also int) {
	s.text = s.old()
	k := 0
	for i := len(s.Chunks) - 1; i >= 0; i-- {
		for j := len(s.Chunks[i].Spans) - 1; j >= 0; j-- {
			sp := s.Chunks[i].Spans[j]
			if also > sp.Start && also <= sp.End {
				s.text = s.text[:also] + "qx" + s.text[also:]
			}
			if k++; k%n != 0 || !s.clear(sp.Start, sp.End) {
				continue
			}
			if from, _, ok := s.pick(word, sp.Start, sp.End); ok {
				at := s.second(from)
				s.text = s.text[:at] + "qx" + s.text[at:]
			}
		}
	}
}
