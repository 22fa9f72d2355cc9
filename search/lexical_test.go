package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
)

// Leaving common terms out where they cannot matter changes no result: the first n are those of a query that scores everything.
func TestBestIsExact(t *testing.T) {
	d := dbtest.Open(t)
	rng := rand.New(rand.NewPCG(21, 22))
	word := func() string { return fmt.Sprintf("w%dx", int(math.Exp(rng.Float64()*7))) }
	err := d.Update(t.Context(), func(tx *db.Tx) error {
		root := db.Root{Name: "r", Path: "/r", State: db.RootOnline}
		if err := tx.PutRoot(t.Context(), &root); err != nil {
			return err
		}
		for i := range 30 {
			doc, err := tx.PutDocument(t.Context(), root.ID, fmt.Sprintf("r/%d", i))
			if err != nil {
				return err
			}
			var text strings.Builder
			var chunks []db.Chunk
			for range 80 {
				start := text.Len()
				for range 5 + rng.IntN(60) {
					text.WriteString(word() + " ")
				}
				chunks = append(chunks, db.Chunk{Start: start, End: text.Len()})
			}
			v := db.Version{Title: word() + " " + word(), ContentHash: db.HashOf(text.String())}
			sections := []db.Section{{Parent: -1, End: text.Len()}}
			if err := tx.PutVersion(t.Context(), doc, &v, text.String(), sections, chunks); err != nil {
				return err
			}
			if err := Index(t.Context(), tx, v, text.String(), sections, chunks); err != nil {
				return err
			}
			if _, err := tx.Activate(t.Context(), doc.ID, v.Row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := db.ParseScope("r/1*")
	if err != nil {
		t.Fatal(err)
	}
	pruned := 0
	err = d.View(t.Context(), func(tx *db.Tx) error {
		in, err := open(t.Context(), tx)
		if err != nil {
			return err
		}
		for i := range 60 {
			var q []string
			for range 2 + rng.IntN(12) {
				q = append(q, word())
			}
			p, err := in.newPlan(t.Context(), tx, strings.Join(q, " "), false)
			if err != nil {
				return err
			}
			held, err := in.scope(t.Context(), tx, []db.Scope{{}, scope}[i%2])
			if err != nil {
				return err
			}
			n := 1 + rng.IntN(30)
			total := 0.0
			for _, x := range p.terms {
				total += x.df
			}
			if total > fewMatches {
				pruned++
			}
			got, err := in.best(t.Context(), tx, p, held, n)
			if err != nil {
				return err
			}
			want, err := in.scored(t.Context(), tx, p, len(p.terms), in.keep(held), n)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(found{})); diff != "" {
				t.Errorf("%v, first %d (-all scored +some):\n%s", q, n, diff)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pruned < 20 {
		t.Errorf("only %d queries were large enough to leave something out", pruned)
	}
}
