package format_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/ingest/format"
)

func spans(doc *format.Document) []string {
	var out []string
	for _, b := range doc.Blocks {
		for _, s := range b.Spans {
			out = append(out, doc.Text[s.Start:s.End])
		}
	}
	return out
}

func TestSentences(t *testing.T) {
	tests := []struct {
		name, data string
		want       []string
	}{
		{"ends", "One. Two! Three? Four… Five", []string{"One.", "Two!", "Three?", "Four…", "Five"}},
		{"abbreviations", "Ask Dr. Vogt, e.g. on Monday, i.e. soon. See Mr. Hart vs. Mrs. Hart.", []string{"Ask Dr. Vogt, e.g. on Monday, i.e. soon.", "See Mr. Hart vs. Mrs. Hart."}},
		{"German abbreviations", "Immer z. B. im Mai, d. h. bald, vgl. Abs. 3 bzw. Nr. 4. Dann nicht.", []string{"Immer z. B. im Mai, d. h. bald, vgl. Abs. 3 bzw. Nr. 4.", "Dann nicht."}},
		{"initials", "By J. R. Smith of the U.S. Army. Done.", []string{"By J. R. Smith of the U.S. Army.", "Done."}},
		{"numbers", "It costs 1.50 or 1.500,00. Version 1.2.3 is out. See Fig. 3 and No. 7.", []string{"It costs 1.50 or 1.500,00.", "Version 1.2.3 is out.", "See Fig. 3 and No. 7."}},
		{"ordinals", "Am 3. Mai war es. Es waren 12. Dann keine.", []string{"Am 3. Mai war es.", "Es waren 12.", "Dann keine."}},
		{"names of files and hosts", "Open main.go or example.org. Then go.", []string{"Open main.go or example.org.", "Then go."}},
		{"quotes and brackets belong to what they close", "He said “no.” She left. (It rained.) “Why?” he asked.", []string{"He said “no.”", "She left.", "(It rained.)", "“Why?” he asked."}},
		{"lower case goes on", "etc. and so on. yes", []string{"etc. and so on. yes"}},
		{"several marks", "What?! Really... Yes.", []string{"What?!", "Really...", "Yes."}},
		{"Chinese and Japanese", "これは文です。次の文！本当？「はい。」終わり", []string{"これは文です。", "次の文！", "本当？", "「はい。」", "終わり"}},
		{"a mark on a wide point", "文。\u3099次。", []string{"文。\u3099次。"}},
		{"points in code", "Call `a. B` first. Then `c`.", []string{"Call `a. B` first.", "Then `c`."}},
		{"line ends are spaces", "One sentence\non two lines. Two.", []string{"One sentence\non two lines.", "Two."}},
		{"white space of other kinds", "One.\u00a0Two.\u3000Three.", []string{"One.", "Two.", "Three."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, spans(parse(t, "a.txt", tt.data))); diff != "" {
				t.Errorf("sentences (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("text without an end is cut at lines", func(t *testing.T) {
		for _, s := range spans(parse(t, "a.txt", strings.Repeat("words without any end and so on\n", 200))) {
			if len(s) > 1200 {
				t.Errorf("a sentence of %d bytes", len(s))
			}
		}
	})
}

func TestPlainText(t *testing.T) {
	doc := parse(t, "a.txt", "\n\nOne\ntwo.\n\n \t\nThree.\n# no heading\n- no list\n")
	if diff := cmp.Diff("paragraph 0 \"One\\ntwo.\"\nparagraph 0 \"Three.\\n# no heading\\n- no list\"", outline(doc)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	var log strings.Builder
	for i := range 100 {
		fmt.Fprintf(&log, "2026-03-28 02:%02d:00 INFO something happened. Again\n", i%60)
	}
	for _, name := range []string{"a.log", "a.txt"} {
		doc := parse(t, name, log.String())
		if len(doc.Blocks) != 5 || len(spans(doc)) != 100 || doc.Blocks[0].Spans[0].Kind != format.Lines {
			t.Errorf("%s: %d blocks, %d spans of %s", name, len(doc.Blocks), len(spans(doc)), doc.Blocks[0].Spans[0].Kind)
		}
	}
}

func TestSeparated(t *testing.T) {
	tests := []struct {
		name, file, data, header string
		rows                     []string
		note                     string
	}{
		{"commas", "a.csv", "a,b\n1,2\n3,4\n", "a,b", []string{"a,b", "1,2", "3,4"}, ""},
		{"semicolons and decimal commas", "a.csv", "n;x\na;1,5\nb;2,5\n", "n;x", []string{"n;x", "a;1,5", "b;2,5"}, ""},
		{"tabs", "a.tsv", "a\tb\n1,5\t2\n", "a\tb", []string{"a\tb", "1,5\t2"}, ""},
		{"pipes", "a.csv", "a|b\n1|2\n", "a|b", []string{"a|b", "1|2"}, ""},
		{"line ends in quotes", "a.csv", "a,b\n\"x\ny\",2\r\n\"z\"\"\n\",3", "a,b", []string{"a,b", "\"x\ny\",2", "\"z\"\"\n\",3"}, ""},
		{"no header", "a.csv", "1,2\n3,4", "", []string{"1,2", "3,4"}, ""},
		{"one row is no header", "a.csv", "a,b", "", []string{"a,b"}, ""},
		{"blank lines", "a.csv", "a,b\n\n1,2\n\n", "a,b", []string{"a,b", "1,2"}, ""},
		{"a quote inside a field", "a.csv", "a,b\n5\" pipe,1\n6,2\n", "a,b", []string{"a,b", "5\" pipe,1", "6,2"}, ""},
		{"a quote without an end", "a.csv", "a,b\n1,2\n\"x,3\ny,4\n", "a,b", []string{"a,b", "1,2", "\"x,3", "y,4"}, "line 3: a quotation mark without its end; from there on every line is read as a row"},
		{"a record beyond the limit", "a.csv", "a,b\n\"" + strings.Repeat("x\n", 600_000) + "\",1\n", "", nil, "line 2: a quotation mark without its end; from there on every line is read as a row"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := parse(t, tt.file, tt.data)
			if tt.rows != nil {
				if diff := cmp.Diff(tt.rows, spans(doc)); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
				if got := doc.Text[doc.Blocks[0].HeaderStart:doc.Blocks[0].HeaderEnd]; got != tt.header {
					t.Errorf("header %q, want %q", got, tt.header)
				}
			}
			if got := strings.Join(doc.Notes, "; "); got != tt.note {
				t.Errorf("notes %q, want %q", got, tt.note)
			}
		})
	}
}

func TestSourceCode(t *testing.T) {
	t.Run("Go that does not parse is lines, and says so", func(t *testing.T) {
		doc := parse(t, "a.go", "package p\n\nfunc f( {\n}\n")
		if len(doc.Notes) != 1 || !strings.HasPrefix(doc.Notes[0], "line 3: ") || len(doc.Blocks) == 0 || len(doc.Sections) != 1 {
			t.Errorf("notes %q, %d blocks, %d sections", doc.Notes, len(doc.Blocks), len(doc.Sections))
		}
	})
	t.Run("Go too deep to parse is lines", func(t *testing.T) {
		if doc := parse(t, "a.go", "package p\nvar x = "+strings.Repeat("(", 1_000_000)); len(doc.Notes) != 1 || len(doc.Blocks) == 0 {
			t.Errorf("notes %q, %d blocks", doc.Notes, len(doc.Blocks))
		}
	})
	t.Run("a comment goes with its declaration", func(t *testing.T) {
		doc := parse(t, "a.go", "package p\n\n// F is\n// long.\nfunc (*T[K]) F() {}\n")
		if s := doc.Sections[1]; s.Symbol != "T.F" || doc.Text[s.Start:s.End] != "// F is\n// long.\nfunc (*T[K]) F() {}" {
			t.Errorf("section %+v: %q", s, doc.Text[s.Start:s.End])
		}
	})
	t.Run("a function keeps the blank lines in it", func(t *testing.T) {
		doc := parse(t, "a.py", "import os\n\ndef f():\n    a = 1\n\n    return a\n\ndef g():\n    pass\n")
		if diff := cmp.Diff("code 0 \"import os\"\ncode 0 \"def f():\\n    a = 1\\n\\n    return a\"\ncode 0 \"def g():\\n    pass\"", outline(doc)); diff != "" {
			t.Errorf("blocks (-want +got):\n%s", diff)
		}
	})
	t.Run("a NUL in a string (case 8)", func(t *testing.T) {
		if doc := parse(t, "a.c", "char s[] = \"a\x00b\"; /* padding */"); doc.Text != "char s[] = \"a\x00b\"; /* padding */" {
			t.Errorf("text %q", doc.Text)
		}
	})
	t.Run("groups of lines are short, and stay when a line is put in above", func(t *testing.T) {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, "statement(%d)\n", i*i)
		}
		before, after := spans(parse(t, "a.py", b.String())), spans(parse(t, "a.py", "new()\n"+b.String()))
		was := map[string]bool{}
		for _, s := range before {
			was[s] = true
			if n := strings.Count(s, "\n") + 1; n > 8 {
				t.Errorf("a group of %d lines", n)
			}
		}
		changed := 0
		for _, s := range after {
			if !was[s] {
				changed++
			}
		}
		if changed > 4 {
			t.Errorf("%d of %d groups changed", changed, len(after))
		}
	})
}
