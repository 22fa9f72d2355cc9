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
			err = &leftError{state: db.FileFailed, reason: fmt.Sprintf("the parser broke down: %v", r)}
		}
	}()
	if holdsKey(c.data) {
		return parsed{}, &leftError{state: db.FileSkipped, reason: reasonKey, policy: true}
	}
	doc, err := parseFormat(path, c.data)
	if err != nil {
		return parsed{}, &leftError{state: db.FileFailed, reason: err.Error()}
	}
	if doc.Encoding != "utf-8" && holdsKey([]byte(doc.Text)) {
		return parsed{}, &leftError{state: db.FileSkipped, reason: reasonKey, policy: true}
	}
	p = parsed{text: doc.Text, textHash: db.HashOf(doc.Text), guessed: doc.Guessed, sections: sections(doc), chunks: chunksOf(doc)}
	p.version = db.Version{
		ContentHash: c.hash, Kind: doc.Kind, Title: title(doc, path), Parser: doc.Parser, Encoding: doc.Encoding,
		Pages: doc.Pages, NoText: doc.NoText, Notes: doc.Notes,
	}
	return p, nil
}

// title returns the document's own title, or else the file's name.
func title(doc format.Document, path string) string {
	if t := strings.TrimSpace(doc.Title); t != "" {
		return t
	}
	_, name := split(path)
	return name
}

// sections gives each section its path of headings.
func sections(doc format.Document) []db.Section {
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
