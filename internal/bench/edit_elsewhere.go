package bench

// This file defines the edits that leave what is cited as it is, at its place or at another. None may be flagged.

import (
	"path"
	"slices"
	"strings"
	"unicode/utf16"
)

const savedAgain = "save the file again"

// elsewhere are edits of other parts of the text.
var elsewhere = []Edit{
	{"change another word", false, func(s *scene) bool {
		sp, ok := s.other()
		return ok && s.change(sp.Start, sp.End)
	}},
	{"change another number", false, func(s *scene) bool {
		sp, ok := s.other()
		if !ok {
			return false
		}
		_, to, ok := s.pick(number, sp.Start, sp.End)
		return ok && s.put(to, to, "7")
	}},
	{"change everything else", false, func(s *scene) bool { // of several copies, nobody could tell which is left
		s.changeOthers(1, -1)
		return s.count(s.old()) == 1
	}},
	{"delete another piece", false, func(s *scene) bool {
		sp, ok := s.other()
		return ok && sp.Kind != "row" && s.put(sp.Start, sp.End, "") && s.count(s.text) == s.count(s.old())
	}},
	{"put in a paragraph", false, func(s *scene) bool {
		at, ok := s.paragraph()
		return ok && s.put(at, at, "Something entirely new was put in here.\n\n")
	}},
	{"put in a paragraph that stands elsewhere too", false, func(s *scene) bool {
		at, ok := s.paragraph()
		sp, ok2 := s.other()
		return ok && ok2 && sp.Kind == "sentence" && s.put(at, at, s.old()[sp.Start:sp.End]+"\n\n")
	}},
	{"put in a copy of what is cited", false, func(s *scene) bool {
		at, ok := s.paragraph()
		return ok && s.all("sentence") && s.put(at, at, s.cited()+"\n\n")
	}},
	{"change one of several copies, not the cited one", false, func(s *scene) bool {
		from, to, ok := s.anotherCopy()
		return ok && s.clear(from, to) && s.change(from, to)
	}},
	{"delete one of several copies, not the cited one", false, func(s *scene) bool {
		from, to, ok := s.anotherCopy()
		if !ok || !s.clear(from, to) {
			return false
		}
		if s.any("row") { // an empty line would end the table
			from, to = s.lineStart(from), s.lineEnd(to)
		}
		return s.put(from, to, "") && fold(s.old()[:s.Start]+s.old()[s.End:]) != fold(s.text)
	}},
	{"move another paragraph to the end", false, func(s *scene) bool {
		at, ok := s.paragraph()
		if !ok {
			return false
		}
		n := strings.Index(s.old()[at:], "\n\n")
		if n < 0 || !s.clear(at, at+n) || at < s.Start && !s.long() { // of what stood between, something short might be what moved
			return false
		}
		s.text = s.old()[:at] + s.old()[at+n+2:] + "\n\n" + s.old()[at:at+n] + "\n"
		return true
	}},
	{"move a section to the end", false, func(s *scene) bool {
		all := s.sections()
		return len(all) > 1 && s.move(all[s.rng.IntN(len(all))], len(s.old()))
	}},
	{"move a section up or down", false, func(s *scene) bool {
		all := s.sections()
		return len(all) > 1 && s.move(all[s.rng.IntN(len(all))], all[s.rng.IntN(len(all))].start)
	}},
	{"move the cited section", false, func(s *scene) bool {
		all := s.sections()
		i := slices.IndexFunc(all, func(x section) bool { return x.start <= s.Start && x.end >= s.End && x.level > 1 })
		return i >= 0 && s.move(all[i], all[s.rng.IntN(len(all))].start)
	}},
	{"split a paragraph", false, func(s *scene) bool {
		from, to, ok := s.seam(" ")
		return ok && s.put(from, to, "\n\n")
	}},
	{"join two paragraphs", false, func(s *scene) bool {
		from, to, ok := s.seam("\n\n")
		return ok && s.put(from, to, " ")
	}},
	{"break a line of prose elsewhere", false, func(s *scene) bool {
		sp, ok := s.other()
		if s.rng.IntN(2) == 0 {
			sp = s.Spans[s.rng.IntN(len(s.Spans))]
		}
		if !ok || sp.Kind != "sentence" || s.Kind != "markdown" || !plain.MatchString(s.old()[s.lineStart(sp.Start):]) || strings.ContainsAny(s.old()[s.lineStart(sp.Start):sp.End], "`|<") {
			return false
		}
		i := strings.IndexByte(s.old()[sp.Start:sp.End], ' ')
		return i > 0 && plain.MatchString(s.old()[sp.Start+i+1:]) && s.put(sp.Start+i, sp.Start+i+1, "\n")
	}},
	{"change a cell of another row", false, func(s *scene) bool {
		_, rows, ok := s.citedTable()
		if !ok || len(rows) == 0 {
			return false
		}
		r := rows[s.rng.IntN(len(rows))]
		return s.change(r.start, r.end)
	}},
	{"put in a row", false, func(s *scene) bool {
		t, rows, ok := s.citedTable()
		if !ok || len(rows) == 0 {
			return false
		}
		r := rows[s.rng.IntN(len(rows))]
		row := strings.TrimSuffix(s.old()[r.start:r.end], "\n")
		m := word.FindStringIndex(row)
		at := []int{t.body, r.start}[s.rng.IntN(2)]
		return m != nil && s.put(at, at, row[:m[0]]+"brandnew"+row[m[1]:]+"\n")
	}},
	{"take out another row", false, func(s *scene) bool {
		_, rows, ok := s.citedTable()
		if !ok || len(rows) == 0 {
			return false
		}
		r := rows[s.rng.IntN(len(rows))]
		return s.put(r.start, r.end, "") && s.count(s.text) == s.count(s.old())
	}},
	{"swap two other rows on one side", false, func(s *scene) bool {
		_, rows, ok := s.citedTable()
		if !ok || len(rows) < 2 {
			return false
		}
		i := s.rng.IntN(len(rows) - 1)
		return rows[i].end == rows[i+1].start && s.swap(rows[i], rows[i+1])
	}},
	{"change another line of code", false, func(s *scene) bool {
		at := s.otherLines()
		if s.Kind != "code" || len(at) == 0 {
			return false
		}
		l := at[s.rng.IntN(len(at))]
		return s.change(l.start, l.end)
	}},
	{"put in a line of code", false, func(s *scene) bool {
		at := s.otherLines()
		if s.Kind != "code" || len(at) == 0 {
			return false
		}
		l := at[s.rng.IntN(len(at))]
		return s.put(l.start, l.start, "\tentirely(new, here)\n")
	}},
	{"take out another line of code", false, func(s *scene) bool {
		at := s.otherLines()
		if s.Kind != "code" || len(at) == 0 {
			return false
		}
		l := at[s.rng.IntN(len(at))]
		return s.put(l.start, l.end, "") && s.count(s.text) == s.count(s.old())
	}},
	{"indent the other lines of code", false, func(s *scene) bool {
		if s.Kind != "code" || s.count(s.old()) > 1 {
			return false
		}
		s.text = s.old()
		for _, l := range slices.Backward(s.otherLines()) {
			s.text = s.text[:l.start] + "\t" + s.text[l.start:]
		}
		return true
	}},
	{"reorder the front matter", false, func(s *scene) bool {
		at := s.front()
		if len(at) < 2 {
			return false
		}
		first, last := at[0].start, at[len(at)-1].end
		if s.Start < last && s.End > first && len(s.Spans) > 1 { // only a part of it, with something else
			return false
		}
		var all strings.Builder
		for _, i := range s.rng.Perm(len(at)) {
			all.WriteString(s.old()[at[i].start:at[i].end])
		}
		return s.put(first, last, all.String())
	}},
	{"put a property into the front matter", false, func(s *scene) bool {
		at := s.front()
		if len(at) == 0 || s.Start < at[len(at)-1].end {
			return false
		}
		return s.put(at[0].start, at[0].start, "reviewed: yes\n")
	}},
	{"put front matter before a note", false, func(s *scene) bool {
		return s.Kind == "markdown" && !strings.HasPrefix(s.old(), "---") && s.put(0, 0, "---\nreviewed: yes\n---\n\n")
	}},
	{"a preface", false, func(s *scene) bool {
		return !strings.HasPrefix(s.old(), "---") && s.Kind != "csv" && s.Kind != "tsv" && s.put(0, 0, "Hello there.\n\n")
	}},
	{"an appendix", false, func(s *scene) bool { return s.put(len(s.old()), len(s.old()), "\n\nGood bye then.\n") }},
}

// everywhere are edits of the whole file that change no word of it.
var everywhere = []Edit{
	{"line ends", false, func(s *scene) bool { s.text = strings.ReplaceAll(s.old(), "\n", "\r\n"); return true }},
	{"trailing space", false, func(s *scene) bool { s.text = strings.ReplaceAll(s.old(), "\n", " \n"); return true }},
	{"blank lines", false, func(s *scene) bool { s.text = strings.ReplaceAll(s.old(), "\n\n", "\n\n\n"); return true }},
	{"a byte order mark", false, func(s *scene) bool { s.data = []byte("\ufeff" + s.old()); return true }},
	{"another encoding, UTF-16", false, func(s *scene) bool {
		s.data = []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(s.old())) {
			s.data = append(s.data, byte(u), byte(u>>8))
		}
		return true
	}},
	{savedAgain, false, func(s *scene) bool { s.text = s.old(); return true }},
	{"rename the file", false, func(s *scene) bool {
		s.text, s.path = s.old(), path.Join(path.Dir(s.Path), "renamed-"+path.Base(s.Path))
		return true
	}},
	{"move the file to another folder", false, func(s *scene) bool {
		s.text, s.path = s.old(), path.Join("elsewhere", s.Path)
		return true
	}},
}

// anotherCopy picks another place where what is cited stands, as whole spans.
func (s *scene) anotherCopy() (from, to int, ok bool) {
	for i := range s.Chunks {
		spans := s.Chunks[i].Spans
		for j := 0; j+len(s.Spans) <= len(spans); j++ {
			a, b := spans[j].Start, spans[j+len(s.Spans)-1].End
			if (b <= s.Start || a >= s.End) && fold(s.old()[a:b]) == fold(s.cited()) {
				if from, to, ok = a, b, true; s.rng.IntN(2) == 0 {
					return from, to, true
				}
			}
		}
	}
	return from, to, ok
}

// move puts a section elsewhere. Of a text that is short, or stands more than once, nobody can tell where it went, so what is
// cited must be long or stand outside all that changes places.
func (s *scene) move(x section, to int) bool {
	if to >= x.start && to <= x.end {
		return false
	}
	first, last := min(x.start, to), max(x.end, to)
	inside := s.Start < last && s.End > first
	straddles := s.Start < x.start && s.End > x.start || s.Start < x.end && s.End > x.end || s.Start < to && s.End > to
	if straddles || inside && !s.long() || strings.HasPrefix(s.old(), "---") && to == 0 {
		return false
	}
	body := strings.TrimRight(s.old()[x.start:x.end], "\n") + "\n\n"
	rest := s.old()[:x.start] + s.old()[x.end:]
	if to > x.start {
		to -= x.end - x.start
	}
	before := strings.TrimRight(rest[:to], "\n")
	if before != "" {
		before += "\n\n"
	}
	s.text = before + body + rest[to:]
	return true
}

// seam picks a place where two sentences of plain prose meet with nothing but gap between them.
func (s *scene) seam(gap string) (from, to int, ok bool) {
	for range 20 {
		c := &s.Chunks[s.rng.IntN(len(s.Chunks))]
		if len(c.Spans) < 2 {
			continue
		}
		i := s.rng.IntN(len(c.Spans) - 1)
		a, b := c.Spans[i], c.Spans[i+1]
		if a.Kind != "sentence" || b.Kind != "sentence" || s.old()[a.End:b.Start] != gap || !plain.MatchString(s.old()[b.Start:]) ||
			!strings.HasSuffix(s.old()[a.Start:a.End], ".") || !plain.MatchString(s.old()[s.lineStart(a.Start):]) {
			continue
		}
		return a.End, b.Start, true
	}
	return 0, 0, false
}

// swap lets two rows change places.
func (s *scene) swap(a, b lines) bool {
	first, second := s.old()[a.start:a.end], s.old()[b.start:b.end]
	if !strings.HasSuffix(second, "\n") {
		return false
	}
	return s.put(a.start, b.end, second+s.old()[a.end:b.start]+first)
}
