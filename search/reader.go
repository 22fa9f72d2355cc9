package search

// This file defines the reader: passages with all that an answer says about them.

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"docket/db"
)

// A reader reads passages under one snapshot, and each version's particulars once.
type reader struct {
	tx       *db.Tx
	versions map[int64]*version
	targets  map[int64]*target // current versions that replacements were looked for in
	roots    map[int64]string  // paths
}

func newReader(tx *db.Tx) *reader {
	return &reader{tx, map[int64]*version{}, map[int64]*target{}, map[int64]string{}}
}

// A version is a version with its document and its tree above the passages.
type version struct {
	db.Version
	doc      db.Document
	file     string // absolute, in slash form
	sections map[int]db.Section
}

func (r *reader) version(ctx context.Context, row int64) (*version, error) {
	if v, ok := r.versions[row]; ok {
		return v, nil
	}
	dv, err := r.tx.Version(ctx, row)
	if err != nil {
		return nil, err
	}
	v := &version{Version: dv, sections: map[int]db.Section{}}
	if v.doc, err = r.tx.DocumentByID(ctx, dv.DocumentID); err != nil {
		return nil, err
	}
	root, ok := r.roots[v.doc.RootID]
	if !ok {
		if root, err = db.One(ctx, r.tx, db.Value[string], `SELECT path FROM root WHERE id = ?`, v.doc.RootID); err != nil {
			return nil, fmt.Errorf("root of %s: %w", v.doc.Key, err)
		}
		r.roots[v.doc.RootID] = root
	}
	_, rel, _ := strings.Cut(v.doc.Key, "/")
	v.file = strings.TrimSuffix(filepath.ToSlash(root), "/") + "/" + rel
	v.Title = visible(v.Title)
	r.versions[row] = v
	return v, nil
}

// state tells what the version is to its document.
func (v *version) state() string { return v.State(v.doc) }

// lined lists the kinds of documents whose stored text is the file's own, so that its lines are the file's lines.
var lined = map[string]bool{"markdown": true, "text": true, "csv": true, "tsv": true, "code": true}

// A node is a passage or a part of one.
type node struct {
	*version
	chunk      db.Chunk
	section    db.Section // the chunk's
	text       string     // of the chunk
	span       bool       // a part, even where it is all of the passage
	start, end int        // bytes in the version's text
}

// own returns the node's text.
func (n *node) own() string { return n.text[n.start-n.chunk.Start : n.end-n.chunk.Start] }

// chunk makes a node of a passage.
func (r *reader) chunk(ctx context.Context, c db.Chunk) (node, error) {
	v, err := r.version(ctx, c.VersionRow)
	if err != nil {
		return node{}, err
	}
	s, ok := v.sections[c.Section]
	if !ok {
		if s, err = r.tx.Section(ctx, c.VersionRow, c.Section); err != nil {
			return node{}, err
		}
		v.sections[c.Section] = s
	}
	text, err := r.tx.Text(ctx, c.VersionRow, c.Start, c.End)
	return node{v, c, s, text, false, c.Start, c.End}, err
}

// part returns the node of a range inside n's passage.
func (n node) part(start, end int) node {
	n.span, n.start, n.end = true, start, end
	return n
}

// location tells where the node stands.
func (n *node) location() Location {
	charStart, charEnd, lineStart, lineEnd := n.chunk.Locate(n.text, n.start, n.end)
	l := Location{Page: n.chunk.Page, CharStart: charStart, CharEnd: charEnd, Symbol: n.section.Symbol}
	for _, h := range n.section.Path {
		l.HeadingPath = append(l.HeadingPath, visible(h))
	}
	if lined[n.Kind] {
		l.LineStart, l.LineEnd = lineStart, lineEnd
	}
	return l
}

// fileURI returns the file URI of an absolute path in slash form. Every byte that is not plainly safe is escaped.
func fileURI(file string) string {
	if !strings.HasPrefix(file, "/") { // C:/…
		file = "/" + file
	}
	return (&url.URL{Scheme: "file", Path: file}).String()
}

// uri returns the file's URI with a fragment for the place.
func (v *version) uri(l Location) string {
	u := fileURI(v.file)
	switch {
	case l.Page > 0:
		u += "#page=" + strconv.Itoa(l.Page)
	case l.LineEnd > l.LineStart:
		u += fmt.Sprintf("#L%d-L%d", l.LineStart, l.LineEnd)
	case l.LineStart > 0:
		u += fmt.Sprintf("#L%d", l.LineStart)
	}
	return u
}

// errBadID is what resolve returns for a string that cannot be an evidence id.
var errBadID = errors.New("not an evidence id")

// resolve finds what an id names. What is outside the scope is [db.ErrNotFound], like what does not exist.
func (r *reader) resolve(ctx context.Context, id string, scope db.Scope) (node, error) {
	eid, ok := db.ParseEvidenceID(id)
	if !ok {
		return node{}, fmt.Errorf("%s: %w", strconv.Quote(id), errBadID)
	}
	c, start, end, err := r.tx.Evidence(ctx, eid)
	if err != nil {
		return node{}, fmt.Errorf("%s: %w", id, err)
	}
	v, err := r.version(ctx, c.VersionRow)
	if err != nil {
		return node{}, err
	}
	if !scope.Match(v.doc.Key) {
		return node{}, fmt.Errorf("%s: %w", id, db.ErrNotFound)
	}
	n, err := r.chunk(ctx, c)
	if eid.IsSpan() {
		n = n.part(start, end)
	}
	return n, err
}

// hit makes a hit of a ranked passage.
func (r *reader) hit(ctx context.Context, h ranked, words []term, snippetChars int) (Hit, error) {
	c, err := r.tx.Chunk(ctx, h.row)
	if err != nil {
		return Hit{}, err
	}
	n, err := r.chunk(ctx, c)
	if err != nil {
		return Hit{}, err
	}
	s, err := snippet(n.text, words, snippetChars)
	if err != nil {
		return Hit{}, fmt.Errorf("snippet of %s: %w", c.ID(), err)
	}
	l := n.location()
	return Hit{
		EvidenceID: c.ID(), DocumentKey: n.doc.Key, Title: n.Title, ContentHash: n.ContentHash.String(), Location: l, Snippet: s,
		Score: h.score, Legs: h.legs, Similar: h.similar, URI: n.uri(l), Kind: n.Kind, LifecycleState: n.state(),
	}, nil
}
