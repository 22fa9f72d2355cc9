package trace_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"docket/trace"
)

// FuzzRelocate holds what trust rests on: a citation is carried only to the same words, one in an unchanged text always is, a proposal
// lies in the text on character borders, and the same texts give the same answer.
func FuzzRelocate(f *testing.F) {
	for _, seed := range []struct{ name, old, new string }{
		{"a.md", page, strings.Replace(page, "30 megabytes", "31 megabytes", 1)},
		{"a.md", repetitive, strings.Replace(repetitive, "Approved. ", "", 1)},
		{"a.md", repetitive, "# Other\n\n" + strings.ReplaceAll(repetitive, "\n", "\r\n")},
		{"a.csv", "a,b\n1,2\n1,2\n3,4\n", "a,b\n3,4\n1,2\n"},
		{"a.go", "package p\n\nfunc f() {\n\ta()\n}\n", "package p\n\nfunc g() {\n\ta()\n}\n\nfunc f() {\n\tb()\n}\n"},
		{"a.txt", "One. Two. One. Three!\n", "One. One. Two.\n"},
		{"a.txt", strings.Repeat("a line without a point\n", 80), strings.Repeat("a line without a point\n", 90)},
	} {
		f.Add(seed.name, seed.old, seed.new, uint16(0), uint16(2))
		f.Add(seed.name, seed.old, seed.new, uint16(3), uint16(1))
	}
	f.Fuzz(func(t *testing.T, name, oldText, newText string, at, n uint16) {
		if name != "a.md" && name != "a.csv" && name != "a.go" && name != "a.txt" || len(oldText)+len(newText) > 20_000 || strings.HasPrefix(oldText, "---") {
			t.Skip() // the lines of front matter may change places
		}
		if !utf8.ValidString(oldText) || !utf8.ValidString(newText) || strings.Contains(oldText+newText, "\x00") {
			t.Skip()
		}
		v, before, _, oldChunks := read(t, name, oldText)
		_, after, _, newChunks := read(t, name, newText)
		var spans [][2]int
		for _, c := range oldChunks {
			for _, s := range c.Spans {
				spans = append(spans, [2]int{s.Start, s.End})
			}
		}
		if len(spans) == 0 {
			t.Skip()
		}
		first := int(at) % len(spans)
		last := min(len(spans)-1, first+int(n)%4)
		start, end := spans[first][0], spans[last][1]

		from, to, stands := trace.Relocate(v.Kind, before, after, oldChunks, newChunks, start, end)
		if from < 0 || to < from || to > len(after) || !utf8.ValidString(after[from:to]) {
			t.Fatalf("the place is %d to %d of %d", from, to, len(after))
		}
		if was, is := strings.Join(strings.Fields(before[start:end]), " "), strings.Join(strings.Fields(after[from:to]), " "); stands && was != is {
			t.Errorf("carried from %q to %q", was, is)
		}
		if f2, t2, s2 := trace.Relocate(v.Kind, before, after, oldChunks, newChunks, start, end); f2 != from || t2 != to || s2 != stands {
			t.Error("another answer the second time")
		}
		if f3, t3, s3 := trace.Relocate(v.Kind, before, before, oldChunks, oldChunks, start, end); !s3 || before[f3:t3] != before[start:end] && strings.TrimSpace(before[f3:t3]) == "" {
			t.Errorf("in the same text it stands: %v, at %d to %d", s3, f3, t3)
		}
	})
}
