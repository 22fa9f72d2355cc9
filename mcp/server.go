// Package mcp is the door for agents: a server of the Model Context Protocol on a pair of streams.
//
// It owns the transport, the schemas, what is checked of every argument, the size of every answer, and the session's ledger of
// fetched evidence. It translates and nothing more: what a tool does is one call into a package below. It has no SQL, opens no
// file, and reads no setting that it is not given.
//
// The invariants: nothing but JSON-RPC ever goes out, no input ends the session but its own end, and every request that was
// taken is answered before the server stops, or two seconds have passed.
package mcp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docket/db"
)

// How a session ends. Whoever ended it is told to expect two seconds; both parts and some margin are within them.
const (
	drainTime = 1400 * time.Millisecond // for the calls that are open to end by themselves
	cutTime   = 150 * time.Millisecond  // for those that are cut short to say so
)

// parentCheck is how often the server looks whether the process that started it is still there.
const parentCheck = 250 * time.Millisecond

// A Server serves one session: over stdio a process has one client.
type Server struct {
	db     *db.DB
	o      Options
	log    *slog.Logger
	sdk    *sdk.Server
	ledger *Ledger

	review subscription

	places   chan struct{} // one for each call that is being worked on
	stopping chan struct{} // closed when calls are cut short
}

// New returns a server on the store d.
func New(d *db.DB, o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &Server{
		db: d, o: o, log: o.Log, ledger: NewLedger(ledgerSize),
		places: make(chan struct{}, maxCalls), stopping: make(chan struct{}),
	}
	settings := &sdk.ServerOptions{
		Instructions: instructions,
		Logger:       o.Log,
		// Lists never change within a session, and logging is deprecated: logs go to the person's error stream.
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{Subscribe: s.tracing()}, Prompts: &sdk.PromptCapabilities{},
		},
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	}
	if s.tracing() {
		settings.SubscribeHandler, settings.UnsubscribeHandler = s.subscribe, s.unsubscribe
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "docket", Title: "docket", Version: o.Version}, settings)
	s.searchEvidence().register(s)
	s.fetchEvidence().register(s)
	s.navigateDocumentTree().register(s)
	s.checkCitations().register(s)
	s.addResources()
	s.addPrompts()
	s.addTrace()
	return s, nil
}

// Run serves the session on the two streams, which stay the caller's. It returns within two seconds when in ends, when ctx is
// done or when the parent process is gone, having answered what was asked up to then as far as that time allows. It may be
// called once.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	c := newConn(in, out, s.log)
	defer func() { _ = c.Close() }()
	session, err := s.sdk.Connect(context.WithoutCancel(ctx), c, nil)
	if err != nil {
		return fmt.Errorf("starting the session: %w", err)
	}
	defer s.watchReview(ctx)()
	over := make(chan error, 1)
	go func() { over <- session.Wait() }()
	why, err := untilEnd(ctx, c, over)
	if err != nil {
		close(s.stopping) // there is nobody left to answer
		return fmt.Errorf("the output is broken: %w", err)
	}
	s.log.Info("session ends", "reason", why)
	quiet := c.stop()
	if !within(drainTime, quiet) {
		close(s.stopping)
		within(cutTime, quiet)
	}
	_ = c.Close() // the streams are the caller's, and the answers are out
	select {
	case <-over:
	case <-time.After(cutTime / 2): // a write that nothing can interrupt; the process is about to end
	}
	return nil
}

// untilEnd returns why the session is to end, when it is.
func untilEnd(ctx context.Context, c *conn, over <-chan error) (string, error) {
	parent, look := os.Getppid(), time.NewTicker(parentCheck)
	defer look.Stop()
	for {
		select {
		case err := <-over:
			return "the SDK ended it", err
		case <-c.ended:
			return "the input ended", nil
		case <-ctx.Done():
			return "asked to stop", nil
		case <-look.C:
			if os.Getppid() != parent {
				return "the parent process is gone", nil
			}
		}
	}
}

// within reports whether done was closed within d.
func within(d time.Duration, done <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}
