package mcp

// This file defines the ledger: which evidence this session has been shown.

import (
	"container/list"
	"sync"
)

// ledgerSize is how many ids a session remembers.
const ledgerSize = 50_000

// A Ledger remembers which evidence ids were fetched in this session, and whether wholly. Over stdio one process is one session,
// so it lives and ends with the process. When it is full it forgets the ids that were not fetched for longest.
type Ledger struct {
	mu    sync.Mutex
	size  int
	byID  map[string]*list.Element
	order list.List // of *ledgerEntry, the latest first
}

type ledgerEntry struct {
	id       string
	complete bool
}

// NewLedger returns an empty ledger that holds at most size ids.
func NewLedger(size int) *Ledger { return &Ledger{size: size, byID: map[string]*list.Element{}} }

// Add records a fetch of id. An id that was fetched wholly once stays so, whatever follows.
func (l *Ledger) Add(id string, complete bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.byID[id]; ok {
		entry := e.Value.(*ledgerEntry)
		entry.complete = entry.complete || complete
		l.order.MoveToFront(e)
		return
	}
	l.byID[id] = l.order.PushFront(&ledgerEntry{id, complete})
	if l.order.Len() > l.size {
		oldest := l.order.Remove(l.order.Back()).(*ledgerEntry)
		delete(l.byID, oldest.id)
	}
}

// Fetched reports whether id was fetched wholly, or if not that, in part.
func (l *Ledger) Fetched(id string) (complete, partial bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.byID[id]
	if !ok {
		return false, false
	}
	complete = e.Value.(*ledgerEntry).complete
	return complete, !complete
}

// Complete returns the ids that were fetched wholly, the latest fetched first, at most n of them.
func (l *Ledger) Complete(n int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for e := l.order.Front(); e != nil && len(out) < n; e = e.Next() {
		if entry := e.Value.(*ledgerEntry); entry.complete {
			out = append(out, entry.id)
		}
	}
	return out
}
