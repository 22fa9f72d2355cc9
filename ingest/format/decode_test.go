package format_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

func encode16(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func encode32(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, r := range s {
		b = order.AppendUint32(b, uint32(r))
	}
	return string(b)
}

// Cases 1, 2, 4, 8: text comes out as it was written, whatever its bytes are.
func TestDecode(t *testing.T) {
	const text = "Ingest – 1.234 € “fertig” 😀 é\r\nzweite Zeile, naïve\r\n"
	const latin = "Ingest – 1.234 € “fertig” é\r\nzweite Zeile, naïve und größer\r\n"
	win1252, err := charmap.Windows1252.NewEncoder().String(latin)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, data, want, encoding string
		guessed                    bool
		notes                      int
	}{
		{"utf-8", text, text, "utf-8", false, 0},
		{"utf-8 with a mark", "\ufeff" + text, text, "utf-8", false, 0},
		{"a log of PowerShell: utf-16le with a mark (case 1)", "\xff\xfe" + encode16(text, binary.LittleEndian), text, "utf-16le", false, 0},
		{"utf-16be with a mark", "\xfe\xff" + encode16(text, binary.BigEndian), text, "utf-16be", false, 0},
		{"utf-16le without a mark (case 2)", encode16(text, binary.LittleEndian), text, "utf-16le", true, 0},
		{"utf-16be without a mark", encode16(text, binary.BigEndian), text, "utf-16be", true, 0},
		{"utf-32le", "\xff\xfe\x00\x00" + encode32(text, binary.LittleEndian), text, "utf-32le", false, 0},
		{"utf-32be", "\x00\x00\xfe\xff" + encode32(text, binary.BigEndian), text, "utf-32be", false, 0},
		{"windows-1252 (case 4)", win1252, latin, "windows-1252", true, 0},
		{"half a surrogate pair", "\xff\xfea\x00\x3d\xd8b\x00", "a\ufffdb", "utf-16le", false, 1},
		{"an odd byte at the end", "\xff\xfea\x00b\x00c", "ab\ufffd", "utf-16le", false, 1},
		{"utf-8 that was cut inside a letter", strings.Repeat("größer und schöner\n", 20) + "gr\xc3", strings.Repeat("größer und schöner\n", 20) + "gr\ufffd", "utf-8", true, 1},
		{"a mark and then no utf-8", "\ufeffcaf\xe9", "caf\ufffd", "utf-8", true, 1},
		{"NUL and control characters stay (case 8)", "\ufeffa\x00b\x07c", "a\x00b\x07c", "utf-8", false, 0},
		{"line ends stay", "a\r\nb\rc\n\u2028d", "a\r\nb\rc\n\u2028d", "utf-8", false, 0},
		{"a mark in the middle stays", "a\ufeffb", "a\ufeffb", "utf-8", false, 0},
		{"nothing but a mark", "\ufeff", "", "utf-8", false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := parse(t, "a.txt", tt.data)
			if doc.Text != tt.want || doc.Encoding != tt.encoding || doc.Guessed != tt.guessed || len(doc.Notes) != tt.notes {
				t.Errorf("got %q as %s, guessed %v, notes %q\nwant %q as %s, guessed %v", doc.Text, doc.Encoding, doc.Guessed, doc.Notes, tt.want, tt.encoding, tt.guessed)
			}
		})
	}
}

// Case 1: a byte-order mark hides no front matter.
func TestMarkBeforeFrontMatter(t *testing.T) {
	for name, data := range map[string]string{
		"utf-8":    "\ufeff---\ntitle: T\n---\n# H\n",
		"utf-16le": "\xff\xfe" + encode16("---\r\ntitle: T\r\n---\r\n# H\r\n", binary.LittleEndian),
	} {
		if doc := parse(t, "a.md", data); doc.Title != "T" || len(doc.Sections) != 2 {
			t.Errorf("%s: title %q, %d sections", name, doc.Title, len(doc.Sections))
		}
	}
}
