package format_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/ingest/format"
)

// outline is the blocks of a document, one a line: kind, section, text.
func outline(doc *format.Document) string {
	var b strings.Builder
	for _, k := range doc.Blocks {
		fmt.Fprintf(&b, "%s %d %q\n", k.Kind, k.Section, doc.Text[k.Start:k.End])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func headings(doc *format.Document) []string {
	var out []string
	for _, s := range doc.Sections[1:] {
		out = append(out, fmt.Sprintf("%d %s", s.Level, s.Heading))
	}
	return out
}

func TestMarkdownBlocks(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"a fence whose first line is a comment (case 11)", "# A\n```python\n# a comment\nx = 1\n```\nafter", "heading 1 \"# A\"\ncode 1 \"```python\\n# a comment\\nx = 1\\n```\"\nparagraph 1 \"after\""},
		{"a tilde fence with backticks in it (case 12)", "~~~bash\n# no heading\n```\n~~~\n", "code 0 \"~~~bash\\n# no heading\\n```\\n~~~\""},
		{"a fence is closed by as many marks at least", "````\n```\n````", "code 0 \"````\\n```\\n````\""},
		{"a fence in a list (case 14)", "- a\n\n  ```\n  # b\n  ```\n  c", "list 0 \"- a\"\ncode 0 \"```\\n  # b\\n  ```\"\nlist 0 \"c\""},
		{"a fence on the line of its bullet", "- ```\n  # b\n  ```\n- c", "code 0 \"- ```\\n  # b\\n  ```\"\nlist 0 \"- c\""},
		{"a fence in a quote (case 14)", "> a\n> ```\n> # b\n> ```\n> c", "quote 0 \"> a\"\ncode 0 \"> ```\\n> # b\\n> ```\"\nquote 0 \"> c\""},
		{"a fence in details without a blank line (case 14)", "<details>\n```\n# b\n```\n</details>", "paragraph 0 \"<details>\"\ncode 0 \"```\\n# b\\n```\"\nparagraph 0 \"</details>\""},
		{"a quote ends its fence", "> ```\n> a\n# b", "code 0 \"> ```\\n> a\"\nheading 1 \"# b\""},
		{"four columns are code", "a\n\n    # b\n\n    c\n\nd", "paragraph 0 \"a\"\ncode 0 \"# b\\n\\n    c\"\nparagraph 0 \"d\""},
		{"four columns inside a paragraph are not", "a\n    b", "paragraph 0 \"a\\n    b\""},
		{"a tab is four columns", "a\n\n\tb", "paragraph 0 \"a\"\ncode 0 \"b\""},
		{"a lazy line", "> a\nb\n\nc", "quote 0 \"> a\\nb\"\nparagraph 0 \"c\""},
		{"a rule is in no block", "a\n\n---\n\n* * *\nb", "paragraph 0 \"a\"\nparagraph 0 \"b\""},
		{"a rule parts two lists", "- a\n\n---\n\n- b", "list 0 \"- a\"\nlist 0 \"- b\""},
		{"two quotes", "> a\n\n> b", "quote 0 \"> a\"\nquote 0 \"> b\""},
		{"a number inside a paragraph is no list", "in the year\n1984. It was", "paragraph 0 \"in the year\\n1984. It was\""},
		{"a list that starts with 1 ends a paragraph", "a\n1. b", "paragraph 0 \"a\"\nlist 0 \"1. b\""},
		{"a loose list", "- a\n\n- b\n\nc", "list 0 \"- a\\n\\n- b\"\nparagraph 0 \"c\""},
		{"an empty item with an item in it goes on behind a blank line", "+ \n  - a\n\n     b", "list 0 \"+ \\n  - a\\n\\n     b\""},
		{"an empty item ends at a blank line", "-\n\n  a", "list 0 \"-\"\nparagraph 0 \"a\""},
		{"a heading inside a list is an item", "- # a\n\n# b", "list 0 \"- # a\"\nheading 1 \"# b\""},
		{"a comment over blank lines", "<!--\n\n# a\n\n-->\n# b", "paragraph 0 \"<!--\\n\\n# a\\n\\n-->\"\nheading 1 \"# b\""},
		{"a table below a line of text", "intro\n| a | b |\n|---|---|\n| 1 | 2 |\nc\n\nd", "paragraph 0 \"intro\"\ntable 0 \"| a | b |\\n|---|---|\\n| 1 | 2 |\\nc\"\nparagraph 0 \"d\""},
		{"a delimiter row of another width is none", "| a | b |\n|---|\n", "paragraph 0 \"| a | b |\\n|---|\""},
		{"a letter that opens with a rule (case 17)", "---\n**Firm & Sons**\n---\n\nDear Sir", "heading 1 \"**Firm & Sons**\\n---\"\nparagraph 1 \"Dear Sir\""},
		{"front matter without an end is text", "---\ntitle: a\n\nb", "paragraph 0 \"title: a\"\nparagraph 0 \"b\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Split(tt.want, "\n"), strings.Split(outline(parse(t, "a.md", tt.data)), "\n")); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
			checkLineEnds(t, "a.md", tt.data) // cases 5 and 30
		})
	}
}

func TestMarkdownHeadings(t *testing.T) {
	tests := []struct {
		name, data string
		want       []string
	}{
		{"levels", "# A\n## B\n#### C\n## D\n# E", []string{"1 A", "2 B", "4 C", "2 D", "1 E"}},
		{"underlined", "A\n=\n\nB\n---\n\nof two\nlines\n===", []string{"1 A", "2 B", "1 of two lines"}},
		{"marks at the end", "# A #\n## B ##  \n# C#\n#", []string{"1 A", "2 B", "1 C#", "1 "}},
		{"no headings", "#A\n\n####### B\n\n\\# C\n\n    # D", nil},
		{"up to three spaces before", "   # A", []string{"1 A"}},
		{"markup", "# **A** _b_ `c_d` [e](f) ![g](h) [[i|j]] [[k]] ~~l~~ snake_case 2 * 3 &amp; <a id=\"x\"></a>m", []string{"1 A b c_d e g j k l snake_case 2 * 3 & m"}},
		{"twice the same (case 24)", "# A\n\n# A", []string{"1 A", "1 A"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, headings(parse(t, "a.md", tt.data))); diff != "" {
				t.Errorf("headings (-want +got):\n%s", diff)
			}
			checkLineEnds(t, "a.md", tt.data)
		})
	}
}

func TestMarkdownSectionRanges(t *testing.T) {
	doc := parse(t, "a.md", "intro\n\n# A\n\na\n\n## B\n\n```\n# c\n```\n\n---\n\n# D\n")
	var got []string
	for _, s := range doc.Sections {
		got = append(got, fmt.Sprintf("%d %q", s.Parent, doc.Text[s.Start:s.End]))
	}
	want := []string{
		`-1 "intro\n\n# A\n\na\n\n## B\n\n` + "```\\n# c\\n```" + `\n\n---\n\n# D\n"`,
		`0 "# A\n\na\n\n## B\n\n` + "```\\n# c\\n```" + `"`,
		`1 "## B\n\n` + "```\\n# c\\n```" + `"`,
		`0 "# D"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

// Cases 21, 24: what is written is what is linked, and nothing more.
func TestMarkdownLinks(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"a link in prose is a plain link (case 21)", "- Added [[Target]] to the roster, see [[Other]]", "wikilink Target; wikilink Other"},
		{"a heading of the same page (case 24)", "[[#Heading]]", "wikilink #Heading"},
		{"a page, a heading and an alias (case 24)", "[[Page#Head ing|alias]]", "wikilink Page#Head ing (alias)"},
		{"brackets without an end", "[[a [b](c", ""},
		{"a target in angle brackets", "[a](<b c> 'd')", "link b c (a)"},
		{"a target with brackets", "[a](b(c)d)", "link b(c)d (a)"},
		{"brackets without measure", "[a](" + strings.Repeat("(", 33) + strings.Repeat(")", 33) + ")", ""},
		{"markup in the text", "[**a** `b`](c)", "link c (a b)"},
		{"an image in a link", "[![a](b)](c)", "link c (a); image b (a)"},
		{"no links in a link", "[a [b](c)](d)", "link c (b)"},
		{"code", "`[a](b)` ``[[c`d]]`` [e](f)", "link f (e)"},
		{"escapes", `\[a](b) \#tag [c\](d)`, ""},
		{"fences", "```\n[a](b)\n[[c]]\n```", ""},
		{"references", "[a][b] [b] [b][] [c]\n\n[b]: d#e 'T'", "link d#e (a); link d#e (b); link d#e (b)"},
		{"tags", "#a (#b-c/d) x#no #1 #1a ##", "tag a; tag b-c/d; tag 1a"},
		{"addresses", "<https://a.example> https://b.example/c. (http://d.example/e(f))", "link https://a.example; link https://b.example/c; link http://d.example/e(f)"},
		{"over a line end", "[a\nb](c)", "link c (a b)"},
		{"in a heading, table and quote", "# [a](b)\n\n> [c](d)\n\n|[e](f)|\n|-|", "link b (a); link d (c); link f (e)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, l := range parse(t, "a.md", tt.data).Links {
				s := l.Kind + " " + l.Target
				if l.Fragment != "" {
					s += "#" + l.Fragment
				}
				if l.Text != "" {
					s += " (" + l.Text + ")"
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("links (-want +got):\n%s", diff)
			}
		})
	}
}

// Cases 6, 17, 18: front matter is read as far as it can be, and no file is lost to it.
func TestFrontMatter(t *testing.T) {
	tests := []struct {
		name, file, data, title string
		props                   []format.Property
		notes                   []string
	}{
		{"properties", "a.md", "---\ntitle: T\ntags: [a, 'b c']\nempty:\n---\n", "T", []format.Property{{Key: "title", Values: []string{"T"}}, {Key: "tags", Values: []string{"a", "b c"}}, {Key: "empty"}}, nil},
		{
			"a colon that is not quoted (case 18)", "a.md", "---\ntitle: Re: October booking\ntags: x\n---\nbody", "Re: October booking",
			[]format.Property{{Key: "title", Values: []string{"Re: October booking"}}, {Key: "tags", Values: []string{"x"}}},
			[]string{"front matter, line 2: a value that holds a colon and is not quoted, read as it stands"},
		},
		{"a bad line among good ones (case 18)", "a.md", "---\na: 1\nwhat is this\nb: 2\n---\n", "", []format.Property{{Key: "a", Values: []string{"1"}}, {Key: "b", Values: []string{"2"}}}, []string{"front matter, line 3: no property, kept as text"}},
		{"a glob in YAML", "a.md", "---\nglobs: **/*\n---\n", "", []format.Property{{Key: "globs", Values: []string{"**/*"}}}, []string{"front matter, line 2: a value that begins with * and is not quoted, read as it stands"}},
		{"a glob in rules that are no YAML", "a.mdc", "---\nglobs: **/*\n---\n", "", []format.Property{{Key: "globs", Values: []string{"**/*"}}}, nil},
		{"lists", "a.md", "---\na:\n- x\n-  \"y\"\nb: 1\n---\n", "", []format.Property{{Key: "a", Values: []string{"x", "y"}}, {Key: "b", Values: []string{"1"}}}, nil},
		{"scalars over lines", "a.md", "---\na: |\n  x\n  y\nb: >\n  x\n  y\nc: x\n  y\n---\n", "", []format.Property{{Key: "a", Values: []string{"x\ny"}}, {Key: "b", Values: []string{"x y"}}, {Key: "c", Values: []string{"x y"}}}, nil},
		{"comments", "a.md", "---\n# c\na: 1 # d\nb: '# e'\n---\n", "", []format.Property{{Key: "a", Values: []string{"1"}}, {Key: "b", Values: []string{"# e"}}}, nil},
		{"no front matter but a letterhead (case 17)", "a.md", "---\n**Firm**\n---\n# T\n", "T", nil, nil},
		{"no front matter but a letterhead with numbers", "a.md", "---\n**Firm**\nTel: 1\nFax: 2\n---\n# T\n", "T", nil, nil},
		{"no front matter but a sentence", "a.md", "---\nTo whom it may concern: hello\n---\n", "", nil, nil},
		{"the first heading is the title", "a.md", "## B\n# A\n# C", "A", nil, nil},
		{"no title", "a.md", "## B\n", "", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := parse(t, tt.file, tt.data)
			if diff := cmp.Diff(tt.props, doc.Props); diff != "" {
				t.Errorf("properties (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, doc.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if doc.Title != tt.title {
				t.Errorf("title %q, want %q", doc.Title, tt.title)
			}
			checkLineEnds(t, tt.file, tt.data) // case 6
		})
	}
}
