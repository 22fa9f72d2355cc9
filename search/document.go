package search

// This file defines whole documents: the text and the outline of a current version.

import (
	"context"
	"fmt"

	"docket/db"
)

// A Text is the whole text of a document's current version.
type Text struct {
	DocumentKey string `json:"document_key"`
	Title       string `json:"title"`
	URI         string `json:"uri"`
	Kind        string `json:"kind"`
	ContentHash string `json:"content_hash"`
	VersionID   string `json:"version_id"`
	Text        string `json:"text"`
}

// An Outline is the tree of a document's current version.
type Outline struct {
	DocumentKey string    `json:"document_key"`
	Title       string    `json:"title"`
	URI         string    `json:"uri"`
	Kind        string    `json:"kind"`
	ContentHash string    `json:"content_hash"`
	VersionID   string    `json:"version_id"`
	Sections    []Section `json:"sections"` // in reading order, the document itself first
}

// A Section is a heading, or the document itself, with the passages directly below it.
type Section struct {
	Heading string    `json:"heading,omitempty"`
	Level   int       `json:"level"` // 0 for the document
	Symbol  string    `json:"symbol,omitempty"`
	Chunks  []Passage `json:"chunks"`
}

// A Passage is one chunk of an [Outline].
type Passage struct {
	EvidenceID string   `json:"evidence_id"`
	Kind       string   `json:"kind"`
	Location   Location `json:"location"`
	Snippet    string   `json:"snippet"` // how it begins
}

// beginning is how many characters of a passage an outline shows.
const beginning = 80

// live returns the current version of the document with this key; the error is [db.ErrNotFound] where it has none, or is not in scope.
func (r *reader) live(ctx context.Context, key string, scope db.Scope) (*version, error) {
	doc, err := r.tx.Document(ctx, key)
	if err != nil {
		return nil, err
	}
	if doc.Current == 0 || !scope.Match(doc.Key) {
		return nil, fmt.Errorf("document %s: %w", key, db.ErrNotFound)
	}
	return r.version(ctx, doc.Current)
}

// DocumentText returns the whole text of a document's current version. The error is [db.ErrNotFound] where there is none in scope.
func DocumentText(ctx context.Context, d *db.DB, key string, scope db.Scope) (Text, error) {
	var out Text
	err := d.View(ctx, func(tx *db.Tx) error {
		v, err := newReader(tx).live(ctx, key, scope)
		if err != nil {
			return err
		}
		out = Text{
			DocumentKey: v.doc.Key, Title: v.Title, URI: fileURI(v.file), Kind: v.Kind, ContentHash: v.ContentHash.String(), VersionID: v.ID,
		}
		out.Text, err = tx.Text(ctx, v.Row, 0, v.Bytes)
		return err
	})
	return out, err
}

// Tree returns the outline of a document's current version. The error is [db.ErrNotFound] where there is none in scope.
func Tree(ctx context.Context, d *db.DB, key string, scope db.Scope) (Outline, error) {
	var out Outline
	err := d.View(ctx, func(tx *db.Tx) error {
		lines := newReader(tx)
		v, err := lines.live(ctx, key, scope)
		if err != nil {
			return err
		}
		out = Outline{
			DocumentKey: v.doc.Key, Title: v.Title, URI: fileURI(v.file), Kind: v.Kind, ContentHash: v.ContentHash.String(), VersionID: v.ID,
			Sections: []Section{},
		}
		sections, err := tx.Sections(ctx, v.Row)
		if err != nil {
			return err
		}
		for _, s := range sections {
			sec := Section{Level: s.Level, Symbol: s.Symbol, Chunks: []Passage{}}
			if len(s.Path) > 0 {
				sec.Heading = visible(s.Path[len(s.Path)-1])
			}
			out.Sections = append(out.Sections, sec)
		}
		chunks, err := tx.Chunks(ctx, v.Row)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			n, err := lines.chunk(ctx, c)
			if err != nil {
				return err
			}
			if c.Section >= len(out.Sections) {
				return fmt.Errorf("passage %s: section %d is not in the tree", c.ID(), c.Section)
			}
			s, err := snippet(n.text, nil, beginning)
			if err != nil {
				return err
			}
			sec := &out.Sections[c.Section]
			sec.Chunks = append(sec.Chunks, Passage{EvidenceID: c.ID(), Kind: c.Kind, Location: n.location(), Snippet: s})
		}
		return nil
	})
	return out, err
}
