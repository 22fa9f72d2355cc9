package format

// This file defines how a PDF's lines become headings, paragraphs, lists and tables.

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// layOut turns the pages read into blocks.
func (d *pdfDocument) layOut() {
	pages := make([][]column, len(d.pages))
	var untrusted []int
	for i := range d.pages {
		p := &d.pages[i]
		if p.textless && !p.blank {
			d.b.doc.NoText = append(d.b.doc.NoText, i+1)
		}
		if p.untrusted() {
			untrusted = append(untrusted, i+1)
		}
		pages[i] = readingOrder(p.segments)
	}
	if len(untrusted) > 0 {
		d.b.note("the letters on %s cannot be trusted: its fonts do not say which letters their shapes are", pageList(untrusted))
	}
	h := newHeadings(pages, d.outline())
	r := newRunning(pages)
	c := compounds(pages)
	d.b.doc.Title = d.title()
	for i, page := range pages {
		w := pdfWriter{b: d.b, page: i + 1, headings: h, compounds: c}
		var apart []pdfLine
		for _, col := range page {
			var body column
			for _, l := range col {
				if r.is(&l) && h.outline[place{i + 1, letters(l.text(" "))}] == 0 {
					apart = append(apart, l)
				} else {
					body = append(body, l)
				}
			}
			w.column(body)
		}
		w.flush()
		for _, l := range apart { // running heads and page numbers, below the page's text and outside its sections
			d.b.add(piece{kind: Paragraph, lines: []rich{richText(l.text(" "))}, page: i + 1, apart: true})
		}
	}
	if d.b.doc.Title == "" {
		d.b.doc.Title = h.title
	}
}

func pageList(pages []int) string {
	if len(pages) == 1 {
		return fmt.Sprintf("page %d", pages[0])
	}
	parts := make([]string, 0, 8)
	for _, p := range pages[:min(len(pages), 8)] {
		parts = append(parts, fmt.Sprint(p))
	}
	s := "pages " + strings.Join(parts, ", ")
	if more := len(pages) - len(parts); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// A pdfWriter lays out one page.
type pdfWriter struct {
	b         *builder
	page      int
	headings  *headings
	compounds map[string]bool

	prose   string   // the paragraph being gathered, "" for none
	last    *pdfLine // its last line
	items   []rich   // the list being gathered
	number  int      // of the list's last item, 0 where it has none
	level   int      // of the heading being gathered, 0 for none
	divided bool     // prose ends in a divided word
}

func (w *pdfWriter) flush() {
	w.endProse()
	w.endList()
}

func (w *pdfWriter) endList() {
	if len(w.items) > 0 {
		w.b.add(piece{kind: List, lines: w.items, page: w.page})
		w.items = nil
	}
	w.number = 0
}

// endProse ends a paragraph, heading or list item.
func (w *pdfWriter) endProse() {
	text := strings.TrimSpace(w.prose)
	level := w.level
	w.prose, w.level, w.last, w.divided = "", 0, nil, false
	switch {
	case text == "":
	case level > 0:
		w.endList()
		w.b.add(piece{kind: Heading, level: level, lines: []rich{richText(text)}, page: w.page})
	case w.isItem(text):
		w.number = itemNumber(text)
		w.items = append(w.items, richText(text))
	default:
		w.endList()
		w.b.add(piece{kind: Paragraph, lines: []rich{richText(text)}, page: w.page})
	}
}

var (
	bullet   = regexp.MustCompile(`^(?:[•◦▪‣●○■□♦✓➢\x{F0B7}\x{F0A7}]|[–—*-]\s|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})\)\s)`)
	numbered = regexp.MustCompile(`^(\d{1,2})\.\s`)
	entry    = regexp.MustCompile(` … [0-9ivxlc]{1,6}$`) // of a table of contents
)

// isItem reports what marks a list item: a bullet, a number with a closing bracket, a number with a point that goes on counting, since
// other lines begin with a number too, or the page at the end of an entry of the table of contents.
func (w *pdfWriter) isItem(text string) bool {
	n := itemNumber(text)
	return bullet.MatchString(text) || entry.MatchString(text) || n == 1 || n > 1 && (n == w.number+1 || n == itemNumber(w.prose)+1)
}

// itemNumber gives the number a text begins with, where a point ends it, and else 0.
func itemNumber(text string) int {
	m := numbered.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	return number(m[1], 0)
}

func (w *pdfWriter) column(lines column) {
	if len(lines) == 0 {
		return
	}
	pitch := lines.pitch()
	left, right := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		left, right = min(left, l.x0), max(right, l.x1)
	}
	for i := 0; i < len(lines); {
		if n := lines[i:].table(); n > 0 {
			w.flush()
			rows := make([]rich, 0, n)
			for _, l := range lines[i : i+n] {
				rows = append(rows, richText(l.text("\t")))
			}
			w.b.add(piece{kind: Table, lines: rows, page: w.page})
			i += n
			continue
		}
		l := &lines[i]
		text := l.text(" ")
		level := w.headings.level(w.page, text, l)
		if w.startsAnew(l, text, level, pitch, left, right, i == 0) {
			w.endProse()
			w.level = level
		}
		w.join(l, text)
		i++
	}
	// A paragraph may go on at the top of the next column, so it stays open; flush ends it with the page.
}

// startsAnew decides whether a line starts a new paragraph.
func (w *pdfWriter) startsAnew(l *pdfLine, text string, level int, pitch, left, right float64, top bool) bool {
	if w.last == nil {
		return true
	}
	if level != w.level || w.isItem(text) {
		return true
	}
	if entry.MatchString(w.prose) {
		return true
	}
	last := w.last
	if math.Abs(l.size-last.size) > .12*max(l.size, last.size) {
		return true
	}
	if top { // of the next column: a sentence that has not ended goes on
		r, _ := utf8.DecodeRuneInString(text)
		return level > 0 || !w.divided && (endsSentence(w.prose) || !unicode.IsLower(r))
	}
	step := last.y0 - l.y0
	if step > 1.4*pitch || step < -.5*l.size {
		return true
	}
	if level > 0 {
		return step > 1.8*l.size
	}
	em := max(l.size, 1)
	short := last.x1 < right-.2*(right-left)
	if isRTLText(text) {
		return last.x0 > left+.2*(right-left) && endsSentence(w.prose)
	}
	indented := l.x0 > last.x0+.9*em && l.x0 < last.x0+6*em
	return short && endsSentence(w.prose) || indented && (endsSentence(w.prose) || short) && !w.isItem(w.prose)
}

func isRTLText(s string) bool {
	n := 0
	for _, r := range s {
		if isRTL(r) {
			n++
		} else if unicode.IsLetter(r) {
			n--
		}
	}
	return n > 0
}

func endsSentence(s string) bool {
	s = strings.TrimRight(s, " \"'”’)]»")
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?:;…。！？؟", r)
}

// join appends a line to the paragraph. A word divided at the line's end becomes whole: its hyphen goes where the next line goes on in
// lower case, and stays where the word has another hyphen or stands with this one elsewhere in the document. Before a capital or
// a digit ("Jean-Paul", "2019-2020") it stays. Lines of Chinese and Japanese join without a space.
func (w *pdfWriter) join(l *pdfLine, text string) {
	next, _ := utf8.DecodeRuneInString(text)
	prev, _ := utf8.DecodeLastRuneInString(w.prose)
	switch {
	case w.prose == "":
		w.prose = text
	case w.divided:
		head := w.prose[strings.LastIndexFunc(w.prose, unicode.IsSpace)+1:]
		tail := text
		if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }); i >= 0 {
			tail = text[:i]
		}
		_, n := utf8.DecodeLastRuneInString(head)
		stem := head[:len(head)-n]
		if unicode.IsLower(next) && stem != "" && !strings.Contains(stem, "-") && !w.compounds[strings.ToLower(stem+"-"+tail)] {
			w.prose = w.prose[:len(w.prose)-n]
		}
		w.prose += text
	case joinsTight(prev) && joinsTight(next):
		w.prose += text
	default:
		w.prose += " " + text
	}
	w.last = l
	w.divided = l.hyphen && dividesWord(w.prose)
}

// dividesWord reports a hyphen right behind a letter or digit, so not a dash.
func dividesWord(s string) bool {
	_, n := utf8.DecodeLastRuneInString(s)
	r, _ := utf8.DecodeLastRuneInString(s[:len(s)-n])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func joinsTight(r rune) bool { return isEastAsian(r) && !unicode.Is(unicode.Hangul, r) }

// pitch gives the usual distance from line to line.
func (c column) pitch() float64 {
	var steps []float64
	for i := 1; i < len(c); i++ {
		if step := c[i-1].y0 - c[i].y0; step > .3*c[i].size && step < 3*max(c[i].size, 1) {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return 1.3 * max(c[0].size, 1)
	}
	slices.Sort(steps)
	return min(steps[len(steps)/3], 1.7*max(c[0].size, c[len(c)/2].size, 1))
}

// table gives the number of lines that make a table from the column's start: rows whose cells stand below each other. A line with a
// single cell between them is a row too, mostly the rest of a cell above.
func (c column) table() int {
	n, full, single := 0, 0, 0
	var above *pdfLine
	wide := false
	for i := range c {
		l := &c[i]
		if len(l.cells) < 2 {
			if single++; above == nil || single > 2 || l.chars() > 60 {
				break
			}
			continue
		}
		if above != nil && (!aligned(above, l) || above.y0-l.y1 > 4*l.size) {
			break
		}
		wide = wide || len(l.cells) > 2
		above, single = l, 0
		full++
		n = i + 1
	}
	if full >= 3 || full == 2 && wide {
		return n
	}
	return 0
}

// aligned reports two rows of which at least two cells, or all of the shorter one, share an edge or a middle.
func aligned(a, b *pdfLine) bool {
	near := .8 * max(a.size, b.size)
	n := 0
	for _, x := range a.cells {
		for _, y := range b.cells {
			if math.Abs(x.x0-y.x0) < near || math.Abs(x.x1-y.x1) < near || math.Abs(x.x0+x.x1-y.x0-y.x1) < 2*near {
				n++
				break
			}
		}
	}
	return n >= 2
}

// compounds gathers the words that stand with a hyphen inside a line.
func compounds(pages [][]column) map[string]bool {
	found := map[string]bool{}
	for _, p := range pages {
		for _, c := range p {
			for i := range c {
				for word := range strings.FieldsFuncSeq(c[i].text(" "), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
					if at := strings.IndexByte(word, '-'); at > 0 && at < len(word)-1 {
						found[strings.ToLower(word)] = true
					}
				}
			}
		}
	}
	return found
}

// running knows the lines that stand at the head or foot of many pages.
type running map[string]bool

// newRunning looks at the two outermost lines of each page, with their numbers left out.
func newRunning(pages [][]column) running {
	seen := map[string]int{}
	for _, p := range pages {
		var all column
		for _, c := range p {
			all = append(all, c...)
		}
		slices.SortStableFunc(all, func(a, b pdfLine) int {
			if a.y0 > b.y0 {
				return -1
			}
			return 1
		})
		on := map[string]bool{}
		for i := range all {
			if i < 2 || i >= len(all)-2 {
				on[runningKey(&all[i])] = true
			}
		}
		for k := range on {
			seen[k]++
		}
	}
	r := running{}
	for k, n := range seen {
		if n >= 3 && n*3 >= len(pages) {
			r[k] = true
		}
	}
	return r
}

func (r running) is(l *pdfLine) bool { return r[runningKey(l)] }

// runningKey is a line's place and text, with every number as the same.
func runningKey(l *pdfLine) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d ", int(math.Round(l.y0/4)))
	digit := false
	for _, r := range l.text(" ") {
		if unicode.IsDigit(r) {
			if !digit {
				b.WriteByte('#')
			}
			digit = true
			continue
		}
		digit = false
		b.WriteRune(r)
	}
	return b.String()
}
