package mcp

// This file defines what the tests talk to a server with: raw lines over pipes, in this process or in a child.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"docket/db"
	"docket/db/dbtest"
)

// patience is how long a test waits for an answer that should come at once; a busy machine is not a failure.
const patience = 90 * time.Second

// A message is any line that a server sends.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// A peer is a client that sends whatever it likes.
type peer struct {
	t     testing.TB
	in    io.WriteCloser
	lines chan string // closed at the end of the output
	done  chan error  // what Run returned, for a server in this process
	next  int
}

func newPeer(t testing.TB, in io.WriteCloser, out io.Reader) *peer {
	p := &peer{t: t, in: in, lines: make(chan string, 100_000)}
	go func() {
		defer close(p.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				p.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return p
}

// serve starts a server in this process.
func serve(t testing.TB, s *Server) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := newPeer(t, inW, outR)
	p.done = make(chan error, 1)
	go func() {
		p.done <- s.Run(context.WithoutCancel(t.Context()), inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return p
}

// newServer returns a server with the tests' tools beside the real ones.
func newServer(t testing.TB, d *db.DB, change func(*Options)) *Server {
	t.Helper()
	o := Defaults()
	if change != nil {
		change(&o)
	}
	s, err := New(d, o)
	if err != nil {
		t.Fatal(err)
	}
	addTestTools(s)
	return s
}

// addTestTools adds tools that misbehave.
func addTestTools(s *Server) {
	type params struct {
		Ms   int    `json:"ms"`
		Size int    `json:"size"`
		Text string `json:"text"`
	}
	type result struct {
		Text string `json:"text"`
	}
	in := object(
		optional("ms", integer("how long to take")), optional("size", integer("characters to return")), optional("text", text("what to return")),
	)
	add := func(name string, run func(context.Context, params) (result, error)) {
		t := tool[params, result]{name: name, title: name, description: name, in: in, out: object(required("text", text(""))), hints: reads, run: run, lower: "size"}
		t.register(s)
	}
	add("test_echo", func(_ context.Context, p params) (result, error) {
		return result{p.Text + strings.Repeat("é", p.Size)}, nil
	})
	add("test_slow", func(ctx context.Context, p params) (result, error) {
		select {
		case <-ctx.Done():
			return result{}, ctx.Err()
		case <-time.After(time.Duration(p.Ms) * time.Millisecond):
			return result{"done"}, nil
		}
	})
	add("test_deaf", func(_ context.Context, p params) (result, error) {
		<-time.After(time.Duration(p.Ms) * time.Millisecond)
		return result{"done"}, nil
	})
	add("test_panic", func(context.Context, params) (result, error) { panic("boom") })
	add("test_fail", func(context.Context, params) (result, error) { return result{}, errors.New("it is broken") })
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(p.in, l+"\n"); err != nil {
			p.t.Fatalf("sending: %v", err)
		}
	}
}

// receive returns the next line, which must be a JSON-RPC message.
func (p *peer) receive() message {
	p.t.Helper()
	select {
	case l, ok := <-p.lines:
		if !ok {
			p.t.Fatal("the server ended")
		}
		return p.parse(l)
	case <-time.After(patience):
		p.t.Fatal("no answer")
	}
	panic("unreachable")
}

func (p *peer) parse(line string) message {
	p.t.Helper()
	var m message
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
		p.t.Fatalf("not JSON-RPC: %.200q: %v", line, err)
	}
	return m
}

// request sends a request and returns the answer to it; nothing else may be open.
func (p *peer) request(method string, params any) message {
	p.t.Helper()
	p.next++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.next, "method": method, "params": params})
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(string(b))
	m := p.receive()
	if string(m.ID) != fmt.Sprint(p.next) {
		p.t.Fatalf("asked %s as %d, answered %s", method, p.next, m.ID)
	}
	return m
}

func (p *peer) initialize() *peer {
	p.t.Helper()
	m := p.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	if m.Error != nil {
		p.t.Fatalf("initialize: %v", m.Error)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

// A reply is what a tool answered.
type reply struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

func (p *peer) call(tool string, arguments any) reply {
	p.t.Helper()
	m := p.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	return p.reply(m)
}

func (p *peer) reply(m message) reply {
	p.t.Helper()
	if m.Error != nil {
		p.t.Fatalf("protocol error %d: %s", m.Error.Code, m.Error.Message)
	}
	var r reply
	if err := json.Unmarshal(m.Result, &r); err != nil {
		p.t.Fatal(err)
	}
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		p.t.Fatalf("%d blocks of content", len(r.Content))
	}
	if r.IsError != (r.Structured == nil) {
		p.t.Fatalf("isError is %v, and structuredContent %.80s", r.IsError, r.Structured)
	}
	return r
}

// failed returns the error in a reply.
func (r reply) failed(t testing.TB) toolError {
	t.Helper()
	var e toolError
	if !r.IsError {
		t.Fatalf("no error, but %.200s", r.Structured)
	}
	var keys map[string]any
	if err := errors.Join(json.Unmarshal([]byte(r.Content[0].Text), &e), json.Unmarshal([]byte(r.Content[0].Text), &keys)); err != nil {
		t.Fatalf("%v: %s", err, r.Content[0].Text)
	}
	if e.Code == "" || e.Message == "" || e.NextAction == "" || len(keys) != 4 {
		t.Fatalf("the error is incomplete: %s", r.Content[0].Text)
	}
	return e
}

func (p *peer) alive() {
	p.t.Helper()
	if m := p.request("ping", map[string]any{}); m.Error != nil {
		p.t.Fatalf("ping: %v", m.Error)
	}
}

// ended waits for a server in this process to return.
func (p *peer) ended() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(patience):
		p.t.Fatal("the server does not end")
	}
	return nil
}

// rest returns all lines up to the end of the output.
func (p *peer) rest() []message {
	p.t.Helper()
	var ms []message
	deadline := time.After(patience)
	for {
		select {
		case l, ok := <-p.lines:
			if !ok {
				return ms
			}
			ms = append(ms, p.parse(l))
		case <-deadline:
			p.t.Fatal("the output does not end")
		}
	}
}

// childVar makes the test binary a server on its own standard streams: "serve", or "parent", which starts one and waits.
const childVar = "DOCKET_MCP_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childVar) {
	case "serve":
		os.Exit(childServe())
	case "parent":
		os.Exit(childParent())
	}
	os.Exit(m.Run())
}

func childServe() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	o := Defaults()
	o.Log = slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	d, err := db.Open(ctx, os.Getenv("DOCKET_MCP_TEST_DB"), dbtest.Options())
	if err == nil {
		defer d.Close()
		var s *Server
		if s, err = New(d, o); err == nil {
			addTestTools(s)
			err = s.Run(ctx, os.Stdin, os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// childParent starts a server on its own streams, says which process it is on standard error, and waits.
func childParent() int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, childVar) }), childVar+"=serve")
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
	if err := cmd.Start(); err != nil {
		return 1
	}
	fmt.Fprintf(os.Stderr, "%d\n", cmd.Process.Pid)
	_ = cmd.Wait()
	return 0
}

// A child is a server in a process of its own.
type child struct {
	*peer
	cmd    *exec.Cmd
	stderr *strings.Builder
}

func startChild(t *testing.T, database string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	// The race detector's runtime otherwise sleeps for a second at exit.
	cmd.Env = append(os.Environ(), childVar+"=serve", "DOCKET_MCP_TEST_DB="+database, "GORACE=atexit_sleep_ms=0")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	c := &child{cmd: cmd, stderr: &strings.Builder{}}
	cmd.Stderr = c.stderr
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	c.peer = newPeer(t, in, out)
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // of the process started above, should it still run
		_ = cmd.Wait()
	})
	return c
}

// exited waits for the process, whose output was read to its end, and returns its exit code.
func (c *child) exited() int {
	c.t.Helper()
	_ = c.cmd.Wait()
	return c.cmd.ProcessState.ExitCode()
}
