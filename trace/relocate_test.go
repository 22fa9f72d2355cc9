package trace_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"docket/trace"
)

// What is repeated, what has moved, and what has no borders of its own. Each letter is a piece of text, the cited ones stand in brackets;
// a capital is a long text that stands once, a small letter a short one that may be repeated.
func TestRepeatedAndMoved(t *testing.T) {
	for _, tt := range []struct{ name, old, new string }{
		{"nothing", "A [b] C", "A [b] C"},
		{"the other of two goes with what it follows", "A [b] C b D", "A [b] D"},
		{"this one of two goes with what it follows", "A b C [b] D", "A b D"},
		{"another is put behind it", "A [b] C", "A [b] b C"},
		{"what it follows changes, and so does the place of the other", "A b C [b]", "E b"},
		{"its neighbours change", "A [b] C", "D [b] E"},
		{"between two that are sure", "A b C [b] D b E", "A b C [b] D E"},
		{"a run of brackets, one more put behind", "[x y z] v w z", "[x y z] u t z v w z"},
		{"a run whose middle is repeated", "[A b C] b D", "E b F [A b C] b D"},
		{"a repeated run of short ones, with one missing", "A [b c b] D", "A b b D"},
		{"a long one moves", "[A] B C", "B C [A]"},
		{"a short one moves", "[a] B C", "B C a"},
		{"two change places, and the short one is the one that moved", "[a] B", "B a"},
		{"two change places, and the long one stays", "a [B]", "[B] a"},
		{"a short one moves with the long one beside it", "A [b] c D E F", "D E F A [b] c"},
		{"a short one between two that part", "A [b] C D", "C D A"},
		{"something is put inside", "[A B] C", "A d B C"},
		{"all is new", "[a] b", "C D"},
		{"all is gone", "[a] b", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, start, end := spell(tt.old)
			after, from, to := spell(tt.new)
			v, old, _, oldChunks := read(t, "a.txt", before)
			_, new, _, newChunks := read(t, "a.txt", after)
			gotFrom, gotTo, stands := trace.Relocate(v.Kind, old, new, oldChunks, newChunks, start, end)
			switch {
			case stands != (to > 0):
				t.Errorf("stands: %v", stands)
			case stands && (gotFrom != from || gotTo != to):
				t.Errorf("stands at %d to %d: %q, want %d to %d", gotFrom, gotTo, new[gotFrom:gotTo], from, to)
			}
		})
	}
}

// spell writes out the letters, and tells where the brackets stand; both are 0 without them.
func spell(letters string) (text string, start, end int) {
	for _, f := range strings.Fields(letters) {
		if text != "" {
			text += "\n\n"
		}
		if strings.HasPrefix(f, "[") {
			start = len(text)
		}
		letter := strings.Trim(f, "[]")
		if letter == strings.ToUpper(letter) {
			text += "The long sentence that begins with the letter " + letter + " stands in one place alone."
		} else {
			text += "So " + letter + "."
		}
		if strings.HasSuffix(f, "]") {
			end = len(text)
		}
	}
	return text, start, end
}

// Rows are recognised by their place alone, however long they are.
func TestMovedRow(t *testing.T) {
	before := "name,remark\nfirst,a long remark that nobody else has made in this table\nsecond,another long remark that nobody else has made\nthird,the last long remark of this small table of ours\n"
	lines := strings.SplitAfter(before, "\n")
	after := lines[0] + lines[2] + lines[3] + lines[1]
	v, old, _, oldChunks := read(t, "a.csv", before)
	_, new, _, newChunks := read(t, "a.csv", after)
	at := strings.Index(before, "first")
	if _, _, stands := trace.Relocate(v.Kind, old, new, oldChunks, newChunks, at, at+len(lines[1])-1); stands {
		t.Error("a row that moved was carried")
	}
}

// A text without points is cut wherever it gets too long, so what stands above moves every cut; such a text is compared by its lines.
func TestWithoutPoints(t *testing.T) {
	var list strings.Builder
	for i := range 200 {
		fmt.Fprintf(&list, "the machine that has the number %d did something or other\n", 1000+i)
	}
	before := list.String()
	v, old, _, oldChunks := read(t, "a.txt", before)
	pieces := 0
	for more := 1; more < 6; more++ {
		_, new, _, newChunks := read(t, "a.txt", strings.Repeat("one more line at the top, and it is a long one, too\n", more)+before)
		for _, c := range oldChunks {
			for _, s := range c.Spans {
				pieces++
				if _, _, stands := trace.Relocate(v.Kind, old, new, oldChunks, newChunks, s.Start, s.End); !stands {
					t.Errorf("%d lines more, and the piece that begins %.40q is lost", more, old[s.Start:s.End])
				}
				changed := old[:s.End-5] + "qx" + old[s.End-5:]
				_, other, _, otherChunks := read(t, "a.txt", changed)
				if _, _, stands := trace.Relocate(v.Kind, old, other, oldChunks, otherChunks, s.Start, s.End); stands {
					t.Errorf("a change of the piece that begins %.40q is not seen", old[s.Start:s.End])
				}
			}
		}
	}
	if pieces < 4 {
		t.Errorf("%d pieces", pieces)
	}
}

// A log that is nearly too long for one sentence grows past that with other line ends, and says the same.
func TestLongTextWithOtherLineEnds(t *testing.T) {
	for lines := 20; lines < 30; lines++ {
		text := strings.Repeat("a line without a point\n", lines) + "\nThe end.\n"
		w := newWorld(t)
		w.task("t")
		w.put("a.txt", text)
		w.decide("log", quoted(w.evidence("a.txt", "a line"), ""))
		if out := w.put("a.txt", strings.ReplaceAll(text, "\n", "\r\n")); out.Flagged > 0 {
			t.Errorf("%d lines: flagged", lines)
		}
	}
}

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
