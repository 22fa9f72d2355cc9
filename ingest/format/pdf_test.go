package format_test

import (
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"docket/ingest/format"

	"github.com/google/go-cmp/cmp"
)

// Case 31: a scan without text is read, and says so.
func TestParsePDFScanned(t *testing.T) {
	doc := parsePDF(t, pages("", scan))
	if doc.Text != "" || doc.Pages != 1 || !cmp.Equal(doc.NoText, []int{1}) {
		t.Errorf("text %q, %d pages, without text %v", doc.Text, doc.Pages, doc.NoText)
	}
}

// Case 32: pages without text are told one by one. A blank page is none of them, a scan with a stamp is one.
func TestParsePDFPartlyScanned(t *testing.T) {
	doc := parsePDF(t, pages("", at("F1", 12, 72, 700, "By-laws of the society."), scan, "", scan+at("F1", 9, 300, 20, "Page 4"), at("F1", 12, 72, 700, "The last page.")))
	if want := "paragraph/0 p1: By-laws of the society.\nparagraph/0 p4: Page 4\nparagraph/0 p5: The last page.\n"; outlined(doc) != want {
		t.Errorf("got\n%s", outlined(doc))
	}
	if doc.Pages != 5 || !cmp.Equal(doc.NoText, []int{2, 4}) {
		t.Errorf("%d pages, without text %v", doc.Pages, doc.NoText)
	}
}

// Case 34: an empty password opens; another one is asked for in so many words.
func TestParsePDFEncrypted(t *testing.T) {
	doc := parsePDF(t, encryptedPDF(""))
	if got, want := outlined(doc), "paragraph/0 p1: Balance carried forward\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := sharedReader().Parse(t.Context(), encryptedPDF("secret")); !errors.Is(err, format.ErrEncrypted) {
		t.Errorf("got %v", err)
	}
}

// encryptedPDF makes a file under the standard security handler, revision 2 (ISO 32000-1, 7.6.3).
func encryptedPDF(user string) []byte {
	const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"
	pad := func(s string) []byte { return []byte((s + padding)[:32]) }
	crypt := func(key, data []byte) []byte {
		c, err := rc4.NewCipher(key)
		if err != nil {
			panic(err)
		}
		out := make([]byte, len(data))
		c.XORKeyStream(out, data)
		return out
	}
	ownerKey := md5.Sum(pad("owner"))
	owner := crypt(ownerKey[:5], pad(user))
	const permissions, id = -44, "0123456789abcdef"
	h := md5.New()
	h.Write(pad(user))
	h.Write(owner)
	_ = binary.Write(h, binary.LittleEndian, int32(permissions))
	h.Write([]byte(id))
	key := h.Sum(nil)[:5]
	f := &pdfFile{}
	pagesOf(f, "", "")
	content := at("F1", 12, 72, 700, "Balance carried forward")
	objectKey := md5.Sum(append(append([]byte{}, key...), 7, 0, 0, 0, 0))
	f.objects[6] = fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), crypt(objectKey[:10], []byte(content)))
	n := f.add("<</Filter/Standard/V 1/R 2/P %d/O<%x>/U<%x>>>", permissions, owner, crypt(key, []byte(padding)))
	return f.bytes(fmt.Sprintf("/Encrypt %d 0 R/ID[<%x><%x>]", n, id, id))
}

// Case 35: columns are read in turn, though the page draws its lines across both.
func TestParsePDFColumns(t *testing.T) {
	left := []string{"The council met on Monday and talked for", "three hours before it decided to close the", "old bridge to all traffic from next spring.", "Only two of its members spoke against it,", "and both gave the cost as their reason.", "The work begins in the month of April."}
	right := []string{"In other news the harbour office reports a", "record number of ships for the second year", "in a row, most of them with timber aboard.", "The pilots ask for a second boat, which the", "office will put before the board in autumn.", "A decision is expected before Christmas."}
	var page strings.Builder
	page.WriteString(at("F2", 18, 72, 740, "Town and harbour news of the week, in two columns"))
	for i := range left {
		page.WriteString(at("F1", 10, 72, 700-13*i, left[i]))
		page.WriteString(at("F1", 10, 320, 700-13*i, right[i]))
	}
	page.WriteString(at("F1", 10, 72, 560, "A line below that reaches from the left margin over the gutter to the right margin of the page, and so ends the columns."))
	doc := parsePDF(t, pages("", page.String()))
	want := "heading/1 p1: Town and harbour news of the week, in two columns\n" +
		"paragraph/1 p1: The council met on Monday and talked for three hours before it decided to close the old bridge to all traffic from next spring.¦" +
		"Only two of its members spoke against it, and both gave the cost as their reason.¦The work begins in the month of April.\n" +
		"paragraph/1 p1: In other news the harbour office reports a record number of ships for the second year in a row, most of them with timber aboard.¦" +
		"The pilots ask for a second boat, which the office will put before the board in autumn.¦A decision is expected before Christmas.\n" +
		"paragraph/1 p1: A line below that reaches from the left margin over the gutter to the right margin of the page, and so ends the columns.\n"
	if diff := cmp.Diff(want, outlined(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Case 35, as it was reported: twelve lines of PDF, a sentence over two lines of the left column.
func TestParsePDFSmallColumns(t *testing.T) {
	doc := parsePDF(t, pages("", at("F1", 12, 72, 700, "The quick brown fox jumps over")+at("F1", 12, 330, 700, "Meanwhile the cat sleeps on the")+
		at("F1", 12, 72, 685, "the lazy dog near the river.")+at("F1", 12, 330, 685, "warm stone beside the old barn.")))
	for _, s := range []string{"The quick brown fox jumps over the lazy dog near the river.", "Meanwhile the cat sleeps on the warm stone beside the old barn."} {
		if !strings.Contains(doc.Text, s) {
			t.Errorf("%q is not in %q", s, doc.Text)
		}
	}
}

// Case 36: Arabic comes in logical order, with both letters of a lam-alef the right way round, so that what a person types matches.
func TestParsePDFArabic(t *testing.T) {
	doc := parsePDF(t, corpusFile(t, "22-right_to_left_01.pdf"))
	for _, s := range []string{"تحسين الإنتاجية وحل المشكلات من خلال البرمجة", "أيضًا", "بناءً على", "التعلم الآلي", "علاوة على ذلك"} {
		if !strings.Contains(doc.Text, s) {
			t.Errorf("%q is not in the text", s)
		}
	}
	doc = parsePDF(t, corpusFile(t, "08-PDFBOX-4531-bidi-ligature-2.pdf"))
	for _, s := range []string{"\u0644\u0627", "\u05d0\u05bc"} {
		if !strings.Contains(doc.Text, s) {
			t.Errorf("%q is not in %q", s, doc.Text)
		}
	}
}

func corpusFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "formats", "files", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParsePDFStructure(t *testing.T) {
	body := func(y int, lines ...string) string {
		var b strings.Builder
		for i, l := range lines {
			b.WriteString(at("F1", 11, 72, y-14*i, l))
		}
		return b.String()
	}
	const filler = "This line of ordinary text only says which size most of the text on the page has."
	tests := []struct {
		name string
		page string
		want string
	}{
		{
			"divided words become whole, compounds and numbers keep their hyphen", body(700, "The committee dis-", "cussed the well-known state-", "of-the-art plan of 2019-", "2020 with Jean-", "Paul, and a well-", "known guest."),
			"paragraph/0 p1: The committee discussed the well-known stateof-the-art plan of 2019-2020 with Jean-Paul, and a well-known guest.\n",
		},
		{"a gap starts a paragraph", body(700, "One line of text.") + body(660, "Another line of text."), "paragraph/0 p1: One line of text.\nparagraph/0 p1: Another line of text.\n"},
		{
			"an indented line starts a paragraph", body(700, filler, "The end of it.") + at("F1", 11, 92, 672, "A new one begins here, set in by some points, and goes on to the margin as the") + body(658, "first did."),
			"paragraph/0 p1: " + filler + "¦The end of it.\nparagraph/0 p1: A new one begins here, set in by some points, and goes on to the margin as the first did.\n",
		},
		{
			"headings by size and by weight", at("F1", 20, 72, 740, "Annual report") + body(700, filler, filler) + at("F2", 11, 72, 660, "Findings") + body(640, filler, filler),
			"heading/1 p1: Annual report\nparagraph/1 p1: " + filler + "¦" + filler + "\nheading/2 p1: Findings\nparagraph/2 p1: " + filler + "¦" + filler + "\n",
		},
		{
			"bullets and counted points make lists", body(700, "• one thing", "  that goes on", "• another", "1. first", "2. second", "7. is no item"),
			"list/0 p1: • one thing that goes on¦• another¦1. first¦2. second 7. is no item\n",
		},
		{
			"cells below each other make a table", body(700, "Name") + at("F1", 11, 250, 700, "Days") + body(686, "Ada") + at("F1", 11, 250, 686, "30") + body(672, "Grace") + at("F1", 11, 250, 672, "14"),
			"table/0 p1: Name\tDays¦Ada\t30¦Grace\t14\n",
		},
		{
			"a table of contents is a list", body(700, "Contents") + body(672, "1 Introduction . . . . . . . . . . . . . . . 1", "2 Methods................................ 12", "A note on the type"),
			"paragraph/0 p1: Contents\nlist/0 p1: 1 Introduction … 1¦2 Methods … 12\nparagraph/0 p1: A note on the type\n",
		},
		{"letters drawn twice to look bold count once", "BT /F1 12 Tf 72 700 Td (Munich) Tj ET\nBT /F1 12 Tf 72.3 700 Td (Munich) Tj ET\n", "paragraph/0 p1: Munich\n"},
		{"text set sideways comes after the page's own", at("F1", 11, 72, 700, "Upright text of the page.") + "BT /F1 11 Tf 0 1 -1 0 40 300 Tm (Stamped) Tj ET\n", "paragraph/0 p1: Upright text of the page.\nparagraph/0 p1: Stamped\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, outlined(parsePDF(t, pages("", tt.page)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An outline that fits the text decides what is a heading; running heads end no section.
func TestParsePDFOutline(t *testing.T) {
	f := &pdfFile{}
	var contents []string
	for i := range 3 {
		contents = append(contents, at("F1", 9, 72, 770, fmt.Sprintf("The handbook, page %d", i+1))+at("F1", 11, 72, 700, fmt.Sprintf("%d Chapter", i+1))+at("F2", 14, 72, 680-i*9, "Large but no heading here")+at("F1", 11, 72, 650-i*9, "Words of the chapter."))
	}
	pagesOf(f, "/Outlines 12 0 R", contents...)
	f.add("<</First 13 0 R/Last 14 0 R/Count 2>>")
	f.add("<</Title(1. Chapter)/Parent 12 0 R/Next 14 0 R/Dest[6 0 R/Fit]>>")
	f.add("<</Title(2 Chapter)/Parent 12 0 R/First 15 0 R/Last 15 0 R/Dest[8 0 R/Fit]/Next 13 0 R>>") // runs in a circle
	f.add("<</Title(3 Chapter)/Parent 14 0 R/Dest[10 0 R/Fit]>>")
	f.add("<</Title(A handbook)>>")
	doc := parsePDF(t, f.bytes("/Info 16 0 R"))
	want := ""
	levels := []int{1, 1, 2}
	for i, l := range levels {
		n := i + 1
		want += fmt.Sprintf("heading/%d p%d: %d Chapter\nparagraph/%d p%d: Large but no heading here\nparagraph/%d p%d: Words of the chapter.\nparagraph/0 p%d: The handbook, page %d\n", l, n, n, l, n, l, n, n, n)
	}
	if diff := cmp.Diff(want, outlined(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if doc.Title != "A handbook" {
		t.Errorf("title %q", doc.Title)
	}
}

// What a form and a note show is text of the page.
func TestParsePDFForm(t *testing.T) {
	f := &pdfFile{}
	pagesOf(f, "/AcroForm<</Fields[8 0 R]>>", at("F1", 12, 72, 700, "Name:"))
	f.objects[5] = strings.Replace(f.objects[5], "/Contents", "/Annots[8 0 R]/Contents", 1)
	f.add("<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada Lovelace)/Rect[120 690 300 715]/F 4/AP<</N 9 0 R>>>>")
	f.stream("/Type/XObject/Subtype/Form/BBox[0 0 180 25]/Resources<</Font<</F1 3 0 R>>>>", "BT /F1 12 Tf 2 10 Td (Ada Lovelace) Tj ET")
	if doc := parsePDF(t, f.bytes("")); !strings.Contains(doc.Text, "Name: Ada Lovelace") {
		t.Errorf("text %q", doc.Text)
	}
}

// Fonts that do not say which letters their shapes are give a page that is told apart.
func TestParsePDFUntrusted(t *testing.T) {
	f := &pdfFile{}
	pagesOf(f, "", at("F1", 12, 72, 700, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	f.objects[2] = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 8 0 R>>"
	f.stream("", "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <41> <5A> <E041> endbfrange endcmap end end")
	doc := parsePDF(t, f.bytes(""))
	if want := []string{"the letters on page 1 cannot be trusted: its fonts do not say which letters their shapes are"}; !cmp.Equal(doc.Notes, want) {
		t.Errorf("notes %q", doc.Notes)
	}
}

func TestParsePDFRefuses(t *testing.T) {
	for name, data := range map[string]string{"not a PDF": "%PDF-1.7\nnothing more", "empty": "%PDF-"} {
		if _, err := sharedReader().Parse(t.Context(), []byte(data)); err == nil || !strings.HasPrefix(err.Error(), "damaged PDF, or none") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A cache that cannot be written costs time, not documents.
func TestPDFReaderWithoutCache(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles PDFium")
	}
	file := filepath.Join(t.TempDir(), "cache")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := format.NewPDFReader(file, format.DefaultLimits())
	defer r.Close()
	if _, err := r.Parse(t.Context(), pages("", at("F1", 12, 72, 700, "text"))); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Notice(), "made at every start") {
		t.Errorf("notice %q", r.Notice())
	}
}

// A cache that others may write is closed to them; one that is broken is made anew, and nothing beside it is touched.
func TestPDFReaderCache(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("compiles PDFium; needs permissions")
	}
	dir := t.TempDir()
	own, neighbour := filepath.Join(dir, "pdfium"), filepath.Join(dir, "neighbour")
	if err := sharedReader().Start(); err != nil {
		t.Fatal(err)
	}
	compiled := os.DirFS(filepath.Join(sharedCache(), "pdfium"))
	if err := errors.Join(os.CopyFS(own, compiled), os.Chmod(own, 0o777), os.WriteFile(neighbour, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, broken := range []bool{false, true} {
		if broken {
			spoil(t, own)
		}
		r := format.NewPDFReader(dir, format.DefaultLimits())
		if err := r.Start(); err != nil || r.Notice() != "" {
			t.Errorf("broken %v: %v %q", broken, err, r.Notice())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("broken %v: %v %v", broken, info.Mode(), err)
		}
	}
	if _, err := os.Stat(neighbour); err != nil {
		t.Error(err)
	}
}

// spoil overwrites every file below a folder.
func spoil(t *testing.T, dir string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		n++
		return os.WriteFile(p, []byte("no code"), 0o600)
	})
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
}
