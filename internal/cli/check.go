package cli

// This file defines "docket check".

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

var checkCommand = &command{
	name: "check", args: "[ID]...", short: "check that cited ids, and quotes, stand in the documents as they are now",
	long: `Says of each id whether what it cites is there: valid, superseded (the document has changed since), deleted, not found, or not
an id. With --quote ID=TEXT, also what the text is to that passage: exact; normalised, where only white space, quote marks, dashes or
case differ; altered, with what the passage says instead; elsewhere, where another of the ids given has it; joined, where it is put
together of pieces; or absent. The exit code is 0 if all ids are valid and all quotes exact or normalised, else 1.`,
	examples: []string{
		"docket check c_abcdefghijklmnopqrstuvwxyz c_zyxwvutsrqponmlkjihgfedcba",
		"docket check --quote 'c_abcdefghijklmnopqrstuvwxyz=Small pets are allowed.'",
	},
	max: -1, settings: readerSettings,
	setup: func(fs *flag.FlagSet) runner {
		var quotes []search.Quote
		fs.Func("quote", "a text that is quoted from a passage, as `ID=TEXT`; may be given more than once", func(s string) error {
			id, text, ok := strings.Cut(s, "=")
			if !ok || id == "" || strings.TrimSpace(text) == "" {
				return fmt.Errorf("%q is not ID=TEXT", s)
			}
			quotes = append(quotes, search.Quote{EvidenceID: id, Quote: text})
			return nil
		})
		return func(ctx context.Context, c *call, ids []string) (err error) {
			if len(ids) == 0 && len(quotes) == 0 {
				return &usageError{"check needs ID..., or --quote ID=TEXT", "docket help check"}
			}
			cfg, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			v, err := c.checkCitations(ctx, d, cfg, ids, quotes)
			if err != nil {
				return err
			}
			if c.json {
				err = c.writeJSON(v)
			}
			for _, one := range v.Verdicts {
				if !c.json {
					c.printVerdict(one)
				}
				stands := one.QuoteStatus == "" || one.QuoteStatus == search.Exact || one.QuoteStatus == search.Normalised
				if (one.Verdict != search.Valid || !stands) && err == nil {
					err = errFindings
				}
			}
			return err
		}
	},
}

// checkCitations fetches what is cited or quoted, and judges it.
func (c *call) checkCitations(ctx context.Context, d *db.DB, cfg Config, ids []string, quotes []search.Quote) (search.Verdicts, error) {
	all := slices.Clone(ids)
	for _, q := range quotes {
		all = append(all, q.EvidenceID)
	}
	got, err := c.fetch(ctx, d, cfg, all)
	if err != nil {
		return search.Verdicts{}, err
	}
	read := map[string]bool{}
	for _, o := range got.Outcomes {
		read[o.EvidenceID] = o.Status == search.OK && !o.Partial
	}
	scope, err := cfg.scope()
	if err != nil {
		return search.Verdicts{}, err
	}
	return search.CheckCitations(ctx, d, search.CitationCheck{
		IDs: ids, Quotes: quotes, Scope: scope, Sources: all, Fetched: func(id string) (bool, bool) { return read[id], false },
	})
}

// printVerdict lays out what was found out about one id, and about what is quoted from it.
func (c *call) printVerdict(v search.Verdict) {
	p(c.out, "%s  %s", visible(v.EvidenceID), words(v.Verdict))
	if v.QuoteStatus != "" {
		p(c.out, ", quote %d %s", *v.QuoteIndex+1, v.QuoteStatus)
	}
	switch {
	case v.Nearest != nil && v.Nearest.EvidenceID == v.EvidenceID:
		p(c.out, "; it says:")
	case v.Nearest != nil:
		p(c.out, "; %s says:", v.Nearest.EvidenceID)
	case len(v.FoundIn) > 0:
		p(c.out, ": %s", strings.Join(v.FoundIn, " "))
	}
	p(c.out, "\n")
	if v.Nearest != nil {
		fill(c.out, "   ", v.Nearest.Text)
	}
}
