package trace

// This file defines how two sequences are compared: Myers' algorithm, held to a bound.

import (
	"cmp"
	"slices"
)

// maxEdits bounds the edit distance that is searched for. What lies further apart is left unaligned, which flags and never hides.
const maxEdits = 1000

// A match says that a[A] and b[B] are the same thing.
type match struct{ A, B int }

// diff returns a longest common subsequence of a and b, by Myers' greedy algorithm. Where several are as long it takes the one
// that matches as early as it can, so the same input gives the same output.
func diff(a, b []int) []match {
	var head, tail []match
	for len(a) > len(head) && len(b) > len(head) && a[len(head)] == b[len(head)] {
		head = append(head, match{len(head), len(head)})
	}
	n := len(head)
	for len(a) > n && len(b) > n && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
		tail = append(tail, match{len(a), len(b)})
	}
	slices.Reverse(tail)
	middle := myers(a[n:], b[n:])
	out := head
	for _, m := range middle {
		out = append(out, match{m.A + n, m.B + n})
	}
	return append(out, tail...)
}

// diffLate is diff with the other preference: it matches as late as it can.
func diffLate(a, b []int) []match {
	ra, rb := slices.Clone(a), slices.Clone(b)
	slices.Reverse(ra)
	slices.Reverse(rb)
	out := diff(ra, rb)
	for i, m := range out {
		out[i] = match{len(a) - 1 - m.A, len(b) - 1 - m.B}
	}
	slices.Reverse(out)
	return out
}

// myers is the greedy forward search: for each number of edits the furthest point on each diagonal, then the way back.
func myers(a, b []int) []match {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	bound := min(len(a)+len(b), maxEdits)
	v := make([]int, 2*bound+3)
	at := func(k int) int { return k + bound + 1 }
	var trail [][]int
	for d := 0; d <= bound; d++ {
		trail = append(trail, slices.Clone(v[at(-d)-1:at(d)+2]))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && v[at(k-1)] < v[at(k+1)] {
				x = v[at(k+1)]
			} else {
				x = v[at(k-1)] + 1
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[at(k)] = x
			if x >= len(a) && y >= len(b) {
				return wayBack(trail, len(a), len(b))
			}
		}
	}
	return nil
}

func wayBack(trail [][]int, x, y int) []match {
	var out []match
	for d := len(trail) - 1; d >= 0; d-- {
		v := func(k int) int { return trail[d][k+d+1] }
		k := x - y
		from := k - 1
		if k == -d || k != d && v(k-1) < v(k+1) {
			from = k + 1
		}
		px := v(from)
		py := px - from
		if d == 0 {
			px, py = 0, 0
		}
		for x > px && y > py {
			x, y = x-1, y-1
			out = append(out, match{x, y})
		}
		x, y = px, py
	}
	slices.SortFunc(out, func(p, q match) int { return cmp.Compare(p.A, q.A) })
	return out
}

// heaviest returns the heaviest chain of matches that rise in both sequences. The matches come sorted by A, no two with the same A
// or B, and weight gives what each is worth.
func heaviest(matches []match, sizeB int, weight func(match) int) []match {
	type best struct{ sum, i int } // the heaviest chain that ends at B or below, and its last match
	tree := make([]best, sizeB+1)
	for i := range tree {
		tree[i].i = -1
	}
	before := make([]int, len(matches))
	sum := make([]int, len(matches))
	top := -1
	for i, m := range matches {
		b := best{0, -1}
		for k := m.B; k > 0; k -= k & -k { // all below m.B
			if tree[k].sum > b.sum {
				b = tree[k]
			}
		}
		before[i], sum[i] = b.i, b.sum+weight(m)
		for k := m.B + 1; k <= sizeB; k += k & -k {
			if sum[i] > tree[k].sum {
				tree[k] = best{sum[i], i}
			}
		}
		if top < 0 || sum[i] > sum[top] {
			top = i
		}
	}
	var out []match
	for i := top; i >= 0; i = before[i] {
		out = append(out, matches[i])
	}
	slices.Reverse(out)
	return out
}
