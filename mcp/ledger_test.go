package mcp

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestLedger(t *testing.T) {
	l := NewLedger(3)
	check := func(id string, complete, partial bool) {
		t.Helper()
		if c, p := l.Fetched(id); c != complete || p != partial {
			t.Errorf("Fetched(%s) = %v, %v, want %v, %v", id, c, p, complete, partial)
		}
	}
	check("a", false, false)
	l.Add("a", false)
	check("a", false, true)
	l.Add("a", true)
	check("a", true, false)
	l.Add("a", false) // a later partial fetch takes nothing back
	check("a", true, false)
	l.Add("b", true)
	l.Add("c", true)
	l.Add("a", true) // fetched again, so b is now the oldest
	l.Add("d", true)
	check("a", true, false)
	check("b", false, false)
	check("c", true, false)
	check("d", true, false)
	l.Add("e", false)
	if got := l.Complete(9); !slices.Equal(got, []string{"d", "a"}) {
		t.Errorf("complete: %v", got)
	}
	if got := l.Complete(1); !slices.Equal(got, []string{"d"}) {
		t.Errorf("the last complete one: %v", got)
	}
}

func TestLedgerIsBounded(t *testing.T) {
	l := NewLedger(ledgerSize)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range ledgerSize / 2 {
				l.Add(fmt.Sprint(g, " ", i), i%2 == 0)
				l.Fetched(fmt.Sprint(g, " ", i/2))
			}
		})
	}
	wg.Wait()
	if l.order.Len() != ledgerSize || len(l.byID) != ledgerSize {
		t.Errorf("holds %d and %d ids, want %d", l.order.Len(), len(l.byID), ledgerSize)
	}
	for e := l.order.Front(); e != nil; e = e.Next() {
		if id := e.Value.(*ledgerEntry).id; l.byID[id] != e {
			t.Fatalf("%s is not where its id says", id)
		}
	}
}
