package format

// This file defines the HTML parser: a saved page as its article and then everything else on it.

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

const parserHTML = "html/1"

// ParseHTML reads a page. The article comes first, in its order, then the rest of the page (navigation, side bars, footers) below no
// heading of the article: no text is dropped but that of scripts, styles and what a browser would not show beside them. The order
// is all that the search for the article decides; a page without one keeps its own.
func ParseHTML(data []byte, lim Limits) (*Document, error) {
	b := newBuilder("html", parserHTML, lim)
	d := decodeHTML(data)
	b.doc.Encoding, b.doc.Guessed = d.encoding, d.guessed
	if n := d.note(); n != "" {
		b.note("%s", n)
	}
	root, err := html.Parse(strings.NewReader(d.text))
	if err != nil { // the tree refuses more than 512 open elements
		b.note("the page is nested too deeply for its tables and lists to be told; its text was read in order")
		for _, p := range flatHTML(d.text) {
			if !b.add(p) {
				break
			}
		}
		return b.finish(), nil
	}
	w := &htmlWalker{article: articleText(root)}
	w.walk(root)
	w.flush()
	b.doc.Title = w.pageTitle()
	main, rest := w.arrange(root)
	for _, p := range main {
		b.add(p.piece)
	}
	for i, p := range rest {
		p.outside = i == 0 // leaves the article's last section
		b.add(p.piece)
	}
	return b.finish(), nil
}

// claim finds the encoding that a page says it has, in its XML declaration or in a meta element.
var claim = regexp.MustCompile(`(?i)^\s*<\?xml[^>]*?encoding=["']([\w.:-]+)["']|<meta[^>]+?charset\s*=\s*["']?\s*([\w.:-]+)`)

// decodeHTML decodes a page by what it says of itself, unless its bytes say otherwise: a byte-order mark, or being UTF-8, which text
// in another encoding next to never is, and which saved pages often are while they keep the claim they were served with.
func decodeHTML(data []byte) decoding {
	_, marked := byteOrderMark(data)
	if m := claim.FindSubmatch(data[:min(len(data), 4096)]); m != nil && marked == 0 {
		enc, name := lookup(string(m[1]) + string(m[2]))
		if enc != nil && (!utf8.Valid(data) || name == "iso-2022-jp") {
			if text, ok := decodeAs(enc, data); ok {
				return decoding{text: text, encoding: name}
			}
		}
	}
	return decode(data)
}

// articleText finds the text nodes that readability takes for the article. Every element is stamped with a number first; the
// stamps survive its rewriting of the page and lead each text back to its node.
func articleText(root *html.Node) map[*html.Node]bool {
	const stamp = "data-fid"
	var elements []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			n.Attr = append(n.Attr, html.Attribute{Key: stamp, Val: strconv.Itoa(len(elements))})
			elements = append(elements, n)
		}
	}
	parser := readability.NewParser()
	page := &url.URL{Scheme: "file", Path: "/"}
	article, err := parser.ParseDocument(root, page)
	if err != nil || article.Node == nil {
		return nil
	}
	found := map[*html.Node]bool{}
	for n := range article.Node.Descendants() {
		if n.Type != html.TextNode || strings.TrimSpace(n.Data) == "" {
			continue
		}
		for up := n.Parent; up != nil; up = up.Parent {
			id, err := strconv.Atoi(attribute(up, stamp))
			if err != nil || id >= len(elements) {
				continue
			}
			markText(elements[id], n.Data, found)
			break
		}
	}
	return found
}

// markText marks the text that stands directly in an element: the node of that very text, or all of them where it was rewritten.
func markText(e *html.Node, text string, found map[*html.Node]bool) {
	for c := range e.ChildNodes() {
		if c.Type == html.TextNode && c.Data == text {
			found[c] = true
			return
		}
	}
	for c := range e.ChildNodes() {
		if c.Type == html.TextNode {
			found[c] = true
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// arrange parts the page's pieces into the article and the rest. Readability's choice is widened to the element that holds nearly
// all of it, so that a heading it drops stays above its text; what inside that element looks like navigation stays outside.
func (w *htmlWalker) arrange(root *html.Node) (main, rest []htmlPiece) {
	if len(w.article) == 0 {
		return w.pieces, nil
	}
	size := map[*html.Node]int{}
	for n := range w.article {
		for up := n.Parent; up != nil; up = up.Parent {
			size[up] += len(n.Data)
		}
	}
	body := root
	for descend := true; descend; {
		descend = false
		for c := range body.ChildNodes() {
			if size[c]*20 >= size[root]*19 {
				body, descend = c, true
				break
			}
		}
	}
	headed := false // the page's first h1 heads the article wherever it stands
	for _, p := range w.pieces {
		top := p.kind == Heading && p.level == 1 && !headed
		headed = headed || top
		if top || p.fromArticle*2 >= p.size || within(p.node, body) && !p.isNavigation(body) {
			main = append(main, p)
		} else {
			rest = append(rest, p)
		}
	}
	return main, rest
}

func within(n, root *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == root {
			return true
		}
	}
	return false
}

// isNavigation judges a piece inside the article's element that readability left out.
func (p htmlPiece) isNavigation(root *html.Node) bool {
	if p.linked*2 > p.size {
		return true
	}
	for n := p.node; n != nil && n != root; n = n.Parent {
		switch n.Data {
		case "nav", "aside", "footer", "form", "button", "select":
			return true
		}
		switch attribute(n, "role") {
		case "navigation", "complementary", "contentinfo", "search", "menu", "dialog":
			return true
		}
	}
	return false
}

// pageTitle is the <title>, or the first heading.
func (w *htmlWalker) pageTitle() string {
	if t := string(richText(w.title).flat().text); t != "" {
		return t
	}
	for _, p := range w.pieces {
		if p.kind == Heading {
			return string(p.lines[0].flat().text)
		}
	}
	return ""
}

// flatHTML reads a page by its tokens alone, into paragraphs and headings.
func flatHTML(src string) []piece {
	var out []piece
	var cur rich
	level, skip := 0, ""
	flush := func() {
		kind := Paragraph
		if level > 0 {
			kind = Heading
		}
		if !cur.blank() {
			out = append(out, piece{kind: kind, level: level, lines: []rich{cur.flat()}})
		}
		cur = rich{}
	}
	z := html.NewTokenizer(strings.NewReader(src))
	for {
		switch z.Next() {
		case html.ErrorToken:
			flush()
			return out
		case html.TextToken:
			if skip == "" {
				cur.write(string(z.Text()))
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			tag := string(name)
			if skip == "" && (dropped[tag] || tag == "title") {
				skip = tag
			}
			if block[tag] {
				flush()
				level = headingLevel(tag)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := string(name)
			if tag == skip {
				skip = ""
			}
			if block[tag] {
				flush()
				level = 0
			}
		}
	}
}

func headingLevel(tag string) int {
	if len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6' {
		return int(tag[1] - '0')
	}
	return 0
}

// ordinal gives the marker of an ordered list's next item.
func ordinal(n int) string { return fmt.Sprintf("%d. ", n) }
