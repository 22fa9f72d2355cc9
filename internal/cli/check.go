package cli

// This file defines "docket check".

import (
	"context"
	"errors"
	"flag"

	"docket/search"
)

var checkCommand = &command{
	name: "check", args: "ID...", short: "check that cited ids stand for text of the documents as they are now",
	long: `Says of each id whether what it cites is there: valid, superseded (the document has changed since), deleted, not found, or not
an id. The exit code is 0 if all are valid, else 1.`,
	examples: []string{"docket check c_abcdefghijklmnopqrstuvwxyz c_zyxwvutsrqponmlkjihgfedcba"},
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
			read := map[string]bool{}
			for _, o := range got.Outcomes {
				read[o.EvidenceID] = o.Status == search.OK && !o.Partial
			}
			scope, err := cfg.scope()
			if err != nil {
				return err
			}
			v, err := search.CheckCitations(ctx, d, search.CitationCheck{
				IDs: args, Scope: scope, Fetched: func(id string) (bool, bool) { return read[id], false },
			})
			if err != nil {
				return err
			}
			if c.json {
				err = c.writeJSON(v)
			}
			for _, one := range v.Verdicts {
				if !c.json {
					p(c.out, "%s  %s\n", visible(one.EvidenceID), words(one.Verdict))
				}
				if one.Verdict != search.Valid && err == nil {
					err = errFindings
				}
			}
			return err
		}
	},
}
