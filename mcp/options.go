package mcp

// This file defines the server's settings.

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docket/db"
)

// Options are the settings of a server, as plain values: who calls [New] has read flags, environment and file.
type Options struct {
	MaxHits          int           // hits that one search returns at most
	MaxFetchIDs      int           // ids that one fetch or check takes at most
	MaxFetchChars    int           // characters that one fetch returns of each id at most
	MaxSnippetChars  int           // characters of a hit's snippet at most
	MaxResponseChars int           // size of one result at most; how it is counted stands at tool.render
	Deadline         time.Duration // how long one call may take

	Scope       db.Scope // the documents that this server may read
	Project     string   // the project that tasks and decisions belong to
	Agent       string   // the name that writes are recorded under
	ReadOnly    bool     // no tool writes
	AllowReject bool     // reject_decision is offered, where writes are

	Text    string       // "note" or "full": what stands beside the structured content of the tools that do not send both
	Version string       // of docket, told to clients
	Log     *slog.Logger // never nil; nothing is ever logged to the stream that carries the session
}

// Defaults returns the settings of a server that was told nothing.
func Defaults() Options {
	return Options{
		MaxHits: 10, MaxFetchIDs: 20, MaxFetchChars: 4000, MaxSnippetChars: 240, MaxResponseChars: 60000,
		Deadline: 30 * time.Second, ReadOnly: true, Text: "note", Version: "dev", Log: slog.New(slog.DiscardHandler),
	}
}

// Validate reports every setting that cannot be used, each with its name.
func (o Options) Validate() error {
	var errs []error
	for _, limit := range []struct {
		name  string
		value int
	}{
		{"MCP_MAX_HITS", o.MaxHits},
		{"MCP_MAX_FETCH_IDS", o.MaxFetchIDs},
		{"MCP_MAX_FETCH_CHARS", o.MaxFetchChars},
		{"MCP_MAX_SNIPPET_CHARS", o.MaxSnippetChars},
		{"MCP_MAX_RESPONSE_CHARS", o.MaxResponseChars},
	} {
		if limit.value < 1 {
			errs = append(errs, fmt.Errorf("%s is %d and must be at least 1", limit.name, limit.value))
		}
	}
	if o.Deadline <= 0 {
		errs = append(errs, fmt.Errorf("MCP_REQUEST_DEADLINE_SECONDS is %v and must be above 0", o.Deadline.Seconds()))
	}
	if o.Text != "note" && o.Text != "full" {
		errs = append(errs, fmt.Errorf("text is %q and must be note or full", o.Text))
	}
	if !o.ReadOnly && (o.Project == "" || o.Agent == "") {
		errs = append(errs, errors.New("write access (MCP_READ_ONLY=false) needs both MCP_PROJECT_ID and MCP_AGENT_ID"))
	}
	if o.Log == nil {
		errs = append(errs, errors.New("no logger"))
	}
	return errors.Join(errs...)
}
