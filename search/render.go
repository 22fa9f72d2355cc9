package search

// This file defines numbered references: a draft's markers become numbers, and the numbers a list.

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"docket/db"
)

// A RenderRequest asks for numbered references: those that a draft marks with [[c_…]] or [[s_…]], or those listed.
type RenderRequest struct {
	Draft string
	IDs   []string // cited besides, after the draft's own
	Scope db.Scope
}

// Rendered is a draft with numbers for its markers, and the list they point into.
type Rendered struct {
	UnknownIDs []string    `json:"unknown_ids"` // cited, and nothing in scope has them; their markers stay as they are
	Text       string      `json:"text"`
	References []Reference `json:"references"`
}

// A Reference is one entry of the numbered list.
type Reference struct {
	Number           int       `json:"number"` // from 1, in order of first mention
	EvidenceID       string    `json:"evidence_id"`
	DocumentKey      string    `json:"document_key"`
	Title            string    `json:"title"`
	URI              string    `json:"uri"`
	Location         *Location `json:"location"`
	ContentHash      string    `json:"content_hash"`
	StatusOfVersion  string    `json:"status_of_version"`
	CitationMarkdown string    `json:"citation_markdown"`
}

// marker is an id in double brackets. What is nothing like an id stays text: `[[Page]]` is somebody's link. What was meant as one and is
// none, as it was cut, or has a second beside it, must not go out unseen: it is an unknown id.
var marker = regexp.MustCompile(`\[\[\s*([cs]_[a-z2-7]{26}|[^\[\]\n]*\b[csCS]_[A-Za-z0-9]{16,}[^\[\]\n]*?)\s*\]\]`)

// RenderCitations numbers the references of a draft in order of first mention, then those of the ids that are given besides, and lists
// them. With ids alone the text is the list.
func RenderCitations(ctx context.Context, d *db.DB, r RenderRequest) (Rendered, error) {
	out := Rendered{UnknownIDs: []string{}, References: []Reference{}}
	err := d.View(ctx, func(tx *db.Tx) error {
		lines := newReader(tx)
		number := map[string]int{}
		cite := func(id string) (int, error) {
			if n, ok := number[id]; ok {
				return n, nil
			}
			o, err := lines.resolve(ctx, id, r.Scope)
			if errors.Is(err, db.ErrNotFound) || errors.Is(err, errBadID) {
				if !slices.Contains(out.UnknownIDs, id) {
					out.UnknownIDs = append(out.UnknownIDs, id)
				}
				return 0, nil
			}
			if err != nil {
				return 0, err
			}
			l := o.location()
			number[id] = len(number) + 1
			out.References = append(out.References, Reference{
				Number: number[id], EvidenceID: id, DocumentKey: o.doc.Key, Title: o.Title, URI: o.uri(l), Location: &l,
				ContentHash: o.ContentHash.String(), StatusOfVersion: o.state(), CitationMarkdown: o.citation(l),
			})
			return number[id], nil
		}
		var text strings.Builder
		at := 0
		for _, m := range marker.FindAllStringSubmatchIndex(r.Draft, -1) {
			n, err := cite(r.Draft[m[2]:m[3]])
			if err != nil {
				return err
			}
			if n > 0 {
				fmt.Fprintf(&text, "%s[%d]", r.Draft[at:m[0]], n)
				at = m[1]
			}
		}
		text.WriteString(r.Draft[at:])
		for _, id := range r.IDs {
			if _, err := cite(id); err != nil {
				return err
			}
		}
		if text.Len() > 0 && len(out.References) > 0 {
			text.WriteString("\n\n")
		}
		for _, ref := range out.References {
			fmt.Fprintf(&text, "%d. %s\n", ref.Number, ref.CitationMarkdown)
		}
		out.Text = text.String()
		return nil
	})
	if err != nil {
		return Rendered{UnknownIDs: []string{}, References: []Reference{}}, err
	}
	return out, nil
}

// citation returns a Markdown link to the node, with its id as the link's title. Nothing in a title or heading is markup in it.
func (n *node) citation(l Location) string {
	parts := []string{n.Title}
	for _, h := range l.HeadingPath {
		if h != n.Title {
			parts = append(parts, h)
		}
	}
	label := plain(strings.Join(parts, " › "))
	switch {
	case l.Page > 0:
		label += fmt.Sprintf(", page %d", l.Page)
	case l.LineEnd > l.LineStart:
		label += fmt.Sprintf(", lines %d–%d", l.LineStart, l.LineEnd)
	case l.LineStart > 0:
		label += fmt.Sprintf(", line %d", l.LineStart)
	}
	if s := n.state(); s != db.Current {
		label += " (" + s + ")"
	}
	return "[" + label + "](" + n.uri(l) + ` "` + n.id() + `")`
}

// plain escapes text so that Markdown shows it as it is, on one line.
func plain(s string) string {
	var b strings.Builder
	for _, r := range visible(squeeze(s)) {
		if strings.ContainsRune("\\`*_{}[]()<>#|!~&$\"", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
