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
	var same place
	for _, s := range n.chunk.Spans {
		from, to := max(s.Start, n.start), min(s.End, n.end)
		if from >= to {
			continue
		}
		for _, p := range t.spans[squeeze(n.text[from-n.chunk.Start:to-n.chunk.Start])] {
			share[p.chunk] += to - from
		}
	}
	// A span that is no span of the chunker's, or that another chunker cut elsewhere, may still stand in the text.
	if n.span {
		same.start = nearest(t.text, n.own(), n.start*max(len(t.text), 1)/max(n.Bytes, 1))
		same.end = same.start + len(n.own())
		for i, c := range t.chunks {
			if same.start >= c.Start && same.end <= c.End {
				return &t.chunks[i], same.start, same.end
			}
		}
	}
	path := n.section.Path
	at := -1
	better := func(i int) bool {
		if at < 0 {
			return true
		}
		if share[i] != share[at] {
			return share[i] > share[at]
		}
		if a, b := t.below(i, path), t.below(at, path); a != b {
			return a
		}
		return t.distance(i, n) < t.distance(at, n)
	}
	for i := range t.chunks {
		if (share[i] > 0 || t.below(i, path)) && better(i) {
			at = i
		}
	}
	if at < 0 {
		return nil, 0, 0
	}
	if n.span {
		for _, p := range t.spans[squeeze(n.own())] {
			if p.chunk == at {
				return &t.chunks[at], p.start, p.end
			}
		}
	}
	return &t.chunks[at], 0, 0
}

// below reports whether a passage stands below these headings.
func (t *target) below(chunk int, path []string) bool {
	s := t.chunks[chunk].Section
	return s < len(t.tree) && slices.Equal(t.tree[s].Path, path)
}

// distance is how far a passage stands from where n stood, in proportion to both texts.
func (t *target) distance(chunk int, n *node) int {
	d := t.chunks[chunk].Start*max(n.Bytes, 1) - n.start*max(t.Bytes, 1)
	return max(d, -d)
}

// nearest returns where text has s nearest to a place, or -1-len(s) where it has not.
func nearest(text, s string, place int) int {
	best := -1 - len(s)
	for from := 0; ; {
		i := strings.Index(text[from:], s)
		if i < 0 {
			return best
		}
		i += from
		if best < 0 || abs(i-place) < abs(best-place) {
			best = i
		}
		from = i + 1
	}
}

func abs(n int) int { return max(n, -n) }
