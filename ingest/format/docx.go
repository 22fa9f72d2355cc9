package format

// This file defines the Word parser: the parts of a .docx, found by their relationships, laid out in body order.

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

const parserDOCX = "docx/1"

// ParseDOCX reads a Word document: its body in order, with headings by their styles, lists with the numbers that Word shows, tables
// with a span a row and a tab between cells, and text boxes once. A footnote, endnote or comment follows the block that refers to it;
// page headers and footers come last, each once. Text deleted in a tracked change is left out. It fails where there is no text to be
// had: an encrypted file (ErrEncrypted), an old binary one, a zip that is something else. A damaged one gives what can be read.
func ParseDOCX(data []byte, lim Limits) (*Document, error) {
	if Detect("", data) == "ole" {
		if bytes.Contains(data, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e")) {
			return nil, ErrEncrypted
		}
		return nil, errors.New("an old binary Office file, not a .docx")
	}
	a, err := openArchive(data, lim)
	if err != nil {
		return nil, err
	}
	d := &wordDocument{a: a, b: newBuilder("docx", parserDOCX, lim)}
	if a.truncated {
		d.b.note("the zip file is damaged or cut short; what stands before the damage was read")
	}
	if err := d.read(); err != nil {
		return nil, err
	}
	return d.b.finish(), nil
}

type wordDocument struct {
	a       *archive
	b       *builder
	styles  *wordStyles
	shared  wordStories
	pending piece // list items or code lines that the next paragraph may continue
}

// A wordRel is one relationship of a part.
type wordRel struct {
	id, kind, target string
	external         bool
}

// relsOf reads the relationships of a part, in their order; "" is the package itself.
func (d *wordDocument) relsOf(part string) []wordRel {
	var rels []wordRel
	dir, name := path.Split(part)
	walkPart(d.a, d.b, path.Join(dir, "_rels", name+".rels"), walkFunc(func(e element) {
		if e.name != "Relationship" {
			return
		}
		r := wordRel{id: e.value("Id"), kind: path.Base(e.value("Type")), target: e.value("Target"), external: e.value("TargetMode") == "External"}
		switch {
		case r.external:
		case strings.HasPrefix(r.target, "/"):
			r.target = r.target[1:]
		default:
			r.target = path.Join(dir, r.target)
		}
		rels = append(rels, r)
	}))
	return rels
}

// links maps a part's external relationships to their targets.
func links(rels []wordRel) map[string]string {
	m := map[string]string{}
	for _, r := range rels {
		if r.external {
			m[r.id] = r.target
		}
	}
	return m
}

func (d *wordDocument) read() error {
	main := "word/document.xml"
	for _, r := range d.relsOf("") {
		if r.kind == "officeDocument" && d.a.entries[r.target] != nil {
			main = r.target
		}
	}
	if d.a.entries[main] == nil {
		if d.a.truncated {
			return errors.New("the zip file is damaged or cut short before its text")
		}
		return errors.New("a zip file without a Word document in it")
	}
	rels := d.relsOf(main)
	target := func(kind, otherwise string) string {
		for _, r := range rels {
			if r.kind == kind && !r.external {
				return r.target
			}
		}
		return otherwise
	}

	sw := &styleWalker{wordStyles: wordStyles{byID: map[string]*wordStyle{}}}
	walkPart(d.a, d.b, target("styles", "word/styles.xml"), sw)
	d.styles = &sw.wordStyles
	d.shared = wordStories{list: newWordNumbering(d.styles), notes: map[string]*wordNote{}}
	walkPart(d.a, d.b, target("numbering", "word/numbering.xml"), d.shared.list)
	for _, kind := range []string{"footnotes", "endnotes", "comments"} {
		part := target(kind, "word/"+kind+".xml")
		d.shared.rels = links(d.relsOf(part))
		walkPart(d.a, d.b, part, newStoryWalker(&d.shared))
	}

	d.shared.rels = links(rels)
	story := newStoryWalker(&d.shared)
	walkPart(d.a, d.b, main, story)
	for _, i := range story.items() {
		if !d.item(i) {
			break
		}
	}
	d.flush()
	for _, r := range rels {
		if r.kind == "aFChunk" {
			d.b.note("a part in another format was not read: %s", r.target)
		}
	}
	d.furniture(rels)
	d.title()
	return nil
}

// item lays out one paragraph or table and then the notes it refers to. It reports false once the text is full.
func (d *wordDocument) item(i wordItem) bool {
	if i.para != nil {
		d.para(i.para)
	} else {
		d.table(i.table)
	}
	for _, key := range i.refersTo() {
		if n := d.shared.notes[key]; !n.told {
			n.told = true
			d.flush()
			d.note(n)
		}
	}
	return !d.b.cut
}

func (d *wordDocument) para(p *wordPara) {
	if p.blank() {
		return
	}
	level := d.styles.heading(p.style)
	if p.outline >= 0 {
		level = (p.outline + 1) % 10
	}
	line := p.line()
	switch {
	case level > 0:
		d.flush()
		if d.b.doc.Title == "" && d.styles.named(p.style, isTitle) {
			d.b.doc.Title = string(line.flat().text)
		}
		d.b.add(piece{kind: Heading, level: level, lines: []rich{line}})
	case p.listed:
		item := richText(strings.Repeat("  ", p.ilvl))
		item.join(line)
		d.extend(List, item)
	case d.styles.named(p.style, isCode):
		d.extend(Code, splitLines(p.rich)...)
	case d.styles.named(p.style, isQuote):
		d.flush()
		d.b.add(piece{kind: Quote, lines: []rich{line}})
	default:
		d.flush()
		d.b.add(piece{kind: Paragraph, lines: []rich{line}})
	}
}

// extend adds lines to the open list or code block, or opens one.
func (d *wordDocument) extend(kind BlockKind, lines ...rich) {
	if d.pending.kind != kind {
		d.flush()
		d.pending.kind = kind
	}
	d.pending.lines = append(d.pending.lines, lines...)
}

func (d *wordDocument) flush() {
	d.b.add(d.pending)
	d.pending = piece{}
}

// splitLines cuts text at its line ends. Links are dropped: only code is cut.
func splitLines(r rich) []rich {
	var out []rich
	for l := range strings.SplitSeq(string(r.text), "\n") {
		out = append(out, richText(l))
	}
	return out
}

func (d *wordDocument) table(t *wordTable) {
	if t.frame() {
		for _, i := range t.paras {
			d.item(i)
		}
		return
	}
	d.flush()
	p := piece{kind: Table}
	leading := true
	for i, r := range t.rows {
		leading = leading && (r.header || i == 0 && t.firstRow)
		if leading {
			p.header++
		}
		p.lines = append(p.lines, r.line())
	}
	d.b.add(p)
}

// note lays out a footnote, endnote or comment as paragraphs of their own.
func (d *wordDocument) note(n *wordNote) {
	var line rich
	switch {
	case n.number > 0:
		line.write(fmt.Sprintf("[%d] ", n.number))
	case n.author != "":
		line.write("[comment by " + n.author + "] ")
	default:
		line.write("[comment] ")
	}
	for _, i := range n.items {
		for _, l := range i.lines() {
			if l = l.trim(); l.blank() {
				continue
			}
			line.join(l)
			d.b.add(piece{kind: Paragraph, lines: []rich{line}})
			line = rich{}
		}
	}
}

// furniture lays out what stands on every page or belongs to no place in the body, each text once: notes that nothing refers to,
// page headers, page footers, the words of diagrams.
func (d *wordDocument) furniture(rels []wordRel) {
	var orphans []string
	for key, n := range d.shared.notes {
		if !n.told {
			orphans = append(orphans, key)
		}
	}
	slices.Sort(orphans)
	for _, key := range orphans {
		n := d.shared.notes[key]
		d.b.open = d.b.open[:1]
		d.note(n)
	}
	seen := map[string]bool{}
	for _, kind := range []string{"header", "footer", "diagramData"} {
		for _, r := range rels {
			if r.kind != kind || r.external {
				continue
			}
			d.shared.rels = links(d.relsOf(r.target))
			story := newStoryWalker(&d.shared)
			walkPart(d.a, d.b, r.target, story)
			for _, i := range story.items() {
				for _, l := range i.lines() {
					l = l.flat()
					if key := string(l.text); !seen[key] && l.hasLetter() {
						seen[key] = true
						d.b.add(piece{kind: Paragraph, lines: []rich{l}, outside: true})
					}
				}
			}
		}
	}
}

// title falls back to the file's properties: a title in the text is what the reader sees, theirs is often a template's.
func (d *wordDocument) title() {
	if d.b.doc.Title != "" {
		return
	}
	w := &titleWalker{}
	walkPart(d.a, d.b, "docProps/core.xml", w)
	d.b.doc.Title = string(richText(w.title).flat().text)
}

type titleWalker struct {
	in    bool
	title string
}

func (w *titleWalker) start(e element) bool {
	w.in = e.name == "title"
	return true
}
func (w *titleWalker) end(string) { w.in = false }
func (w *titleWalker) chars(b []byte) {
	if w.in {
		w.title += string(b)
	}
}
