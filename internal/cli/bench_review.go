package cli

// This file defines "docket bench review".

import (
	"context"
	"flag"
	"fmt"

	"docket/internal/bench"
)

// goodPrecision is the least share of right flags with which bench review is content. Of what changed, everything has to be flagged.
const goodPrecision = 0.99

var benchReviewCommand = &command{
	name: "bench review", args: "FOLDER", short: "measure how exactly review finds what an edit changed",
	long: `Copies text files of FOLDER, at most 300, to a throw-away folder with a throw-away store, adds some made notes full of repeated
sentences and tables, and makes random edits of known effect: each file gets a decision that cites a few of its sentences, rows or lines, a
whole passage or a single word, is edited, and is synced. The decisions that are flagged then are compared with those whose cited text
the edit changed. After that each file is put back, which must clear them all. FOLDER itself is only read.

Shown are, for each kind of edit, how many were made and flagged, and what a tool would have flagged that compares whole files; in all, the
recall (flagged, of those that changed) and the precision (changed, of those that are flagged). Each miss and each false flag is listed.
Exit code 1 means that something was missed or not cleared, or that the precision is below 99 %.`,
	examples: []string{"docket bench review ~/notes", "docket bench review docs --edits 200 --json"},
	min:      1, max: 1,
	setup: func(fs *flag.FlagSet) runner {
		edits := fs.Int("edits", 2000, "make at least `N` edits")
		seed := fs.Uint64("seed", 1, "the same `N` gives the same edits")
		return func(ctx context.Context, c *call, args []string) error {
			if *edits < 1 {
				return &usageError{"bench review: --edits must be at least 1", "docket help bench review"}
			}
			req := bench.ReviewRequest{Folder: args[0], Edits: *edits, Seed: *seed}
			if isTerminal(c.stderr) {
				req.Progress = func(done int) { p(c.stderr, "\r\x1b[K%d of %d edits", done, *edits) }
			}
			report, err := bench.Review(ctx, req)
			if req.Progress != nil {
				p(c.stderr, "\r\x1b[K")
			}
			if err != nil {
				return fmt.Errorf("bench review: %w", err)
			}
			if c.json {
				err = c.writeJSON(report)
			} else {
				c.printReview(report)
			}
			if err == nil && (report.Found < report.Changed || report.NotRestored > 0 || report.Precision < goodPrecision) {
				err = errFindings
			}
			return err
		}
	},
}

func (c *call) printReview(r bench.ReviewReport) {
	p(c.out, "%s, %s; seed %d\n", plural(r.Files, "file", "files"), plural(r.Edits, "edit", "edits"), r.Seed)
	for _, l := range r.LeftOut {
		p(c.out, "  %s left out: %s\n", plural(l.Count, "file", "files"), visible(l.Reason))
	}
	for _, changes := range []bool{true, false} {
		title := "edits of what is cited"
		if !changes {
			title = "edits of something else"
		}
		p(c.out, "\n%-52s %6s %8s %11s\n", title, "edits", "flagged", "whole file")
		for _, k := range r.Kinds {
			if k.Changes == changes {
				p(c.out, "  %-50s %6d %8d %11d\n", k.Edit, k.Edits, k.Flagged, k.WholeFile)
			}
		}
	}
	p(c.out, "\n%-12s %9s %10s\n", "", "recall", "precision")
	p(c.out, "%-12s %8.2f%% %9.2f%%\n", "docket", 100*r.Recall, 100*r.Precision)
	p(c.out, "%-12s %8.2f%% %9.2f%%\n", "whole file", 100*r.WholeFile.Recall, 100*r.WholeFile.Precision)
	p(c.out, "\n%d of %s cleared when the file was put back.\n", r.Restored-r.NotRestored, plural(r.Restored, "decision was", "decisions were"))
	for _, w := range r.Wrong {
		p(c.out, "\n%s: %s, %s:%d\n", w.Wrong, w.Edit, visible(w.File), w.Line)
		for _, part := range []struct{ name, text string }{{"cited", w.Cited}, {"quote", w.Quote}, {"old", w.Old}, {"new", w.New}} {
			if part.text != "" {
				p(c.out, "  %-6s %q\n", part.name, part.text)
			}
		}
	}
}
