package cli

// This file defines "docket show".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"strings"

	"docket/db"
	"docket/search"
)

var showCommand = &command{
	name: "show", args: "ID...", short: "show the exact text of passages",
	long: `Shows the whole text of passages, by the ids that search prints. Ids of older versions and of deleted documents show the text
that they stood for, and say so. Control characters are made visible; --json has the text exactly as it is stored.`,
	examples: []string{"docket show c_abcdefghijklmnopqrstuvwxyz"},
	min:      1, max: -1, settings: readerSettings,
	setup: func(*flag.FlagSet) runner {
		return func(ctx context.Context, c *call, args []string) (err error) {
			cfg, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			got, err := c.fetch(ctx, d, cfg, args)
			if err != nil {
				return err
			}
			if c.json {
				err = c.writeJSON(got)
			} else {
				for i, o := range got.Outcomes {
					if i > 0 {
						p(c.out, "\n")
					}
					c.printOutcome(o)
				}
			}
			return errors.Join(err, missing(got.Outcomes))
		}
	},
}

// fetch gets the whole text of ids.
func (c *call) fetch(ctx context.Context, d *db.DB, cfg Config, ids []string) (search.Fetched, error) {
	scope, err := cfg.scope()
	if err != nil {
		return search.Fetched{}, err
	}
	return search.Fetch(ctx, d, search.FetchRequest{IDs: ids, MaxChars: math.MaxInt32, Scope: scope})
}

// printOutcome lays out one passage with its text.
func (c *call) printOutcome(o search.Outcome) {
	if o.Status != search.OK {
		p(c.out, "%s  %s\n", visible(o.EvidenceID), words(o.Status))
		return
	}
	p(c.out, "%s\n", place(o.DocumentKey, o.Location))
	if under := headings(o.Location); under != "" {
		p(c.out, "%s\n", under)
	}
	p(c.out, "%s", o.EvidenceID)
	if o.StatusOfVersion != db.Current {
		p(c.out, "  %s", words(o.StatusOfVersion))
		if o.CurrentEvidenceID != "" {
			p(c.out, ", now %s", o.CurrentEvidenceID)
		}
	}
	p(c.out, "\n\n%s\n", strings.TrimSuffix(visible(o.Text), "\n"))
}

// words makes a word of an answer readable: not_found is "not found".
func words(s string) string { return strings.ReplaceAll(s, "_", " ") }

// missing is an error if there is no text for one of the outcomes.
func missing(outcomes []search.Outcome) error {
	var errs []error
	for _, o := range outcomes {
		switch o.Status {
		case search.OK:
		case search.InvalidID:
			errs = append(errs, &hintedError{fmt.Errorf("%s is not an id of a passage", o.EvidenceID), "search prints ids, and `docket tree KEY` those of a document"})
		default:
			errs = append(errs, fmt.Errorf("%s: %s", o.EvidenceID, words(o.Status)))
		}
	}
	return errors.Join(errs...)
}
