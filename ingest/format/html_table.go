package format

// This file defines how an HTML table becomes rows, and which tables are none.

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxColumns caps what a colspan or rowspan may claim.
const maxColumns = 100

type htmlTable struct {
	rows    [][]*html.Node
	header  int // rows that lead it as its header
	heads   bool
	caption *html.Node
	nested  bool
}

// readTable gathers the rows of a table, not those of tables inside its cells.
func readTable(n *html.Node) htmlTable {
	var t htmlTable
	leading := true
	var visit func(*html.Node, bool)
	visit = func(n *html.Node, thead bool) {
		for c := range n.ChildNodes() {
			switch c.Data {
			case "caption":
				t.caption = c
			case "thead", "tbody", "tfoot":
				visit(c, c.Data == "thead")
			case "tr":
				var row []*html.Node
				heads := true
				for cell := range c.ChildNodes() {
					if cell.Type == html.ElementNode && (cell.Data == "td" || cell.Data == "th") {
						row = append(row, cell)
						heads = heads && cell.Data == "th"
						t.heads = t.heads || cell.Data == "th"
					}
				}
				if len(row) == 0 {
					continue
				}
				if leading = leading && (thead || heads); leading {
					t.header++
				}
				t.rows = append(t.rows, row)
			}
		}
	}
	visit(n, false)
	for c := range n.Descendants() {
		t.nested = t.nested || c.Data == "table"
	}
	return t
}

// arranges reports a table that only lays out the page: one column, other tables in it, or whole passages of blocks in its cells.
func (t htmlTable) arranges(n *html.Node) bool {
	role := attribute(n, "role")
	if role == "presentation" || role == "none" {
		return true
	}
	columns := 0
	for _, r := range t.rows {
		columns = max(columns, len(r))
	}
	if columns < 2 || t.nested && !t.heads {
		return true
	}
	if t.heads || t.caption != nil {
		return false
	}
	for _, r := range t.rows {
		for _, cell := range r {
			size, blocks := 0, 0
			for c := range cell.Descendants() {
				switch {
				case c.Type == html.TextNode:
					size += len(strings.TrimSpace(c.Data))
				case c.Type == html.ElementNode && block[c.Data]:
					blocks++
				}
			}
			if size > 400 && blocks > 1 {
				return true
			}
		}
	}
	return false
}

func (w *htmlWalker) table(n *html.Node) {
	t := readTable(n)
	if t.arranges(n) {
		w.flush()
		lists := w.lists
		w.lists = nil
		w.children(n)
		w.flush()
		w.lists = lists
		return
	}
	if w.items { // readers of a list go on as they were
		w.softBreak()
		w.children(n)
		return
	}
	w.flush()
	if t.caption != nil {
		w.children(t.caption)
		w.flush()
	}
	p := htmlPiece{piece: piece{kind: Table, header: t.header}, node: n}
	var below []int // for each column how many further rows the cell above covers
	for _, row := range t.rows {
		var line rich
		column := 0
		put := func(c rich, rows int) {
			if column > 0 {
				line.write("\t")
			}
			line.join(c)
			if column == len(below) {
				below = append(below, 0)
			}
			below[column] = rows - 1
			column++
		}
		covered := func() {
			for column < len(below) && below[column] > 0 {
				put(rich{}, below[column])
			}
		}
		for _, cell := range row {
			covered()
			text, counts := w.cell(cell)
			p.size, p.fromArticle, p.linked = p.size+counts.size, p.fromArticle+counts.fromArticle, p.linked+counts.linked
			rows := spanOf(cell, "rowspan")
			put(text, rows)
			for range spanOf(cell, "colspan") - 1 {
				if column >= maxColumns {
					break
				}
				put(rich{}, rows)
			}
		}
		covered()
		if strings.Trim(string(line.text), "\t ") == "" {
			line = rich{}
		}
		p.lines = append(p.lines, line)
	}
	w.pieces = append(w.pieces, p)
}

func spanOf(cell *html.Node, key string) int {
	n, err := strconv.Atoi(strings.TrimSpace(attribute(cell, key)))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxColumns)
}

// cell reads a cell's text on one line.
func (w *htmlWalker) cell(n *html.Node) (rich, htmlPiece) {
	in := &htmlWalker{article: w.article, links: w.links}
	in.children(n)
	in.flush()
	var text rich
	var counts htmlPiece
	for _, p := range in.pieces {
		counts.size, counts.fromArticle, counts.linked = counts.size+p.size, counts.fromArticle+p.fromArticle, counts.linked+p.linked
		for _, l := range p.lines {
			if l = l.flat(); l.blank() {
				continue
			}
			if len(text.text) > 0 {
				text.write(" ")
			}
			text.join(l)
		}
	}
	return text, counts
}
