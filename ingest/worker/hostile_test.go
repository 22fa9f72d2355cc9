package worker_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"docket/ingest/worker"
)

// deflated gives n megabytes of a letter as a deflate stream, by repeating the blocks of one of them.
func deflated(t *testing.T, letter string, n int) []byte {
	t.Helper()
	var one bytes.Buffer
	w, err := flate.NewWriter(&one, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(bytes.Repeat([]byte(letter), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return append(bytes.Repeat(one.Bytes(), n), 1, 0, 0, 0xff, 0xff) // and an empty last block
}

// zipBomb is a Word file whose text inflates to n megabytes.
func zipBomb(t *testing.T, n int) []byte {
	t.Helper()
	data := deflated(t, " ", n)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "word/document.xml", Method: zip.Deflate, CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(n) << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pdfOf makes a PDF of one page; extra objects are numbered from 5.
func pdfOf(filter string, content []byte, extra ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n" +
		"3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>> endobj\n")
	fmt.Fprintf(&b, "4 0 obj <<%s/Length %d>>\nstream\n", filter, len(content))
	b.Write(content)
	b.WriteString("\nendstream endobj\n")
	for i, e := range extra {
		fmt.Fprintf(&b, "%d 0 obj %s endobj\n", 5+i, e)
	}
	b.WriteString("trailer <</Root 1 0 R>>\n%%EOF\n") // PDFium finds the objects without a table
	return b.Bytes()
}

// Case 46 and its kin: each of these ends within its limits, with what could be read, an error or a killed child, and the next
// document is read as ever. Case 39 is the same for memory: pages are read one at a time, the file itself is never copied into the
// reader, and a child that has grown is replaced after the document.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("spends seconds of processor time")
	}
	zlib := func(b []byte) []byte { return append([]byte{0x78, 0x9c}, b...) }
	form := func(n int) string {
		return fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R/Y %d 0 R>>>>/Length 10>>\nstream\n/X Do /Y Do\nendstream", n, n)
	}
	forms := make([]string, 40) // 2^40 drawings, if each were followed
	for i := range forms {
		forms[i] = form(5 + (i+1)%len(forms))
	}
	for _, tt := range []struct {
		name string
		data []byte
	}{
		{"bomb.docx", zipBomb(t, 2048)},
		{"flate.pdf", pdfOf("/Filter/FlateDecode", zlib(deflated(t, "q ", 2048)))},
		{"text.pdf", pdfOf("", bytes.Repeat([]byte("BT /F1 9 Tf (words words words) Tj ET\n"), 500_000))},
		{"twice.pdf", pdfOf("/Filter[/FlateDecode/FlateDecode]", zlib(deflated(t, "\x00", 1024)))},
		{"forms.pdf", pdfOf("", []byte("/X Do"), forms...)},
		{"arrays.pdf", pdfOf("/X "+strings.Repeat("[", 2000)+strings.Repeat("]", 2000), []byte("BT /F1 9 Tf (x) Tj ET"))},
		{"deep.docx", wordFile(t, strings.Repeat("<w:tbl><w:tr><w:tc>", 2000)+"<w:p><w:r><w:t>deep</w:t></w:r></w:p>")},
		{"deep.html", []byte(strings.Repeat("<div>", 2000) + "deep" + strings.Repeat("</div>", 2000))},
		{"tables.html", []byte(strings.Repeat("<table><tr><td>", 2000) + "deep")},
		{"lists.html", []byte(strings.Repeat("<ul><li>", 250) + "deep")},
		{"wide.html", []byte("<table>" + strings.Repeat("<tr><td rowspan=9999 colspan=9999>x", 20_000))},
		{"formatting.html", []byte(strings.Repeat("<b><i><a href=x><font>", 5000) + "<p>x")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := client(t, "__parse", worker.Limits{})
			start := time.Now()
			doc, err := c.Parse(t.Context(), tt.name, tt.data)
			switch err {
			case nil:
				t.Logf("%d KB: read in %v: %d bytes of text, notes %q", len(tt.data)>>10, time.Since(start).Round(10*time.Millisecond), len(doc.Text), doc.Notes)
			default:
				t.Logf("%d KB: %v after %v", len(tt.data)>>10, err, time.Since(start).Round(10*time.Millisecond))
			}
			if strings.HasPrefix(tt.name, "deep.") && (err != nil || !strings.Contains(doc.Text, "deep") && len(doc.Notes) == 0) {
				t.Errorf("%v, %v", doc, err)
			}
			alive(t, c)
		})
	}
}

// Mutants of real files: each ends in a sound document, a refusal or a killed child, never in anything else.
// DOCKET_MUTANTS=1000 runs more of them than the 60 that every run does.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("spends seconds of processor time")
	}
	n := 60
	if s := os.Getenv("DOCKET_MUTANTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "formats", "files", "*"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no corpus", err)
	}
	var files [][]byte
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, b)
	}
	c := client(t, "__parse", worker.Limits{CPU: 15 * time.Second, Wall: time.Minute})
	rng := rand.New(rand.NewPCG(4, 1))
	read, refused := 0, 0
	var killed []string
	for i := range n {
		k := i % len(files)
		data := mutant(rng, files[k], files[rng.IntN(len(files))])
		name := filepath.Base(paths[k])
		doc, err := c.Parse(t.Context(), name, data)
		switch err {
		case nil:
			read++
			if doc.Pages > 0 && len(doc.Blocks) > 0 && doc.Blocks[0].Page == 0 {
				t.Errorf("mutant %d of %s: a block on no page", i, name)
			}
		default:
			if _, ok := errors.AsType[*worker.KilledError](err); ok {
				killed = append(killed, fmt.Sprintf("%d of %s: %v", i, name, err))
				continue
			}
			refused++
			if errors.Is(err, worker.ErrUnavailable) {
				t.Errorf("mutant %d of %s: %v", i, name, err)
			}
		}
	}
	t.Logf("%d mutants: %d read, %d refused, %d killed %q", n, read, refused, len(killed), killed)
	if read == 0 || refused == 0 {
		t.Error("the mutants are all alike")
	}
	alive(t, c)
}

// mutant changes a file as disks, transfers and attackers do.
func mutant(rng *rand.Rand, file, other []byte) []byte {
	b := bytes.Clone(file)
	for range 1 + rng.IntN(3) {
		if len(b) == 0 {
			break
		}
		at := rng.IntN(len(b))
		switch rng.IntN(5) {
		case 0: // bits
			for range 1 + rng.IntN(20) {
				b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
			}
		case 1: // the end is missing
			b = b[:at]
		case 2: // part of another file
			from := rng.IntN(len(other))
			part := other[from:min(len(other), from+1+rng.IntN(4096))]
			b = append(b[:at:at], append(bytes.Clone(part), b[at:]...)...)
		case 3: // a hole
			clear(b[at:min(len(b), at+rng.IntN(512))])
		case 4: // a part twice
			part := bytes.Clone(b[at:min(len(b), at+rng.IntN(4096))])
			b = append(b[:at:at], append(part, b[at:]...)...)
		}
	}
	return b
}
