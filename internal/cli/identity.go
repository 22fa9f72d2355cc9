package cli

// This file defines for whom the commands on tasks and decisions act.

import (
	"cmp"
	"context"
	"errors"
	"os/user"

	"docket/db"
	"docket/search"
	"docket/trace"
)

// traceSettings are the settings of the commands on tasks and decisions.
var traceSettings = []string{"MCP_PROJECT_ID", "MCP_AGENT_ID", nameScope}

// withTrace opens the database and calls fn for the person at the keyboard, who writes under the name that the settings give, or
// under that of the account. The passages among cited are read first, as an agent would have to.
func (c *call) withTrace(ctx context.Context, cited []string, fn func(*db.DB, trace.Identity) error) (err error) {
	cfg, d, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	who := trace.Identity{Project: cfg.Project, Agent: cmp.Or(cfg.Agent, account()), Person: true}
	if who.Project == "" {
		return &usageError{"tasks and decisions belong to a project: name it with --project, or MCP_PROJECT_ID in the config file", "docket help config"}
	}
	if who.Scope, err = cfg.scope(); err != nil {
		return err
	}
	read := map[string]bool{}
	if len(cited) > 0 {
		got, err := c.fetch(ctx, d, cfg, cited)
		if err != nil {
			return err
		}
		for _, o := range got.Outcomes {
			read[o.EvidenceID] = o.Status == search.OK && !o.Partial
		}
	}
	who.Fetched = func(id string) (complete, partial bool) { return read[id], false }
	return fn(d, who)
}

// account returns the name of the person's account.
func account() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "person"
}

// wrote tells what a write of a decision did, and brings the reviews up to date that it sets off.
func (c *call) wrote(ctx context.Context, d *db.DB, what string, r trace.DecisionReceipt) error {
	if _, err := trace.Drain(ctx, d); err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(r)
	}
	p(c.out, "%s %s: %s", what, r.DecisionID, r.Status)
	if r.Review != "" {
		p(c.out, ", %s", words(r.Review))
	}
	if r.Supersedes != "" {
		p(c.out, "; it supersedes %s", r.Supersedes)
	}
	p(c.out, "\n")
	return nil
}
