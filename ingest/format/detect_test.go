package format_test

import (
	"errors"
	"strings"
	"testing"

	"docket/ingest/format"
)

// Case 40: the content says what a file is, then its name.
func TestDetect(t *testing.T) {
	utf16 := func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			b.WriteByte(c)
			b.WriteByte(0)
		}
		return b.String()
	}
	tests := []struct {
		name, file, data, want string
	}{
		{"markdown by name", "notes/a.md", "# A", "markdown"},
		{"any case of the name", "A.MARKDOWN", "# A", "markdown"},
		{"rules of an editor", ".cursor/rules/a.mdc", "---\na: b\n---\n", "markdown"},
		{"a README without an extension", "README", "read me", "markdown"},
		{"text", "a.txt", "text", "text"},
		{"a name that says nothing", "a.xyzzy", "text", "text"},
		{"no name", "", "text", "text"},
		{"an empty file", "a.md", "", "markdown"},
		{"csv", "a.csv", "a,b", "csv"},
		{"tsv", "a.tab", "a\tb", "tsv"},
		{"go", "a.go", "package a", "code"},
		{"a file known by its whole name", "src/Makefile", "all:", "code"},
		{"a script without an extension", "bin/run", "#!/bin/sh\nls", "code"},
		{"json", "a.json", "{}", "code"},
		{"html by name", "a.html", "<p>", "html"},
		{"html by content", "page", "\n<!DOCTYPE html><p>", "html"},
		{"a note about html", "a.md", "<html> is a tag", "markdown"},
		{"pdf", "a.pdf", "%PDF-1.7\n", "pdf"},
		{"a pdf called text", "a.txt", "%PDF-1.7\n", "pdf"},
		{"a pdf behind rubbish", "a.pdf", "rubbish\n%PDF-1.7\n1 0 obj\n%%EOF", "pdf"},
		{"a note about pdf", "a.md", "A file that starts with %PDF- is a PDF.", "markdown"},
		{"a note called pdf", "a.pdf", "I am a note.", "text"},
		{"docx", "a.docx", "PK\x03\x04....word/document.xml", "docx"},
		{"a pptx in the list of texts", "slides.txt", "PK\x03\x04....ppt/presentation.xml", "pptx"},
		{"xlsx", "a", "PK\x03\x04....xl/workbook.xml", "xlsx"},
		{"epub", "a.epub", "PK\x03\x04....mimetypeapplication/epub+zip", "epub"},
		{"odt", "a.odt", "PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.text", "odt"},
		{"zip", "a.md", "PK\x03\x04....", "zip"},
		{"an old ppt", "slides.ppt", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", "ole"},
		{"rtf", "a.doc", `{\rtf1 x}`, "rtf"},
		{"png", "a.txt", "\x89PNG\r\n\x1a\n....", "png"},
		{"a store", "a.txt", "SQLite format 3\x00....", "sqlite"},
		{"a note that starts like a tape", "a.txt", "ID3 tags explained", "text"},
		{"a program without a mark", "a.txt", strings.Repeat("\x00\x01\x02\xff\xfe\x80", 100), "binary"},
		{"bytes without an encoding", "a.md", "\x00\x01\x02\x03\x04\x05\x06\x07", "binary"},
		{"a NUL in a string is no binary (case 8)", "a.c", "const char s[] = \"a\x00b\"; // " + strings.Repeat("x", 50), "code"},
		{"utf-16 is no binary", "a.txt", "\xff\xfea\x00b\x00", "text"},
		{"utf-16 without a mark is no binary", "a.csv", utf16("name,value\n1,2\n"), "csv"},
		{"terminal colours are no binary", "a.log", strings.Repeat("\x1b[31mred\x1b[0m\n", 50), "text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := format.Detect(tt.file, []byte(tt.data)); got != tt.want {
				t.Errorf("Detect(%q, %q) = %q, want %q", tt.file, tt.data[:min(len(tt.data), 40)], got, tt.want)
			}
		})
	}
}

// Case 40: every refusal has a type, and a sentence for the ledger.
func TestParseRefuses(t *testing.T) {
	_, err := format.Parse("a.txt", []byte(strings.Repeat("\x00\x01\x02\xff", 100)))
	if e, ok := errors.AsType[*format.BinaryError](err); !ok {
		t.Errorf("binary content: %v (%v)", err, e)
	}
	_, err = format.Parse("slides.txt", []byte("PK\x03\x04....ppt/presentation.xml"))
	if e, ok := errors.AsType[*format.UnsupportedError](err); !ok || e.Kind != "pptx" || err.Error() != "pptx: no parser yet" {
		t.Errorf("a pptx: %v", err)
	}
	_, err = format.Parse("a.md", []byte(strings.Repeat("0123456789abcde\n", 4<<20+1)))
	if e, ok := errors.AsType[*format.TooLargeError](err); !ok || e.Limit != 64<<20 || err.Error() != "markdown file of 64.0 MB, more than 64 MB" {
		t.Errorf("a large file: %v", err)
	}
}

func TestRevision(t *testing.T) {
	for _, kind := range []string{"markdown", "text", "csv", "tsv", "code"} {
		if got := format.Revision(kind); !strings.HasPrefix(got, kind+"/") {
			t.Errorf("Revision(%q) = %q", kind, got)
		}
	}
	if got := format.Revision("png"); got != "" {
		t.Errorf("Revision of a kind without parser = %q", got)
	}
	if doc := parse(t, "a.md", "x"); doc.Kind != "markdown" || doc.Parser != format.Revision("markdown") {
		t.Errorf("a note is read as %q by %q", doc.Kind, doc.Parser)
	}
}
