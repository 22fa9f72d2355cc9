package format_test

import (
	"errors"
	"strings"
	"testing"

	"docket/ingest/format"

	"github.com/google/go-cmp/cmp"
)

const styles = `
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My chapter"/><w:basedOn w:val="H2"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="a"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="paragraph" w:styleId="Ti"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="Pre"><w:name w:val="HTML Preformatted"/></w:style>`

func TestParseDOCX(t *testing.T) {
	stylesPart := []string{"word/styles.xml", wordXML("styles", styles)}
	textBox := func(choice, fallback string) string {
		return `<w:p><w:r><w:t>host</w:t><mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx><w:txbxContent>` + choice +
			`</w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>` + fallback + `</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`
	}
	tests := []struct {
		name  string
		body  string
		parts []string
		want  string
	}{
		{
			"case 41: a table between two paragraphs stays between them", wp("", "before") + wtbl("", []string{"a", "b"}, []string{"c", "d"}) + wp("", "after"), nil,
			"paragraph/0: before\ntable/0: a\tb¦c\td\nparagraph/0: after\n",
		},
		{
			"case 42: a text box comes once", textBox(wp("", "in the box"), wp("", "in the box")), nil,
			"paragraph/0: host\nparagraph/0: in the box\n",
		},
		{
			"case 42: a text box that only the fallback has", textBox("", wp("", "old box")), nil,
			"paragraph/0: host\nparagraph/0: old box\n",
		},
		{
			"case 42: a table in a text box", textBox(wtbl("", []string{"x", "y"}), ""), nil,
			"paragraph/0: host\ntable/0: x\ty\n",
		},
		{
			"case 44: heading levels come from the style chain", wp("Ti", "The title") + wp("berschrift1", "Eins") + wp("Mine", "Zwei") + wp("", "text") + wp("Loop", "loop"), stylesPart,
			"heading/1: The title\nheading/1: Eins\nheading/2: Zwei\nparagraph/2: text\nparagraph/2: loop\n",
		},
		{
			"case 44: an outline level of the paragraph's own", `<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Deep</w:t></w:r></w:p>` +
				`<w:p><w:pPr><w:pStyle w:val="H2"/><w:outlineLvl w:val="9"/></w:pPr><w:r><w:t>no heading</w:t></w:r></w:p>`, stylesPart,
			"heading/3: Deep\nparagraph/3: no heading\n",
		},
		{
			"case 44: rows, columns, header row", wtbl(`<w:tblLook w:val="04A0"/>`, []string{"Name", "Days"}, []string{"Ada", "30"}), nil,
			"table/0: ^Name\tDays¦Ada\t30\n",
		},
		{
			"merged cells keep their columns", `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>` + wp("", "wide") + `</w:tc><w:tc>` + wp("", "c") + `</w:tc></w:tr>` +
				`<w:tr><w:tc>` + wp("", "a") + `</w:tc><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>` + wp("", "tall") + `</w:tc><w:tc>` + wp("", "e") + `</w:tc></w:tr>` +
				`<w:tr><w:tc>` + wp("", "f") + `</w:tc><w:tc><w:tcPr><w:vMerge/></w:tcPr>` + wp("", "") + `</w:tc><w:tc>` + wp("", "g") + `</w:tc></w:tr></w:tbl>`, nil,
			"table/0: wide\t\tc¦a\ttall\te¦f\t\tg\n",
		},
		{
			"paragraphs of a cell stand on one line", `<w:tbl><w:tr><w:tc>` + wp("", "one") + wp("", "two") + `</w:tc><w:tc>` + wp("", "b") + `</w:tc></w:tr></w:tbl>`, nil,
			"table/0: one two\tb\n",
		},
		{
			"a table of one column is only a frame", wtbl("", []string{"one"}, []string{"two"}), nil,
			"paragraph/0: one\nparagraph/0: two\n",
		},
		{
			"tracked deletions are left out", `<w:p><w:r><w:t>kept </w:t></w:r><w:del><w:r><w:delText>gone </w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>` +
				`<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>`, nil,
			"paragraph/0: kept new\n",
		},
		{
			"a deleted paragraph end joins two paragraphs", `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>one </w:t></w:r></w:p>` + wp("", "two"), nil,
			"paragraph/0: one two\n",
		},
		{
			"a deleted row is gone", `<w:tbl><w:tr><w:tc>` + wp("", "a") + `</w:tc><w:tc>` + wp("", "b") + `</w:tc></w:tr><w:tr><w:trPr><w:del/></w:trPr><w:tc>` + wp("", "x") + `</w:tc><w:tc>` + wp("", "y") + `</w:tc></w:tr></w:tbl>`, nil,
			"table/0: a\tb\n",
		},
		{
			"former properties do not count", `<w:p><w:pPr><w:pStyle w:val="Normal"/><w:pPrChange><w:pPr><w:pStyle w:val="H2"/></w:pPr></w:pPrChange></w:pPr><w:r><w:t>text</w:t></w:r></w:p>`, stylesPart,
			"paragraph/0: text\n",
		},
		{
			"tabs, breaks, hyphens and symbols", `<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/><w:sym w:font="x" w:char="2190"/></w:r></w:p>`, nil,
			"paragraph/0: a\tb⏎c-d←\n",
		},
		{"fields show their result, not their code", `<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>`, nil, "paragraph/0: 7\n"},
		{
			"quotes and code", wp("Q", "A saying.") + wp("Pre", "if x {") + wp("Pre", "  y()") + wp("Pre", "}"), stylesPart,
			"quote/0: A saying.\ncode/0: if x {⏎  y()⏎}\n",
		},
		{
			"notes follow the block that refers to them", `<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id="2"/><w:commentReference w:id="0"/></w:r></w:p>` + wp("", "Next."),
			[]string{
				"word/footnotes.xml", wordXML("footnotes", `<w:footnote w:type="separator" w:id="0">`+wp("", "rule")+`</w:footnote><w:footnote w:id="2">`+wp("", " The note.")+`</w:footnote><w:footnote w:id="3">`+wp("", "Orphan.")+`</w:footnote>`),
				"word/comments.xml", wordXML("comments", `<w:comment w:id="0" w:author="Ada">`+wp("", "Really?")+`</w:comment>`),
			},
			"paragraph/0: Text[1]\nparagraph/0: [1] The note.\nparagraph/0: [comment by Ada] Really?\nparagraph/0: Next.\nparagraph/0: [comment] Orphan.\n",
		},
		{
			"page headers come once, last, and only with words", wp("H2", "Head") + wp("", "text"), append(stylesPart,
				"word/_rels/document.xml.rels", `<Relationships><Relationship Id="1" Type="x/header" Target="header1.xml"/><Relationship Id="2" Type="x/header" Target="header2.xml"/><Relationship Id="3" Type="x/footer" Target="/word/footer1.xml"/></Relationships>`,
				"word/header1.xml", wordXML("hdr", wp("", "ACME confidential")), "word/header2.xml", wordXML("hdr", wp("", "ACME confidential")), "word/footer1.xml", wordXML("ftr", wp("", "17"))),
			"heading/2: Head\nparagraph/2: text\nparagraph/0: ACME confidential\n",
		},
		{"control characters do not end the reading", wp("", "a\x0bb") + wp("", "c"), nil, "paragraph/0: a b\nparagraph/0: c\n"},
		{"phonetic guides are no text", `<w:p><w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>`, nil, "paragraph/0: 漢\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := parseDOCX(t, docx(t, tt.body, tt.parts...))
			if diff := cmp.Diff(tt.want, outlined(doc)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(doc.Notes) > 0 {
				t.Errorf("notes of a sound file: %q", doc.Notes)
			}
		})
	}
}

func TestParseDOCXNumbersLists(t *testing.T) {
	item := func(num, level, text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + num + `"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	level := func(n, format, text, more string) string {
		return `<w:lvl w:ilvl="` + n + `"><w:start w:val="1"/><w:numFmt w:val="` + format + `"/><w:lvlText w:val="` + text + `"/>` + more + `</w:lvl>`
	}
	numbering := wordXML("numbering",
		`<w:abstractNum w:abstractNumId="0">`+level("0", "decimal", "%1.", "")+level("1", "lowerLetter", "%1.%2)", "")+`</w:abstractNum>`+
			`<w:abstractNum w:abstractNumId="1">`+level("0", "bullet", "\uf0b7", "")+`</w:abstractNum>`+
			`<w:abstractNum w:abstractNumId="2">`+level("0", "upperRoman", "%1", `<w:pStyle w:val="H1"/>`)+level("1", "decimal", "%1.%2", `<w:isLgl/><w:pStyle w:val="H2"/>`)+`</w:abstractNum>`+
			`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>`+
			`<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>`+
			`<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>`)
	headings := wordXML("styles", `<w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr></w:style>`+
		`<w:style w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="4"/></w:numPr></w:pPr></w:style>`)
	doc := parseDOCX(t, docx(t, item("1", "0", "one")+item("1", "1", "sub")+item("1", "1", "sub")+item("1", "0", "two")+wp("", "between")+item("1", "0", "three")+
		wp("", "x")+item("3", "0", "five")+wp("", "y")+item("2", "0", "dot")+item("0", "0", "plain")+
		wp("H1", "Head")+wp("H2", "Sub")+wp("H1", "Head")+wp("H2", "Sub"), "word/numbering.xml", numbering, "word/styles.xml", headings))
	want := "list/0: 1. one¦1.a) sub¦1.b) sub¦2. two\nparagraph/0: between\nlist/0: 3. three\nparagraph/0: x\nlist/0: 5. five\nparagraph/0: y\nlist/0: • dot\nparagraph/0: plain\n" +
		"heading/1: I Head\nheading/2: 1.1 Sub\nheading/1: II Head\nheading/2: 2.1 Sub\n"
	if diff := cmp.Diff(want, outlined(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseDOCXLinksAndTitle(t *testing.T) {
	doc := parseDOCX(t, docx(t, `<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink r:id="rId9" w:anchor="top"><w:r><w:t>the plan</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>`,
		"word/_rels/document.xml.rels", `<Relationships><Relationship Id="rId9" Type="x/hyperlink" Target="https://example.org/plan" TargetMode="External"/></Relationships>`,
		"docProps/core.xml", `<cp xmlns:dc="d"><dc:creator>Ada</dc:creator><dc:title>The
 plan</dc:title></cp>`))
	want := []format.Link{{Kind: "link", Target: "https://example.org/plan", Fragment: "top", Text: "the plan", Start: 4, End: 12}}
	if diff := cmp.Diff(want, doc.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if doc.Title != "The plan" {
		t.Errorf("title %q", doc.Title)
	}
}

func TestParseDOCXFindsItsPartsByRelationship(t *testing.T) {
	doc := parseDOCX(t, zipped(t, "_rels/.rels", `<Relationships><Relationship Id="1" Type="http://x/officeDocument" Target="word/document2.xml"/></Relationships>`,
		"word/document2.xml", wordXML("document", "<w:body>"+wp("S", "Head")+"</w:body>"),
		"word/_rels/document2.xml.rels", `<Relationships><Relationship Id="1" Type="http://x/styles" Target="styles2.xml"/></Relationships>`,
		"word/styles2.xml", wordXML("styles", `<w:style w:styleId="S"><w:name w:val="heading 3"/></w:style>`)))
	if got, want := outlined(doc), "heading/3: Head\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseDOCXRefuses(t *testing.T) {
	ole := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 512)...)
	encrypted := append(ole[:len(ole):len(ole)], "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"...)
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"encrypted", encrypted, "password protected"},
		{"old binary", ole, "an old binary Office file, not a .docx"},
		{"another zip", zipped(t, "a.txt", "x"), "a zip file without a Word document in it"},
		{"cut before the text", zipped(t, "a.txt", strings.Repeat("x", 100))[:60], "the zip file is damaged or cut short before its text"},
		{"nothing", nil, "damaged zip file: zip: not a valid zip file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := format.ParseDOCX(tt.data, format.DefaultLimits())
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if errors.Is(err, format.ErrEncrypted) != (tt.name == "encrypted") {
				t.Errorf("ErrEncrypted: %v", err)
			}
		})
	}
}

// A download that broke off still gives what stands before the break.
func TestParseDOCXReadsWhatIsLeft(t *testing.T) {
	var body strings.Builder
	for i := range 3000 {
		body.WriteString(wp("", "Paragraph "+strings.Repeat(string(rune('a'+i%26)), 1+i%17)))
	}
	whole := docx(t, body.String())
	doc := parseDOCX(t, whole[:len(whole)*2/3])
	if !strings.HasPrefix(doc.Text, "Paragraph a\n\nParagraph bb\n\n") || len(doc.Blocks) < 100 {
		t.Errorf("%d blocks, %.60q", len(doc.Blocks), doc.Text)
	}
	if len(doc.Notes) != 2 {
		t.Errorf("notes %q", doc.Notes)
	}
}

// Case 46: limits count what is read, whatever the headers say; what fits is kept and the rest told.
func TestParseDOCXLimits(t *testing.T) {
	bomb := docx(t, wp("", "first")+strings.Repeat(" ", 20<<20))
	small := format.DefaultLimits()
	small.Entry, small.Ratio = 1<<20, 1<<40
	total := format.DefaultLimits()
	total.Total = 2 << 20
	total.Ratio = 1 << 40
	depth := format.DefaultLimits()
	few := format.DefaultLimits()
	few.Text = 1 << 20
	for _, tt := range []struct {
		name string
		data []byte
		lim  format.Limits
		want string // a note
	}{
		{"ratio", bomb, format.DefaultLimits(), "a part was read only so far: word/document.xml inflates to more than 250 times its size"},
		{"entry", bomb, small, "a part was read only so far: word/document.xml is larger than 1 MB"},
		{"total", bomb, total, "a part was read only so far: the file inflates to more than 2 MB"},
		{"depth", docx(t, wp("", "first")+strings.Repeat("<w:x>", 2100)+strings.Repeat("</w:x>", 2100)), depth, "a part was read only so far: word/document.xml: elements are nested more than 2000 deep"},
		{"text", docx(t, wp("", "first")+strings.Repeat(wp("", strings.Repeat("ä", 1000)), 1200)), few, "the text was cut at 1 MB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := format.ParseDOCX(tt.data, tt.lim)
			if err != nil {
				t.Fatal(err)
			}
			checked(t, doc)
			if !strings.HasPrefix(doc.Text, "first") {
				t.Errorf("text %.40q", doc.Text)
			}
			if diff := cmp.Diff([]string{tt.want}, doc.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
	lim := format.DefaultLimits()
	lim.Entries = 3
	if _, err := format.ParseDOCX(zipped(t, "a", "", "b", "", "c", "", "d", ""), lim); err == nil || !strings.Contains(err.Error(), "zip file of 4 entries") {
		t.Errorf("too many entries: %v", err)
	}
}

func FuzzParseDOCX(f *testing.F) {
	f.Add(wp("H2", "Head") + wtbl("", []string{"a", "b"}))
	f.Add(`<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:hyperlink w:anchor="x"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p></w:tc></w:tbl>`)
	f.Add(`<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="9"/></w:tcPr><mc:AlternateContent><mc:Choice><w:p><w:footnoteReference w:id="1"/>`)
	f.Fuzz(func(t *testing.T, body string) {
		doc, err := format.ParseDOCX(docx(t, body, "word/footnotes.xml", body, "word/styles.xml", body, "word/numbering.xml", body), format.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		checked(t, doc)
	})
}
