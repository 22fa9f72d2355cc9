package db

// This file defines chunks, the passages of a version, and the spans inside them.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A Chunk is a passage: a byte range of its version's text.
type Chunk struct {
	Row                    int64
	VersionRow             int64
	Ord                    int // reading order
	Section                int // ord of its section
	Kind                   string
	Part                   bool // a piece of a block that was too long for one passage
	Page                   int  // from 1, 0 without pages
	Start, End             int  // bytes in the text
	CharStart, CharEnd     int  // code points in the text
	LineStart, LineEnd     int  // from 1
	HeaderStart, HeaderEnd int  // bytes of a table piece's header row, both 0 without
	Spans                  []Span

	name string // the 26 characters of its id
}

// A Span is a sentence, list item, table row or group of code lines.
type Span struct {
	Kind       string // sentence, item, row, lines
	Start, End int    // bytes in the text
}

var spanKinds = []string{"sentence", "item", "row", "lines"}

func packSpans(c *Chunk) ([]byte, error) {
	var b []byte
	at := c.Start
	for _, s := range c.Spans {
		kind := 0
		for kind < len(spanKinds) && spanKinds[kind] != s.Kind {
			kind++
		}
		if kind == len(spanKinds) || s.Start < at || s.End <= s.Start || s.End > c.End {
			return nil, fmt.Errorf("span %q %d to %d in chunk %d to %d", s.Kind, s.Start, s.End, c.Start, c.End)
		}
		b = append(b, byte(kind))
		b = binary.AppendUvarint(b, uint64(s.Start-at))
		b = binary.AppendUvarint(b, uint64(s.End-s.Start))
		at = s.End
	}
	return b, nil
}

func unpackSpans(c *Chunk, b []byte) error {
	at := c.Start
	for len(b) > 0 {
		kind := int(b[0])
		gap, n := binary.Uvarint(b[1:])
		if n <= 0 || kind >= len(spanKinds) {
			return errors.New("spans of chunk " + c.ID() + " are damaged")
		}
		b = b[1+n:]
		length, n := binary.Uvarint(b)
		if n <= 0 {
			return errors.New("spans of chunk " + c.ID() + " are damaged")
		}
		b = b[n:]
		s := Span{spanKinds[kind], at + int(gap), at + int(gap) + int(length)}
		if s.End > c.End {
			return errors.New("spans of chunk " + c.ID() + " are damaged")
		}
		c.Spans, at = append(c.Spans, s), s.End
	}
	return nil
}

// PutChunks stores the passages of a version, in reading order. The caller gives Section, Kind, Part, Page, Start, End,
// HeaderStart, HeaderEnd and Spans; PutChunks fills in the rest.
func (tx *Tx) PutChunks(ctx context.Context, d Document, v Version, text string, chunks []Chunk) error {
	p := place{line: 1}
	for i := range chunks {
		c := &chunks[i]
		if c.Start < p.at || c.End <= c.Start || c.End > len(text) || c.End-c.Start >= maxSpanBytes {
			return fmt.Errorf("chunk %d of %s: range %d to %d", i, d.Key, c.Start, c.End)
		}
		p.advance(text, c.Start)
		c.CharStart, c.LineStart = p.char, p.line
		p.advance(text, c.End)
		c.CharEnd, c.LineEnd = p.char, p.lineOfLast(text)
		c.VersionRow, c.Ord, c.name = v.Row, i, chunkName(d.Key, v.ContentHash, v.TextHash, c.Start, c.End)
		if err := tx.insertChunk(ctx, c, text); err != nil {
			return fmt.Errorf("chunk %d of %s: %w", i, d.Key, err)
		}
	}
	return nil
}

func (tx *Tx) insertChunk(ctx context.Context, c *Chunk, text string) error {
	spans, err := packSpans(c)
	if err != nil {
		return err
	}
	hash := HashOf(text[c.Start:c.End])
	c.Row, err = tx.Insert(ctx, `
		INSERT INTO chunk (evidence, version_id, ord, section, kind, part, page, start, end, char_start, char_end,
			line_start, line_end, header_start, header_end, spans, hash)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.name, c.VersionRow, c.Ord, c.Section, c.Kind, c.Part, c.Page, c.Start, c.End, c.CharStart, c.CharEnd,
		c.LineStart, c.LineEnd, c.HeaderStart, c.HeaderEnd, append([]byte{}, spans...), hash[:])
	return err
}

// keepChunks stores passages that a version was cut into before, beside the new ones, so that their ids still resolve: their places
// in the reading order are negative, and no list of the version's passages holds them.
func (tx *Tx) keepChunks(ctx context.Context, d Document, text string, sections []Section, old, now []Chunk) error {
	have := make(map[string]bool, len(now))
	for i := range now {
		have[now[i].name] = true
	}
	ord := -1
	for i := range old {
		c := &old[i]
		if have[c.name] {
			continue
		}
		c.Ord, c.Section = ord, 0
		for _, s := range sections { // the innermost one around it
			if s.Start <= c.Start && c.End <= s.End {
				c.Section = s.Ord
			}
		}
		if err := tx.insertChunk(ctx, c, text); err != nil {
			return fmt.Errorf("earlier chunk %s of %s: %w", c.ID(), d.Key, err)
		}
		ord--
	}
	return nil
}

// place counts code points and lines on the way through a text. LF, CR and CRLF each end a line.
type place struct{ at, char, line int }

func (p *place) advance(text string, to int) {
	p.char += utf8.RuneCountInString(text[p.at:to])
	for ; p.at < to; p.at++ {
		switch c := text[p.at]; {
		case c == '\n', c == '\r' && (p.at+1 == len(text) || text[p.at+1] != '\n'):
			p.line++
		}
	}
}

// lineOfLast returns the line of the character before the place.
func (p *place) lineOfLast(text string) int {
	if c := text[p.at-1]; c == '\n' || c == '\r' && (p.at == len(text) || text[p.at] != '\n') {
		return p.line - 1
	}
	return p.line
}

// Locate returns the positions of the bytes start to end inside a chunk whose text is given: code points in the version's text,
// and lines from 1.
func (c *Chunk) Locate(chunkText string, start, end int) (charStart, charEnd, lineStart, lineEnd int) {
	p := place{char: c.CharStart, line: c.LineStart}
	p.advance(chunkText, start-c.Start)
	charStart, lineStart = p.char, p.line
	p.advance(chunkText, end-c.Start)
	return charStart, p.char, lineStart, p.lineOfLast(chunkText)
}

const chunkColumns = `c.id, c.evidence, c.version_id, c.ord, c.section, c.kind, c.part, c.page, c.start, c.end, c.char_start, c.char_end,
	c.line_start, c.line_end, c.header_start, c.header_end, c.spans`

func scanChunk(r Row, c *Chunk) error {
	var spans []byte
	err := r.Scan(&c.Row, &c.name, &c.VersionRow, &c.Ord, &c.Section, &c.Kind, &c.Part, &c.Page, &c.Start, &c.End, &c.CharStart, &c.CharEnd,
		&c.LineStart, &c.LineEnd, &c.HeaderStart, &c.HeaderEnd, &spans)
	if err != nil {
		return err
	}
	return unpackSpans(c, spans)
}

// Chunk returns the passage of a row id.
func (tx *Tx) Chunk(ctx context.Context, row int64) (Chunk, error) {
	c, err := One(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunk c WHERE c.id = ?`, row)
	if err != nil {
		err = fmt.Errorf("chunk %d: %w", row, err)
	}
	return c, err
}

// ChunkByOrd returns a version's passage at a place in its reading order.
func (tx *Tx) ChunkByOrd(ctx context.Context, versionRow int64, ord int) (Chunk, error) {
	return One(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunk c WHERE c.version_id = ? AND c.ord = ?`, versionRow, ord)
}

// Chunks returns the passages of a version in reading order.
func (tx *Tx) Chunks(ctx context.Context, versionRow int64) ([]Chunk, error) {
	return Query(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunk c WHERE c.version_id = ? AND c.ord >= 0 ORDER BY c.ord`, versionRow)
}

// Evidence resolves an id to its chunk and byte range, which for a span lies inside the chunk on code-point borders. The error is
// [ErrNotFound] where nothing has that id.
func (tx *Tx) Evidence(ctx context.Context, id EvidenceID) (c Chunk, start, end int, err error) {
	if !id.span {
		c, err = One(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunk c WHERE c.evidence = ?`, id.name)
		return c, c.Start, c.End, err
	}
	c, err = One(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunk c WHERE c.evidence >= ? AND c.evidence < ? ORDER BY c.evidence LIMIT 1`,
		id.name, id.name+"~")
	if err != nil {
		return Chunk{}, 0, 0, err
	}
	start, end = c.Start+id.start, c.Start+id.end
	if end > c.End {
		return Chunk{}, 0, 0, ErrNotFound
	}
	text, err := tx.Text(ctx, c.VersionRow, c.Start, c.End)
	if err != nil {
		return Chunk{}, 0, 0, err
	}
	if !utf8.RuneStart(text[id.start]) || id.end < len(text) && !utf8.RuneStart(text[id.end]) {
		return Chunk{}, 0, 0, ErrNotFound
	}
	return c, start, end, nil
}
