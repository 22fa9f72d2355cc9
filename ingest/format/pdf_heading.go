package format

// This file defines which lines of a PDF are headings: those its outline names, or those set larger or bolder than its text.

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// headings decides over a whole document.
type headings struct {
	outline map[place]int // page and letters → level, where the outline fits the text
	sizes   []float64     // of headings, the largest first
	body    float64       // size of most of the text
	bold    bool          // bold lines count: not where the text itself is bold
	title   string        // the largest line of the first page
}

type place struct {
	page int
	text string
}

const (
	longestHeading = 200 // characters; longer ones are text that happens to be large
	headingSizes   = 4   // levels by size; smaller ones share the last
)

func newHeadings(pages [][]column, outline []bookmark) *headings {
	h := &headings{}
	h.measure(pages)
	h.readOutline(pages, outline)
	if len(pages) > 0 {
		largest := 0.0
		for _, c := range pages[0] {
			for i := range c {
				if t := c[i].text(" "); c[i].size > max(largest, h.body*1.15) && richText(t).hasLetter() && len(t) < longestHeading {
					largest, h.title = c[i].size, t
				}
			}
		}
	}
	return h
}

func half(size float64) float64 { return math.Round(size*2) / 2 }

// measure finds the size of the text and the larger sizes that are rare enough to be those of headings.
func (h *headings) measure(pages [][]column) {
	chars := map[float64]int{}
	total, bold := 0, 0
	for _, p := range pages {
		for _, c := range p {
			for i := range c {
				n := c[i].chars()
				chars[half(c[i].size)] += n
				total += n
				if c[i].bold {
					bold += n
				}
			}
		}
	}
	var sizes []float64
	most := 0
	for s := range chars {
		sizes = append(sizes, s)
	}
	slices.SortFunc(sizes, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, s := range sizes {
		if chars[s] >= most { // the smaller of two equals
			most, h.body = chars[s], s
		}
	}
	for _, s := range sizes {
		if s >= h.body*1.12 && chars[s]*5 < total {
			h.sizes = append(h.sizes, s)
		}
	}
	h.bold = bold*4 < total
}

// readOutline keeps the outline's entries whose words stand as a line on the page they lead to. Where fewer than half do, it is not
// trusted: some outlines only name pages.
func (h *headings) readOutline(pages [][]column, outline []bookmark) {
	found := map[place]int{}
	n, targets := 0, 0
	lines := map[place]bool{}
	for i, p := range pages {
		for _, c := range p {
			for j := range c {
				lines[place{i + 1, letters(c[j].text(" "))}] = true
			}
		}
	}
	for _, b := range outline {
		key := place{b.page + 1, letters(b.title)}
		if b.page < 0 || key.text == "" {
			continue
		}
		targets++
		if lines[key] {
			found[key] = b.level
			n++
		}
	}
	if n >= 2 && n*2 >= targets {
		h.outline = found
	}
}

// letters gives a text's letters and digits in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// level gives a line's heading level, or 0.
func (h *headings) level(page int, text string, l *pdfLine) int {
	if len(text) > longestHeading || !richText(text).hasLetter() || entry.MatchString(text) {
		return 0
	}
	if h.outline != nil {
		return h.outline[place{page, letters(text)}]
	}
	size := half(l.size)
	for i, s := range h.sizes {
		if size == s {
			return min(i+1, headingSizes)
		}
	}
	if h.bold && l.bold && l.size >= h.body*.95 && len(l.cells) == 1 && len(text) <= 100 && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ",") && !strings.HasSuffix(text, ":") {
		return min(len(h.sizes), headingSizes) + 1
	}
	return 0
}
