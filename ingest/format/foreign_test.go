package format_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docket/ingest/format"

	"github.com/google/go-cmp/cmp"
)

// Case 40: the bytes decide, not the name. Case 48 (sheets) waits for a parser of sheets: until then an .xlsx is refused by name.
func TestForeign(t *testing.T) {
	office := func(part string) []byte { return zipped(t, "[Content_Types].xml", "<x/>", part, "<x/>") }
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"a.pdf", pages("", ""), "pdf"},
		{"notes.txt", pages("", ""), "pdf"},
		{"a.pdf", []byte("Just a note that mentions %PDF-1.4 in a sentence."), ""},
		{"a.docx", office("word/document.xml"), "docx"},
		{"text.txt", office("word/document.xml"), "docx"},
		{"a.pptx", office("ppt/presentation.xml"), ""},
		{"slides.txt", office("ppt/presentation.xml"), ""},
		{"a.xlsx", office("xl/workbook.xml"), ""},
		{"a.docx", office("x")[:40], "docx"},
		{"locked.docx", append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 600)...), "docx"},
		{"page.html", []byte("<p>x"), "html"},
		{"page", []byte("\n<!DOCTYPE html><p>x"), "html"},
		{"readme.md", []byte("<html> is a tag"), ""},
		{"photo.html", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x00"), ""},
		{"empty.txt", nil, ""},
	} {
		if got := format.Foreign(tt.name, tt.data); got != tt.want {
			t.Errorf("Foreign(%s, %.12q) = %q, want %q", tt.name, tt.data, got, tt.want)
		}
	}
	for _, kind := range []string{"pdf", "docx", "html"} {
		if format.Revision(kind) == "" {
			t.Errorf("%s has no revision", kind)
		}
	}
	if _, err := format.Parse("slides.txt", office("ppt/presentation.xml")); !errors.As(err, new(*format.UnsupportedError)) {
		t.Errorf("slides as text: %v", err)
	}
}

func TestF1(t *testing.T) {
	for _, tt := range []struct {
		got, want string
		f1        float64
	}{
		{"", "", 1}, {"a", "", 0}, {"The cat", "cat, the!", 1}, {"a a b", "a b b", 2.0 / 3}, {"ﬁne", "fine", 1}, {"会議の", "の会議", 1}, {"a b c d", "a b", 2.0 / 3},
	} {
		if f := format.F1(tt.got, tt.want); math.Abs(f-tt.f1) > 1e-9 {
			t.Errorf("F1(%q, %q) = %v, want %v", tt.got, tt.want, f, tt.f1)
		}
		if a, b := format.F1(tt.got, tt.want), format.F1(tt.want, tt.got); a != b {
			t.Errorf("F1 of %q and %q depends on their order: %v, %v", tt.got, tt.want, a, b)
		}
	}
}

// What a document from another process may claim is checked.
func TestCheck(t *testing.T) {
	sound := func() *format.Document {
		return &format.Document{
			Text: "äb c", Pages: 1, Sections: []format.Section{{Parent: -1, End: 5}, {Level: 1, End: 3}},
			Blocks: []format.Block{{Start: 0, End: 3, Section: 1, Page: 1, Spans: []format.Span{{Start: 0, End: 3}}}, {Start: 4, End: 5, Spans: []format.Span{{Start: 4, End: 5}}}},
		}
	}
	if err := sound().Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*format.Document){
		"text":            func(d *format.Document) { d.Text = "\xff" },
		"no section":      func(d *format.Document) { d.Sections = nil },
		"section range":   func(d *format.Document) { d.Sections[1].End = 99 },
		"section tree":    func(d *format.Document) { d.Sections[1].Parent = 1 },
		"section level":   func(d *format.Document) { d.Sections[1].Level = 0 },
		"inside a rune":   func(d *format.Document) { d.Blocks[0].Start = 1 },
		"overlap":         func(d *format.Document) { d.Blocks[1].Start = 2 },
		"empty":           func(d *format.Document) { d.Blocks[1].Start = 5 },
		"no such section": func(d *format.Document) { d.Blocks[0].Section = 2 },
		"no such page":    func(d *format.Document) { d.Blocks[0].Page = 2 },
		"header":          func(d *format.Document) { d.Blocks[0].HeaderEnd = 5 },
		"no span":         func(d *format.Document) { d.Blocks[0].Spans = nil },
		"span":            func(d *format.Document) { d.Blocks[0].Spans[0].End = 5 },
		"link":            func(d *format.Document) { d.Links = []format.Link{{Start: 4, End: 9}} },
		"page":            func(d *format.Document) { d.NoText = []int{2} },
	} {
		d := sound()
		if spoil(d); d.Check() == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

// The score of every file of the corpus may not fall.
func TestFormatsBaseline(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "formats")
	var out strings.Builder
	entries, err := os.ReadDir(filepath.Join(dir, "files"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		data := corpusFile(t, name)
		var doc *format.Document
		switch format.Foreign(name, data) {
		case "pdf":
			doc, err = sharedReader().Parse(t.Context(), data)
		case "docx":
			doc, err = format.ParseDOCX(data, format.DefaultLimits())
		case "html":
			doc, err = format.ParseHTML(data, format.DefaultLimits())
		default:
			t.Fatalf("%s: no parser", name)
		}
		var said string
		if err != nil {
			said = err.Error()
			doc = &format.Document{}
		} else {
			checked(t, doc)
			said = fmt.Sprintf("%d pages, %d without text, notes %q", doc.Pages, len(doc.NoText), doc.Notes)
		}
		score := "-"
		if want, err := os.ReadFile(filepath.Join(dir, "expected", name+".txt")); err == nil {
			score = fmt.Sprintf("%.3f", format.F1(doc.Text, string(want)))
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\n", name, score, said)
	}
	path := filepath.Join(dir, "baseline.tsv")
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("scores differ; a better one is committed with -update (-want +got):\n%s", diff)
	}
}
