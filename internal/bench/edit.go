// Package bench measures docket where only measuring helps: on real files, through the same path as everything else.
//
// It owns edits of known effect, the throw-away store they are played on, and the scoring of formats. It writes nothing outside its own
// temporary folder. The invariant: whether an edit changes what is cited follows from how the edit is made, never from the code it judges.
package bench

// This file defines edits of known effect, and what they are applied to.

import (
	_ "embed"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docket/db"
)

// Minutes is a note such as real ones are: the same short sentences, rows and lines over and over, with front matter, lists, two small
// tables side by side and a fence.
//
//go:embed minutes.md
var Minutes string

// A Document is a file that is edited: a text that its parser hands on as it stands, and the passages docket cut it into.
type Document struct {
	Path   string
	Kind   string
	Text   string
	Chunks []db.Chunk
}

// A Citation is what a decision rests on in a document.
type Citation struct {
	Quote      string
	Start, End int       // the whole spans that cover it
	Spans      []db.Span // those
	chunk      *db.Chunk
	passage    bool // all of the chunk is cited, or words in it by a quote
}

// EvidenceID returns the id that names it.
func (c *Citation) EvidenceID() string {
	if c.passage {
		return c.chunk.ID()
	}
	return c.chunk.SpanID(c.Start, c.End)
}

// Text returns what is cited.
func (c *Citation) Text(d *Document) string { return d.Text[c.Start:c.End] }

// Cite picks something to cite: a few spans side by side, a whole passage, or a word or number as a quote. ok is false where there is nothing.
func Cite(rng *rand.Rand, d *Document) (c Citation, ok bool) {
	if len(d.Chunks) == 0 {
		return c, false
	}
	c.chunk = &d.Chunks[rng.IntN(len(d.Chunks))]
	spans := c.chunk.Spans
	if len(spans) == 0 {
		return c, false
	}
	text := d.Text[c.chunk.Start:c.chunk.End]
	switch how := rng.IntN(6); how {
	case 0:
		c.Spans, c.passage = spans, true
	case 1, 2:
		at := quotable.FindAllStringIndex(text, -1)
		if len(at) == 0 {
			return c, false
		}
		w := at[rng.IntN(len(at))]
		c.Quote, c.passage = text[w[0]:w[1]], true
		first, last := strings.Index(text, c.Quote), strings.LastIndex(text, c.Quote)+len(c.Quote) // any of them could be meant
		for _, s := range spans {
			if s.End > c.chunk.Start+first && s.Start < c.chunk.Start+last {
				c.Spans = append(c.Spans, s)
			}
		}
	default:
		i := rng.IntN(len(spans))
		c.Spans = spans[i:min(i+1+rng.IntN(3), len(spans))]
	}
	if len(c.Spans) == 0 {
		return c, false
	}
	c.Start, c.End = c.Spans[0].Start, c.Spans[len(c.Spans)-1].End
	return c, !inWord(d.Text, c.Start) && !inWord(d.Text, c.End) // a piece of something too long: its ends are not the text's own
}

func inWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return letter(before) && letter(after)
}

func letter(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r)) }

// quotable finds a word or number with nothing joined to it.
var quotable = regexp.MustCompile(`\b[A-Za-z0-9]+\b`)

// An Outcome is what an edit makes of a file.
type Outcome struct {
	Data []byte
	Path string // where the file stands afterwards
	Gone bool   // it does not
}

// An Edit is a change of known effect on something cited.
type Edit struct {
	Name    string
	Changes bool // what is cited, as a careful reader would say
	apply   func(*scene) bool
}

// Apply makes the edit. ok is false where it makes no sense, or where its effect would be a matter of opinion.
func (e *Edit) Apply(rng *rand.Rand, d *Document, c Citation) (out Outcome, ok bool) {
	s := &scene{rng: rng, Document: d, Citation: c, path: d.Path}
	if !e.apply(s) {
		return Outcome{}, false
	}
	out = Outcome{Data: s.data, Path: s.path, Gone: s.gone}
	if out.Data == nil {
		out.Data = []byte(s.text)
	}
	same := string(out.Data) == d.Text && out.Path == d.Path && !out.Gone
	return out, e.Name == savedAgain || !same
}

// Edits are all edits of known effect.
func Edits() []Edit { return slices.Concat(touching, elsewhere, everywhere) }

// A scene is one edit in the making.
type scene struct {
	*Document
	Citation
	rng *rand.Rand

	text string // the new text
	data []byte // the new bytes, nil for those of text
	path string
	gone bool
}

// put replaces the old text from start to end.
func (s *scene) put(start, end int, words string) bool {
	s.text = s.Document.Text[:start] + words + s.Document.Text[end:]
	return true
}

func (s *scene) old() string { return s.Document.Text }

func (s *scene) cited() string { return s.Document.Text[s.Start:s.End] }

// all reports whether everything cited is of one kind.
func (s *scene) all(kind string) bool {
	return !slices.ContainsFunc(s.Spans, func(sp db.Span) bool { return sp.Kind != kind })
}

func (s *scene) any(kind string) bool {
	return slices.ContainsFunc(s.Spans, func(sp db.Span) bool { return sp.Kind == kind })
}

// long reports whether what is cited is long and stands once, so that it is recognised anywhere.
func (s *scene) long() bool {
	return !s.any("row") && utf8.RuneCountInString(fold(s.cited())) >= 60 && s.count(s.old()) == 1
}

// count tells how often what is cited stands in a text, but for white space.
func (s *scene) count(text string) int { return strings.Count(fold(text), fold(s.cited())) }

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

var (
	word   = regexp.MustCompile(`[\p{L}\p{N}]{2,}`)
	number = regexp.MustCompile(`[0-9]+`)
	plain  = regexp.MustCompile(`^[A-Za-z][a-z]`) // prose that marks nothing
)

// pick chooses one match of re in the old text from start to end.
func (s *scene) pick(re *regexp.Regexp, start, end int) (from, to int, ok bool) {
	at := re.FindAllStringIndex(s.old()[start:end], -1)
	if len(at) == 0 {
		return 0, 0, false
	}
	m := at[s.rng.IntN(len(at))]
	return start + m[0], start + m[1], true
}

// change alters one word of the old text from start to end.
func (s *scene) change(start, end int) bool {
	from, _, ok := s.pick(word, start, end)
	return ok && s.changeAt(from)
}

// changeAt alters the word that begins at a place. It is altered inside, since at its end stands what comes next too.
func (s *scene) changeAt(from int) bool { return s.put(s.second(from), s.second(from), "qx") }

// second returns the place behind the character at a place.
func (s *scene) second(at int) int {
	_, n := utf8.DecodeRuneInString(s.old()[at:])
	return at + n
}

// clear reports whether a range has nothing to do with what is cited: it does not overlap it, nor the header of a cited row.
func (s *scene) clear(start, end int) bool {
	if start < s.End && end > s.Start {
		return false
	}
	for _, sp := range s.Spans {
		if sp.Kind != "row" {
			continue
		}
		if t, ok := s.table(sp.Start); !ok || start < t.body && end > t.start {
			return false
		}
	}
	return true
}

// other picks a span that has nothing to do with what is cited.
func (s *scene) other() (db.Span, bool) {
	for range 20 {
		c := &s.Chunks[s.rng.IntN(len(s.Chunks))]
		if len(c.Spans) == 0 {
			continue
		}
		sp := c.Spans[s.rng.IntN(len(c.Spans))]
		if s.clear(sp.Start, sp.End) {
			return sp, true
		}
	}
	return db.Span{}, false
}

// paragraph returns the start of a line behind an empty line, before or behind what is cited.
func (s *scene) paragraph() (int, bool) {
	var at []int
	for i := 2; i < len(s.old()); i++ {
		if s.old()[i-1] == '\n' && s.old()[i-2] == '\n' && (i <= s.Start || i >= s.End) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return 0, false
	}
	return at[s.rng.IntN(len(at))], true
}

// lineStart returns where the line of a place begins, lineEnd where it ends, behind its line feed.
func (s *scene) lineStart(at int) int { return strings.LastIndexByte(s.old()[:at], '\n') + 1 }

func (s *scene) lineEnd(at int) int {
	if n := strings.IndexByte(s.old()[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(s.old())
}

// A lines is a range of whole lines.
type lines struct{ start, end int }

// otherLines returns the lines that are not blank and of which nothing is cited.
func (s *scene) otherLines() []lines {
	var out []lines
	for at := 0; at < len(s.old()); {
		end := s.lineEnd(at)
		if strings.TrimSpace(s.old()[at:end]) != "" && (end <= s.lineStart(s.Start) || at >= s.lineEnd(max(s.Start, s.End-1))) {
			out = append(out, lines{at, end})
		}
		at = end
	}
	return out
}

// A table is one table of the old text.
type table struct {
	start, body, end int // of the header, of the rows, and behind them
	rows             []lines
}

var delimiter = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$`)

// table returns the table that a place is in, by the marks in the text alone.
func (s *scene) table(at int) (table, bool) {
	var t table
	if s.Kind == "csv" || s.Kind == "tsv" {
		if first := s.old()[:s.lineEnd(0)]; strings.Contains(s.old(), `"`) || number.MatchString(first) { // rows of several lines, or no header
			return t, false
		}
		t = table{start: 0, body: s.lineEnd(0), end: len(s.old())}
	} else {
		isRow := func(at int) bool { return strings.HasPrefix(strings.TrimLeft(s.old()[at:s.lineEnd(at)], " "), "|") }
		t.start = s.lineStart(at)
		if !isRow(t.start) {
			return t, false
		}
		for t.start > 0 && isRow(s.lineStart(t.start-1)) {
			t.start = s.lineStart(t.start - 1)
		}
		if t.start > 0 && strings.TrimSpace(s.old()[s.lineStart(t.start-1):t.start]) != "" { // it may be part of a table that began above
			return t, false
		}
		t.end = t.start
		for t.end < len(s.old()) && isRow(t.end) {
			t.end = s.lineEnd(t.end)
		}
		second := s.lineEnd(t.start)
		if t.body = s.lineEnd(min(second, len(s.old()))); second >= t.end || !delimiter.MatchString(strings.TrimRight(s.old()[second:t.body], "\r\n")) {
			return t, false
		}
	}
	for at := t.body; at < t.end; at = s.lineEnd(at) {
		if strings.TrimSpace(s.old()[at:s.lineEnd(at)]) != "" {
			t.rows = append(t.rows, lines{at, s.lineEnd(at)})
		}
	}
	return t, true
}

// citedTable returns the table of which rows, and nothing else, are cited; and its rows that are not.
func (s *scene) citedTable() (t table, others []lines, ok bool) {
	if !s.all("row") {
		return t, nil, false
	}
	if t, ok = s.table(s.Start); !ok || s.Start < t.body || s.End > t.end {
		return t, nil, false
	}
	for _, r := range t.rows {
		if r.end <= s.Start || r.start >= s.End {
			others = append(others, r)
		}
	}
	return t, others, true
}

// A section is a heading with all below it.
type section struct{ start, end, level int }

var heading = regexp.MustCompile(`^(#{1,6}) +\S`)

// sections returns the sections of a Markdown text, by its marks.
func (s *scene) sections() (out []section) {
	if s.Kind != "markdown" {
		return nil
	}
	fence := ""
	for at := 0; at < len(s.old()); at = s.lineEnd(at) {
		line := strings.TrimLeft(s.old()[at:s.lineEnd(at)], " ")
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			fence = line[:3]
		default:
			if m := heading.FindStringSubmatch(s.old()[at:s.lineEnd(at)]); m != nil {
				level := len(m[1])
				for i := range out {
					if out[i].end < 0 && out[i].level >= level {
						out[i].end = at
					}
				}
				out = append(out, section{at, -1, level})
			}
		}
	}
	for i := range out {
		if out[i].end < 0 {
			out[i].end = len(s.old())
		}
	}
	if fence != "" { // it swallows what is moved behind it
		return nil
	}
	return out
}

// front returns the lines of the front matter that are a key and a value each, if there is nothing else in it.
func (s *scene) front() (out []lines) {
	if s.Kind != "markdown" || !strings.HasPrefix(s.old(), "---\n") {
		return nil
	}
	for at := s.lineEnd(0); at < len(s.old()); at = s.lineEnd(at) {
		line := s.old()[at:s.lineEnd(at)]
		if line == "---\n" {
			return out
		}
		if !property.MatchString(line) {
			return nil
		}
		out = append(out, lines{at, s.lineEnd(at)})
	}
	return nil
}

var property = regexp.MustCompile(`^[A-Za-z_-]+: +[^\s|>&*].*\n$`)
