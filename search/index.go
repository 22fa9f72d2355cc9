package search

// This file defines the rows of the word index and of the vectors: which passages are in them, and how they get there and out again.

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"docket/db"
	"docket/search/vector"
)

// Index puts the passages of a version into the main index, out of the history index if they were in it. The caller makes the
// version current in the same transaction; text, sections and chunks are those that the store holds for it.
func Index(ctx context.Context, tx *db.Tx, v db.Version, text string, sections []db.Section, chunks []db.Chunk) error {
	if err := unindex(ctx, tx, v.Row); err != nil {
		return err
	}
	for i := range chunks {
		c := &chunks[i]
		if err := putWords(ctx, tx, "word", v, headings(v, sections, *c, text), c, text[c.Start:c.End]); err != nil {
			return err
		}
	}
	return putVectors(ctx, tx, v, text, sections, chunks)
}

// Retire moves the passages of a version out of the main index into the history index. The caller makes another version current,
// or deletes the document, in the same transaction.
func Retire(ctx context.Context, tx *db.Tx, versionRow int64) error {
	if err := unindex(ctx, tx, versionRow); err != nil {
		return err
	}
	v, err := tx.Version(ctx, versionRow)
	if err != nil {
		return err
	}
	text, err := tx.Text(ctx, versionRow, 0, v.Bytes)
	if err != nil {
		return err
	}
	sections, err := tx.Sections(ctx, versionRow)
	if err != nil {
		return err
	}
	chunks, err := tx.Chunks(ctx, versionRow)
	if err != nil {
		return err
	}
	for i := range chunks {
		c := &chunks[i]
		if err := putWords(ctx, tx, "word_history", v, headings(v, sections, *c, text), c, text[c.Start:c.End]); err != nil {
			return err
		}
	}
	return eachVector(ctx, tx, versionRow, vector.Retire)
}

// Drop takes the passages of a version out of both indexes. It is called before the version is deleted or its tree replaced, as both
// tables know no foreign keys.
func Drop(ctx context.Context, tx *db.Tx, versionRow int64) error {
	if err := unindex(ctx, tx, versionRow); err != nil {
		return err
	}
	return eachVector(ctx, tx, versionRow, vector.Drop)
}

// unindex deletes a version's rows, wherever they are.
func unindex(ctx context.Context, tx *db.Tx, versionRow int64) error {
	rows, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT p.chunk_id FROM chunk c JOIN passage p ON p.chunk_id = c.id WHERE c.version_id = ? ORDER BY 1`, versionRow)
	if err != nil {
		return fmt.Errorf("words of version %d: %w", versionRow, err)
	}
	for _, row := range rows {
		for _, stmt := range []string{
			`DELETE FROM word WHERE rowid = ?`, `DELETE FROM word_history WHERE rowid = ?`, `DELETE FROM passage WHERE chunk_id = ?`,
		} {
			if _, err := tx.Exec(ctx, stmt, row); err != nil {
				return fmt.Errorf("words of passage %d: %w", row, err)
			}
		}
	}
	return nil
}

func putWords(ctx context.Context, tx *db.Tx, table string, v db.Version, heading string, c *db.Chunk, body string) error {
	_, err := tx.Exec(ctx, `INSERT INTO `+table+` (rowid, title, heading, body) VALUES (?, ?, ?, ?)`, c.Row, indexed(v.Title), indexed(heading), indexed(body))
	if err == nil {
		_, err = tx.Exec(ctx, `INSERT INTO passage (chunk_id, document_id, fold) VALUES (?, ?, ?)`, c.Row, v.DocumentID, foldOf(body))
	}
	if err != nil {
		return fmt.Errorf("words of passage %s: %w", c.ID(), err)
	}
	return nil
}

// headings returns what stands above a passage and is not in it: its headings, save one that only repeats the title, and the header
// row of a table that went on from an earlier passage.
func headings(v db.Version, sections []db.Section, c db.Chunk, text string) string {
	var b strings.Builder
	if c.Section < len(sections) {
		for _, h := range sections[c.Section].Path {
			if h != v.Title {
				b.WriteString(h)
				b.WriteByte('\n')
			}
		}
	}
	if c.HeaderEnd > c.HeaderStart && (c.HeaderStart < c.Start || c.HeaderEnd > c.End) {
		b.WriteString(text[c.HeaderStart:c.HeaderEnd])
	}
	return b.String()
}

// foldOf names a text up to case, compatibility forms and white space.
func foldOf(text string) int64 {
	h := sha256.New()
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), unicode.IsSpace) {
		h.Write([]byte(w))
		h.Write([]byte{' '})
	}
	return int64(binary.BigEndian.Uint64(h.Sum(nil)))
}
