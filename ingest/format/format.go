// Package format turns the bytes of one file into text with a tree and exact positions.
//
// It is a leaf: it knows no database, no folder and no clock, so the same bytes and name give the same Document everywhere.
// It never refuses a file that has readable text: what could not be understood is kept as plain text and told in Notes.
// The invariant that everything above rests on: every range it hands out lies in Text, on code-point borders.
package format

// A Document is what a parser understood of one file. All offsets are bytes in Text.
type Document struct {
	Kind     string     // markdown, text, csv, tsv, code, and with their parsers pdf, docx, html
	Parser   string     // the parser's name and revision, "markdown/1"; a new revision reads the file again
	Title    string     // the document's own title, or "" where it has none
	Encoding string     // what the bytes were: utf-8, utf-16le, utf-16be, windows-1252, …
	Guessed  bool       // the encoding is a guess
	Text     string     // valid UTF-8; NUL and line ends as they were, without a byte-order mark
	Sections []Section  // in reading order; Sections[0] is the document itself and is always there
	Blocks   []Block    // in reading order; none is empty, no two overlap
	Links    []Link     // in reading order
	Props    []Property // front matter, in its order
	Notes    []string   // what could not be read as its kind wants, one sentence each; the file then counts as partly read
	Pages    int        // how many pages the file has, 0 where the format has none
	NoText   []int      // the pages, from 1, that hold no text
}

// A Section is a node of the tree above the passages: the document, or a heading (or a declaration of source code) with all below it.
type Section struct {
	Parent     int    // index of the section around this one, -1 for the document
	Level      int    // 0 for the document, from 1 for headings
	Heading    string // the heading's plain text, without markup
	Symbol     string // for code: the declared name, "Type.Method"
	Start, End int    // from the heading to the end of the last thing below it
}

// A BlockKind says what a block is.
type BlockKind string

// The kinds of blocks.
const (
	Paragraph BlockKind = "paragraph"
	Heading   BlockKind = "heading"
	List      BlockKind = "list"
	Table     BlockKind = "table" // also CSV and TSV
	Quote     BlockKind = "quote"
	Code      BlockKind = "code"  // a fence with its marker lines, an indented block, source code
	Front     BlockKind = "front" // front matter
)

// A Block is a run of text that belongs together: the chunker keeps it whole where it fits.
type Block struct {
	Kind        BlockKind
	Section     int    // index of the innermost section
	Start, End  int    // without the blank lines around it
	Page        int    // from 1, 0 where the format has no pages
	Spans       []Span // the smallest citable pieces, in order, not overlapping; at least one
	HeaderStart int    // for tables: the header row or rows; both 0 where there are none
	HeaderEnd   int
	Open        bool // a fence that is never closed
}

// A SpanKind says what a span is, and so how its text is compared when the document changes.
type SpanKind string

// The kinds of spans. White space is folded in prose; in rows of data and lines of code only line ends are.
const (
	Sentence SpanKind = "sentence"
	Item     SpanKind = "item"
	Row      SpanKind = "row"
	Lines    SpanKind = "lines"
)

// A Span is one sentence, list item, table row or group of code lines.
type Span struct {
	Kind       SpanKind
	Start, End int // without white space around it
}

// A Link is a reference from this document to something else.
type Link struct {
	Kind       string // link, wikilink, image, tag, import
	Target     string // as written: a path, a URL, a page name
	Fragment   string // the part behind #, without it
	Text       string // the text shown, "" where it is the target
	Start, End int
}

// A Property is one key of the front matter.
type Property struct {
	Key    string
	Values []string
}
