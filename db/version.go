package db

// This file defines versions: one content of a document each, with its text and its tree.

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// pieceSize is how much text one row holds.
const pieceSize = 64 << 10

// A Version is one content of a document, read into one text.
type Version struct {
	Row           int64  // row id
	ID            string // v_ and 26 characters
	DocumentID    int64
	ContentHash   Hash // of the file's bytes
	TextHash      Hash // of the extracted text
	Kind          string
	Title         string
	Parser        string
	Encoding      string
	Bytes, Chars  int // of the text
	Pages         int
	NoText        []int // pages without text
	Notes         []string
	ActivationSeq int64
	CreatedAt     string
}

// The states of a version. They follow from the document's current version and are stored nowhere else.
const (
	Current    = "current"
	Superseded = "superseded"
	Deleted    = "deleted"
)

// State tells what v is to its document.
func (v *Version) State(d Document) string {
	switch d.Current {
	case 0:
		return Deleted
	case v.Row:
		return Current
	}
	return Superseded
}

// A Section is a node of a version's tree above its passages; section 0 is the document.
type Section struct {
	Ord, Parent, Level int
	Path               []string // headings, outermost first
	Symbol             string
	Start, End         int // bytes in the text
}

const versionColumns = `v.id, v.version_id, v.document_id, v.content_hash, v.text_hash, v.kind, v.title, v.parser, v.encoding,
	v.bytes, v.chars, v.pages, v.no_text, v.notes, v.activation_seq, v.created_at`

func scanVersion(r Row, v *Version) error {
	var content, text, noText, notes []byte
	err := r.Scan(&v.Row, &v.ID, &v.DocumentID, &content, &text, &v.Kind, &v.Title, &v.Parser, &v.Encoding,
		&v.Bytes, &v.Chars, &v.Pages, &noText, &notes, &v.ActivationSeq, &v.CreatedAt)
	if err != nil {
		return err
	}
	copy(v.ContentHash[:], content)
	copy(v.TextHash[:], text)
	if err := json.Unmarshal(noText, &v.NoText); err != nil {
		return fmt.Errorf("version %s, pages without text: %w", v.ID, err)
	}
	if err := json.Unmarshal(notes, &v.Notes); err != nil {
		return fmt.Errorf("version %s, notes: %w", v.ID, err)
	}
	return nil
}

// Version returns the version of a row id.
func (tx *Tx) Version(ctx context.Context, row int64) (Version, error) {
	v, err := One(ctx, tx, scanVersion, `SELECT `+versionColumns+` FROM version v WHERE v.id = ?`, row)
	if err != nil {
		err = fmt.Errorf("version %d: %w", row, err)
	}
	return v, err
}

// Versions returns all versions of a document, newest activation first.
func (tx *Tx) Versions(ctx context.Context, documentID int64) ([]Version, error) {
	return Query(ctx, tx, scanVersion, `
		SELECT `+versionColumns+` FROM version v WHERE v.document_id = ? ORDER BY v.activation_seq DESC, v.id DESC`, documentID)
}

// FindVersion returns the document's version of this content and text, or [ErrNotFound]: content that comes back finds its version again.
func (tx *Tx) FindVersion(ctx context.Context, documentID int64, content, text Hash) (Version, error) {
	return One(ctx, tx, scanVersion, `
		SELECT `+versionColumns+` FROM version v WHERE v.document_id = ? AND v.content_hash = ? AND v.text_hash = ?`, documentID, content[:], text[:])
}

// PutVersion stores a new version of the document with its text, tree and passages, without making it current. It fills in
// v.Row, v.ID, v.TextHash, v.Bytes, v.Chars and each chunk's Row and id; see [Tx.PutChunks] for what the chunks must hold.
func (tx *Tx) PutVersion(ctx context.Context, d Document, v *Version, text string, sections []Section, chunks []Chunk) error {
	v.DocumentID, v.TextHash, v.Bytes, v.CreatedAt = d.ID, HashOf(text), len(text), tx.Stamp()
	v.Chars = utf8.RuneCountInString(text)
	v.ID = VersionID(d.Key, v.ContentHash, v.TextHash)
	noText, err := json.Marshal(append([]int{}, v.NoText...))
	if err != nil {
		return err
	}
	notes, err := json.Marshal(append([]string{}, v.Notes...))
	if err != nil {
		return err
	}
	v.Row, err = tx.Insert(ctx, `
		INSERT INTO version (version_id, document_id, content_hash, text_hash, kind, title, parser, encoding,
			bytes, chars, pages, no_text, notes, activation_seq, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`,
		v.ID, v.DocumentID, v.ContentHash[:], v.TextHash[:], v.Kind, v.Title, v.Parser, v.Encoding,
		v.Bytes, v.Chars, v.Pages, string(noText), string(notes), v.CreatedAt)
	if err != nil {
		return fmt.Errorf("version of %s: %w", d.Key, err)
	}
	if err := tx.PutText(ctx, v.Row, text); err != nil {
		return fmt.Errorf("text of %s: %w", d.Key, err)
	}
	return tx.putTree(ctx, d, *v, text, sections, chunks)
}

func (tx *Tx) putTree(ctx context.Context, d Document, v Version, text string, sections []Section, chunks []Chunk) error {
	for _, s := range sections {
		path, err := json.Marshal(append([]string{}, s.Path...))
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO section (version_id, ord, parent, level, path, symbol, start, end) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			v.Row, s.Ord, s.Parent, s.Level, string(path), s.Symbol, s.Start, s.End); err != nil {
			return fmt.Errorf("section %d of %s: %w", s.Ord, d.Key, err)
		}
	}
	return tx.PutChunks(ctx, d, v, text, chunks)
}

// ReplaceTree lays the tree and the passages of a version anew over the text it has. The caller has taken its word and vector rows
// out, as passages get new row ids; their evidence ids stay where their ranges do. With keep the passages that it no longer has
// stay too, outside the reading order, since something may cite them.
func (tx *Tx) ReplaceTree(ctx context.Context, d Document, v Version, text string, sections []Section, chunks []Chunk, keep bool) error {
	var old []Chunk
	if keep {
		var err error
		if old, err = Query(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunk c WHERE c.version_id = ? ORDER BY c.start, c.end`, v.Row); err != nil {
			return fmt.Errorf("tree of %s: %w", d.Key, err)
		}
	}
	for _, stmt := range []string{`DELETE FROM section WHERE version_id = ?`, `DELETE FROM chunk WHERE version_id = ?`} {
		if _, err := tx.Exec(ctx, stmt, v.Row); err != nil {
			return fmt.Errorf("tree of %s: %w", d.Key, err)
		}
	}
	if err := tx.putTree(ctx, d, v, text, sections, chunks); err != nil {
		return err
	}
	return tx.keepChunks(ctx, d, text, sections, old, chunks)
}

// DescribeVersion records how a stored version was read this time: everything about it but its bytes and its text.
func (tx *Tx) DescribeVersion(ctx context.Context, v Version) error {
	noText, err := json.Marshal(append([]int{}, v.NoText...))
	if err != nil {
		return err
	}
	notes, err := json.Marshal(append([]string{}, v.Notes...))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE version SET kind = ?, title = ?, parser = ?, encoding = ?, pages = ?, no_text = ?, notes = ? WHERE id = ?`,
		v.Kind, v.Title, v.Parser, v.Encoding, v.Pages, string(noText), string(notes), v.Row)
	if err != nil {
		return fmt.Errorf("version %s: %w", v.ID, err)
	}
	return nil
}

// DeleteVersion deletes a version with its text, tree and passages. The caller has taken its word and vector rows out, and made
// sure that nothing leans on it.
func (tx *Tx) DeleteVersion(ctx context.Context, row int64) error {
	if _, err := tx.Exec(ctx, `DELETE FROM version WHERE id = ?`, row); err != nil {
		return fmt.Errorf("delete version %d: %w", row, err)
	}
	return nil
}

// Text returns the bytes start to end of a version's stored text.
func (tx *Tx) Text(ctx context.Context, versionRow int64, start, end int) (string, error) {
	if start < 0 || end < start {
		return "", fmt.Errorf("text of version %d: range %d to %d", versionRow, start, end)
	}
	if start == end {
		return "", nil
	}
	first := start / pieceSize
	pieces, err := Query(ctx, tx, Value[[]byte], `
		SELECT data FROM text_piece WHERE version_id = ? AND ord BETWEEN ? AND ? ORDER BY ord`, versionRow, first, (end-1)/pieceSize)
	if err != nil {
		return "", fmt.Errorf("text of version %d: %w", versionRow, err)
	}
	var b []byte
	for _, p := range pieces {
		b = append(b, p...)
	}
	from, to := start-first*pieceSize, end-first*pieceSize
	if to > len(b) {
		return "", fmt.Errorf("text of version %d: range %d to %d is beyond its end", versionRow, start, end)
	}
	return string(b[from:to]), nil
}

func scanSection(r Row, s *Section) error {
	var path []byte
	if err := r.Scan(&s.Ord, &s.Parent, &s.Level, &path, &s.Symbol, &s.Start, &s.End); err != nil {
		return err
	}
	return json.Unmarshal(path, &s.Path)
}

// Sections returns a version's sections in reading order.
func (tx *Tx) Sections(ctx context.Context, versionRow int64) ([]Section, error) {
	return Query(ctx, tx, scanSection, `
		SELECT ord, parent, level, path, symbol, start, end FROM section WHERE version_id = ? ORDER BY ord`, versionRow)
}

// Section returns one section of a version.
func (tx *Tx) Section(ctx context.Context, versionRow int64, ord int) (Section, error) {
	s, err := One(ctx, tx, scanSection, `
		SELECT ord, parent, level, path, symbol, start, end FROM section WHERE version_id = ? AND ord = ?`, versionRow, ord)
	if err != nil {
		err = fmt.Errorf("section %d of version %d: %w", ord, versionRow, err)
	}
	return s, err
}
