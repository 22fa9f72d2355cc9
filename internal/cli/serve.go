package cli

// This file defines "docket serve".

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"time"

	"docket/db"
	"docket/mcp"
)

var serveCommand = &command{
	name: "serve", short: "serve the documents to an agent, over MCP on standard input and output",
	long: `Serves the documents to one agent over MCP, on standard input and output. A host starts it; you need not. Standard output
carries the protocol and nothing else. What happens is logged on standard error, without any text of documents.

The tools for tasks and decisions are on when --project and --agent name who writes. The server only reads until
--read-only=false.

Any number of servers may run on one database, and it is made where there is none yet. One of them watches the folders for all,
and reads what changes; another goes on when it ends, and a docket watch takes over. A server ends when its input ends, and
when the process that started it is gone.`,
	examples: []string{
		"docket serve --db ~/work.db --scope notes/",
		"docket serve --project thesis --agent claude --read-only=false",
	},
	settings: serverSettings,
	setup: func(fs *flag.FlagSet) runner {
		text := fs.String("text", "note", "what stands beside the structured answers of most tools: `note or full`, for hosts that show text only")
		return func(ctx context.Context, c *call, _ []string) error { return c.serve(ctx, *text) }
	},
}

// closeTime is how long a server that ended waits for the watcher, and for calls that nothing can interrupt; what they hold ends with the process.
const closeTime = 300 * time.Millisecond

func (c *call) serve(ctx context.Context, text string) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	o, err := cfg.server()
	if err != nil {
		return err
	}
	o.Text, o.Log = text, c.logger()
	if err := o.Validate(); err != nil {
		return &usageError{msg: err.Error()}
	}
	// The protocol's stream was passed in. Should anything in the process print, the session is not to suffer.
	os.Stdout = os.Stderr //nolint:forbidigo // taken out of reach, not used

	if isTerminal(c.stdin) {
		p(c.stderr, "docket: waiting for an agent on standard input. A host starts this; `docket install claude-code` tells one to.\n")
	}
	d, err := db.Open(ctx, cfg.DB, db.Options{Create: true})
	if err != nil {
		return err
	}
	s, err := mcp.New(d, o)
	if err != nil {
		return errors.Join(err, d.Close())
	}
	unwatch := c.watchBeside(ctx, d, o.Log)
	err = s.Run(ctx, c.stdin, c.stdout)
	closed := make(chan error, 1)
	go func() { unwatch(); closed <- d.Close() }()
	select {
	case cerr := <-closed:
		return errors.Join(err, cerr)
	case <-time.After(closeTime):
		return err
	}
}

// server returns the settings as a server takes them.
func (cfg Config) server() (mcp.Options, error) {
	scope, err := cfg.scope()
	if err != nil {
		return mcp.Options{}, err
	}
	return mcp.Options{
		MaxHits: cfg.MaxHits, MaxFetchIDs: cfg.MaxFetchIDs, MaxFetchChars: cfg.MaxFetchChars,
		MaxSnippetChars: cfg.MaxSnippetChars, MaxResponseChars: cfg.MaxResponseChars,
		Deadline: time.Duration(cfg.DeadlineSeconds) * time.Second,
		Scope:    scope, Project: cfg.Project, Agent: cfg.Agent, ReadOnly: cfg.ReadOnly, AllowReject: cfg.AllowReject,
		Version: Version,
	}, nil
}

// logger returns the log of a long-running command: text on standard error, or JSON with --json.
func (c *call) logger() *slog.Logger {
	if c.json {
		return slog.New(slog.NewJSONHandler(c.stderr, nil))
	}
	return slog.New(slog.NewTextHandler(c.stderr, nil))
}
