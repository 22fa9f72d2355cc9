package watch

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// at runs a settler through marks at the given milliseconds and returns the moments at which it gave the path back.
func at(s *settler, marks []int, until int) (looks []int) {
	start := time.Unix(1000, 0)
	for ms := 0; ms <= until; ms += 10 {
		now := start.Add(time.Duration(ms) * time.Millisecond)
		for _, m := range marks {
			if m == ms {
				s.mark("a.md", false, now)
			}
		}
		if len(s.take(now)) > 0 {
			looks = append(looks, ms)
		}
	}
	return looks
}

func every(from, to, step int) (out []int) {
	for ms := from; ms <= to; ms += step {
		out = append(out, ms)
	}
	return out
}

func TestSettle(t *testing.T) {
	tests := []struct {
		name  string
		marks []int
		until int
		want  []int
	}{
		{"one save", []int{0}, 2000, []int{300}},
		{"five saves in quick succession are one", every(0, 800, 200), 3000, []int{1100}},
		{"a writer slower than the window is given twice as long each time", every(0, 2400, 400), 6000, []int{300, 3000}},
		{"two saves far apart each take the short window", []int{0, 20000}, 22000, []int{300, 20300}},
		{"a file that never rests is looked at all the same", every(0, 31000, 100), 31000, []int{30000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, at(newSettler(), tt.marks, tt.until)); diff != "" {
				t.Errorf("looks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSettleWaits(t *testing.T) {
	s := newSettler()
	now := time.Unix(1000, 0)
	if at := s.next(); !at.IsZero() {
		t.Error("an empty settler waits for something")
	}
	s.mark("b", false, now)
	s.mark("a", false, now.Add(50*time.Millisecond))
	if d := s.next().Sub(now); d != 300*time.Millisecond {
		t.Errorf("the first is due after %v; want 300ms", d)
	}
	if diff := cmp.Diff([]string{"a", "b"}, s.take(now.Add(time.Second))); diff != "" {
		t.Error(diff)
	}
}
