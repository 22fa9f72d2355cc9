package format

// This file defines in which order a page is read: columns found by the gutter between them, and lines within them.

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pdfLine is one line of one column.
type pdfLine struct {
	cells  []segment // what stands apart on it, in reading order; most lines have one
	x0, x1 float64
	y0, y1 float64
	size   float64
	bold   bool // all of it
	hyphen bool // it ends in a word's division
}

// text gives the line's text with sep between its cells.
func (l *pdfLine) text(sep string) string {
	parts := make([]string, len(l.cells))
	for i, c := range l.cells {
		parts[i] = strings.TrimSpace(c.text)
	}
	return strings.Join(parts, sep)
}

func (l *pdfLine) chars() int {
	n := 0
	for _, c := range l.cells {
		n += utf8.RuneCountInString(c.text)
	}
	return n
}

// A column is a run of lines that is read from top to bottom.
type column []pdfLine

// readingOrder gives a page's columns in turn. Text that runs in another direction (a table set sideways, a stamp along the margin)
// comes after the page's main direction, each direction by itself.
func readingOrder(segments []segment) []column {
	by := map[int][]segment{}
	size := map[int]int{}
	var directions []int
	for _, s := range segments {
		if by[s.turned] == nil {
			directions = append(directions, s.turned)
		}
		by[s.turned] = append(by[s.turned], s)
		size[s.turned] += len(s.text)
	}
	slices.SortStableFunc(directions, func(a, b int) int { return size[b] - size[a] })
	var out []column
	for _, d := range directions {
		for _, part := range columns(by[d], 0) {
			out = append(out, linesIn(part))
		}
	}
	return out
}

// columns parts segments at the widest gutter that prose stands on both sides of, and the parts again. Segments that reach across the
// gutter, as titles do, part the page into zones that are read one after the other.
func columns(segments []segment, depth int) [][]segment {
	g, ok := gutter(segments)
	if !ok || depth > 6 {
		return [][]segment{segments}
	}
	var across, aside []segment
	for _, s := range segments {
		if s.x0 < g && s.x1 > g {
			across = append(across, s)
		} else {
			aside = append(aside, s)
		}
	}
	slices.SortStableFunc(across, func(a, b segment) int { return cmp.Compare(middle(b), middle(a)) })
	slices.SortStableFunc(aside, func(a, b segment) int { return cmp.Compare(middle(b), middle(a)) })
	var out [][]segment
	var whole []segment // zones that turn out not to be columns, and what lies across
	found := false
	flush := func() {
		if len(whole) > 0 {
			out = append(out, whole)
		}
		whole = nil
	}
	for i := 0; i <= len(across); i++ {
		var left, right []segment
		n := 0
		for n < len(aside) && (i == len(across) || middle(aside[n]) > middle(across[i])) {
			if (aside[n].x0+aside[n].x1)/2 < g {
				left = append(left, aside[n])
			} else {
				right = append(right, aside[n])
			}
			n++
		}
		zone := aside[:n]
		aside = aside[n:]
		if areColumns(left, right) {
			found = true
			flush()
			out = append(out, columns(left, depth+1)...)
			out = append(out, columns(right, depth+1)...)
		} else {
			whole = append(whole, zone...)
		}
		if i < len(across) {
			whole = append(whole, across[i])
		}
	}
	flush()
	if !found {
		return [][]segment{segments}
	}
	return out
}

func middle(s segment) float64 { return (s.y0 + s.y1) / 2 }

// gutter finds the x that the fewest lines reach across, within the middle three quarters.
func gutter(segments []segment) (float64, bool) {
	if len(segments) < 4 {
		return 0, false
	}
	left, right := math.Inf(1), math.Inf(-1)
	sizes := make([]float64, 0, len(segments))
	for _, s := range segments {
		left, right = min(left, s.x0), max(right, s.x1)
		sizes = append(sizes, s.size)
	}
	slices.Sort(sizes)
	em := sizes[len(sizes)/2]
	width := int(right - left)
	if em <= 0 || float64(width) < 16*em || width > 20_000 {
		return 0, false
	}
	cover := make([]int, width+2)
	for _, s := range segments {
		cover[int(s.x0-left)]++
		cover[min(int(math.Ceil(s.x1-left)), width)+1]--
	}
	most := 0
	for i := 1; i < len(cover); i++ {
		cover[i] += cover[i-1]
		most = max(most, cover[i])
	}
	few := most / 4
	best, bestWidth := 0, 0
	from := width / 8
	for i := from; i <= width-width/8; i++ {
		if cover[i] > few {
			from = i + 1
			continue
		}
		if i-from > bestWidth {
			best, bestWidth = (i+from)/2, i-from
		}
	}
	if float64(bestWidth) < em*.7 {
		return 0, false
	}
	return left + float64(best), true
}

// areColumns tells columns of prose from the columns of a table: prose fills its column, line after line.
func areColumns(left, right []segment) bool {
	if len(left) < 2 || len(right) < 2 {
		return false
	}
	l, r := linesIn(left), linesIn(right)
	top, bottom := min(l[0].y1, r[0].y1), max(l[len(l)-1].y0, r[len(r)-1].y0)
	height := min(l[0].y1-l[len(l)-1].y0, r[0].y1-r[len(r)-1].y0)
	if len(l) < 2 || len(r) < 2 || top-bottom < height*.3 {
		return false
	}
	// A page drawn row by row is a table more often than one drawn column by column.
	all := slices.Concat(left, right)
	edge := 0.0
	for _, s := range left {
		edge = max(edge, s.x1)
	}
	slices.SortFunc(all, func(a, b segment) int { return a.order - b.order })
	switches := 0
	for i := 1; i < len(all); i++ {
		if (all[i].x0 >= edge) != (all[i-1].x0 >= edge) {
			switches++
		}
	}
	fill := .45
	if switches*2 > min(len(l), len(r)) {
		fill = .6
	}
	return l.isProse(fill) && r.isProse(fill)
}

func (c column) isProse(fill float64) bool {
	left, right, sum, size, cells := math.Inf(1), math.Inf(-1), 0.0, 0.0, 0
	for _, l := range c {
		left, right = min(left, l.x0), max(right, l.x1)
		sum += l.x1 - l.x0
		size += l.size
		cells += len(l.cells)
	}
	n := float64(len(c))
	return sum/n >= fill*(right-left) && sum/n >= 7*size/n && float64(cells) < 1.6*n
}

// linesIn groups segments into lines, the highest first.
func linesIn(segments []segment) column {
	segments = slices.Clone(segments)
	slices.SortStableFunc(segments, func(a, b segment) int { return cmp.Compare(middle(b), middle(a)) })
	var rows [][]segment
	type span struct{ y0, y1 float64 }
	var spans []span // of the tallest segment of each row
	for _, s := range segments {
		at := -1
		for i := len(rows) - 1; i >= max(0, len(rows)-4); i-- {
			overlap := min(s.y1, spans[i].y1) - max(s.y0, spans[i].y0)
			if overlap >= .5*max(min(s.y1-s.y0, spans[i].y1-spans[i].y0), .1) {
				at = i
				break
			}
		}
		if at < 0 {
			rows = append(rows, []segment{s})
			spans = append(spans, span{s.y0, s.y1})
			continue
		}
		rows[at] = append(rows[at], s)
		if s.y1-s.y0 > spans[at].y1-spans[at].y0 {
			spans[at] = span{s.y0, s.y1}
		}
	}
	lines := make(column, 0, len(rows))
	for _, r := range rows {
		lines = append(lines, newLine(r))
	}
	return lines
}

// newLine orders a line's segments and joins those that only a word space or less parts.
func newLine(segments []segment) pdfLine {
	rtl := 0
	for _, s := range segments {
		for _, r := range s.text {
			switch {
			case isRTL(r):
				rtl++
			case unicode.IsLetter(r):
				rtl--
			}
		}
	}
	slices.SortStableFunc(segments, func(a, b segment) int {
		if rtl > 0 {
			return cmp.Compare(b.x1, a.x1)
		}
		return cmp.Compare(a.x0, b.x0)
	})
	l := pdfLine{x0: math.Inf(1), x1: math.Inf(-1), y0: math.Inf(1), y1: math.Inf(-1), bold: true}
	chars := 0
	for _, s := range segments {
		l.x0, l.x1, l.y0, l.y1 = min(l.x0, s.x0), max(l.x1, s.x1), min(l.y0, s.y0), max(l.y1, s.y1)
		if n := len(s.text); n > chars { // the size of most of the line
			l.size, chars = s.size, n
		}
		l.bold = l.bold && s.bold
		l.hyphen = s.hyphen
		if n := len(l.cells); n > 0 {
			last := &l.cells[n-1]
			gap := s.x0 - last.x1
			if rtl > 0 {
				gap = last.x0 - s.x1
			}
			em := max(last.size, s.size)
			if gap < 1.5*em {
				if gap > .15*em || strings.HasSuffix(last.text, " ") {
					last.text = strings.TrimRight(last.text, " ") + " "
				}
				last.text += s.text
				last.x0, last.x1 = min(last.x0, s.x0), max(last.x1, s.x1)
				continue
			}
		}
		l.cells = append(l.cells, s)
	}
	return l
}
