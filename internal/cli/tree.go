package cli

// This file defines "docket tree".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"docket/db"
	"docket/search"
)

var relations = []string{"parent", "children", "siblings", "previous", "next", "table_context"}

// treeChars bounds the texts that one tree shows.
const treeChars = 1_000_000

var treeCommand = &command{
	name: "tree", args: "KEY | ID", short: "show a document's headings and passages, or what stands around a passage",
	long: `With a document's key, shows its headings, and under each the passages with their ids and how they begin.

With the id of a passage, shows the passages that stand in a relation to it, in the same version of the document: its parent (the
section, or for a sentence the passage), its children (sentences, list items, rows of a table), its siblings in the section, those
previous and next in reading order, or for a piece of a table its table_context: the header, the caption, and the rows beside it.`,
	examples: []string{"docket tree notes/lease.md", "docket tree c_abcdefghijklmnopqrstuvwxyz --relation next --limit 3"},
	min:      1, max: 1, settings: readerSettings,
	setup: func(fs *flag.FlagSet) runner {
		relation := fs.String("relation", "parent", "for an id: `RELATION` is "+strings.Join(relations, ", "))
		limit := fs.Int("limit", 10, "for an id: the most passages, `N`")
		return func(ctx context.Context, c *call, args []string) (err error) {
			if !slices.Contains(relations, *relation) {
				return &usageError{fmt.Sprintf("tree: there is no relation %q", *relation), "docket help tree"}
			}
			if *limit < 1 {
				return &usageError{"tree: --limit must be at least 1", "docket help tree"}
			}
			cfg, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			scope, err := cfg.scope()
			if err != nil {
				return err
			}
			if _, isID := db.ParseEvidenceID(args[0]); isID {
				return c.around(ctx, d, search.NavigateRequest{ID: args[0], Relation: *relation, Limit: *limit, MaxChars: treeChars, Scope: scope})
			}
			return c.outline(ctx, d, args[0], scope)
		}
	},
}

func (c *call) outline(ctx context.Context, d *db.DB, key string, scope db.Scope) error {
	o, err := search.Tree(ctx, d, key, scope)
	if errors.Is(err, db.ErrNotFound) {
		return &hintedError{fmt.Errorf("document %s: %w", key, db.ErrNotFound), "a key is ROOT/path/in/it, as search prints it; `docket status KEY` tells what became of a file"}
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(o)
	}
	p(c.out, "%s\n", visible(o.DocumentKey))
	if o.Title != "" {
		p(c.out, "%s\n", visible(o.Title))
	}
	for _, s := range o.Sections {
		indent := strings.Repeat("  ", s.Level)
		if s.Heading != "" {
			p(c.out, "\n%s%s\n", strings.Repeat("  ", max(0, s.Level-1)), visible(s.Heading))
		} else if len(s.Chunks) > 0 {
			p(c.out, "\n")
		}
		for _, chunk := range s.Chunks {
			text := chunk.Snippet
			for s.Heading != "" && s.Symbol == "" { // the headings stand above already
				head, rest, more := strings.Cut(text, "\n")
				if head = strings.TrimSpace(head); !more || head != "" && !strings.HasPrefix(head, "#") {
					break
				}
				text = rest
			}
			p(c.out, "%s%s  %s\n", indent, chunk.EvidenceID, begin(text, width-len(indent)-len(chunk.EvidenceID)-2))
		}
	}
	return nil
}

// begin returns the beginning of a text on one line of at most n characters.
func begin(text string, n int) string {
	line := []rune(strings.Join(strings.Fields(visible(text)), " "))
	if n = max(n, 16); len(line) > n {
		return strings.TrimSpace(string(line[:n-1])) + "…"
	}
	return string(line)
}

func (c *call) around(ctx context.Context, d *db.DB, r search.NavigateRequest) error {
	n, err := search.Navigate(ctx, d, r)
	if err != nil {
		return err
	}
	if n.Status == search.NotFound || n.Status == search.InvalidID {
		return missing([]search.Outcome{{Status: n.Status, EvidenceID: r.ID}})
	}
	if c.json {
		return c.writeJSON(n)
	}
	if len(n.Items) == 0 {
		p(c.out, "%s has no %s.\n", r.ID, words(r.Relation))
	}
	for i, item := range n.Items {
		if i > 0 {
			p(c.out, "\n")
		}
		c.printOutcome(item.Outcome)
	}
	if n.Truncated {
		p(c.out, "\nThere is more; a larger --limit shows it.\n")
	}
	return nil
}
