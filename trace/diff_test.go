package trace_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/trace"
)

func TestWordDiff(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"a word", "the limit is 30 now", "the limit is 60 now", "the limit is [-30-]{+60+} now"},
		{"a word more", "a c", "a b c", "a {+b +}c"},
		{"a word less", "a b c", "a c", "a [-b -]c"},
		{"all", "one", "two", "[-one-]{+two+}"},
		{"nothing", "same", "same", "same"},
		{"ideographs", "限制是三十", "限制是六十", "限制是[-三-]{+六+}十"},
		{"signs between changes are not kept apart", "a-b", "c-d", "[-a-b-]{+c-d+}"},
		{"from nothing", "", "new", "{+new+}"},
		{"to nothing", "old", "", "[-old-]"},
	} {
		var got strings.Builder
		for _, p := range trace.WordDiff(tt.old, tt.new) {
			got.WriteString(map[string]string{"equal": "", "delete": "[-", "insert": "{+"}[p.Op] + p.Text + map[string]string{"equal": "", "delete": "-]", "insert": "+}"}[p.Op])
		}
		if got.String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.String(), tt.want)
		}
	}
}

// FuzzWordDiff holds that both texts can be read out of the diff, and that it is the same each time.
func FuzzWordDiff(f *testing.F) {
	f.Add("the limit is 30", "the limit is 60 now")
	f.Add("", "\n \xff")
	f.Add("日本語 text", "日本 text")
	f.Add(strings.Repeat("a b ", 600), strings.Repeat("b c ", 600)) // past the bound
	f.Fuzz(func(t *testing.T, a, b string) {
		parts := trace.WordDiff(a, b)
		var old, new strings.Builder
		for i, p := range parts {
			if p.Text == "" || i > 0 && p.Op == parts[i-1].Op {
				t.Errorf("part %d: %+v", i, p)
			}
			if p.Op != trace.DiffInsert {
				old.WriteString(p.Text)
			}
			if p.Op != trace.DiffDelete {
				new.WriteString(p.Text)
			}
		}
		if old.String() != a || new.String() != b {
			t.Errorf("%q and %q became %q and %q", a, b, old.String(), new.String())
		}
		if diff := cmp.Diff(parts, trace.WordDiff(a, b)); diff != "" {
			t.Error(diff)
		}
	})
}

// The alignment against a slow and plain one: as many matches as the longest common subsequence has, early and late.
func TestDiffIsLongest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a, b := make([]int, rng.IntN(14)), make([]int, rng.IntN(14))
		for i := range a {
			a[i] = rng.IntN(5)
		}
		for i := range b {
			b[i] = rng.IntN(5)
		}
		best := make([][]int, len(a)+1)
		for i := range best {
			best[i] = make([]int, len(b)+1)
		}
		for i, x := range a {
			for j, y := range b {
				if x == y {
					best[i+1][j+1] = best[i][j] + 1
				} else {
					best[i+1][j+1] = max(best[i][j+1], best[i+1][j])
				}
			}
		}
		for _, matches := range [][]trace.Match{trace.Diff(a, b), trace.DiffLate(a, b)} {
			last := trace.Match{A: -1, B: -1}
			for _, m := range matches {
				if m.A <= last.A || m.B <= last.B || a[m.A] != b[m.B] {
					t.Fatalf("%v %v: %v", a, b, matches)
				}
				last = m
			}
			if len(matches) != best[len(a)][len(b)] {
				t.Fatalf("%v %v: %d matches, want %d", a, b, len(matches), best[len(a)][len(b)])
			}
		}
	}
}
