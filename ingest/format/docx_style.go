package format

// This file defines what a Word file's styles.xml and numbering.xml say of a paragraph: whether it is a heading and of which
// level, and the number or bullet that Word shows before it but stores nowhere.

import (
	"fmt"
	"strconv"
	"strings"
)

// wordStyle is one style; what it leaves open its base decides.
type wordStyle struct {
	name    string // lower case
	base    string
	outline int // -1: says nothing; 9: body text
	numID   string
	ilvl    int // -1: says nothing
}

type wordStyles struct {
	byID map[string]*wordStyle
	base string // the default paragraph style
}

// styleWalker reads styles.xml.
type styleWalker struct {
	wordStyles
	cur *wordStyle
}

func (w *styleWalker) start(e element) bool {
	switch e.name {
	case "style":
		w.cur = &wordStyle{outline: -1, ilvl: -1}
		w.byID[e.value("styleId")] = w.cur
		if e.value("type") == "paragraph" && e.value("default") != "" && e.value("default") != "0" {
			w.base = e.value("styleId")
		}
	case "docDefaults", "latentStyles", "pPrChange", "rPrChange":
		return false
	}
	if w.cur == nil {
		return true
	}
	switch e.name {
	case "name":
		w.cur.name = strings.ToLower(e.value("val"))
	case "basedOn":
		w.cur.base = e.value("val")
	case "outlineLvl":
		w.cur.outline = number(e.value("val"), -1)
	case "numId":
		w.cur.numID = e.value("val")
	case "ilvl":
		w.cur.ilvl = number(e.value("val"), -1)
	}
	return true
}

func (w *styleWalker) end(name string) {
	if name == "style" {
		w.cur = nil
	}
}
func (*styleWalker) chars([]byte) {}

func number(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

// chain calls f for the style ("" is the default) and those it is based on, until f is satisfied.
func (s *wordStyles) chain(id string, f func(id string, st *wordStyle) bool) {
	if id == "" {
		id = s.base
	}
	for range 32 { // a base chain that loops ends here
		st := s.byID[id]
		if st == nil || f(id, st) {
			return
		}
		id = st.base
	}
}

// heading gives a style's heading level from 1, or 0. The title counts as level 1.
func (s *wordStyles) heading(id string) (level int) {
	s.chain(id, func(_ string, st *wordStyle) bool {
		switch n, ok := strings.CutPrefix(st.name, "heading "); {
		case st.outline >= 0:
			level = (st.outline + 1) % 10 // 9 is body text
			return true
		case ok && number(n, 0) > 0:
			level = min(number(n, 0), 9)
		case st.name == "title":
			level = 1
		}
		return level > 0
	})
	return level
}

// named reports whether the style or one it is based on has a name for which f holds.
func (s *wordStyles) named(id string, f func(name string) bool) (found bool) {
	s.chain(id, func(_ string, st *wordStyle) bool {
		found = f(st.name)
		return found
	})
	return found
}

func isTitle(name string) bool { return name == "title" }
func isQuote(name string) bool {
	return name == "quote" || name == "intense quote" || name == "block text"
}

func isCode(name string) bool {
	return name == "html preformatted" || name == "source code" || name == "code" || name == "macro" || name == "plain text"
}

// wordLevel is one level of a list definition.
type wordLevel struct {
	start  int
	format string
	text   string // "%1.%2."
	style  string // the paragraph style tied to this level
	legal  bool   // all numbers in it are decimal
}

// wordList is an abstract list: counters are kept here, as Word keeps them.
type wordList struct {
	levels [9]wordLevel
	link   string // the numbering style that has the levels instead
	count  [9]int
	used   [9]bool
}

// wordNum is one use of a list.
type wordNum struct {
	abstract string
	restart  map[int]int // level → its own start
	begun    bool
}

type wordNumbering struct {
	styles *wordStyles
	lists  map[string]*wordList
	nums   map[string]*wordNum

	list  *wordList // while reading
	num   *wordNum
	level int
}

func newWordNumbering(styles *wordStyles) *wordNumbering {
	return &wordNumbering{styles: styles, lists: map[string]*wordList{}, nums: map[string]*wordNum{}}
}

func (n *wordNumbering) start(e element) bool {
	switch e.name {
	case "abstractNum":
		n.list = &wordList{}
		for i := range n.list.levels {
			n.list.levels[i].start = 1
		}
		n.lists[e.value("abstractNumId")] = n.list
	case "num":
		n.num = &wordNum{restart: map[int]int{}}
		n.nums[e.value("numId")] = n.num
	case "lvl", "lvlOverride":
		n.level = min(number(e.value("ilvl"), 0), 8)
	case "abstractNumId":
		if n.num != nil {
			n.num.abstract = e.value("val")
		}
	case "startOverride":
		if n.num != nil {
			n.num.restart[n.level] = number(e.value("val"), 1)
		}
	case "numStyleLink":
		if n.list != nil {
			n.list.link = e.value("val")
		}
	}
	if n.list == nil || n.num != nil {
		return true // a level redefined for one use keeps the list's own look
	}
	l := &n.list.levels[n.level]
	switch e.name {
	case "start":
		l.start = number(e.value("val"), 1)
	case "numFmt":
		l.format = e.value("val")
	case "lvlText":
		l.text = e.value("val")
	case "pStyle":
		l.style = e.value("val")
	case "isLgl":
		l.legal = e.on()
	}
	return true
}

func (n *wordNumbering) end(name string) {
	switch name {
	case "abstractNum":
		n.list = nil
	case "num":
		n.num = nil
	}
}
func (*wordNumbering) chars([]byte) {}

// place finds which list and level number a paragraph, from itself or its styles. ok is false where nothing does.
func (n *wordNumbering) place(p *wordPara) (numID string, ilvl int, ok bool) {
	numID, ilvl = p.numID, p.ilvl
	n.styles.chain(p.style, func(id string, st *wordStyle) bool {
		if ilvl < 0 && st.ilvl >= 0 {
			ilvl = st.ilvl
		}
		if numID == "" && st.numID != "" {
			numID = st.numID
			if l := n.listOf(numID); l != nil {
				for i, lv := range l.levels {
					if lv.style == id {
						ilvl = i
					}
				}
			}
		}
		return numID != "" && ilvl >= 0
	})
	return numID, min(max(ilvl, 0), 8), numID != "" && numID != "0" && n.listOf(numID) != nil
}

// mark gives a paragraph the marker that Word shows before it. Empty paragraphs show none.
func (n *wordNumbering) mark(p *wordPara) {
	if numID, ilvl, ok := n.place(p); ok && !p.blank() {
		p.listed, p.ilvl, p.marker = true, ilvl, n.next(numID, ilvl)
	}
}

func (n *wordNumbering) listOf(numID string) *wordList {
	for range 8 { // a link that loops ends here
		num := n.nums[numID]
		if num == nil {
			return nil
		}
		l := n.lists[num.abstract]
		if l == nil || l.link == "" {
			return l
		}
		st := n.styles.byID[l.link]
		if st == nil || st.numID == numID {
			return l
		}
		numID = st.numID
	}
	return nil
}

// next counts one more paragraph at a place and gives the marker that Word shows before it.
func (n *wordNumbering) next(numID string, ilvl int) string {
	l, num := n.listOf(numID), n.nums[numID]
	if !num.begun {
		num.begun = true
		for i := range l.levels {
			if s, ok := num.restart[i]; ok {
				l.count[i], l.used[i] = s-1, true
			}
		}
	}
	for i := range ilvl {
		if !l.used[i] { // shown as it would start, and still to be counted
			l.count[i] = l.levels[i].start
		}
	}
	if !l.used[ilvl] {
		l.count[ilvl], l.used[ilvl] = l.levels[ilvl].start-1, true
	}
	l.count[ilvl]++
	for i := ilvl + 1; i < 9; i++ {
		l.used[i] = false
	}
	lv := l.levels[ilvl]
	switch lv.format {
	case "bullet":
		return "•"
	case "none":
		return ""
	}
	out := lv.text
	for i := range 9 {
		f := l.levels[i].format
		if lv.legal {
			f = "decimal"
		}
		out = strings.ReplaceAll(out, "%"+strconv.Itoa(i+1), numeral(l.count[i], f))
	}
	return strings.TrimSpace(out)
}

// numeral writes a list number as Word's format of that name does; unknown formats are decimal.
func numeral(n int, format string) string {
	switch format {
	case "lowerLetter", "upperLetter":
		if n < 1 || n > 26*32 {
			break
		}
		s := strings.Repeat(string(rune('a'+(n-1)%26)), (n-1)/26+1)
		if format == "upperLetter" {
			s = strings.ToUpper(s)
		}
		return s
	case "lowerRoman", "upperRoman":
		if n < 1 || n > 3999 {
			break
		}
		var s strings.Builder
		for _, r := range []struct {
			n int
			s string
		}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
			for n >= r.n {
				s.WriteString(r.s)
				n -= r.n
			}
		}
		if format == "upperRoman" {
			return strings.ToUpper(s.String())
		}
		return s.String()
	case "decimalZero":
		return fmt.Sprintf("%02d", n)
	case "none":
		return ""
	}
	return strconv.Itoa(n)
}
