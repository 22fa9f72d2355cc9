package search

// This file defines where credentials lie in the documents, for a person who wants them out.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docket/db"
)

// A Credential is a place that holds what looks like a credential. What it is stays untold but for the letters its kind begins with.
type Credential struct {
	DocumentKey string `json:"document_key"`
	VersionID   string `json:"version_id"`
	State       string `json:"state"` // of the version: current, superseded, deleted
	Line        int    `json:"line"`  // from 1, in the text
	Kind        string `json:"kind"`  // how all of its kind begin
}

// Credentials lists what looks like a credential in all texts that the store holds, old versions too, by document and line.
func Credentials(ctx context.Context, d *db.DB) ([]Credential, error) {
	found := []Credential{}
	err := d.View(ctx, func(tx *db.Tx) error {
		type row struct {
			version int64
			doc     db.Document
		}
		rows, err := db.Query(ctx, tx, func(r db.Row, v *row) error { return r.Scan(&v.version, &v.doc.Key, &v.doc.Current) }, `
			SELECT v.id, d.key, coalesce(d.current_version, 0) FROM version v JOIN document d ON d.id = v.document_id ORDER BY d.key, v.id DESC`)
		if err != nil {
			return fmt.Errorf("look for credentials: %w", err)
		}
		for _, r := range rows { // one text in memory at a time
			v, err := tx.Version(ctx, r.version)
			if err != nil {
				return err
			}
			text, err := tx.Text(ctx, v.Row, 0, v.Bytes)
			if err != nil {
				return err
			}
			for _, s := range secrets(text) {
				line := 1 + strings.Count(text[:s.start], "\n")
				found = append(found, Credential{r.doc.Key, v.ID, v.State(r.doc), line, s.kind})
			}
		}
		return nil
	})
	return found, err
}

// A secret is where one credential stands in a text.
type secret struct {
	start int
	kind  string
}

func secrets(s string) (found []secret) {
	for _, sh := range shapes {
		if !strings.Contains(s, sh.prefix) {
			continue
		}
		for _, m := range sh.pattern.FindAllStringSubmatchIndex(s, -1) {
			start := m[0]
			if m[3] > m[2] { // the pattern takes the character before it along
				start = m[2]
			}
			if !slices.ContainsFunc(found, func(f secret) bool { return f.start == start }) {
				found = append(found, secret{start, sh.prefix})
			}
		}
	}
	slices.SortFunc(found, func(a, b secret) int { return a.start - b.start })
	return found
}
