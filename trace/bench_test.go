package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"docket/db"
	"docket/trace"
)

// chainText is a document with a sentence for each of n decisions.
func chainText(n int, changed int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Fact number %d is stated in this very sentence", i)
		if i == changed {
			b.WriteString(" and was changed")
		}
		b.WriteString(".\n\n")
	}
	return b.String()
}

// chain makes n decisions, each on a sentence of one document and on the decision before it.
func chain(b *testing.B, n, perDecision int) (*world, []string) {
	b.Helper()
	w := newWorld(b)
	w.task("t")
	w.put("a.txt", chainText(n, -1))
	ids := map[int]string{}
	at := 0
	w.eachChunk("a.txt", func(c db.Chunk, text string) {
		for _, s := range c.Spans {
			ids[at] = c.SpanID(s.Start, s.End)
			at++
		}
	})
	if at != n {
		b.Fatalf("%d sentences, want %d", at, n)
	}
	var out []string
	for i := range n {
		supports := []trace.Support{quoted(ids[i], "")}
		for k := 1; k < perDecision; k++ {
			supports = append(supports, quoted(ids[(i+k*7)%n], ""))
		}
		if i > 0 {
			supports = append(supports, onDecision(out[i-1]))
		}
		out = append(out, w.decide(fmt.Sprint("choice ", i), supports...))
	}
	return w, out
}

// BenchmarkChain times what a change costs, and each read, where many decisions lean on one document and on each other.
func BenchmarkChain(b *testing.B) {
	for _, size := range []struct{ decisions, supports int }{{200, 1}, {10_000, 1}, {10_000, 10}} {
		b.Run(fmt.Sprintf("decisions=%d/supports=%d", size.decisions, size.decisions*size.supports), func(b *testing.B) {
			w, ids := chain(b, size.decisions, size.supports)
			ctx := b.Context()
			who := w.who
			last := ids[len(ids)-1]
			n := 0
			b.Run("activation, an edit that touches nothing cited", func(b *testing.B) {
				for b.Loop() {
					n++
					if out := w.put("a.txt", fmt.Sprintf("Preface %d.\n\n", n)+chainText(size.decisions, -1)); out.Flagged > 0 {
						b.Fatal(out)
					}
				}
			})
			b.Run("activation, the first decision's sentence changed", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					n++
					w.put("a.txt", fmt.Sprintf("Preface %d.\n\n", n)+chainText(size.decisions, -1))
					w.drain()
					b.StartTimer()
					if out := w.put("a.txt", chainText(size.decisions, 0)); out.Flagged == 0 {
						b.Fatal(out)
					}
				}
			})
			b.Run("propagation to the end", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					n++
					w.put("a.txt", fmt.Sprintf("Preface %d.\n\n", n)+chainText(size.decisions, -1))
					w.drain()
					w.put("a.txt", chainText(size.decisions, 0))
					b.StartTimer()
					w.drain()
				}
				w.wantReview(last, "needs_review", "depends_on")
			})
			read := func(name string, fn func() error) {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						if err := fn(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			read("get_task", func() error { _, err := trace.GetTask(ctx, w.d, who, trace.GetTaskParams{TaskName: "t"}); return err })
			read("get_decision", func() error {
				_, err := trace.GetDecision(ctx, w.d, who, trace.GetDecisionParams{DecisionID: last})
				return err
			})
			read("list_support_history", func() error {
				_, err := trace.ListSupportHistory(ctx, w.d, who, trace.ListSupportHistoryParams{DecisionID: last, AfterOrdinal: -1, Limit: 20})
				return err
			})
			read("list_decisions", func() error {
				_, err := trace.ListDecisions(ctx, w.d, who, trace.ListDecisionsParams{TaskName: "t", After: ids[len(ids)/2], Limit: 50})
				return err
			})
			read("list_decisions_for_review", func() error {
				_, err := trace.ListDecisionsForReview(ctx, w.d, who, trace.ListReviewParams{Limit: 20})
				return err
			})
			read("search_decisions", func() error {
				_, err := trace.SearchDecisions(ctx, w.d, who, trace.SearchDecisionsParams{Query: "choice 77 written", Limit: 20})
				return err
			})
			read("list_conflicts", func() error {
				_, err := trace.ListConflicts(ctx, w.d, who, trace.ListConflictsParams{Limit: 50})
				return err
			})
			read("impact of the first decision", func() error {
				_, err := trace.Impact(ctx, w.d, who, trace.ImpactParams{Target: ids[0], Limit: 50})
				return err
			})
			read("impact of the document", func() error {
				_, err := trace.Impact(ctx, w.d, who, trace.ImpactParams{Target: "r/a.txt", Limit: 50})
				return err
			})
		})
	}
}
