package ingest

// This file defines how the bytes of a file become the rows of a version, outside any transaction.

import (
	"fmt"
	"strings"

	"docket/db"
	"docket/ingest/format"
)

// A parsed file is a version about to be stored.
type parsed struct {
	version  db.Version
	text     string
	textHash db.Hash
	sections []db.Section
	chunks   []db.Chunk
	guessed  bool // its encoding
}

// parse understands one file. What it cannot understand, or must not keep, is a leftError; a parser that panics fails this file alone.
func parse(path string, c content) (p parsed, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &leftError{state: db.FileFailed, reason: fmt.Sprintf("the parser broke down: %v", r), parser: parserOf(path, c.data)}
		}
	}()
	if holdsKey(c.data) {
		return parsed{}, &leftError{state: db.FileSkipped, reason: reasonKey, policy: true}
	}
	doc, err := format.Parse(path, c.data)
	if err != nil { // a kind that is not read: on purpose, yet no reason to give up the last good version
		return parsed{}, &leftError{state: db.FileSkipped, reason: err.Error(), parser: parserOf(path, c.data)}
	}
	if doc.Encoding != "utf-8" && holdsKey([]byte(doc.Text)) {
		return parsed{}, &leftError{state: db.FileSkipped, reason: reasonKey, policy: true}
	}
	p = parsed{text: doc.Text, textHash: db.HashOf(doc.Text), guessed: doc.Guessed, sections: sections(doc), chunks: chunkRows(doc)}
	p.version = db.Version{
		ContentHash: c.hash, Kind: doc.Kind, Title: title(doc, path), Parser: doc.Parser, Encoding: doc.Encoding,
		Pages: doc.Pages, NoText: doc.NoText, Notes: doc.Notes,
	}
	return p, nil
}

// parserOf names the parser that reads a file today. A kind without one has revision 0, so that its first parser finds it changed.
func parserOf(path string, data []byte) string {
	kind := format.Detect(path, data)
	if p := format.Revision(kind); p != "" {
		return p
	}
	return kind + "/0"
}

// unsupported returns the reason if the first bytes of a file show that it is of a kind that is known and has no parser.
func unsupported(name string, head []byte) error {
	kind := format.Detect(name, head)
	if kind == "binary" || format.Revision(kind) != "" { // that bytes are no text is only said of all of them
		return nil
	}
	return &leftError{state: db.FileSkipped, reason: (&format.UnsupportedError{Kind: kind}).Error(), parser: kind + "/0"}
}

// parserCurrent reports whether a file that this parser was at would be read alike today.
func parserCurrent(parser string) bool {
	kind, _, _ := strings.Cut(parser, "/")
	p := format.Revision(kind)
	return parser == "" || parser == p || p == "" && parser == kind+"/0"
}

// title returns the document's own title, or else the file's name.
func title(doc *format.Document, path string) string {
	if t := strings.TrimSpace(doc.Title); t != "" {
		return t
	}
	_, name := split(path)
	return name
}

// sections gives each section its path of headings.
func sections(doc *format.Document) []db.Section {
	out := make([]db.Section, len(doc.Sections))
	for i, s := range doc.Sections {
		out[i] = db.Section{Ord: i, Parent: s.Parent, Level: s.Level, Symbol: s.Symbol, Start: s.Start, End: s.End}
		if s.Parent >= 0 {
			up := out[s.Parent].Path
			out[i].Path = append(up[:len(up):len(up)], s.Heading)
		}
	}
	return out
}

// chunkRows makes rows of a document's passages. Where they stand in lines and code points is filled in when they are stored.
func chunkRows(doc *format.Document) []db.Chunk {
	chunks := Chunks(doc)
	out := make([]db.Chunk, len(chunks))
	for i, c := range chunks {
		out[i] = db.Chunk{
			Section: c.Section, Kind: string(c.Kind), Part: c.Part, Page: c.Page, Start: c.Start, End: c.End,
			HeaderStart: c.HeaderStart, HeaderEnd: c.HeaderEnd, Spans: make([]db.Span, len(c.Spans)),
		}
		for j, sp := range c.Spans {
			out[i].Spans[j] = db.Span{Kind: string(sp.Kind), Start: sp.Start, End: sp.End}
		}
	}
	return out
}

// outcome puts into the ledger's words how much of the file was read.
func (p *parsed) outcome() (state, reason string) {
	v := &p.version
	switch {
	case strings.TrimSpace(p.text) == "" && v.Pages > 0:
		return db.FileNoText, fmt.Sprintf("none of its %d pages has text", v.Pages)
	case strings.TrimSpace(p.text) == "":
		return db.FileNoText, "it holds no text"
	case len(v.NoText) > 0:
		return db.FilePartly, strings.Join(append([]string{fmt.Sprintf("%d of %d pages have no text", len(v.NoText), v.Pages)}, v.Notes...), "; ")
	case len(v.Notes) > 0:
		return db.FilePartly, strings.Join(v.Notes, "; ")
	case p.guessed:
		return db.FileIndexed, "read as " + v.Encoding + ", which is a guess"
	}
	return db.FileIndexed, ""
}
