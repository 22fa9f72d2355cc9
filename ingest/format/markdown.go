package format

// This file defines the Markdown parser: one pass over the lines that keeps the open containers (block quotes, list items) and one open
// leaf, after CommonMark and GitHub's tables. Inline markup is only looked through for links.
//
// A line belongs to one leaf, and leaves become blocks: a fence, an indented block or a table is a block wherever it stands, all other
// leaves of one list or quote are one block, and a paragraph or heading outside of them is one. Every step is bounded by the length of
// the line, as containers beyond maxDepth are plain text.

import (
	"slices"
	"strings"
)

// maxDepth is how many block quotes and list items may stand in each other.
const maxDepth = 64

func markdown(name string, doc *Document) {
	m := &markdownScanner{doc: doc, text: doc.Text, open: []int{0}}
	lines := linesOf(doc.Text)
	doc.Blocks = make([]Block, 0, len(lines)/4+2)
	m.prose = make([]line, 0, len(lines)/4+2)
	for _, l := range lines[frontMatter(name, doc, lines):] {
		m.line(l)
	}
	m.closeTo(0)
	m.links()
	if doc.Title == "" {
		if i := slices.IndexFunc(doc.Sections, func(s Section) bool { return s.Level == 1 }); i >= 0 {
			doc.Title = doc.Sections[i].Heading
		}
	}
}

// A container is a block quote or a list item around what follows.
type container struct {
	quote  int  // the number of the quote, 0 for a list item
	indent int  // for a list item: the columns by which what belongs to it is indented
	empty  bool // a list item without content so far
}

type leafKind int

const (
	noLeaf leafKind = iota
	paragraphLeaf
	rawLeaf     // HTML up to its end mark
	tagLeaf     // HTML up to a blank line
	fenceLeaf   // between ``` or ~~~
	indentLeaf  // code by its indentation
	tableLeaf   // header, delimiter, rows
	headingLeaf // ended by its underline or its only line
)

// A leaf is the run of lines being collected, each without white space around it and with the marks of its containers.
type leaf struct {
	kind   leafKind
	lines  []line
	inner  int    // where the content of its last line begins, behind the containers' marks
	marks  string // the fence that opened it
	until  string // what ends a rawLeaf
	closed bool   // a fence has met its end
}

type markdownScanner struct {
	doc    *Document
	text   string
	stack  []container
	leaf   leaf
	open   []int  // the sections around the next block
	quotes int    // how many quotes have been opened
	last   int    // the number of the quote that the last block belongs to
	sealed bool   // the last block takes no further leaf: a rule follows it
	prose  []line // where links are looked for
	refs   map[string]string
	spans  []Span // scratch
}

func (m *markdownScanner) line(l line) {
	c := newCursor(m.text, l)
	matched := m.match(&c)
	if m.continueLeaf(l, &c, matched == len(m.stack)) {
		return
	}
	if c.blank() {
		m.closeTo(matched)
		return
	}
	opened := m.openContainers(&c, &matched)
	if c.blank() { // nothing but marks
		if strings.Trim(m.text[l.start:l.end], "> \t") != "" {
			m.start(paragraphLeaf, l, &c)
			m.closeLeaf()
		}
		m.stack[len(m.stack)-1].empty = true
		return
	}
	if !opened && matched < len(m.stack) {
		if m.leaf.kind == paragraphLeaf && !startsLeaf(&c) {
			m.extend(l, &c) // a lazy line
			return
		}
		m.closeTo(matched)
	}
	if n := len(m.stack); n > 0 {
		m.stack[n-1].empty = false
	}
	m.content(l, &c)
}

// match walks the open containers that the line continues, and gives their number.
func (m *markdownScanner) match(c *cursor) int {
	for i := range m.stack {
		k := &m.stack[i]
		switch {
		case k.quote > 0:
			if c.blank() || c.indent() > 3 || c.first() != '>' {
				return i
			}
			c.takeQuote()
		case c.blank():
			if k.empty {
				return i
			}
		case c.indent() < k.indent:
			return i
		default:
			c.take(k.indent)
		}
	}
	return len(m.stack)
}

// continueLeaf gives the line to a leaf that does not ask what is in it, and ends the leaf where that is over.
func (m *markdownScanner) continueLeaf(l line, c *cursor, matched bool) bool {
	switch m.leaf.kind {
	case fenceLeaf:
		if !matched {
			break
		}
		m.extend(l, c)
		if c.closes(m.leaf.marks) {
			m.leaf.closed = true
			m.closeLeaf()
		}
		return true
	case rawLeaf:
		if !matched {
			break
		}
		m.extend(l, c)
		if c.contains(m.leaf.until) {
			m.closeLeaf()
		}
		return true
	case tagLeaf:
		if matched && !c.blank() && c.fence() == "" {
			m.extend(l, c)
			return true
		}
	case indentLeaf:
		if matched && (c.blank() || c.indent() >= 4) {
			m.extend(l, c)
			return true
		}
	default:
		return false
	}
	m.closeLeaf()
	return false
}

// openContainers opens the quotes and list items that begin on this line.
func (m *markdownScanner) openContainers(c *cursor, matched *int) (opened bool) {
	for !c.blank() && c.indent() < 4 && *matched < maxDepth {
		inParagraph := m.leaf.kind == paragraphLeaf && !opened && *matched == len(m.stack)
		if c.first() == '>' {
			m.closeTo(*matched)
			m.quotes++
			m.stack = append(m.stack, container{quote: m.quotes})
			c.takeQuote()
		} else {
			width, number := c.listMark()
			if width == 0 || c.isRule() || inParagraph && (number > 1 || c.isBlankAfter(width) || c.underline() > 0) {
				return opened
			}
			m.closeTo(*matched)
			m.stack = append(m.stack, container{indent: c.takeMark(width)})
		}
		if *matched > 0 {
			m.stack[*matched-1].empty = false
		}
		*matched++
		opened = true
	}
	return opened
}

// content reads what stands behind the containers' marks.
func (m *markdownScanner) content(l line, c *cursor) {
	deep := c.indent() >= 4
	switch {
	case m.leaf.kind == paragraphLeaf && deep:
		m.extend(l, c)
		return
	case m.leaf.kind == paragraphLeaf && c.underline() > 0:
		level := c.underline()
		m.extend(l, c)
		m.leaf.kind = headingLeaf
		m.closeHeading(level)
		return
	case m.leaf.kind == paragraphLeaf && m.startTable(l, c):
		return
	case m.leaf.kind == tableLeaf && !deep && !startsLeaf(c):
		m.extend(l, c)
		return
	case deep:
		m.start(indentLeaf, l, c)
		return
	}
	if level := c.hashes(); level > 0 {
		m.start(headingLeaf, l, c)
		m.closeHeading(level)
	} else if marks := c.fence(); marks != "" {
		m.start(fenceLeaf, l, c)
		m.leaf.marks = marks
	} else if c.isRule() {
		m.closeLeaf()
		if len(m.stack) > 0 {
			m.start(paragraphLeaf, l, c)
			m.closeLeaf()
		}
		m.sealed = len(m.stack) == 0
	} else if kind, until := c.html(); kind != noLeaf {
		m.start(kind, l, c)
		if m.leaf.until = until; kind == rawLeaf && c.contains(until) {
			m.closeLeaf()
		}
	} else if m.leaf.kind == paragraphLeaf {
		m.extend(l, c)
	} else {
		m.start(paragraphLeaf, l, c)
	}
}

func startsLeaf(c *cursor) bool {
	if c.indent() >= 4 {
		return false
	}
	kind, _ := c.html()
	return c.hashes() > 0 || c.fence() != "" || c.isRule() || kind != noLeaf
}

// startTable turns the last line of a paragraph into a table's header where this line is the delimiter row below it.
func (m *markdownScanner) startTable(l line, c *cursor) bool {
	n := delimiterCells(m.text[c.next:c.end])
	last := len(m.leaf.lines) - 1
	if n == 0 || n != cells(m.text[m.leaf.inner:m.leaf.lines[last].end]) {
		return false
	}
	header := m.leaf.lines[last]
	if m.leaf.lines = m.leaf.lines[:last]; last > 0 {
		m.closeLeaf()
	}
	m.leaf.kind = tableLeaf
	m.leaf.lines = append(m.leaf.lines[:0], header)
	m.extend(l, c)
	return true
}

func (m *markdownScanner) start(kind leafKind, l line, c *cursor) {
	m.closeLeaf()
	m.leaf = leaf{kind: kind, lines: m.leaf.lines[:0]}
	m.extend(l, c)
}

func (m *markdownScanner) extend(l line, c *cursor) {
	start, end := trimmed(m.text, l.start, l.end)
	m.leaf.lines = append(m.leaf.lines, line{start, end})
	m.leaf.inner = min(max(c.next, start), end)
}

// closeTo ends the open leaf and all containers beyond the first so many.
func (m *markdownScanner) closeTo(depth int) {
	m.closeLeaf()
	m.stack = m.stack[:depth]
}
