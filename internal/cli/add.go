package cli

// This file defines "docket add".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"docket/db"
	"docket/ingest"
	"docket/search"
)

var addCommand = &command{
	name: "add", args: "FOLDER", short: "index a folder of documents",
	long: `Indexes a folder: its files are read, never written. What .gitignore and .docketignore name is left out, and so are .git,
dependency folders, editors' temporary files, key files and .env files; docket status lists what was left out and why. The
database is made where there is none.

A folder that was added before is brought up to date.`,
	examples: []string{"docket add ~/notes", "docket add ~/papers --name papers --search 'who approved the migration'"},
	min:      1, max: 1, settings: readerSettings,
	setup: func(fs *flag.FlagSet) runner {
		name := fs.String("name", "", "the `NAME` that the keys of its documents begin with; without it, the folder's own")
		query := fs.String("search", "", "then search for `WORDS` and show the passages")
		return func(ctx context.Context, c *call, args []string) error { return c.add(ctx, args[0], *name, *query) }
	},
}

// addHits is how many passages add shows: enough to see that it works.
const addHits = 3

// An addition is what add did.
type addition struct {
	Sync   ingest.RootReport `json:"sync"`
	Search *search.Result    `json:"search,omitempty"`
}

func (c *call) add(ctx context.Context, folder, name, query string) (err error) {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	if fi, err := os.Stat(folder); err != nil { // before a database is made for it
		return &hintedError{fmt.Errorf("add: %w", err), "name a folder that exists"}
	} else if !fi.IsDir() {
		return &hintedError{fmt.Errorf("add: %s is a file", folder), "name the folder that it is in"}
	}
	d, err := db.Open(ctx, cfg.DB, db.Options{Create: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	root, err := ingest.AddRoot(ctx, d, folder, name)
	if err != nil {
		return err
	}
	report, err := c.sync(ctx, d, ingest.SyncRequest{Roots: []string{root.Name}})
	if err != nil {
		for _, r := range report.Roots { // what was done until then
			if !c.json {
				c.printSync(r)
			}
		}
		return err
	}
	done := addition{Sync: report.Roots[0]}
	if query != "" {
		found, err := c.find(ctx, d, cfg, search.Query{Text: query, Limit: addHits})
		if err != nil {
			return err
		}
		done.Search = &found
	}
	if c.json {
		return c.writeJSON(done)
	}
	c.printSync(done.Sync)
	if done.Search != nil {
		p(c.out, "\n")
		c.printHits(cfg, query, *done.Search)
	}
	c.nextStep()
	return nil
}

// nextStep says how to connect an agent, once there is something to read.
func (c *call) nextStep() {
	program := "docket"
	p(c.out, "\nNext: let an agent read this.\n")
	if exe, err := os.Executable(); err == nil && vanishes(exe) {
		program = "./docket"
		p(c.out, "  go build -o docket .            a program that a host can start; `go run` keeps none\n")
	}
	p(c.out, "  %-31s tells Claude Code how to start docket\n", program+" install claude-code")
	p(c.out, "  %-31s prints the block for claude-desktop, cursor or vscode\n", program+" config print HOST")
}
