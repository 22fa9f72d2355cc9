package format

// This file defines the check of a Document's invariant.

import (
	"fmt"
	"unicode/utf8"
)

// Check reports the first way in which the document breaks what this package promises: valid text, ranges that lie in it on code-point
// borders, blocks and spans in order and not empty, sections that form a tree. A parser's own document always passes; a document that
// came from another process must be asked.
func (d *Document) Check() error {
	if !utf8.ValidString(d.Text) {
		return fmt.Errorf("the text is not UTF-8")
	}
	within := func(start, end int) bool {
		return 0 <= start && start <= end && end <= len(d.Text) && d.border(start) && d.border(end)
	}
	if len(d.Sections) == 0 || d.Sections[0].Parent != -1 || d.Sections[0].Level != 0 {
		return fmt.Errorf("the first section is not the document")
	}
	for i, s := range d.Sections {
		if !within(s.Start, s.End) {
			return fmt.Errorf("section %d lies outside the text", i)
		}
		if i > 0 && (s.Parent < 0 || s.Parent >= i || s.Level <= d.Sections[s.Parent].Level) {
			return fmt.Errorf("section %d hangs from no section above it", i)
		}
	}
	last := 0
	for i, b := range d.Blocks {
		if !within(b.Start, b.End) || b.Start >= b.End || b.Start < last {
			return fmt.Errorf("block %d is empty, out of order or outside the text", i)
		}
		last = b.End
		if b.Section < 0 || b.Section >= len(d.Sections) {
			return fmt.Errorf("block %d is in no section", i)
		}
		if b.Page < 0 || b.Page > d.Pages {
			return fmt.Errorf("block %d is on page %d of %d", i, b.Page, d.Pages)
		}
		if !within(b.HeaderStart, b.HeaderEnd) || b.HeaderEnd > 0 && (b.HeaderStart < b.Start || b.HeaderEnd > b.End) {
			return fmt.Errorf("block %d has its header elsewhere", i)
		}
		if len(b.Spans) == 0 {
			return fmt.Errorf("block %d has no span", i)
		}
		at := b.Start
		for j, s := range b.Spans {
			if s.Start < at || s.Start >= s.End || s.End > b.End || !within(s.Start, s.End) {
				return fmt.Errorf("span %d of block %d is empty, out of order or outside the block", j, i)
			}
			at = s.End
		}
	}
	for i, l := range d.Links {
		if !within(l.Start, l.End) {
			return fmt.Errorf("link %d lies outside the text", i)
		}
	}
	for _, p := range d.NoText {
		if p < 1 || p > d.Pages {
			return fmt.Errorf("page %d without text, of %d", p, d.Pages)
		}
	}
	return nil
}

// border reports whether an offset stands between two code points.
func (d *Document) border(at int) bool { return at == len(d.Text) || utf8.RuneStart(d.Text[at]) }
