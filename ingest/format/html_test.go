package format_test

import (
	"fmt"
	"strings"
	"testing"

	"docket/ingest/format"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/htmlindex"
)

func TestParseHTML(t *testing.T) {
	tests := []struct {
		name string
		page string
		want string
	}{
		{"headings and paragraphs", "<h1>One</h1><p>a b\n c</p>loose<h2>Two</h2><div>d<div>e</div></div>", "heading/1: One\nparagraph/1: a b c\nparagraph/1: loose\nheading/2: Two\nparagraph/2: d\nparagraph/2: e\n"},
		{"scripts and styles are no text", "<p>a<script>x()</script>b</p><style>p{}</style><noscript>turn it on</noscript><template><p>t</p></template>", "paragraph/0: ab\n"},
		{"line breaks stay in their paragraph", "<p>a<br>b</p>", "paragraph/0: a⏎b\n"},
		{"lists, nested and numbered", `<ul><li>a<ol start=3><li>b<li value=7>c</ol><li><p>d</p><p>e</p></ul>`, "list/0: • a¦3. b¦7. c¦• d⏎e\n"},
		{"a list of headings arranges a page", "<ul><li><h3>A</h3>text<li><h3>B</h3>more</ul>", "heading/3: A\nparagraph/3: text\nheading/3: B\nparagraph/3: more\n"},
		{"case 44: a table with a header, and spans kept in their columns", "<table><caption>Fees</caption><thead><tr><th>a<th>b<th>c</thead><tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td><p>4</p><p>5</p></table>", "paragraph/0: Fees\ntable/0: ^a\tb\tc¦1\t2¦3\t4 5\n"},
		{"a header by its cells", "<table><tr><th>a<th>b<tr><th>r<td>1</table>", "table/0: ^a\tb¦r\t1\n"},
		{"a table that lays out the page is none", `<table role=presentation><tr><td>left<td>right</table><table><tr><td>only</table><table><tr><td><table><tr><th>x<th>y</table><td>beside</table>`, "paragraph/0: left\nparagraph/0: right\nparagraph/0: only\ntable/0: x\ty\nparagraph/0: beside\n"},
		{"preformatted text keeps its lines", "<pre>if x {\n\ty()\n\n}</pre>", "code/0: if x {⏎\ty()¦}\n"},
		{"quotes", "<blockquote><p>a</p><p>b</p></blockquote>c", "quote/0: a\nquote/0: b\nparagraph/0: c\n"},
		{"entities, soft hyphens, no-break spaces", "<p>a&amp;b co&shy;op 5&nbsp;km &lt;x&gt;</p>", "paragraph/0: a&b coop 5\u00a0km <x>\n"},
		{"nothing", "", ""},
		{"unclosed and crossed tags", "<p>a<b>b<p>c</b>d<td>e</div>", "paragraph/0: ab\nparagraph/0: cde\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, outlined(parseHTML(t, tt.page))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseHTMLArticleFirst(t *testing.T) {
	para := func(n int) string {
		return fmt.Sprintf("<p>Paragraph %d of the article tells at some length, with commas, of what the council decided, and why it did so after all.</p>", n)
	}
	doc := parseHTML(t, `<html><head><title>The council decides - Town News</title></head><body>
<nav><ul><li><a href="/">Home</a><li><a href="/sport">Sport</a><li><a href="/weather">Weather</a></ul></nav>
<div id="side" class="sidebar"><h3>Related</h3><ul><li><a href="/a">Other story</a></ul></div>
<article><h1>The council decides</h1>`+para(1)+para(2)+`<h2>What comes next</h2>`+para(3)+para(4)+`<table><tr><th>Vote<th>Count</tr><tr><td>yes<td>12</tr></table></article>
<footer><p>Imprint and contact</p></footer></body></html>`)
	got := outlined(doc)
	order := []string{"The council decides", "Paragraph 1", "What comes next", "Paragraph 4", "yes\t12", "• Home", "• Other story", "Imprint"}
	at := -1
	for _, s := range order {
		i := strings.Index(got, s)
		if i < at || i < 0 {
			t.Fatalf("%q stands at %d, not after %d, in\n%s", s, i, at, got)
		}
		at = i
	}
	if !strings.Contains(got, "paragraph/2: Paragraph 4") || !strings.Contains(got, "list/0: • Home") {
		t.Errorf("the rest is not outside the article's sections:\n%s", got)
	}
	if doc.Title != "The council decides - Town News" {
		t.Errorf("title %q", doc.Title)
	}
}

func TestParseHTMLLinks(t *testing.T) {
	doc := parseHTML(t, `<p>See <a href="plan.html#two"> the <b>plan</b> </a> or <a href="https://x.org">https://x.org</a>, not <a href="javascript:x()">this</a>.</p><ul><li>in <a href=a>a list</a></ul><table><tr><th>x<th>y<tr><td>1<td><a href=c>cell</a></table>`)
	for i, want := range []struct{ target, fragment, text, shown string }{{"plan.html", "two", "the plan", "the plan"}, {"https://x.org", "", "", "https://x.org"}, {"a", "", "a list", "a list"}, {"c", "", "cell", "cell"}} {
		l := doc.Links[i]
		if l.Target != want.target || l.Fragment != want.fragment || l.Text != want.text || strings.TrimSpace(doc.Text[l.Start:l.End]) != want.shown {
			t.Errorf("link %d is %+v over %q, want %+v", i, l, doc.Text[l.Start:l.End], want)
		}
	}
	if len(doc.Links) != 4 {
		t.Errorf("%d links", len(doc.Links))
	}
}

func TestParseHTMLEncodings(t *testing.T) {
	const ru, jp = "Решение принято единогласно, без возражений и прений.", "会議の決定は次のとおりです。"
	enc := func(name, s string) string {
		e, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tt := range []struct {
		name, page, want, encoding string
		guessed                    bool
	}{
		{"by meta charset", `<meta charset="windows-1251"><p>` + enc("windows-1251", ru), ru, "windows-1251", false},
		{"by http-equiv", `<meta http-equiv="Content-Type" content="text/html; charset=shift_jis"><p>` + enc("shift_jis", jp), jp, "shift_jis", false},
		{"escapes that are valid UTF-8", `<meta charset="iso-2022-jp"><p>` + enc("iso-2022-jp", jp), jp, "iso-2022-jp", false},
		{"by XML declaration", `<?xml version="1.0" encoding="koi8-r"?><html><p>` + enc("koi8-r", ru), ru, "koi8-r", false},
		{"the claim is false and the bytes are UTF-8", `<meta charset="windows-1252"><p>` + ru, ru, "utf-8", false},
		{"the claim of UTF-8 is false", `<meta charset="utf-8"><p>` + strings.Repeat(enc("windows-1251", ru)+" ", 5), strings.TrimSpace(strings.Repeat(ru+" ", 5)), "windows-1251", true},
		{"byte-order mark", "\xef\xbb\xbf<p>" + ru, ru, "utf-8", false},
		{"UTF-16 with a mark", "\xff\xfe" + enc("utf-16le", "<p>"+ru), ru, "utf-16le", false},
		{"no claim", "<p>" + strings.Repeat(enc("windows-1251", ru)+" ", 5), strings.TrimSpace(strings.Repeat(ru+" ", 5)), "windows-1251", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := parseHTML(t, tt.page)
			if doc.Text != tt.want || doc.Encoding != tt.encoding || doc.Guessed != tt.guessed {
				t.Errorf("got %q as %s (guessed: %v)", doc.Text, doc.Encoding, doc.Guessed)
			}
		})
	}
}

// The tree refuses what is nested more than 512 deep; the text is kept all the same.
func TestParseHTMLNestedTooDeeply(t *testing.T) {
	doc := parseHTML(t, "<h1>Head</h1>"+strings.Repeat("<div>", 100_000)+"<p>deep</p><script>no</script><p>after</p>")
	if got, want := outlined(doc), "heading/1: Head\nparagraph/1: deep\nparagraph/1: after\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(doc.Notes) != 1 {
		t.Errorf("notes %q", doc.Notes)
	}
}

// Whatever a page holds, its text and structure are sound.
func FuzzParseHTML(f *testing.F) {
	f.Add("<h1>One</h1><ul><li>a<table><tr><td>b<td>c</table></ul><pre>d</pre>")
	f.Add("<table><tr><td rowspan=3 colspan=9>x<tr><td><a href=y>z</a><svg><title>t</title></svg></table><select><option>o")
	f.Add("<a href=#x><p>a</p></a><li>b<dl><dt>c<dd>d</dl><blockquote><h2>e</h2></blockquote>")
	f.Fuzz(func(t *testing.T, page string) {
		doc, err := format.ParseHTML([]byte(page), format.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		checked(t, doc)
	})
}
