package format

// This file defines how a page's tree becomes pieces: paragraphs, headings, lists, tables and preformatted text.

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// dropped are the elements whose text no reader of the page sees.
var dropped = set("script style template noscript iframe object embed applet audio video canvas noframes annotation annotation-xml rp rt head")

// block are the elements that end the line before them and the line they end.
var block = set(`address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer
	form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre section select summary
	table tbody td textarea tfoot th thead tr ul title button`)

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}

// htmlPiece is a piece and what decides whether it belongs to the article.
type htmlPiece struct {
	piece
	node        *html.Node // the element it stands in
	size        int        // bytes of text,
	fromArticle int        // of them in readability's article,
	linked      int        // and in links
}

type htmlWalker struct {
	article map[*html.Node]bool
	pieces  []htmlPiece
	title   string

	cur   htmlPiece // what is being gathered; its text is in line, and in lines for a list
	line  rich
	level int    // of the open heading
	quote int    // open blockquotes
	lists []*int // the open lists, with their next number; nil for bullets
	pre   int    // open pre elements
	links int    // open links
	items bool   // cur is a list
}

// flush ends the piece that is being gathered.
func (w *htmlWalker) flush() {
	w.endLine()
	if len(w.cur.lines) > 0 {
		w.pieces = append(w.pieces, w.cur)
	}
	w.cur, w.items = htmlPiece{}, false
}

// endLine ends a paragraph, heading or list item.
func (w *htmlWalker) endLine() {
	line := w.line
	w.line = rich{}
	if line.blank() {
		return
	}
	line = line.trimRight()
	w.cur.lines = append(w.cur.lines, line)
	if w.items {
		return
	}
	w.cur.kind, w.cur.level = Paragraph, w.level
	switch {
	case w.level > 0:
		w.cur.kind = Heading
	case w.quote > 0:
		w.cur.kind = Quote
	}
	w.pieces = append(w.pieces, w.cur)
	w.cur = htmlPiece{}
}

// text adds a text node's text, with its white space folded as a browser does.
func (w *htmlWalker) text(n *html.Node) {
	s := strings.ReplaceAll(n.Data, "\u00ad", "") // only says where a word may break
	w.count(n, s)
	if w.pre > 0 {
		w.line.write(s)
		return
	}
	for i, f := range strings.FieldsFunc(s, htmlSpace) {
		if i > 0 || htmlSpace(rune(s[0])) {
			w.space()
		}
		w.line.write(f)
	}
	if s != "" && htmlSpace(rune(s[len(s)-1])) {
		w.space()
	}
}

func (w *htmlWalker) count(n *html.Node, s string) {
	size := len(strings.TrimSpace(s))
	if size == 0 {
		return
	}
	if w.cur.node == nil {
		w.cur.node = n.Parent
	}
	w.cur.size += size
	if w.article[n] {
		w.cur.fromArticle += size
	}
	if w.links > 0 {
		w.cur.linked += size
	}
}

func htmlSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f' }

func (w *htmlWalker) space() {
	if n := len(w.line.text); n > 0 && !htmlSpace(rune(w.line.text[n-1])) {
		w.line.write(" ")
	}
}

func (w *htmlWalker) children(n *html.Node) {
	for c := range n.ChildNodes() {
		w.walk(c)
	}
}

func (w *htmlWalker) walk(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.text(n)
		return
	case html.DocumentNode:
		w.children(n)
		return
	case html.ElementNode:
	default:
		return
	}
	tag := n.Data
	switch {
	case tag == "head":
		w.head(n)
	case dropped[tag]:
	case n.Namespace == "svg" && (tag == "title" || tag == "desc" || tag == "defs"):
	case tag == "br":
		w.line.write("\n")
	case tag == "a":
		w.link(n)
	case headingLevel(tag) > 0 && len(w.lists) == 0:
		w.flush()
		w.level = headingLevel(tag)
		w.children(n)
		w.flush()
		w.level = 0
	case tag == "ul" || tag == "ol" || tag == "menu" || tag == "dir":
		w.list(n)
	case tag == "li" && len(w.lists) > 0:
		w.item(n)
	case tag == "table":
		w.table(n)
	case tag == "pre" || tag == "textarea" || tag == "listing":
		w.preformatted(n)
	case tag == "blockquote":
		w.flush()
		w.quote++
		w.children(n)
		w.flush()
		w.quote--
	case block[tag] && w.items:
		w.softBreak()
		w.children(n)
		w.softBreak()
	case block[tag]:
		w.flush()
		w.children(n)
		w.flush()
	default:
		w.children(n)
	}
}

// softBreak parts the paragraphs of one list item.
func (w *htmlWalker) softBreak() {
	t := strings.TrimRight(string(w.line.text), " ")
	if t != "" && !strings.HasSuffix(t, "\n") && !markerOnly(t) {
		w.line.write("\n")
	}
}

// markerOnly reports a line that so far holds nothing but its marker.
func markerOnly(s string) bool {
	s = strings.TrimSpace(s)
	_, err := strconv.Atoi(strings.TrimSuffix(s, "."))
	return s == "•" || err == nil && strings.HasSuffix(s, ".")
}

func (w *htmlWalker) head(n *html.Node) {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && c.Parent.Data == "title" && c.Parent.Namespace == "" {
			w.title += c.Data
		}
	}
}

func (w *htmlWalker) link(n *html.Node) {
	href := strings.TrimSpace(attribute(n, "href"))
	start := len(w.line.text)
	w.links++
	before := len(w.pieces)
	w.children(n)
	w.links--
	scheme, _, _ := strings.Cut(strings.ToLower(href), ":")
	if href == "" || scheme == "javascript" || scheme == "data" || before != len(w.pieces) || start >= len(w.line.text) {
		return // also a link around whole blocks, which has no text of its own
	}
	target, fragment, _ := strings.Cut(href, "#")
	l := Link{Kind: "link", Target: target, Fragment: fragment, Start: start, End: len(w.line.text)}
	if shown := strings.TrimSpace(string(w.line.text[start:])); shown != href {
		l.Text = shown
	}
	w.line.links = append(w.line.links, l)
}

// list gathers a list's items as lines of one piece, those of nested lists between them. A list whose items hold headings or tables
// only arranges the page, and is read as if it were not there.
func (w *htmlWalker) list(n *html.Node) {
	if arranges(n) {
		w.flush()
		lists := w.lists
		w.lists = nil
		w.children(n)
		w.flush()
		w.lists = lists
		return
	}
	if len(w.lists) == 0 {
		w.flush()
		w.items, w.cur.kind = true, List
	} else {
		w.endLine()
	}
	var next *int
	if n.Data == "ol" {
		start, err := strconv.Atoi(attribute(n, "start"))
		if err != nil {
			start = 1
		}
		next = &start
	}
	w.lists = append(w.lists, next)
	w.children(n)
	w.endLine()
	w.lists = w.lists[:len(w.lists)-1]
	if len(w.lists) == 0 {
		w.flush()
	}
}

func arranges(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && (headingLevel(c.Data) > 0 || c.Data == "table" || c.Data == "pre") {
			return true
		}
	}
	return false
}

func (w *htmlWalker) item(n *html.Node) {
	w.endLine()
	marker := "• "
	if next := w.lists[len(w.lists)-1]; next != nil {
		if v, err := strconv.Atoi(attribute(n, "value")); err == nil {
			*next = v
		}
		marker = ordinal(*next)
		*next++
	}
	w.line.write(strings.Repeat("  ", min(len(w.lists)-1, 9)) + marker)
	w.children(n)
	if markerOnly(string(w.line.text)) {
		w.line = rich{}
	}
	w.endLine()
}

func (w *htmlWalker) preformatted(n *html.Node) {
	if w.items { // code in a list item stays in it
		w.softBreak()
		w.children(n)
		w.softBreak()
		return
	}
	w.flush()
	w.pre++
	w.children(n)
	w.pre--
	if w.pre > 0 {
		return
	}
	w.cur.kind = Code
	w.cur.lines = splitLines(w.line)
	w.line = rich{}
	if len(w.cur.lines) > 0 {
		w.pieces = append(w.pieces, w.cur)
	}
	w.cur = htmlPiece{}
}
