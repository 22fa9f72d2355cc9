package format

// This file defines the parser of source code and of data that is read like it (JSON, YAML, SQL, …): blocks of lines, however deep.

import (
	"path"
	"strings"
)

const (
	blockLines = 60   // lines, and
	blockBytes = 3000 // bytes, after which a block of code ends at its next blank line
)

// sourceCode reads Go by its own parser, and everything else, or Go that does not parse, as blocks of lines.
func sourceCode(name string, doc *Document) {
	lines := linesOf(doc.Text)
	if strings.EqualFold(path.Ext(name), ".go") && goSource(doc, lines) {
		return
	}
	codeBlocks(doc, lines, 0)
}

// codeBlocks adds blocks of lines to a section. A block ends at a blank line before a line that is not indented, so that a function keeps
// the blank lines in its body; a long one ends at any blank line, and a very long one at any line.
func codeBlocks(doc *Document, lines []line, section int) {
	from := 0
	size := 0
	flush := func(to int) {
		if spans := appendLineGroups(nil, doc.Text, lines[from:to]); len(spans) > 0 {
			doc.Blocks = append(doc.Blocks, Block{Kind: Code, Section: section, Start: spans[0].Start, End: spans[len(spans)-1].End, Spans: spans})
		}
		from, size = to, 0
	}
	blank := false
	for i, l := range lines {
		if isBlank(doc.Text, l) {
			blank = true
			continue
		}
		long := i-from >= blockLines || size > blockBytes
		topLevel := doc.Text[l.start] != ' ' && doc.Text[l.start] != '\t' && doc.Text[l.start] != '}' && doc.Text[l.start] != ')'
		if blank && (topLevel || long) || i-from >= 2*blockLines || size > 2*blockBytes {
			flush(i)
		}
		blank = false
		size += l.end - l.start + 1
	}
	flush(len(lines))
}
