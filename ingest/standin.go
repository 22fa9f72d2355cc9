package ingest

// This file stands in for the parsers, the chunker and the word index until they land.

import (
	"context"
	"errors"
	"strings"
	"syscall"

	"docket/db"
	"docket/ingest/format"
)

func parseFormat(path string, data []byte) (format.Document, error) {
	text := strings.ToValidUTF8(string(data), "�")
	doc := format.Document{Kind: "text", Parser: "plain/0", Encoding: "utf-8", Text: text, Sections: []format.Section{{Parent: -1, End: len(text)}}}
	for at := 0; at < len(text); {
		n := strings.Index(text[at:], "\n\n")
		if n < 0 {
			n = len(text) - at
		}
		n = min(n, 4000)
		if n > 0 {
			doc.Blocks = append(doc.Blocks, format.Block{Kind: format.Paragraph, Start: at, End: at + n, Spans: []format.Span{{Kind: format.Sentence, Start: at, End: at + n}}})
		}
		at += max(n, 1)
	}
	return doc, nil
}

func chunksOf(doc format.Document) []db.Chunk {
	var out []db.Chunk
	for _, b := range doc.Blocks {
		out = append(out, db.Chunk{Kind: string(b.Kind), Start: b.Start, End: b.End, Spans: []db.Span{{Kind: "sentence", Start: b.Start, End: b.End}}})
	}
	return out
}

func parserOf(string, []byte) string { return "plain/0" }

func parserCurrent(p string) bool { return p == "" || p == "plain/0" }

func index(context.Context, *db.Tx, db.Version, string, []db.Section, []db.Chunk) error { return nil }

func retire(context.Context, *db.Tx, int64) error { return nil }

func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

func drop(context.Context, *db.Tx, int64) error { return nil }

func leantOn(context.Context, *db.Tx, int64) (bool, error) { return false, nil }

const (
	indexLexical = "lexical"
	indexReady   = "ready"
)

func indexesOf(context.Context, *db.Tx, db.Version) ([]SourceIndex, error) {
	return []SourceIndex{{indexLexical, indexReady, 100}}, nil
}
