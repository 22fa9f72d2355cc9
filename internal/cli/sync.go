package cli

// This file defines "docket sync".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"docket/db"
	"docket/ingest"
)

var syncCommand = &command{
	name: "sync", args: "[ROOT]...", short: "bring the index up to date with the folders",
	long: `Looks through the folders, all of them without an argument, and reads what is new or changed. What is gone leaves the index;
when most of a folder seems gone, nothing is removed until --allow-removals says that it is so. A folder that cannot be read is
offline: its documents stay as they were.`,
	examples: []string{"docket sync", "docket sync notes --allow-removals", "docket sync --rebuild"},
	max:      -1,
	setup: func(fs *flag.FlagSet) runner {
		var req ingest.SyncRequest
		fs.BoolVar(&req.Rebuild, "rebuild", false, "read every file, and make all that is derived from them anew")
		fs.BoolVar(&req.AllowRemovals, "allow-removals", false, "believe it when most documents of a folder are gone")
		return func(ctx context.Context, c *call, args []string) (err error) {
			_, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			req.Roots = args
			report, err := c.sync(ctx, d, req)
			if c.json {
				return errors.Join(err, c.writeJSON(report))
			}
			for _, r := range report.Roots {
				c.printSync(r)
			}
			if err == nil && len(report.Roots) == 0 {
				p(c.out, "There is no folder yet; `docket add FOLDER` adds one.\n")
			}
			return err
		}
	},
}

// sync runs a sync and shows how far it is.
func (c *call) sync(ctx context.Context, d *db.DB, req ingest.SyncRequest) (report ingest.SyncReport, err error) {
	w, err := c.worker()
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	m := meter{w: c.stderr, terminal: isTerminal(c.stderr)}
	req.Progress, req.Foreign = m.show, w.Parse
	report, err = ingest.Sync(ctx, d, req)
	m.clear()
	return report, err
}

// printSync sums up what a sync did in one root.
func (c *call) printSync(r ingest.RootReport) {
	p(c.out, "%s (%s)\n", visible(r.Root), visible(r.Path))
	if r.State == db.RootOffline {
		p(c.out, "  offline: %s; its documents stay as they were\n", visible(r.Reason))
		return
	}
	var parts []string
	for _, n := range []struct {
		n    int
		what string
	}{
		{r.Indexed, "indexed"},
		{r.Unchanged, "unchanged"},
		{r.Partly, "read in part"},
		{r.NoText, "without text"},
		{r.Skipped, "left out"},
		{r.Failed, "failed"},
		{r.Pending, "still changing"},
	} {
		if n.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.what))
		}
	}
	if len(parts) == 0 {
		parts = []string{"the folder is empty"}
	}
	p(c.out, "  %s: %s\n", plural(r.Files, "file", "files"), strings.Join(parts, ", "))
	if r.Removed > 0 || r.Moved > 0 {
		p(c.out, "  %s gone, %d moved\n", plural(r.Removed, "document", "documents"), r.Moved)
	}
	if r.RefusedRemovals > 0 {
		p(c.out, "  %s seem gone and were kept\n", plural(r.RefusedRemovals, "document", "documents"))
	}
	for _, s := range r.SkippedBy {
		p(c.out, "    %d left out: %s\n", s.Count, visible(s.Reason))
	}
	for _, f := range r.Problems {
		p(c.out, "    %s: %s: %s\n", words(f.State), visible(f.Path), visible(f.Reason))
	}
}

// isTerminal reports whether a person watches the stream.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	return err == nil && fi.Mode()&os.ModeCharDevice != 0
}

// A meter shows how far long work is, in one line that is written over. Without a terminal it says only what a person who reads
// the log later has to know.
type meter struct {
	w        io.Writer
	terminal bool
	last     time.Time
	drawn    bool
}

// redraw is how often the line changes at most.
const redraw = 100 * time.Millisecond

func (m *meter) show(pr ingest.Progress) {
	if pr.Stage == ingest.StageWaiting {
		m.clear()
		p(m.w, "docket: another docket is indexing; waiting until it is done\n")
		return
	}
	if !m.terminal || time.Since(m.last) < redraw {
		return
	}
	m.last, m.drawn = time.Now(), true
	if pr.Stage == ingest.StageWalking {
		p(m.w, "\r\x1b[K%s: %s found", visible(pr.Root), plural(pr.Files, "file", "files"))
		return
	}
	p(m.w, "\r\x1b[K%s: %d of %d files, %.1f MB", visible(pr.Root), pr.Done, pr.Files, float64(pr.Bytes)/1e6)
}

func (m *meter) clear() {
	if m.drawn {
		p(m.w, "\r\x1b[K")
		m.drawn = false
	}
}
