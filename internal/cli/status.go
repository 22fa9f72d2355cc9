package cli

// This file defines "docket status".

import (
	"context"
	"errors"
	"flag"
	"slices"

	"docket/db"
	"docket/ingest"
	"docket/watch"
)

var statusCommand = &command{
	name: "status", args: "[KEY]", short: "list what is indexed, and every file that is not and why",
	long: `Sums up each folder, and lists every file that was seen and is not indexed in full, with the reason. Tells which process watches
the folders, and which of them it has to look at again and again, since the system does not report changes there.

With a document's key, tells the state of that document: current, pending (it is being read), failed, deleted or unknown.`,
	examples: []string{"docket status", "docket status notes/lease.md --json"},
	max:      1,
	setup: func(*flag.FlagSet) runner {
		return func(ctx context.Context, c *call, args []string) (err error) {
			_, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			if len(args) == 1 {
				s, err := ingest.SourceStatus(ctx, d, args[0])
				if err != nil {
					return err
				}
				if c.json {
					return c.writeJSON(s)
				}
				c.printSource(s)
				return nil
			}
			var o overview
			if o.StatusReport, err = ingest.Status(ctx, d); err == nil {
				o.Indexer, err = watch.ReadStatus(d)
			}
			if err == nil {
				o.Warnings, err = growing(d)
			}
			if err != nil {
				return err
			}
			if c.json {
				return c.writeJSON(o)
			}
			c.printStatus(o.StatusReport)
			c.printIndexer(o.Indexer)
			for _, x := range o.Warnings {
				p(c.out, "\ncareful: %s: %s\n", visible(x.Where), visible(x.What))
			}
			return nil
		}
	},
}

// An overview is what is indexed, and what keeps it so.
type overview struct {
	ingest.StatusReport
	Indexer  watch.Status `json:"indexer"`
	Warnings []db.Problem `json:"warnings,omitempty"` // about the store; doctor has more
}

// growing returns the warning about a WAL that somebody keeps from being emptied.
func growing(d *db.DB) ([]db.Problem, error) {
	place, err := db.PlaceOf(d.Path())
	return slices.DeleteFunc(place.Warnings, func(x db.Problem) bool { return x.Where != "wal" }), err
}

func (c *call) printIndexer(s watch.Status) {
	if !s.Running {
		p(c.out, "\nNothing watches the folders just now; `docket sync` reads what changed, and an agent's server or `docket watch` does so all the time.\n")
		return
	}
	p(c.out, "\nThe folders are watched by docket %s (process %d, since %s)\n", visible(s.Role), s.PID, s.Since)
	for _, r := range s.Roots {
		p(c.out, "  %s: %s", visible(r.Root), words(r.Mode))
		if r.Reason != "" {
			p(c.out, ": %s", visible(r.Reason))
		}
		if r.LastLook != "" {
			p(c.out, "; last looked at in full %s", r.LastLook)
		}
		p(c.out, "\n")
	}
}

func (c *call) printStatus(report ingest.StatusReport) {
	if len(report.Roots) == 0 {
		p(c.out, "There is no folder yet; `docket add FOLDER` adds one.\n")
	}
	for i, r := range report.Roots {
		if i > 0 {
			p(c.out, "\n")
		}
		p(c.out, "%s (%s)\n", visible(r.Root), visible(r.Path))
		if r.State == db.RootOffline {
			p(c.out, "  offline: %s; what was indexed can be searched\n", visible(r.Reason))
		}
		p(c.out, "  %d of %s indexed in full; %s can be searched\n", r.Indexed, plural(r.Files, "file", "files"), plural(r.Documents, "document", "documents"))
		if r.PagesWithoutText > 0 {
			p(c.out, "  %s without text\n", plural(r.PagesWithoutText, "page", "pages"))
		}
		for _, state := range []struct{ state, head string }{
			{db.FileFailed, "failed"},
			{db.FilePending, "still changing, to be read at the next sync"},
			{db.FilePartly, "read in part"},
			{db.FileNoText, "without text"},
			{db.FileSkipped, "left out"},
		} {
			head := state.head
			for _, f := range r.NotIndexedInFull {
				if f.State != state.state {
					continue
				}
				if head != "" {
					p(c.out, "\n  %s\n", head)
					head = ""
				}
				p(c.out, "    %s: %s\n", visible(f.Path), visible(f.Reason))
			}
		}
	}
}

func (c *call) printSource(s ingest.Source) {
	p(c.out, "%s: %s\n", visible(s.DocumentKey), s.State)
	for _, line := range []struct{ name, value string }{
		{"content", s.ContentHash}, {"version", s.VersionID}, {"job", s.JobStatus}, {"error", s.JobError},
	} {
		if line.value != "" {
			p(c.out, "  %-8s %s\n", line.name, visible(line.value))
		}
	}
	for _, x := range s.Indexes {
		p(c.out, "  %-8s %s, %d%%\n", x.Name, x.State, x.Percent)
	}
	if f := s.Ledger; f != nil {
		p(c.out, "  %-8s %s, %d bytes, seen %s", "file", words(f.State), f.Size, f.At)
		if f.Reason != "" {
			p(c.out, ": %s", visible(f.Reason))
		}
		p(c.out, "\n")
	}
}
