package search

// This file defines the replacement of a passage: what stands in the current version where the passage stood.

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"docket/db"
)

// replacement returns the id of the passage that took the place of n, whose version is not current: in the document's current
// version, or in that of the document its bytes moved to. It is "" where there is none, or none in scope.
func (r *reader) replacement(ctx context.Context, n *node, scope db.Scope) (string, error) {
	doc := n.doc
	for seen := map[int64]bool{}; doc.Current == 0; {
		if doc.MovedTo == 0 || seen[doc.ID] {
			return "", nil
		}
		seen[doc.ID] = true
		var err error
		if doc, err = r.tx.DocumentByID(ctx, doc.MovedTo); err != nil {
			return "", err
		}
	}
	if !scope.Match(doc.Key) {
		return "", nil
	}
	now, err := r.current(ctx, doc)
	if err != nil || len(now.chunks) == 0 {
		return "", err
	}
	c, start, end := now.aligned(n)
	switch {
	case c == nil:
		return "", nil
	case n.span && start < end:
		return c.SpanID(start, end), nil
	}
	return c.ID(), nil
}

// A target is a current version that replacements are looked for in.
type target struct {
	*version
	text   string
	tree   []db.Section
	chunks []db.Chunk
	spans  map[string][]place // by their text, white space folded
}

// A place is a span of a chunk.
type place struct {
	chunk      int
	start, end int
}

func (r *reader) current(ctx context.Context, doc db.Document) (*target, error) {
	if t, ok := r.targets[doc.Current]; ok {
		return t, nil
	}
	v, err := r.version(ctx, doc.Current)
	if err != nil {
		return nil, err
	}
	t := &target{version: v, spans: map[string][]place{}}
	if t.text, err = r.tx.Text(ctx, v.Row, 0, v.Bytes); err != nil {
		return nil, err
	}
	if t.tree, err = r.tx.Sections(ctx, v.Row); err != nil {
		return nil, err
	}
	if t.chunks, err = r.tx.Chunks(ctx, v.Row); err != nil {
		return nil, err
	}
	for i, c := range t.chunks {
		for _, s := range c.Spans {
			k := squeeze(t.text[s.Start:s.End])
			t.spans[k] = append(t.spans[k], place{i, s.Start, s.End})
		}
	}
	r.targets[doc.Current] = t
	return t, nil
}

// squeeze folds white space.
func squeeze(s string) string { return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ") }

// aligned finds the passage that has most of n's spans, or else the one below the same headings that stands nearest in proportion.
// For a span it also returns the equal span's range.
func (t *target) aligned(n *node) (c *db.Chunk, start, end int) {
	share := make([]int, len(t.chunks)) // bytes of n's spans
	for _, s := range n.chunk.Spans {
		from, to := max(s.Start, n.start), min(s.End, n.end)
		if from >= to {
			continue
		}
		last := -1
		for _, p := range t.spans[squeeze(n.text[from-n.chunk.Start:to-n.chunk.Start])] {
			if p.chunk != last { // once, however often it is said there
				share[p.chunk] += to - from
			}
			last = p.chunk
		}
	}
	at := -1
	better := func(i int) bool {
		if at < 0 {
			return true
		}
		if share[i] != share[at] {
			return share[i] > share[at]
		}
		if a, b := t.below(i, n.section.Path), t.below(at, n.section.Path); a != b {
			return a
		}
		return t.distance(t.chunks[i].Start, n) < t.distance(t.chunks[at].Start, n)
	}
	for i := range t.chunks {
		if (share[i] > 0 || t.below(i, n.section.Path)) && better(i) {
			at = i
		}
	}
	if at < 0 {
		return nil, 0, 0
	}
	if n.span {
		for _, p := range t.spans[squeeze(n.own())] {
			if p.chunk == at && (end == 0 || t.distance(p.start, n) < t.distance(start, n)) {
				start, end = p.start, p.end
			}
		}
	}
	return &t.chunks[at], start, end
}

// below reports whether a passage stands below these headings.
func (t *target) below(chunk int, path []string) bool {
	s := t.chunks[chunk].Section
	return s < len(t.tree) && slices.Equal(t.tree[s].Path, path)
}

// distance is how far a place is from where n stood, in proportion to both texts.
func (t *target) distance(place int, n *node) int {
	d := place*max(n.Bytes, 1) - n.start*max(t.Bytes, 1)
	return max(d, -d)
}
