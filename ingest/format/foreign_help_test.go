package format_test

// This file defines what the tests of foreign formats build their inputs with.

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"docket/ingest/format"
)

// sharedCache is the one cache of all packages' tests: PDFium is compiled once a machine.
func sharedCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "docket-test")
}

// sharedReader gives the one PDF reader of this package's tests.
var sharedReader = sync.OnceValue(func() *format.PDFReader {
	return format.NewPDFReader(sharedCache(), format.DefaultLimits())
})

func parsePDF(t *testing.T, data []byte) *format.Document {
	t.Helper()
	doc, err := sharedReader().Parse(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	checked(t, doc)
	return doc
}

func parseDOCX(t *testing.T, data []byte) *format.Document {
	t.Helper()
	doc, err := format.ParseDOCX(data, format.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	checked(t, doc)
	return doc
}

func parseHTML(t *testing.T, page string) *format.Document {
	t.Helper()
	doc, err := format.ParseHTML([]byte(page), format.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	checked(t, doc)
	return doc
}

func checked(t *testing.T, doc *format.Document) {
	t.Helper()
	if err := doc.Check(); err != nil {
		t.Fatalf("%v in %+v", err, doc)
	}
}

// outlined writes a document as one line a block: its kind, the level of its section, its page, its text with line ends as ⏎, spans
// parted by ¦ where there are several, and header rows marked.
func outlined(doc *format.Document) string {
	var b strings.Builder
	for _, bl := range doc.Blocks {
		fmt.Fprintf(&b, "%s/%d", bl.Kind, doc.Sections[bl.Section].Level)
		if bl.Page > 0 {
			fmt.Fprintf(&b, " p%d", bl.Page)
		}
		b.WriteString(": ")
		for i, s := range bl.Spans {
			if i > 0 {
				b.WriteString("¦")
			}
			if bl.HeaderEnd > 0 && s.End <= bl.HeaderEnd {
				b.WriteString("^")
			}
			b.WriteString(strings.ReplaceAll(doc.Text[s.Start:s.End], "\n", "⏎"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// zipped makes a zip file of names and contents by turns, in order.
func zipped(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(parts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// docx makes a Word file of a body and further parts.
func docx(t testing.TB, body string, parts ...string) []byte {
	t.Helper()
	return zipped(t, append([]string{"word/document.xml", wordXML("document", "<w:body>"+body+"</w:body>")}, parts...)...)
}

func wordXML(root, content string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><w:` + root + ` xmlns:w="w" xmlns:r="r" xmlns:mc="mc" xmlns:wps="wps" xmlns:v="v">` + content + `</w:` + root + `>`
}

// wp makes a paragraph; style may be "".
func wp(style, text string) string {
	if style != "" {
		style = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	return `<w:p>` + style + `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

// wtbl makes a table of rows of cells.
func wtbl(props string, rows ...[]string) string {
	var b strings.Builder
	b.WriteString("<w:tbl><w:tblPr>" + props + "</w:tblPr>")
	for _, r := range rows {
		b.WriteString("<w:tr>")
		for _, c := range r {
			b.WriteString("<w:tc>" + wp("", c) + "</w:tc>")
		}
		b.WriteString("</w:tr>")
	}
	return b.String() + "</w:tbl>"
}

// A pdfFile collects numbered objects.
type pdfFile struct{ objects []string }

func (f *pdfFile) add(format string, args ...any) int {
	f.objects = append(f.objects, fmt.Sprintf(format, args...))
	return len(f.objects)
}

func (f *pdfFile) stream(dict, data string) int {
	return f.add("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func (f *pdfFile) bytes(trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	at := make([]int, len(f.objects))
	for i, o := range f.objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, trailer, xref)
	return b.Bytes()
}

// pages makes a PDF of pages with these contents, F1 in Helvetica, F2 in bold, I1 a picture. catalog is added to the root.
func pages(catalog string, contents ...string) []byte {
	return pagesOf(&pdfFile{}, catalog, contents...).bytes("")
}

func pagesOf(f *pdfFile, catalog string, contents ...string) *pdfFile {
	kids := make([]string, len(contents))
	for i := range contents {
		kids[i] = fmt.Sprintf("%d 0 R", 6+2*i)
	}
	f.add("<</Type/Catalog/Pages 2 0 R%s>>", catalog)
	f.add("<</Type/Pages/Kids[%s]/Count %d>>", strings.Join(kids, " "), len(kids))
	f.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	f.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>")
	f.stream("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", "\x80")
	for i, c := range contents {
		f.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R/F2 4 0 R>>/XObject<</I1 5 0 R>>>>/Contents %d 0 R>>", 7+2*i)
		f.stream("", c)
	}
	return f
}

// at writes lines of text at places: size, x, y and text for each.
func at(font string, size, x, y int, text string) string {
	text = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "•", `\225`).Replace(text)
	return fmt.Sprintf("BT /%s %d Tf %d %d Td (%s) Tj ET\n", font, size, x, y, text)
}

const scan = "q 612 0 0 792 0 0 cm /I1 Do Q\n"
