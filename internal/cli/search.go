package cli

// This file defines "docket search".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"docket/db"
	"docket/search"
)

// searchLimit is how many passages a search shows unless told otherwise.
const searchLimit = 10

var searchCommand = &command{
	name: "search", args: "WORDS...", short: "find passages",
	long: `Finds passages in the documents as they are now, best first; with --history also in earlier versions that are kept and in files
that were deleted, until docket prune removes them. Nothing in the words is query syntax: quotes, dashes, stars,
AND and parentheses are plain characters. Put -- before words that begin with a dash.

Each passage is shown with the document's key and lines, the headings it stands under, a snippet, and the id by which show, tree,
cite and check know it.`,
	examples: []string{"docket search who approved the migration", "docket search --scope notes/ --limit 3 'error: no such table'", "docket search -- --error-on-warnings"},
	min:      1, max: -1, settings: []string{nameScope, "MCP_MAX_SNIPPET_CHARS"},
	setup: func(fs *flag.FlagSet) runner {
		mode := fs.String("mode", search.Hybrid, "how to search: `MODE` is lexical (by words), semantic (by meaning) or hybrid")
		limit := fs.Int("limit", searchLimit, "the most passages, `N`")
		history := fs.Bool("history", false, "look in earlier versions and deleted documents too, and mark what is from them")
		return func(ctx context.Context, c *call, args []string) (err error) {
			if *limit < 1 {
				return &usageError{"search: --limit must be at least 1", "docket help search"}
			}
			if *mode != search.Lexical && *mode != search.Semantic && *mode != search.Hybrid {
				return &usageError{fmt.Sprintf("search: there is no mode %q", *mode), "docket help search"}
			}
			cfg, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			query := strings.Join(args, " ")
			found, err := c.find(ctx, d, cfg, search.Query{Text: query, Mode: *mode, Limit: *limit, IncludeHistory: *history})
			if err != nil {
				return err
			}
			if c.json {
				err = c.writeJSON(found)
			} else {
				c.printHits(cfg, query, found)
			}
			if err == nil && found.Status == search.Unavailable {
				err = errFindings
			}
			return err
		}
	},
}

// find searches with the settings in effect.
func (c *call) find(ctx context.Context, d *db.DB, cfg Config, q search.Query) (search.Result, error) {
	var err error
	if q.Scope, err = cfg.scope(); err != nil {
		return search.Result{}, err
	}
	q.SnippetChars = cfg.MaxSnippetChars
	return search.Evidence(ctx, d, q)
}

// printHits lays out what a search found.
func (c *call) printHits(cfg Config, query string, r search.Result) {
	if len(r.Hits) == 0 {
		p(c.out, "Nothing found for %q.\n", query)
	} else {
		p(c.out, "%s for %q\n", plural(len(r.Hits), "passage", "passages"), query)
	}
	for i, h := range r.Hits {
		p(c.out, "\n%d. %s\n", i+1, place(h.DocumentKey, &h.Location))
		if under := headings(&h.Location); under != "" {
			p(c.out, "   %s\n", under)
		}
		for line := range strings.Lines(h.Snippet) {
			fill(c.out, "   ", line)
		}
		p(c.out, "   %s", h.EvidenceID)
		if h.LifecycleState != db.Current {
			p(c.out, "  %s", h.LifecycleState)
		}
		if h.Similar > 0 {
			p(c.out, "  and %s like it", plural(h.Similar, "passage", "passages"))
		}
		p(c.out, "\n")
	}
	var notes []string
	for _, f := range r.Failures {
		did := "did not run"
		if r.IndexState.Semantic.State == search.Ready {
			did = "is not complete"
		}
		notes = append(notes, fmt.Sprintf("The %s search %s: %s.", f.Leg, did, f.Reason))
	}
	cover := r.IndexState.Coverage
	if cover.Unreadable > 0 {
		notes = append(notes, fmt.Sprintf("%s not indexed in full; `docket status` says why.", plural(cover.Unreadable, "file is", "files are")))
	}
	if from := cfg.from(nameScope); cfg.Scope != nil {
		notes = append(notes, fmt.Sprintf("Only documents in the scope %q (%s) were searched: %s.", *cfg.Scope, from, plural(cover.Documents, "document", "documents")))
	}
	for i, n := range notes {
		if i == 0 {
			p(c.out, "\n")
		}
		fill(c.out, "", n)
	}
}

// place says where something stands: notes/a.md:3-7, page 2.
func place(key string, at *search.Location) string {
	if at != nil && at.LineStart > 0 {
		key += fmt.Sprintf(":%d", at.LineStart)
		if at.LineEnd > at.LineStart {
			key += fmt.Sprintf("-%d", at.LineEnd)
		}
	}
	if at != nil && at.Page > 0 {
		key += fmt.Sprintf(", page %d", at.Page)
	}
	return visible(key)
}

// headings says under which headings something stands, or in what it is declared.
func headings(at *search.Location) string {
	switch {
	case at == nil:
		return ""
	case at.Symbol != "":
		return visible(at.Symbol)
	}
	return visible(strings.Join(at.HeadingPath, " > "))
}
