package format

// This file defines how one story of a Word file (its body, a note, a header) becomes paragraphs and tables in body order.

import (
	"strconv"
	"strings"
)

// A wordPara is one paragraph. outline and ilvl are -1 where the paragraph itself says nothing.
type wordPara struct {
	rich
	style   string
	outline int
	numID   string
	ilvl    int
	listed  bool
	marker  string   // the number or bullet of a list item or heading
	notes   []string // the footnotes, endnotes and comments it refers to, as keys of wordStories.notes
	boxes   []wordItem
	merged  bool // its end was deleted in a tracked change: the next paragraph continues it
}

type wordRow struct {
	cells  []rich
	header bool
	gone   bool // deleted in a tracked change
}

type wordTable struct {
	rows     []wordRow
	firstRow bool // the look says that the first row is a header
	notes    []string
	paras    []wordItem // what the cells hold, for a table of one column, which is only a frame
}

// A wordItem is a paragraph or a table.
type wordItem struct {
	para  *wordPara
	table *wordTable
}

// wordBox collects the items of whatever holds paragraphs: the story, a cell, a text box, a note.
type wordBox struct {
	items     []wordItem
	carry     *wordPara // a paragraph whose end was deleted
	span      int       // columns of a cell
	continues bool      // the cell is merged with the one above
}

// wordStories is what the parts of one document share.
type wordStories struct {
	list   *wordNumbering
	rels   map[string]string // relationship id → target, of the part being read
	notes  map[string]*wordNote
	number int // the last note number given in the body
}

type wordNote struct {
	items  []wordItem
	number int    // as the body refers to it, 0 before it does
	author string // of a comment
	told   bool   // already laid out
}

// storyWalker reads one story.
type storyWalker struct {
	shared *wordStories
	boxes  []*wordBox // innermost last; boxes[0] is the story
	paras  []*wordPara
	tables []*wordTable
	alts   []int // for each open AlternateContent how much had been read before it: another choice is read only while that stands
	links  []Link
	read   int // bytes of text so far

	inPPr, inRPr, inTrPr, inText int
	note                         string
}

func newStoryWalker(shared *wordStories) *storyWalker {
	return &storyWalker{shared: shared, boxes: []*wordBox{{}}}
}

func (w *storyWalker) box() *wordBox { return w.boxes[len(w.boxes)-1] }

func (w *storyWalker) para() *wordPara {
	if len(w.paras) == 0 {
		return nil
	}
	return w.paras[len(w.paras)-1]
}

func (w *storyWalker) row() *wordRow {
	if len(w.tables) == 0 {
		return nil
	}
	t := w.tables[len(w.tables)-1]
	if len(t.rows) == 0 {
		return nil
	}
	return &t.rows[len(t.rows)-1]
}

func (w *storyWalker) write(s string) {
	if p := w.para(); p != nil {
		p.write(s)
		w.read += len(s)
	}
}

// kinds of notes, as the elements that hold them and those that refer to them
var noteOf = map[string]string{
	"footnote": "footnote ", "endnote": "endnote ", "comment": "comment ",
	"footnoteReference": "footnote ", "endnoteReference": "endnote ", "commentReference": "comment ",
}

func (w *storyWalker) start(e element) bool {
	switch e.name {
	case "pPrChange", "rPrChange", "tblPrChange", "trPrChange", "tcPrChange", "sectPrChange", "tblGridChange", "numberingChange",
		"moveFrom", "delText", "instrText", "delInstrText", "rt", "sdtPr", "sectPr":
		return false // former properties, deleted or moved-away text, field codes, phonetic guides
	case "del":
		switch {
		case w.inRPr > 0 && w.inPPr > 0 && w.para() != nil:
			w.para().merged = true
		case w.inTrPr > 0 && w.row() != nil:
			w.row().gone = true
		}
		return false
	case "p":
		p := &wordPara{outline: -1, ilvl: -1}
		if c := w.box().carry; c != nil {
			p.rich, p.notes, p.boxes = c.rich, c.notes, c.boxes
			w.box().carry = nil
		}
		w.paras = append(w.paras, p)
	case "pPr":
		w.inPPr++
	case "rPr":
		w.inRPr++
	case "trPr":
		w.inTrPr++
	case "t":
		w.inText++
	case "tbl":
		w.tables = append(w.tables, &wordTable{})
	case "tr":
		if t := len(w.tables); t > 0 {
			w.tables[t-1].rows = append(w.tables[t-1].rows, wordRow{})
		}
	case "tc":
		w.boxes = append(w.boxes, &wordBox{span: 1})
	case "txbxContent":
		w.boxes = append(w.boxes, &wordBox{})
	case "footnote", "endnote", "comment":
		w.startNote(e)
	case "hyperlink":
		w.startLink(e)
	case "AlternateContent":
		w.alts = append(w.alts, w.read)
	case "Choice", "Fallback":
		return len(w.alts) == 0 || w.alts[len(w.alts)-1] == w.read
	default:
		w.startProperty(e)
	}
	return true
}

// startProperty takes in the elements that hold no text of their own.
func (w *storyWalker) startProperty(e element) {
	p, row := w.para(), w.row()
	if w.inPPr > 0 {
		if p == nil {
			return
		}
		switch e.name {
		case "pStyle":
			p.style = e.value("val")
		case "outlineLvl":
			p.outline = number(e.value("val"), -1)
		case "numId":
			p.numID = e.value("val")
		case "ilvl":
			p.ilvl = number(e.value("val"), -1)
		}
		return
	}
	switch e.name {
	case "tab", "ptab":
		w.write("\t")
	case "br", "cr":
		w.write("\n")
	case "noBreakHyphen":
		w.write("-")
	case "sym":
		if n, err := strconv.ParseUint(e.value("char"), 16, 32); err == nil && n >= ' ' && n < 0xE000 {
			w.write(string(rune(n)))
		}
	case "footnoteReference", "endnoteReference", "commentReference":
		w.refer(e)
	case "gridSpan":
		w.box().span = min(max(number(e.value("val"), 1), 1), 63) // Word's own most
	case "vMerge":
		w.box().continues = e.value("val") != "restart"
	case "gridBefore":
		if row != nil {
			row.cells = append(row.cells, make([]rich, min(number(e.value("val"), 0), 63))...)
		}
	case "tblHeader":
		if row != nil {
			row.header = e.on()
		}
	case "tblLook":
		bits, _ := strconv.ParseUint(e.value("val"), 16, 32)
		if t := len(w.tables); t > 0 {
			w.tables[t-1].firstRow = e.value("firstRow") == "1" || bits&0x20 != 0
		}
	}
}

func (w *storyWalker) startNote(e element) {
	w.note = noteOf[e.name] + e.value("id")
	w.boxes = append(w.boxes, &wordBox{})
	if t := e.value("type"); t != "" && t != "normal" { // the rule above the notes
		w.note = ""
		return
	}
	w.shared.notes[w.note] = &wordNote{author: e.value("author")}
}

// refer marks the place of a note with its number, as printed; a comment leaves no mark in the text.
func (w *storyWalker) refer(e element) {
	p := w.para()
	key := noteOf[e.name] + e.value("id")
	n := w.shared.notes[key]
	if p == nil || n == nil {
		return
	}
	if e.name != "commentReference" {
		if n.number == 0 {
			w.shared.number++
			n.number = w.shared.number
		}
		w.write("[" + strconv.Itoa(n.number) + "]")
	}
	p.notes = append(p.notes, key)
}

func (w *storyWalker) startLink(e element) {
	l := Link{Kind: "link", Target: w.shared.rels[e.value("id")], Fragment: e.value("anchor")}
	if t, frag, ok := strings.Cut(l.Target, "#"); ok && l.Fragment == "" {
		l.Target, l.Fragment = t, frag
	}
	if p := w.para(); p != nil {
		l.Start = len(p.text)
	}
	w.links = append(w.links, l)
}

func (w *storyWalker) end(name string) {
	switch name {
	case "pPr":
		w.inPPr--
	case "rPr":
		w.inRPr--
	case "trPr":
		w.inTrPr--
	case "t":
		w.inText--
	case "p":
		w.endPara()
	case "tr":
		if r := w.row(); r != nil && r.gone {
			t := w.tables[len(w.tables)-1]
			t.rows = t.rows[:len(t.rows)-1]
		}
	case "tc":
		w.endCell()
	case "tbl":
		t := w.tables[len(w.tables)-1]
		w.tables = w.tables[:len(w.tables)-1]
		w.box().items = append(w.box().items, wordItem{table: t})
	case "txbxContent":
		items := w.pop()
		if p := w.para(); p != nil {
			p.boxes = append(p.boxes, items...)
		} else {
			w.box().items = append(w.box().items, items...)
		}
	case "footnote", "endnote", "comment":
		items := w.pop()
		if n := w.shared.notes[w.note]; n != nil {
			n.items = items
		}
	case "hyperlink":
		w.endLink()
	case "AlternateContent":
		w.alts = w.alts[:len(w.alts)-1]
	}
}

// pop closes the innermost box and gives its items.
func (w *storyWalker) pop() []wordItem {
	b := w.box()
	w.boxes = w.boxes[:len(w.boxes)-1]
	if b.carry != nil {
		b.items = append(b.items, wordItem{para: b.carry})
	}
	return b.items
}

// items gives what the whole story holds.
func (w *storyWalker) items() []wordItem {
	items := w.pop()
	w.boxes = []*wordBox{{}}
	return items
}

func (w *storyWalker) endPara() {
	p := w.para()
	w.paras = w.paras[:len(w.paras)-1]
	if p.merged {
		w.box().carry = p
		return
	}
	w.shared.list.mark(p)
	w.box().items = append(append(w.box().items, wordItem{para: p}), p.boxes...)
}

func (w *storyWalker) endLink() {
	l := w.links[len(w.links)-1]
	w.links = w.links[:len(w.links)-1]
	p := w.para()
	if p == nil || l.Target == "" && l.Fragment == "" || l.Start >= len(p.text) {
		return
	}
	l.End = len(p.text)
	if shown := string(p.text[l.Start:l.End]); shown != l.Target {
		l.Text = shown
	}
	p.links = append(p.links, l)
}

// endCell puts the cell's text into its row, and an empty cell for every further column that it covers.
func (w *storyWalker) endCell() {
	b := w.box()
	items := w.pop()
	row := w.row()
	if row == nil {
		w.box().items = append(w.box().items, items...)
		return
	}
	t := w.tables[len(w.tables)-1]
	var cell rich
	for _, i := range items {
		for _, line := range i.lines() {
			if line = line.flat(); line.blank() {
				continue
			}
			if len(cell.text) > 0 {
				cell.write(" ")
			}
			cell.join(line)
		}
		t.notes = append(t.notes, i.refersTo()...)
	}
	t.paras = append(t.paras, items...)
	if b.continues {
		cell = rich{}
	}
	row.cells = append(row.cells, cell)
	row.cells = append(row.cells, make([]rich, max(b.span-1, 0))...)
}

// lines gives an item's text: one line for a paragraph, one a row for a table.
func (i wordItem) lines() []rich {
	if i.para != nil {
		return []rich{i.para.line()}
	}
	var out []rich
	for _, r := range i.table.rows {
		out = append(out, r.line())
	}
	return out
}

// line gives a paragraph with the marker that Word shows before it.
func (p *wordPara) line() rich {
	if p.marker == "" {
		return p.trim()
	}
	out := richText(p.marker + " ")
	out.join(p.trim())
	return out
}

func (i wordItem) refersTo() []string {
	if i.para != nil {
		return i.para.notes
	}
	return i.table.notes
}

// line gives the row's cells between tabs. Empty cells keep their tab, so that columns stay columns.
func (r wordRow) line() rich {
	var out rich
	blank := true
	for i, c := range r.cells {
		if i > 0 {
			out.write("\t")
		}
		blank = blank && c.blank()
		out.join(c)
	}
	if blank {
		return rich{}
	}
	return out
}

// frame reports a table of one column, which only draws a box around paragraphs.
func (t *wordTable) frame() bool {
	for _, r := range t.rows {
		if len(r.cells) > 1 {
			return false
		}
	}
	return true
}

func (w *storyWalker) chars(b []byte) {
	if w.inText > 0 {
		w.write(string(b))
	}
}
