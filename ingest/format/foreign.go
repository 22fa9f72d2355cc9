package format

// This file defines what the parsers of foreign files (PDF, Word, HTML) share: how such a file is told, the limits it is read
// under, and the builder that lays its pieces out as Text, sections, blocks and spans.

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrEncrypted reports a file that opens only with a password.
var ErrEncrypted = errors.New("password protected")

// Limits bound what one foreign document may cost. What lies beyond them is left out and told in Notes.
type Limits struct {
	Text    int   // bytes of text
	Entries int   // files in a zip archive
	Entry   int64 // bytes inflated from one of them
	Total   int64 // bytes inflated from all of them
	Ratio   int64 // bytes inflated from one byte, counted after the first ratioFree bytes
	Depth   int   // nested XML or HTML elements
	Memory  int64 // bytes of the PDF reader's own memory
}

// DefaultLimits are the limits docket reads under.
func DefaultLimits() Limits {
	return Limits{Text: 32 << 20, Entries: 20_000, Entry: 64 << 20, Total: 256 << 20, Ratio: 250, Depth: 2_000, Memory: 256 << 20}
}

// Foreign names the parser in the worker that a file is for, "pdf", "docx" or "html", or gives "". Old and encrypted Office files go to
// the Word parser, which tells them apart, and so does a zip file called .docx that is too damaged to be told by its bytes.
func Foreign(name string, data []byte) string {
	switch kind := Detect(name, data); {
	case kind == "pdf" || kind == "docx" || kind == "html":
		return kind
	case kind == "ole", kind == "zip" && strings.EqualFold(path.Ext(name), ".docx"):
		return "docx"
	}
	return ""
}

// foreignRevisions names the parsers of the worker, as [Revision] gives them.
var foreignRevisions = map[string]string{"pdf": parserPDF, "docx": parserDOCX, "html": parserHTML}

// rich is text with the links in it; their offsets count from the text's start.
type rich struct {
	text  []byte
	links []Link
}

func richText(s string) rich { return rich{text: []byte(s)} }

func (r *rich) write(s string) { r.text = append(r.text, s...) }

func (r *rich) join(o rich) {
	for _, l := range o.links {
		l.Start, l.End = l.Start+len(r.text), l.End+len(r.text)
		r.links = append(r.links, l)
	}
	r.text = append(r.text, o.text...)
}

// trim takes the white space off both ends.
func (r rich) trim() rich {
	left := len(r.text) - len(bytes.TrimLeft(r.text, spaces))
	out := rich{text: bytes.TrimSpace(r.text)}
	for _, l := range r.links {
		l.Start, l.End = max(l.Start-left, 0), min(l.End-left, len(out.text))
		if l.Start < l.End {
			out.links = append(out.links, l)
		}
	}
	return out
}

// trimRight takes the white space off the end: that before a list item is its indentation.
func (r rich) trimRight() rich {
	out := rich{text: bytes.TrimRight(r.text, spaces)}
	for _, l := range r.links {
		if l.End = min(l.End, len(out.text)); l.Start < l.End {
			out.links = append(out.links, l)
		}
	}
	return out
}

const spaces = " \t\n\v\f\r\u0085\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

func (r rich) hasLetter() bool { return bytes.ContainsFunc(r.text, unicode.IsLetter) }

// blank reports text in which nobody can read anything.
func (r rich) blank() bool { return len(bytes.TrimSpace(r.text)) == 0 }

// flat folds all white space to single spaces: a table cell must not break its row.
func (r rich) flat() rich {
	out := rich{text: make([]byte, 0, len(r.text))}
	var at []int // where each old offset went, for the links
	if len(r.links) > 0 {
		at = make([]int, len(r.text)+1)
	}
	gap := false
	for i := 0; i < len(r.text); {
		c, n := utf8.DecodeRune(r.text[i:])
		space := strings.ContainsRune(spaces, c)
		if gap && !space {
			out.text = append(out.text, ' ')
		}
		if at != nil {
			for k := range n {
				at[i+k] = len(out.text)
			}
		}
		if !space {
			out.text = append(out.text, r.text[i:i+n]...)
		}
		gap = space && len(out.text) > 0
		i += n
	}
	if at != nil {
		at[len(r.text)] = len(out.text)
	}
	for _, l := range r.links {
		if l.Start, l.End = at[l.Start], at[l.End]; l.Start < l.End {
			out.links = append(out.links, l)
		}
	}
	return out
}

// A piece is one block on its way into a Document. Prose has one line, whatever line ends it holds; a list has a line an item,
// a table a line a row, code a line a line.
type piece struct {
	kind    BlockKind
	level   int // of a heading, from 1
	lines   []rich
	header  int // how many rows lead a table as its header
	page    int
	outside bool // ends all sections: what follows an article
	apart   bool // belongs to the document and ends no section: page headers
}

// A builder lays pieces out as a Document.
type builder struct {
	doc  Document
	text []byte
	max  int
	open []int // the sections around the next block, outermost first
	cut  bool
}

func newBuilder(kind, parser string, lim Limits) *builder {
	return &builder{doc: Document{Kind: kind, Parser: parser, Encoding: "utf-8", Sections: []Section{{Parent: -1}}}, max: lim.Text, open: []int{0}}
}

func (b *builder) note(format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	for _, have := range b.doc.Notes {
		if have == n {
			return
		}
	}
	b.doc.Notes = append(b.doc.Notes, n)
}

// add appends one piece. It reports false once the text is full.
func (b *builder) add(p piece) bool {
	if b.cut {
		return false
	}
	if p.kind == Paragraph || p.kind == Quote || p.kind == Heading {
		for i := range p.lines {
			p.lines[i] = p.lines[i].trim()
		}
	}
	lines := p.lines[:0:0]
	header := p.header
	for i, l := range p.lines {
		l.text = bytes.ToValidUTF8(l.text, []byte("\uFFFD")) // parsers hand over valid text; this is the last door
		if l.blank() && p.kind != Code {
			if i < p.header {
				header--
			}
			continue
		}
		lines = append(lines, l)
	}
	for p.kind == Code && len(lines) > 0 && lines[0].blank() {
		lines = lines[1:]
	}
	for p.kind == Code && len(lines) > 0 && lines[len(lines)-1].blank() {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return true
	}
	if p.kind == Heading {
		lines[0] = lines[0].flat()
	}
	if len(b.text) > 0 {
		b.text = append(b.text, "\n\n"...)
	}
	start := len(b.text)
	block := Block{Kind: p.kind, Page: p.page}
	for i, l := range lines {
		if i > 0 {
			b.text = append(b.text, '\n')
		}
		at := len(b.text)
		if at+len(l.text) > b.max {
			l.text = bytes.ToValidUTF8(l.text[:max(b.max-at, 0)], nil) // drops the code point the cut went through
			b.cut = true
		}
		b.text = append(b.text, l.text...)
		for _, k := range l.links {
			if k.End <= len(l.text) {
				k.Start, k.End = at+k.Start, at+k.End
				b.doc.Links = append(b.doc.Links, k)
			}
		}
		if from, to := bounds(b.text, at, len(b.text)); from < to {
			switch p.kind {
			case List:
				block.Spans = append(block.Spans, Span{Item, from, to})
			case Table:
				block.Spans = append(block.Spans, Span{Row, from, to})
				if i < header {
					if block.HeaderEnd == 0 {
						block.HeaderStart = from
					}
					block.HeaderEnd = to
				}
			}
		}
		if b.cut {
			b.note("the text was cut at %d MB", b.max>>20)
			break
		}
	}
	var end int
	start, end = bounds(b.text, start, len(b.text))
	if start >= end {
		b.text = b.text[:start]
		return !b.cut
	}
	b.text = b.text[:end]
	switch p.kind {
	case Paragraph, Quote, Heading:
		block.Spans = proseSpans(string(b.text[start:end]), start)
	case Code:
		block.Spans = codeSpans(string(b.text[start:end]), start)
	}
	if block.HeaderEnd == end { // a table of nothing but its header has no header
		block.HeaderStart, block.HeaderEnd = 0, 0
	}
	block.Start, block.End = start, end
	if p.outside {
		b.open = b.open[:1]
	}
	if p.kind == Heading {
		b.section(p.level, string(b.text[start:end]), start, end)
	}
	if !p.apart {
		block.Section = b.open[len(b.open)-1]
	}
	b.doc.Blocks = append(b.doc.Blocks, block)
	for _, s := range b.open {
		b.doc.Sections[s].End = end
	}
	return !b.cut
}

func (b *builder) section(level int, heading string, start, end int) {
	level = max(level, 1)
	for len(b.open) > 1 && b.doc.Sections[b.open[len(b.open)-1]].Level >= level {
		b.open = b.open[:len(b.open)-1]
	}
	b.doc.Sections = append(b.doc.Sections, Section{Parent: b.open[len(b.open)-1], Level: level, Heading: heading, Start: start, End: end})
	b.open = append(b.open, len(b.doc.Sections)-1)
}

// bounds narrows a range to leave out the white space around it.
func bounds(text []byte, start, end int) (int, int) {
	t := text[start:end]
	end -= len(t) - len(bytes.TrimRight(t, spaces))
	start += len(t) - len(bytes.TrimLeft(t, spaces))
	return start, max(start, end)
}

func (b *builder) finish() *Document {
	b.doc.Text = string(b.text)
	b.doc.Sections[0].End = len(b.doc.Text)
	return &b.doc
}
