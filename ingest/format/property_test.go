package format_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"docket/ingest/format"
)

// check fails where a Document breaks what the package promises of every one.
func check(t *testing.T, doc *format.Document) {
	t.Helper()
	text := doc.Text
	if !utf8.ValidString(text) {
		t.Fatal("the text is not valid UTF-8")
	}
	place := func(what string, start, end int) {
		t.Helper()
		if start < 0 || end < start || end > len(text) || start < len(text) && !utf8.RuneStart(text[start]) || end < len(text) && !utf8.RuneStart(text[end]) {
			t.Fatalf("%s: %d to %d is no range of code points in %d bytes", what, start, end, len(text))
		}
	}
	for i, s := range doc.Sections {
		place(fmt.Sprintf("section %d", i), s.Start, s.End)
		switch {
		case i == 0 && (s.Parent != -1 || s.Level != 0 || s.Start != 0 || s.End != len(text)):
			t.Fatalf("section 0 is not the document: %+v", s)
		case i > 0 && (s.Parent < 0 || s.Parent >= i || s.Level < 1):
			t.Fatalf("section %d: parent %d, level %d", i, s.Parent, s.Level)
		case i > 0 && (s.Start < doc.Sections[s.Parent].Start || s.End > doc.Sections[s.Parent].End):
			t.Fatalf("section %d, %d to %d, lies not in its parent", i, s.Start, s.End)
		}
	}
	at := 0
	for i, b := range doc.Blocks {
		what := fmt.Sprintf("block %d (%s)", i, b.Kind)
		place(what, b.Start, b.End)
		if b.Start < at || b.Start == b.End || b.Section < 0 || b.Section >= len(doc.Sections) || len(b.Spans) == 0 {
			t.Fatalf("%s: %d to %d after %d, section %d, %d spans", what, b.Start, b.End, at, b.Section, len(b.Spans))
		}
		if s := doc.Sections[b.Section]; b.Start < s.Start || b.End > s.End {
			t.Fatalf("%s: %d to %d lies not in its section %d to %d", what, b.Start, b.End, s.Start, s.End)
		}
		// Outside of blocks are only rules, the marks of front matter and those of empty quotes.
		if rest := uncovered(text[at:b.Start], "-*_.>"); rest != "" {
			t.Fatalf("%q before %s is in no block", rest, what)
		}
		at = b.Start
		for _, s := range b.Spans {
			place(what+" span", s.Start, s.End)
			if s.Start < at || s.End > b.End || s.Start == s.End || strings.TrimSpace(text[s.Start:s.End]) != text[s.Start:s.End] {
				t.Fatalf("%s: bad span %d to %d: %q", what, s.Start, s.End, text[s.Start:s.End])
			}
			// Outside of spans are only the delimiter row of a table and the marks of empty lines in quotes.
			if rest := uncovered(text[at:s.Start], outside[b.Kind]); rest != "" {
				t.Fatalf("%q in %s is in no span", rest, what)
			}
			at = s.End
		}
		if rest := uncovered(text[at:b.End], outside[b.Kind]); rest != "" {
			t.Fatalf("%q at the end of %s is in no span", rest, what)
		}
		at = b.End
		if b.HeaderEnd > 0 && (b.Kind != format.Table || b.HeaderStart < b.Start || b.HeaderEnd > b.End || b.HeaderStart >= b.HeaderEnd) {
			t.Fatalf("%s: header %d to %d", what, b.HeaderStart, b.HeaderEnd)
		}
	}
	if rest := uncovered(text[at:], "-*_.>"); rest != "" {
		t.Fatalf("%q at the end is in no block", rest)
	}
	at = 0
	for _, l := range doc.Links {
		place("link", l.Start, l.End)
		if l.Start < at || l.Start >= l.End {
			t.Fatalf("link %+v after %d", l, at)
		}
		at = l.Start
	}
}

var outside = map[format.BlockKind]string{format.Table: "|-: >", format.List: ">", format.Quote: ">", format.Code: ">"}

func uncovered(s, marks string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(marks, r) })
}

// tree is what must not depend on how lines end: everything, with text for ranges.
func tree(doc *format.Document) string {
	var b strings.Builder
	clean := strings.NewReplacer("\r\n", "\n", "\r", "\n")
	in := func(start, end int) string { return fmt.Sprintf("%q", clean.Replace(doc.Text[start:end])) }
	fmt.Fprintf(&b, "%s %q\n", doc.Kind, doc.Title)
	for _, n := range doc.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, p := range doc.Props {
		fmt.Fprintf(&b, "property %q: %q\n", p.Key, p.Values)
	}
	for i, s := range doc.Sections[1:] {
		fmt.Fprintf(&b, "section %d in %d, level %d, %q %q: %s\n", i+1, s.Parent, s.Level, s.Heading, s.Symbol, in(s.Start, s.End))
	}
	for _, k := range doc.Blocks {
		fmt.Fprintf(&b, "%s in %d", k.Kind, k.Section)
		if k.HeaderEnd > 0 {
			fmt.Fprintf(&b, ", header %s", in(k.HeaderStart, k.HeaderEnd))
		}
		if k.Open {
			b.WriteString(", open")
		}
		b.WriteByte('\n')
		for _, s := range k.Spans {
			fmt.Fprintf(&b, "\t%s %s\n", s.Kind, in(s.Start, s.End))
		}
	}
	for _, l := range doc.Links {
		fmt.Fprintf(&b, "%s %q # %q shown %q: %s\n", l.Kind, l.Target, l.Fragment, l.Text, in(l.Start, l.End))
	}
	return b.String()
}

// checkLineEnds parses a text with each of the three line ends and compares the trees.
func checkLineEnds(t *testing.T, name, text string) {
	t.Helper()
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	want := tree(parse(t, name, text))
	for _, end := range []string{"\r\n", "\r"} {
		if diff := cmp.Diff(want, tree(parse(t, name, strings.ReplaceAll(text, "\n", end)))); diff != "" {
			t.Fatalf("%s with %q (-LF +it):\n%s", name, end, diff)
		}
	}
}

func parse(t *testing.T, name, data string) *format.Document {
	t.Helper()
	doc, err := format.Parse(name, []byte(data))
	if err != nil {
		t.Fatalf("parse %s: %v", name, err)
	}
	check(t, doc)
	return doc
}

// files gives every small input: this package's own and the corpus.
func files(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, root := range []string{"testdata/in", "../../testdata/corpus"} {
		err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Cases 5, 6, 30, 159: every range of every file is sound, and line ends do not matter.
func TestParseFiles(t *testing.T) {
	for _, path := range files(t) {
		t.Run(path, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			doc := parse(t, path, string(data))
			if len(doc.Blocks) == 0 {
				t.Error("no blocks")
			}
			checkLineEnds(t, path, doc.Text)
		})
	}
}

func TestParseGenerated(t *testing.T) {
	for seed := range uint64(400) {
		text := generate(rand.New(rand.NewPCG(seed, 1)))
		for _, name := range []string{"a.md", "a.txt", "a.csv", "a.py", "a.go"} {
			t.Run(fmt.Sprintf("%d %s", seed, name), func(t *testing.T) { checkLineEnds(t, name, text) })
		}
	}
}

// generate writes a document that no person would.
func generate(r *rand.Rand) string {
	lines := []string{
		"", "", "", "# Heading", "## Two *words* `x` #", "Setext", "===", "---", "***", "- item", "  - nested item", "    - deeper", "1. one", "10) ten", "-", "1.",
		"```", "```go", "~~~", "    ```", "  ~~~~", "> quote", "> > two", ">", "> ```", "> - item", "lazy line", "\tindented by a tab", "    indented", "        more",
		"| a | b |", "|---|:-:|", "| 1 | 2", "1 | 2 | 3", "<details>", "</details>", "<!-- comment", "-->", "<script>", "</script>", "[ref]: https://x.example/a#b",
		"A sentence. Another one! And e.g. this, Dr. Who? Yes… no. 1.5 and v1.2.3.", "これは文です。次の文です！", "👨‍👩‍👧‍👦🇩🇪🇯🇵👍🏽 é̂ a\u0301", "see [a](b \"t\") and [[C#d|e]] ![i](j.png) #tag [ref] <https://x.y>",
		"\u00a0", "\u3000全角", "a\u0300\u0301", " \u0301mark", "\x00nul\x00", "\f", "\u2028", "\u0600 5", "title: Re: x", "tags: [a, \"b\"]", "key: |", `"quoted, cell",2`, `"open`, "a;b;c",
		"func f() { return }", "// comment", "* * *", "- - x", "+ ", "* ```", "1. > # no heading", "\\# not", "#nospace", "`` ` ``", "**bold**. Next", "    ", "\ufeffmark",
	}
	var b strings.Builder
	for range r.IntN(40) {
		for range r.IntN(3) {
			b.WriteString([]string{"", " ", "  ", "   ", "> ", "- ", "\t", "1. "}[r.IntN(8)])
		}
		b.WriteString(lines[r.IntN(len(lines))])
		if r.IntN(8) > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
