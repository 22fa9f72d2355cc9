package search

// This file defines navigate_document_tree: passages near a known one.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"docket/db"
)

// A NavigateRequest asks for passages near a known one, in the same version.
type NavigateRequest struct {
	ID       string
	Relation string // parent, children, siblings, previous, next, table_context
	Limit    int
	MaxChars int // of all texts together
	Scope    db.Scope
}

// A Navigation is the answer to a [NavigateRequest].
type Navigation struct {
	Status           string `json:"status"`
	VersionStatus    string `json:"version_status,omitempty"`
	MultiSection     bool   `json:"multi_section"` // the items span more than one section
	Truncated        bool   `json:"truncated"`
	TruncationReason string `json:"truncation_reason,omitempty"` // limit, max_chars
	Items            []Item `json:"items"`
}

// An Item is a node of the tree: an outcome, and the level it stands on.
type Item struct {
	Outcome
	Level string `json:"level"` // section, chunk, span
}

// The levels of an [Item].
const (
	levelSection = "section" // a heading
	levelChunk   = "chunk"
	levelSpan    = "span"
)

// Navigate returns passages near a known one, in the same version of its document, whatever became of that version.
func Navigate(ctx context.Context, d *db.DB, r NavigateRequest) (Navigation, error) {
	if r.Limit < 1 || r.MaxChars < 1 {
		return Navigation{}, fmt.Errorf("navigate to %d items of %d characters: want at least 1", r.Limit, r.MaxChars)
	}
	relation, ok := relations[r.Relation]
	if !ok {
		return Navigation{}, fmt.Errorf("relation %q: want parent, children, siblings, previous, next or table_context", r.Relation)
	}
	out := Navigation{Status: None, Items: []Item{}}
	err := d.View(ctx, func(tx *db.Tx) error {
		lines := newReader(tx)
		n, err := lines.resolve(ctx, r.ID, r.Scope)
		switch {
		case errors.Is(err, errBadID):
			out.Status = InvalidID
			return nil
		case errors.Is(err, db.ErrNotFound):
			out.Status = NotFound
			return nil
		case err != nil:
			return err
		}
		out.VersionStatus = n.state()
		t := &tree{node: n, gap: func(start, end int) string {
			var text string
			if err == nil {
				text, err = tx.Text(ctx, n.Row, start, end)
			}
			return text
		}}
		if t.all, err = tx.Sections(ctx, n.Row); err != nil {
			return err
		}
		if t.chunks, err = tx.Chunks(ctx, n.Row); err != nil {
			return err
		}
		steps := relation(t)
		if err != nil {
			return err
		}
		return lines.items(ctx, t, steps, r, &out)
	})
	return out, err
}

// items reads the steps of a relation into the answer, as far as the limits go.
func (r *reader) items(ctx context.Context, t *tree, steps []step, req NavigateRequest, out *Navigation) error {
	left := req.MaxChars
	sections := map[int]bool{}
	for i, s := range steps {
		if i == req.Limit {
			out.Truncated, out.TruncationReason = true, "limit"
			break
		}
		n, err := r.chunk(ctx, *s.chunk)
		if err != nil {
			return err
		}
		if s.level != levelChunk {
			n = n.part(s.start, s.end)
		}
		o, err := r.outcome(ctx, &n, left, req.Scope)
		if err != nil {
			return err
		}
		if o.Text != "" {
			out.Items = append(out.Items, Item{o, s.level})
			sections[t.sectionAt(n.start)], sections[t.sectionAt(n.end-1)] = true, true
		}
		if left -= utf8.RuneCountInString(o.Text); o.Partial || left == 0 && i+1 < len(steps) {
			out.Truncated, out.TruncationReason = true, "max_chars"
			break
		}
	}
	if len(steps) > 0 {
		out.Status = OK
	}
	out.MultiSection = len(sections) > 1
	return nil
}

// A tree is a version as seen from one of its nodes.
type tree struct {
	node
	all    []db.Section
	chunks []db.Chunk                  // in reading order
	gap    func(start, end int) string // reads the version's text
}

// A step is a node that a relation leads to.
type step struct {
	chunk      *db.Chunk
	start, end int
	level      string
}

func (t *tree) chunkStep(c *db.Chunk) step { return step{c, c.Start, c.End, levelChunk} }

var relations = map[string]func(*tree) []step{
	"parent":        (*tree).parent,
	"children":      (*tree).children,
	"siblings":      (*tree).siblings,
	"previous":      (*tree).previous,
	"next":          (*tree).next,
	"table_context": (*tree).tableContext,
}

// parent leads from a span to its passage, and from a passage to its section: the heading and all its passages.
func (t *tree) parent() []step {
	if t.span {
		return []step{t.chunkStep(&t.chunk)}
	}
	var out []step
	if h, ok := t.heading(); ok {
		out = append(out, h)
	}
	for i := range t.chunks {
		if c := &t.chunks[i]; c.Section == t.chunk.Section {
			out = append(out, t.chunkStep(c))
		}
	}
	return out
}

// heading leads to the heading of the node's section, which is the span that the section starts with.
func (t *tree) heading() (step, bool) {
	if t.chunk.Section == 0 {
		return step{}, false
	}
	start := t.section.Start
	for i := range t.chunks {
		c := &t.chunks[i]
		if start < c.Start || start >= c.End {
			continue
		}
		for _, s := range c.Spans {
			if s.End > start {
				return step{c, s.Start, s.End, levelSection}, true
			}
		}
	}
	return step{}, false
}

// children leads from a passage to its spans.
func (t *tree) children() []step {
	if t.span {
		return nil
	}
	return spanSteps(&t.chunk, func(db.Span) bool { return true })
}

// siblings leads to the other passages of the section, or the other spans of the passage.
func (t *tree) siblings() []step {
	if t.span {
		return spanSteps(&t.chunk, func(s db.Span) bool { return s.End <= t.start || s.Start >= t.end })
	}
	var out []step
	for i := range t.chunks {
		if c := &t.chunks[i]; c.Section == t.chunk.Section && c.Row != t.chunk.Row {
			out = append(out, t.chunkStep(c))
		}
	}
	return out
}

// previous walks back in reading order, the nearest first, on the node's own level.
func (t *tree) previous() []step {
	out := t.level()
	slices.Reverse(out)
	return slices.DeleteFunc(out, func(s step) bool { return s.end > t.start })
}

// next walks on.
func (t *tree) next() []step {
	return slices.DeleteFunc(t.level(), func(s step) bool { return s.start < t.end })
}

// level returns all passages, or all spans, in reading order.
func (t *tree) level() []step {
	var out []step
	for i := range t.chunks {
		if t.span {
			out = append(out, spanSteps(&t.chunks[i], func(db.Span) bool { return true })...)
		} else {
			out = append(out, t.chunkStep(&t.chunks[i]))
		}
	}
	return out
}

func spanSteps(c *db.Chunk, keep func(db.Span) bool) []step {
	var out []step
	for _, s := range c.Spans {
		if keep(s) {
			out = append(out, step{c, s.Start, s.End, levelSpan})
		}
	}
	return out
}

// sectionAt returns the innermost section around a place.
func (t *tree) sectionAt(at int) int {
	out := 0
	for i, s := range t.all {
		if s.Start <= at && at < s.End {
			out = i
		}
	}
	return out
}

// tableContext leads from a piece of a table to the table's header, to the paragraph before the table, and to the rows before and
// behind the piece.
func (t *tree) tableContext() []step {
	var all []step // every span of the version
	row := []bool{}
	first, last := -1, -1 // the node's rows
	for i := range t.chunks {
		for _, s := range t.chunks[i].Spans {
			if s.Kind == "row" && s.Start < t.end && s.End > t.start {
				if first < 0 {
					first = len(all)
				}
				last = len(all)
			}
			all = append(all, step{&t.chunks[i], s.Start, s.End, levelSpan})
			row = append(row, s.Kind == "row")
		}
	}
	if first < 0 {
		return nil
	}
	// The table goes back as far as rows do, in the same section; where it has a header, to that.
	from, header := first, t.chunk.HeaderStart
	headed := t.chunk.HeaderEnd > header
	for from > 0 && row[from-1] && all[from-1].chunk.Section == t.chunk.Section && (!headed || all[from-1].start >= header) {
		from--
	}
	var out []step
	inHeader := func(s step) bool { return headed && s.start >= header && s.end <= t.chunk.HeaderEnd }
	if headed && (t.start < header || t.end > t.chunk.HeaderEnd) {
		for i := range t.chunks {
			if c := &t.chunks[i]; c.Start <= header && t.chunk.HeaderEnd <= c.End {
				out = append(out, step{c, header, t.chunk.HeaderEnd, levelSpan})
			}
		}
	}
	if s, ok := t.paragraphBefore(all, from); ok {
		out = append(out, s)
	}
	if first > from && !inHeader(all[first-1]) {
		out = append(out, all[first-1])
	}
	if last+1 < len(all) && row[last+1] && all[last+1].chunk.Section == t.chunk.Section && all[last+1].chunk.HeaderStart == header {
		out = append(out, all[last+1])
	}
	return out
}

// paragraphBefore returns the paragraph that ends before the span at i, unless it is a heading.
func (t *tree) paragraphBefore(all []step, i int) (step, bool) {
	if i == 0 || all[i-1].chunk.Section != all[i].chunk.Section {
		return step{}, false
	}
	p := all[i-1]
	for j := i - 2; j >= 0 && all[j].chunk == p.chunk && !blankLine(t.gap(all[j].end, p.start)); j-- {
		p.start = all[j].start
	}
	if s := t.sectionAt(p.start); s > 0 && p.start <= t.all[s].Start {
		return step{}, false
	}
	return p, true
}

// blankLine reports whether a gap between spans holds an empty line.
func blankLine(gap string) bool {
	return strings.Count(gap, "\n") > 1 || strings.Count(gap, "\n") == 0 && strings.Count(gap, "\r") > 1
}
