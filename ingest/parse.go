package ingest

// This file defines how the bytes of a file become the rows of a version, outside any transaction.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docket/db"
	"docket/ingest/format"
	"docket/ingest/worker"
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

// A ForeignParser reads what docket does not read in its own process: PDF, Word, HTML. Package ingest/worker has one.
type ForeignParser func(ctx context.Context, name string, data []byte) (*format.Document, error)

// A parserSet are the parsers that a sync has.
type parserSet struct{ foreign ForeignParser }

// revision names the parser that reads a kind today, "" where there is none.
func (ps parserSet) revision(kind string) string {
	if ps.foreign == nil && slices.Contains([]string{"pdf", "docx", "html"}, kind) {
		return ""
	}
	return format.Revision(kind)
}

// none is what the ledger holds for the parser of a kind that is not read: its first parser will find it changed.
func none(kind string) string { return kind + "/0" }

// current reports whether a file that this parser was at would be read alike today.
func (ps parserSet) current(parser string) bool {
	kind, _, _ := strings.Cut(parser, "/")
	now := ps.revision(kind)
	return parser == "" || parser == now || now == "" && parser == none(kind)
}

// unsupported returns the reason if the first bytes of a file show that it is of a kind that is known and has no parser.
func (ps parserSet) unsupported(name string, head []byte) error {
	kind := format.Detect(name, head)
	if kind == "binary" || ps.revision(kind) != "" || format.Foreign(name, head) != "" && ps.foreign != nil {
		return nil // that bytes are no text is only said of all of them
	}
	return &leftError{state: db.FileSkipped, reason: (&format.UnsupportedError{Kind: kind}).Error(), parser: none(kind)}
}

// parse understands one file. What it cannot understand, or must not keep, is a leftError; a parser that panics fails this file alone.
// Any other error is not about the file.
func (ps parserSet) parse(ctx context.Context, path string, c content) (p parsed, err error) {
	kind := format.Detect(path, c.data)
	if k := format.Foreign(path, c.data); k != "" && ps.foreign != nil {
		kind = k
	}
	parser := cmp.Or(ps.revision(kind), none(kind))
	defer func() {
		if r := recover(); r != nil {
			err = &leftError{state: db.FileFailed, reason: fmt.Sprintf("the parser broke down: %v", r), parser: parser}
		}
	}()
	if holdsKey(c.data) {
		return parsed{}, &leftError{state: db.FileSkipped, reason: reasonKey, policy: true, parser: parser}
	}
	var doc *format.Document
	if format.Foreign(path, c.data) == kind && ps.foreign != nil {
		doc, err = ps.foreign(ctx, path, c.data)
	} else {
		doc, err = format.Parse(path, c.data)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return parsed{}, ctx.Err()
	case errors.Is(err, worker.ErrUnavailable): // which says nothing of the file: it waits
		return parsed{}, &leftError{state: db.FilePending, reason: err.Error(), parser: parser}
	case errors.Is(err, format.ErrEncrypted) || isRefusal(err): // left out, yet no reason to give up the last good version
		return parsed{}, &leftError{state: db.FileSkipped, reason: err.Error(), parser: parser}
	default:
		return parsed{}, &leftError{state: db.FileFailed, reason: err.Error(), parser: parser}
	}
	if doc.Encoding != "utf-8" && holdsKey([]byte(doc.Text)) {
		return parsed{}, &leftError{state: db.FileSkipped, reason: reasonKey, policy: true, parser: parser}
	}
	p = parsed{text: doc.Text, textHash: db.HashOf(doc.Text), guessed: doc.Guessed, sections: sections(doc), chunks: chunkRows(doc)}
	p.version = db.Version{
		ContentHash: c.hash, Kind: doc.Kind, Title: title(doc, path), Parser: doc.Parser, Encoding: doc.Encoding,
		Pages: doc.Pages, NoText: doc.NoText, Notes: doc.Notes,
	}
	return p, nil
}

// isRefusal reports whether the file is of a kind, or of a size, that is not read.
func isRefusal(err error) bool {
	_, binary := errors.AsType[*format.BinaryError](err)
	_, unsupported := errors.AsType[*format.UnsupportedError](err)
	_, large := errors.AsType[*format.TooLargeError](err)
	return binary || unsupported || large
}

// maxName bounds a title, a heading and a symbol. They stand beside every passage of an answer, which has a size: one document must not
// fill it with them.
const maxName = 500 // code points

// name returns a title, heading or symbol on one line, cut where it is too long.
func name(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	chars := 0
	for i := range s {
		if chars == maxName {
			return s[:backToBorder(s, i)] + "…"
		}
		chars++
	}
	return s
}

// title returns the document's own title, or else the file's name.
func title(doc *format.Document, path string) string {
	if t := name(doc.Title); t != "" {
		return t
	}
	_, file := split(path)
	return file
}

// sections gives each section its path of headings.
func sections(doc *format.Document) []db.Section {
	out := make([]db.Section, len(doc.Sections))
	for i, s := range doc.Sections {
		out[i] = db.Section{Ord: i, Parent: s.Parent, Level: s.Level, Symbol: name(s.Symbol), Start: s.Start, End: s.End}
		if s.Parent >= 0 {
			up := out[s.Parent].Path
			out[i].Path = append(up[:len(up):len(up)], name(s.Heading))
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
