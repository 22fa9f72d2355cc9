package format

// This file defines how the Markdown parser turns the leaves it collected into blocks and sections.

import (
	"slices"
	"strings"
)

// closeLeaf makes a block of the open leaf, or a part of the block of its list or quote.
func (m *markdownScanner) closeLeaf() {
	lf := &m.leaf
	kind := lf.kind
	lf.kind = noLeaf
	for len(lf.lines) > 0 && lf.lines[len(lf.lines)-1].start == lf.lines[len(lf.lines)-1].end {
		lf.lines = lf.lines[:len(lf.lines)-1]
	}
	for len(lf.lines) > 0 && lf.lines[0].start == lf.lines[0].end {
		lf.lines = lf.lines[1:]
	}
	if kind == noLeaf || len(lf.lines) == 0 {
		return
	}
	start, end := lf.lines[0].start, lf.lines[len(lf.lines)-1].end
	switch kind {
	case fenceLeaf, indentLeaf:
		m.spans = appendLineGroups(m.spans[:0], m.text, lf.lines)
		m.add(Block{Kind: Code, Start: start, End: end, Spans: slices.Clone(m.spans), Open: kind == fenceLeaf && !lf.closed})
		return
	case tableLeaf:
		b := Block{Kind: Table, Start: start, End: end, HeaderStart: start, HeaderEnd: lf.lines[0].end, Spans: make([]Span, 0, len(lf.lines)-1)}
		for i, l := range lf.lines {
			if i != 1 { // the delimiter row
				b.Spans = append(b.Spans, Span{Row, l.start, l.end})
			}
		}
		m.add(b)
	default:
		m.addProse(start, end)
	}
	m.prose = append(m.prose, line{start, end})
}

// addProse adds to the block of the list or quote that the text is in, or adds a paragraph.
func (m *markdownScanner) addProse(start, end int) {
	m.define(start, end)
	if len(m.stack) == 0 {
		m.spans = appendSentences(m.spans[:0], m.text, start, end)
		m.add(Block{Kind: Paragraph, Start: start, End: end, Spans: slices.Clone(m.spans)})
		return
	}
	kind, quote := List, m.stack[0].quote
	if quote > 0 {
		kind = Quote
	}
	last := len(m.doc.Blocks) - 1
	if m.sealed || last < 0 || m.doc.Blocks[last].Kind != kind || m.last != quote {
		m.add(Block{Kind: kind, Start: start, End: end})
		last++
	}
	m.last = quote
	b := &m.doc.Blocks[last]
	if slices.ContainsFunc(m.stack, func(c container) bool { return c.quote == 0 }) {
		b.Spans = append(b.Spans, Span{Item, start, end})
	} else {
		b.Spans = appendSentences(b.Spans, m.text, start, end)
	}
	b.End = end
	m.reach(end)
}

// closeHeading makes a section of a heading, or prose where it is inside a list or quote.
func (m *markdownScanner) closeHeading(level int) {
	lf := &m.leaf
	start, end := lf.lines[0].start, lf.lines[len(lf.lines)-1].end
	if len(m.stack) > 0 {
		m.closeLeaf()
		return
	}
	lf.kind = noLeaf
	raw := m.text[start:end]
	if len(lf.lines) > 1 {
		raw = m.text[start:lf.lines[len(lf.lines)-2].end]
	} else {
		raw = strings.Trim(strings.TrimLeft(raw, "#"), " \t")
		if cut := strings.TrimRight(raw, "#"); cut == "" || strings.HasSuffix(cut, " ") || strings.HasSuffix(cut, "\t") {
			raw = cut
		}
	}
	for len(m.open) > 1 && m.doc.Sections[m.open[len(m.open)-1]].Level >= level {
		m.open = m.open[:len(m.open)-1]
	}
	m.doc.Sections = append(m.doc.Sections, Section{Parent: m.open[len(m.open)-1], Level: level, Heading: plainInline(raw), Start: start, End: end})
	m.open = append(m.open, len(m.doc.Sections)-1)
	m.add(Block{Kind: Heading, Start: start, End: end, Spans: appendSentences(nil, m.text, start, end)})
	m.prose = append(m.prose, line{start, end})
}

func (m *markdownScanner) add(b Block) {
	b.Section = m.open[len(m.open)-1]
	m.doc.Blocks = append(m.doc.Blocks, b)
	m.sealed, m.last = false, 0
	m.reach(b.End)
}

// reach moves the end of the open sections on.
func (m *markdownScanner) reach(end int) {
	for _, s := range m.open[1:] {
		m.doc.Sections[s].End = end
	}
}

// cells counts the cells of a table row. A pipe behind a backslash does not part them.
func cells(row string) int {
	row = strings.TrimSpace(row)
	row = strings.TrimPrefix(row, "|")
	if strings.HasSuffix(row, "|") && !strings.HasSuffix(row, `\|`) {
		row = row[:len(row)-1]
	}
	n := 1
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '|':
			n++
		}
	}
	return n
}

// delimiterCells counts the cells of a table's delimiter row, as in "|---|:-:|". It gives 0 for any other line.
func delimiterCells(row string) int {
	row = strings.TrimSpace(row)
	if row == "" || !strings.Contains(row, "|") || strings.Trim(row, "|-: \t") != "" {
		return 0
	}
	n := 0
	for cell := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|") {
		cell = strings.TrimSpace(cell)
		cell = strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if cell == "" || strings.Trim(cell, "-") != "" {
			return 0
		}
		n++
	}
	return n
}
