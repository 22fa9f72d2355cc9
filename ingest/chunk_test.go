package ingest_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"docket/ingest"
	"docket/ingest/format"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

const maxChars = 4000

// checkChunks fails where chunks break what Chunks promises of every document, and returns them.
func checkChunks(t *testing.T, doc *format.Document) []ingest.Chunk {
	t.Helper()
	chunks := ingest.Chunks(doc)
	text := doc.Text
	at := 0
	for i, c := range chunks {
		if c.Start < at || c.End <= c.Start || c.End > len(text) || i > 0 && c.Start <= chunks[i-1].Start {
			t.Fatalf("chunk %d: %d to %d after %d", i, c.Start, c.End, at)
		}
		body := text[c.Start:c.End]
		if n := utf8.RuneCountInString(body); n > maxChars || len(body) > 4*maxChars {
			t.Fatalf("chunk %d has %d characters in %d bytes", i, n, len(body))
		}
		if !utf8.ValidString(body) {
			t.Fatalf("chunk %d is not valid UTF-8: %q", i, body)
		}
		if strings.TrimSpace(body) == "" {
			t.Fatalf("chunk %d is blank: %q", i, body)
		}
		place := c.Start
		for _, s := range c.Spans {
			if s.Start < place || s.End <= s.Start || s.End > c.End || !utf8.ValidString(text[s.Start:s.End]) {
				t.Fatalf("chunk %d, %d to %d: span %d to %d after %d", i, c.Start, c.End, s.Start, s.End, place)
			}
			place = s.End
		}
		if len(c.Spans) == 0 {
			t.Fatalf("chunk %d has no spans: %q", i, body)
		}
		if c.Section < 0 || c.Section >= len(doc.Sections) {
			t.Fatalf("chunk %d: section %d", i, c.Section)
		}
		at = c.End
	}
	checkBlocks(t, doc, chunks)
	return chunks
}

// checkBlocks looks from the blocks: all of each is in chunks of its section, or in those of a child whose heading follows it.
func checkBlocks(t *testing.T, doc *format.Document, chunks []ingest.Chunk) {
	t.Helper()
	next := 0
	for i, b := range doc.Blocks {
		for next < len(chunks) && chunks[next].End <= b.Start {
			next++
		}
		at := b.Start
		for k := next; k < len(chunks) && chunks[k].Start < b.End; k++ {
			c := chunks[k]
			if gap := slice(doc, at, c.Start); strings.TrimSpace(gap) != "" {
				t.Fatalf("%q of block %d is in no chunk", gap, i)
			}
			at = max(at, c.End)
			if c.Section != b.Section && (b.Kind != format.Heading || !within(doc, c.Section, b.Section)) {
				t.Fatalf("block %d of section %d is in a chunk of section %d", i, b.Section, c.Section)
			}
			if c.Page != b.Page {
				t.Fatalf("block %d of page %d is in a chunk of page %d", i, b.Page, c.Page)
			}
			if whole := c.Start <= b.Start && c.End >= b.End; !whole && (b.Kind == format.Code || b.Kind == format.Table) && !c.Part {
				t.Fatalf("chunk %d holds a piece of a %s and is not marked as a part", k, b.Kind)
			}
		}
		if gap := slice(doc, at, b.End); strings.TrimSpace(gap) != "" {
			t.Fatalf("%q of block %d is in no chunk", gap, i)
		}
	}
}

func slice(doc *format.Document, start, end int) string {
	if start >= end {
		return ""
	}
	return doc.Text[start:end]
}

func within(doc *format.Document, section, outer int) bool {
	for section > outer {
		section = doc.Sections[section].Parent
	}
	return section == outer
}

// checkGraphemes fails where a chunk begins or ends inside a grapheme cluster, told by segmenting the whole text.
func checkGraphemes(t *testing.T, doc *format.Document, chunks []ingest.Chunk) {
	t.Helper()
	borders := make([]bool, len(doc.Text)+1)
	borders[0] = true
	longest := 0
	for rest, state, at := doc.Text, -1, 0; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		at += len(cluster)
		borders[at] = true
		longest = max(longest, len(cluster))
	}
	if longest > 500 {
		return // an attack, which may be cut
	}
	for i, c := range chunks {
		if !borders[c.Start] || !borders[c.End] {
			t.Fatalf("chunk %d, %d to %d, cuts a grapheme cluster: %q | %q", i, c.Start, c.End,
				doc.Text[max(0, c.Start-20):c.Start], doc.Text[c.Start:min(c.End, c.Start+20)])
		}
	}
}

func parseDoc(t *testing.T, name, data string) *format.Document {
	t.Helper()
	doc, err := format.Parse(name, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// fences counts the lines of a chunk that open or close a fence, behind whatever marks of lists and quotes.
func fences(body string) int {
	n := 0
	for l := range strings.Lines(body) {
		l = strings.TrimLeft(l, " \t>-*+.)0123456789")
		if strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~") {
			n++
		}
	}
	return n
}

// Case 159 too: ranges are bytes, and hold for every file of the corpus.
func TestChunksOfFiles(t *testing.T) {
	for _, root := range []string{"../testdata/corpus", "format/testdata/in"} {
		err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			t.Run(path, func(t *testing.T) {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				doc := parseDoc(t, path, string(data))
				chunks := checkChunks(t, doc)
				checkGraphemes(t, doc, chunks)
				if len(chunks) == 0 {
					t.Error("no chunks")
				}
				if again := ingest.Chunks(doc); !cmp.Equal(chunks, again) {
					t.Error("chunks differ from one time to the next")
				}
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestChunksGenerated(t *testing.T) {
	pieces := []string{
		"word ", "sentence ends. ", "👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", "e\u0301", " \u0301", "日本語の文。", "\n", "\n\n", "# H\n\n", "## S\n", "- item\n", "```\n", "~~~\n", "| a | b |\n|---|---|\n", "| 1 | 2 |\n",
		"> q\n", "\u00a0", "\u3000", "\u0600", "x", "한국어 ", "ก็", "क्षि", "\r\n", "\r", "\x00", "    code\n", "“quoted.” Next ", "1. one\n",
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		for range r.IntN(60) {
			p := pieces[r.IntN(len(pieces))]
			for range 1 + r.IntN(4)*r.IntN(400)*(r.IntN(6)/5) {
				b.WriteString(p)
			}
		}
		for _, name := range []string{"a.md", "a.txt", "a.csv", "a.py"} {
			t.Run(fmt.Sprintf("%d %s", seed, name), func(t *testing.T) {
				doc := parseDoc(t, name, "\ufeff"+b.String())
				checkGraphemes(t, doc, checkChunks(t, doc))
			})
		}
	}
}

func FuzzChunks(f *testing.F) {
	f.Add("a.md", []byte("# A\n\n"+strings.Repeat("text ", 900)+"\n\n```\n"+strings.Repeat("x\n", 2500)+"```\n"))
	f.Add("a.txt", []byte(strings.Repeat("👨‍👩‍👧‍👦", 400)))
	f.Add("a.csv", []byte("a,b\n"+strings.Repeat("1,2\n", 1200)))
	f.Add("a.txt", []byte("\u0600 \u0301a"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		doc, err := format.Parse(name, data)
		if err != nil {
			return
		}
		checkGraphemes(t, doc, checkChunks(t, doc))
	})
}

func TestChunkSizes(t *testing.T) {
	sentence := "This is one sentence of plain prose that says nothing. "
	tests := []struct {
		name, file, data string
		want             int // chunks
	}{
		{"an empty file has no chunk", "a.md", "", 0},
		{"a blank file has no chunk", "a.txt", " \n\n\t\n", 0},
		{"a rule alone has no chunk", "a.md", "---\n", 0},
		{"a tiny file has one", "a.txt", "Hi.", 1},
		{"small paragraphs are packed", "a.txt", strings.Repeat(sentence+"\n\n", 20), 1},
		{"a paragraph at the aim is whole", "a.txt", strings.Repeat(sentence, 32), 1},
		{"a long paragraph is cut at sentences", "a.txt", strings.Repeat(sentence, 100), 4},
		{"a long list is cut at items", "a.md", strings.Repeat("- "+sentence+"\n", 100), 4},
		{"a heading goes with its text", "a.md", "# A\n\n" + sentence + "\n\n# B\n\n" + sentence, 2},
		{"a heading without text goes with its first child", "a.md", "# A\n\n## B\n\n### C\n\n" + sentence + "\n\n## D\n\n" + sentence, 2},
		{"a heading without text is no part of its sister", "a.md", "# A\n\n# B\n\n" + sentence, 2},
		{"headings alone are one chunk", "a.md", "# A\n\n## B\n\n### C\n", 1},
		{"lead text stays apart from the first child", "a.md", "# A\n\n" + sentence + "\n\n## B\n\n" + sentence, 2},
		{"a caption goes with a large table", "a.md", "The table:\n\n| a | b |\n|---|---|\n" + strings.Repeat("| one | two |\n", 200), 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := len(checkChunks(t, parseDoc(t, tt.file, tt.data))); got != tt.want {
				t.Errorf("%d chunks, want %d", got, tt.want)
			}
		})
	}
}

// A chunk of prose that could be filled is neither tiny nor large.
func TestChunkAim(t *testing.T) {
	doc := parseDoc(t, "a.txt", strings.Repeat(strings.Repeat("A sentence of nine words in a long text. ", 12)+"\n\n", 200))
	chunks := checkChunks(t, doc)
	for i, c := range chunks[:len(chunks)-1] {
		if n := utf8.RuneCountInString(doc.Text[c.Start:c.End]); n < 1200 || n > 1800 {
			t.Errorf("chunk %d has %d characters", i, n)
		}
	}
}

// Case 9: a run of emoji is cut between clusters.
func TestChunkGraphemes(t *testing.T) {
	for name, cluster := range map[string]string{
		"family": "👨‍👩‍👧‍👦", "flag": "🇩🇪", "skin tone": "👍🏽", "combining mark": "e\u0301\u0323", "keycap": "1️⃣", "hangul": "각", "devanagari": "क्षि", "crlf": "\r\nx",
	} {
		t.Run(name, func(t *testing.T) {
			doc := parseDoc(t, "a.txt", "\ufeff"+strings.Repeat(cluster, 6000))
			chunks := checkChunks(t, doc)
			checkGraphemes(t, doc, chunks)
			if len(chunks) < 4 {
				t.Errorf("%d chunks", len(chunks))
			}
		})
	}
	t.Run("a cluster without end is cut all the same", func(t *testing.T) {
		doc := parseDoc(t, "a.txt", "z"+strings.Repeat("\u0301", 50_000))
		if n := len(checkChunks(t, doc)); n < 13 {
			t.Errorf("%d chunks", n)
		}
	})
}

// Cases 12, 14: fences are whole or marked, wherever they stand.
func TestChunkFences(t *testing.T) {
	body := strings.Repeat("echo one line of some shell script # with a comment\n\n", 20)
	indent := func(by, s string) string { return by + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n"+by) + "\n" }
	fence := "```bash\n" + body + "```\n"
	for name, data := range map[string]string{
		"plain":            fence,
		"in a list":        "- item\n\n" + indent("  ", fence) + "\n- next\n",
		"in a quote":       indent("> ", "Text.\n\n"+fence) + "\nafter\n",
		"in details":       "<details>\n<summary>s</summary>\n" + fence + "</details>\n",
		"in a nested list": "1. one\n   - two\n\n" + indent("     ", fence),
		"tildes":           strings.ReplaceAll(fence, "```", "~~~~"),
		"many":             strings.Repeat("Some text.\n\n"+fence+"\n", 8),
	} {
		t.Run(name, func(t *testing.T) {
			doc := parseDoc(t, "a.md", "# Heading\n\n"+data+"\n# Last\n\ntext\n")
			for i, c := range checkChunks(t, doc) {
				if n := fences(doc.Text[c.Start:c.End]); c.Part || n%2 != 0 {
					t.Errorf("chunk %d: part %v, %d fence marks:\n%s", i, c.Part, n, doc.Text[c.Start:c.End])
				}
			}
			if n := len(doc.Sections); n != 3 {
				t.Errorf("%d sections, want the document and two headings", n)
			}
		})
	}
	t.Run("a fence longer than a chunk", func(t *testing.T) {
		doc := parseDoc(t, "a.md", "# Heading\n\n```bash\n"+strings.Repeat(body, 10)+"```\n\nafter\n")
		chunks := checkChunks(t, doc)
		for i, c := range chunks[:len(chunks)-1] {
			if !c.Part {
				t.Errorf("chunk %d is a piece and not marked", i)
			}
			if end := doc.Text[c.End]; end != '\n' {
				t.Errorf("chunk %d ends inside a line, before %q", i, end)
			}
		}
	})
	t.Run("a fence never closed", func(t *testing.T) {
		chunks := checkChunks(t, parseDoc(t, "a.md", "text\n\n```\ncode\n"))
		if !chunks[len(chunks)-1].Part {
			t.Error("the open fence is not marked as a part")
		}
	})
}

// Case 15: every piece of a table that is longer than a chunk points at its header row.
func TestChunkTables(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Latency\n\nMeasured in May.\n\n| n | unit | note |\n|---|---|---|\n")
	for i := range 150 {
		fmt.Fprintf(&b, "| %d | ms | measured by somebody, somewhere, with some tool |\n", i)
	}
	doc := parseDoc(t, "a.md", b.String()+"\nAfter it.\n")
	tables := 0
	for i, c := range checkChunks(t, doc) {
		if c.Kind != format.Table {
			continue
		}
		tables++
		if got := doc.Text[c.HeaderStart:c.HeaderEnd]; got != "| n | unit | note |" {
			t.Errorf("chunk %d: header %q", i, got)
		}
		if !c.Part {
			t.Errorf("chunk %d is not marked as a part", i)
		}
		if i > 0 && doc.Text[c.Start] != '|' || !strings.HasSuffix(doc.Text[c.Start:c.End], "|") {
			t.Errorf("chunk %d has a piece of a row: %q", i, doc.Text[c.Start:c.End])
		}
	}
	if tables < 3 {
		t.Errorf("%d chunks of the table", tables)
	}

	t.Run("a row longer than a chunk", func(t *testing.T) {
		doc := parseDoc(t, "a.csv", "name,text\nx,"+strings.Repeat("many words ", 2000)+"\ny,z\n")
		chunks := checkChunks(t, doc)
		for _, c := range chunks {
			if doc.Text[c.HeaderStart:c.HeaderEnd] != "name,text" {
				t.Errorf("header %q", doc.Text[c.HeaderStart:c.HeaderEnd])
			}
		}
	})
}

// A row's meaning hangs on its own table's header, so two small tables are two chunks: a chunk has room for one header.
func TestChunkOfEachTable(t *testing.T) {
	doc := parseDoc(t, "a.md", "# Rooms\n\nBoth are small.\n\n| item | count |\n|---|---|\n| chair | 30 |\n\n| who | room |\n|---|---|\n| Ann | 30 |\n\nThe end.\n")
	var got []string
	for _, c := range checkChunks(t, doc) {
		got = append(got, doc.Text[c.HeaderStart:c.HeaderEnd])
		for _, s := range c.Spans {
			if s.Kind == format.Row && (s.Start < c.Start || c.HeaderEnd == 0) {
				t.Errorf("the row %q has no header", doc.Text[s.Start:s.End])
			}
		}
	}
	if diff := cmp.Diff([]string{"| item | count |", "| who | room |"}, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

// Case 27: no input makes a chunk start where the last one did; see checkChunks. Here: nothing but what cannot be cut well.
func TestChunksAdvance(t *testing.T) {
	for name, data := range map[string]string{
		"one word":     strings.Repeat("x", 100_000),
		"short lines":  strings.Repeat("x\n", 50_000),
		"spaces":       strings.Repeat("x"+strings.Repeat(" ", 5000), 20),
		"marks":        strings.Repeat(" \u0301", 20_000),
		"prepend":      strings.Repeat("\u0600 ", 20_000),
		"zero width":   strings.Repeat("\u200b\u200d", 20_000),
		"NUL":          "\ufeff" + strings.Repeat("\x00a", 20_000),
		"replacement":  strings.Repeat("\ufffd", 20_000),
		"no-break":     strings.Repeat("a\u00a0", 20_000),
		"line ends":    "a" + strings.Repeat("\r\n\r", 20_000) + "b",
		"wide marks":   strings.Repeat("。\u3099", 20_000),
		"only bullets": strings.Repeat("- \n", 20_000),
	} {
		for _, file := range []string{"a.txt", "a.md", "a.csv", "a.js"} {
			t.Run(name+" "+file, func(t *testing.T) {
				doc := parseDoc(t, file, data)
				checkGraphemes(t, doc, checkChunks(t, doc))
			})
		}
	}
}

// Case 28: deep data is neither thousands of tiny chunks nor one that is too large.
func TestChunksOfDeepData(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "%s{\"k%d\":\n", strings.Repeat(" ", i%200), i)
	}
	b.WriteString("1" + strings.Repeat("}", 3000))
	for name, data := range map[string]string{"lines": b.String(), "one line": strings.ReplaceAll(strings.ReplaceAll(b.String(), "\n", ""), " ", "")} {
		t.Run(name, func(t *testing.T) {
			doc := parseDoc(t, "a.json", data)
			chunks := checkChunks(t, doc)
			if most := utf8.RuneCountInString(data)/900 + 2; len(chunks) > most {
				t.Errorf("%d chunks of %d characters", len(chunks), utf8.RuneCountInString(data))
			}
		})
	}
}

func TestChunksByPage(t *testing.T) {
	doc := &format.Document{Text: "one\n\ntwo\n\nthree", Sections: []format.Section{{Parent: -1, End: 15}}}
	for i, r := range [][2]int{{0, 3}, {5, 8}, {10, 15}} {
		doc.Blocks = append(doc.Blocks, format.Block{Kind: format.Paragraph, Start: r[0], End: r[1], Page: 1 + i/2, Spans: []format.Span{{Kind: format.Sentence, Start: r[0], End: r[1]}}})
	}
	var got []string
	for _, c := range checkChunks(t, doc) {
		got = append(got, fmt.Sprintf("page %d: %q", c.Page, doc.Text[c.Start:c.End]))
	}
	if diff := cmp.Diff([]string{`page 1: "one\n\ntwo"`, `page 2: "three"`}, got); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
}

// TestChunksGolden pins where the chunks of some files of the corpus begin and end.
func TestChunksGolden(t *testing.T) {
	for _, path := range []string{"decisions/0007-move-to-postgresql.md", "runbooks/restore-from-backup.md", "data/query-latency.csv", "gauge/level.go", "notes/ja/toban.md", "logs/cutover-2026-03-28.log"} {
		t.Run(path, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("../testdata/corpus", path))
			if err != nil {
				t.Fatal(err)
			}
			doc := parseDoc(t, path, string(data))
			var b bytes.Buffer
			for i, c := range checkChunks(t, doc) {
				fmt.Fprintf(&b, "== %d: %s in %q, %d to %d, %d spans", i, c.Kind, doc.Sections[c.Section].Heading, c.Start, c.End, len(c.Spans))
				if c.Part {
					b.WriteString(", part")
				}
				if c.HeaderEnd > 0 {
					fmt.Fprintf(&b, ", header %q", doc.Text[c.HeaderStart:c.HeaderEnd])
				}
				fmt.Fprintf(&b, "\n%s\n", strings.ReplaceAll(doc.Text[c.Start:c.End], "\r", `\r`))
			}
			golden := filepath.Join("testdata", "chunks", filepath.Base(path)+".txt")
			if *updateGolden {
				if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
				t.Errorf("chunks (-want +got):\n%s", diff)
			}
		})
	}
}

// BenchmarkParseAndChunk reads notes as people write them.
func BenchmarkParseAndChunk(b *testing.B) {
	note := "---\ntitle: Note %d\ntags: [a, b]\n---\n\n# Note %d\n\nThis is a paragraph with a [link](https://example.org/%d) and some *emphasis*, e.g. here. It has a second sentence! " +
		"And [[Another note#Part|a third]], which is longer than the others and goes on\nover a line end.\n\n## Part\n\n- first item with `code`\n- second item\n  - nested #tag\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n" +
		"```go\nfunc main() {\n\t// a comment\n\tprintln(%d)\n}\n```\n\n> A quotation of some length, by somebody.\n\n"
	var notes [][]byte
	var size int64
	for i := range 200 {
		n := []byte(strings.Repeat(fmt.Sprintf(note, i, i, i, i), 1+i%20))
		notes = append(notes, n)
		size += int64(len(n))
	}
	b.SetBytes(size)
	for b.Loop() {
		for _, n := range notes {
			doc, err := format.Parse("a.md", n)
			if err != nil {
				b.Fatal(err)
			}
			if len(ingest.Chunks(doc)) == 0 {
				b.Fatal("no chunks")
			}
		}
	}
}

// TestChunksLinear compares the work for an input with that for one four times as long: no text, however made, costs more than its length.
func TestChunksLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	deep := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat("  ", i) + "- x\n")
		}
		return b.String()
	}
	checkChunks(t, parseDoc(t, "a.md", deep(2000)))
	tests := []struct {
		name, file string
		make       func(n int) string // of about n*1000 bytes
	}{
		{"open links", "a.md", func(n int) string { return strings.Repeat("[a](", 250*n) }},
		{"open titles", "a.md", func(n int) string { return strings.Repeat("[a](b \"", 150*n) }},
		{"emphasis", "a.md", func(n int) string { return strings.Repeat("*a_", 333*n) }},
		{"brackets", "a.md", func(n int) string {
			return "[x]: y\n\n" + strings.Repeat("[", 250*n) + strings.Repeat("]", 250*n) + strings.Repeat("![", 250*n)
		}},
		{"wikilinks", "a.md", func(n int) string { return strings.Repeat("[[", 500*n) }},
		{"backticks", "a.md", func(n int) string {
			var b strings.Builder
			for i := 1; b.Len() < 1000*n; i++ {
				b.WriteString(strings.Repeat("`", i) + " ")
			}
			return b.String()
		}},
		{"quotes", "a.md", func(n int) string { return strings.Repeat(">", 1000*n) }},
		{"quote lines", "a.md", func(n int) string { return strings.Repeat(strings.Repeat(">", 99)+"\n", 10*n) }},
		{"list marks", "a.md", func(n int) string { return strings.Repeat("- ", 500*n) }},
		{"open fences", "a.md", func(n int) string { return strings.Repeat("- ```\n", 166*n) }},
		{"blank lines in a deep list", "a.md", func(n int) string { return strings.Repeat("- ", 60) + "x" + strings.Repeat("\n", 1000*n) + "y" }},
		{"one line", "a.md", func(n int) string { return strings.Repeat("word ", 200*n) }},
		{"one word", "a.txt", func(n int) string { return strings.Repeat("x", 1000*n) }},
		{"one cluster", "a.txt", func(n int) string { return strings.Repeat("\u0301", 500*n) }},
		{"flags", "a.txt", func(n int) string { return strings.Repeat("🇩", 250*n) }},
		{"points", "a.txt", func(n int) string { return strings.Repeat(". ", 500*n) }},
		{"points without spaces", "a.txt", func(n int) string { return strings.Repeat(".a", 500*n) }},
		{"table columns", "a.md", func(n int) string {
			return strings.Repeat("|a", 333*n) + "|\n" + strings.Repeat("|-", 333*n) + "|\n" + strings.Repeat("|1", 333*n) + "|\n"
		}},
		{"delimiter rows", "a.md", func(n int) string { return strings.Repeat("|a|b\n", 100*n) + strings.Repeat("|-\n", 166*n) }},
		{"hashes", "a.md", func(n int) string { return strings.Repeat("#a", 500*n) + "\n" + strings.Repeat("# x\n", 200*n) }},
		{"underlines", "a.md", func(n int) string { return strings.Repeat("a\n", 300*n) + "===\n" + strings.Repeat("b\n---\n", 50*n) }},
		{"comments", "a.md", func(n int) string { return strings.Repeat("<!-- ", 200*n) }},
		{"tags", "a.md", func(n int) string { return strings.Repeat("<a", 500*n) }},
		{"front matter", "a.md", func(n int) string { return "---\nk: v\n" + strings.Repeat("- x\n", 250*n) }},
		{"front matter of one key", "a.md", func(n int) string { return "---\nk:\n" + strings.Repeat(" x\n", min(1900, 333*n)) + "---\n" }},
		{"CR", "a.md", func(n int) string { return strings.Repeat("a\r", 500*n) }},
		{"open quotation mark", "a.csv", func(n int) string { return strings.Repeat("\"a,b\n", 200*n) + "\"" }},
		{"quotation marks", "a.csv", func(n int) string { return strings.Repeat("\"", 1000*n) }},
		{"cells", "a.csv", func(n int) string { return strings.Repeat("1,", 500*n) }},
		{"open brackets", "a.json", func(n int) string { return strings.Repeat("[", 1000*n) }},
		{"parentheses", "a.go", func(n int) string { return "package p\nvar x = " + strings.Repeat("(", 1000*n) }},
		{"declarations", "a.go", func(n int) string { return "package p\n" + strings.Repeat("var x = 1; ", 90*n) }},
		{"lists in lists", "a.md", func(n int) string { return deep(int(math.Sqrt(float64(1000 * n)))) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// The best of three, and three times: a busy machine is no reason to fail.
			measure := func(n int) time.Duration {
				data := []byte("\ufeff" + tt.make(n))
				best := time.Hour
				for range 3 {
					start := time.Now()
					doc, err := format.Parse(tt.file, data)
					if err != nil {
						t.Fatal(err)
					}
					ingest.Chunks(doc)
					best = min(best, time.Since(start))
				}
				return best
			}
			checkChunks(t, parseDoc(t, tt.file, "\ufeff"+tt.make(20)))
			var small, large time.Duration
			for range 3 {
				if small, large = measure(50), measure(200); large <= 8*small+20*time.Millisecond {
					return
				}
			}
			t.Errorf("%v at first, %v for four times the length", small, large)
		})
	}
}
