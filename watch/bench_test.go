package watch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkEdit saves a cited file among others, again and again, and reports how long it takes until the edit is in the index, and until
// the decision that rests on it is flagged or clear again: quantiles in ms of the wall clock, of which 300 are the settling.
func BenchmarkEdit(b *testing.B) {
	w := newWorld(b)
	for i := range 1000 {
		w.write(fmt.Sprintf("d%02d/f%03d.md", i%50, i), text(i))
	}
	before := text(5000)
	w.write("cited.md", before)
	w.started(quick())
	w.eventually("the first index", func() string { return w.lacks("note 5000 stand") })
	id := w.decide("docs/cited.md", "The words of note 5000 stand here.")
	var indexed, flagged []time.Duration
	for i := 0; b.Loop(); i++ {
		// The file rests for longer than what makes it a busy one, as a file does that a person saves.
		wait := time.NewTimer(10500 * time.Millisecond)
		start := time.Now()
		mark := fmt.Sprintf("Edit %d.", i)
		want := "current"
		if i%2 == 0 {
			want = "needs_review"
			w.write("cited.md", strings.Replace(before, "words", "sentences", 1)+"\n"+mark+"\n")
		} else {
			w.write("cited.md", before+"\n"+mark+"\n")
		}
		w.eventually("the edit", func() string { return w.lacks(mark) })
		indexed = append(indexed, time.Since(start))
		w.review(id, want)
		flagged = append(flagged, time.Since(start))
		<-wait.C
	}
	report := func(name string, all []time.Duration) {
		slices.Sort(all)
		for _, q := range []int{50, 95} {
			b.ReportMetric(float64(all[(len(all)*q-1)/100].Milliseconds()), fmt.Sprintf("ms-to-%s-p%d", name, q))
		}
	}
	report("indexed", indexed)
	report("flagged", flagged)
}
