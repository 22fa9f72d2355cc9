package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"docket/db/dbtest"
)

// endTime is how long a server may take to end.
const endTime = 2 * time.Second

func database(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "docket.db")
	if err := dbtest.OpenAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

const handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// Case 140: nothing is left behind when the host closes its end, or sends SIGTERM.
func TestChildEnds(t *testing.T) {
	t.Parallel()
	path := database(t)
	for _, tt := range []struct {
		name string
		busy bool
		end  func(*child) error
	}{
		{"EOF, idle", false, func(c *child) error { return c.in.Close() }},
		{"EOF with a deaf call", true, func(c *child) error { return c.in.Close() }},
		{"SIGTERM, idle", false, func(c *child) error { return c.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGTERM with a deaf call", true, func(c *child) error { return c.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGINT, idle", false, func(c *child) error { return c.cmd.Process.Signal(os.Interrupt) }}, // Case 142
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("no signals")
			}
			t.Parallel()
			c := startChild(t, path)
			c.initialize()
			if tt.busy {
				c.send(`{"jsonrpc":"2.0","id":"deaf","method":"tools/call","params":{"name":"test_deaf","arguments":{"ms":600000}}}`)
				c.alive()
			}
			if err := tt.end(c); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			left, code := c.rest(), c.exited()
			if took := time.Since(start); took > endTime || code != 0 {
				t.Errorf("ended after %v with code %d", took, code)
			}
			if tt.busy && (len(left) != 1 || c.reply(left[0]).failed(t).Code != "stopping") {
				t.Errorf("the open call was answered %+v", left)
			}
		})
	}
}

// Case 140: the parent is killed, and the pipes stay open because somebody else holds them.
func TestChildOutlivesNoParent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process keeps its parent's number there; the end of the input ends it")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"=parent", "DOCKET_MCP_TEST_DB="+database(t), "GORACE=atexit_sleep_ms=0")
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer inR.Close()
	defer inW.Close()
	defer outR.Close()
	cmd.Stdin, cmd.Stdout = inR, outW
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(stderr, &pid); err != nil {
		t.Fatal(err)
	}
	outW.Close()
	p := newPeer(t, inW, outR)
	p.initialize().alive()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	start := time.Now()
	p.rest() // the output ends when the last process that holds it does
	if took := time.Since(start); took > endTime {
		t.Errorf("process %d ended %v after its parent", pid, took)
	}
}

// Case 141: requests are piped in and the input is closed at once; all are answered.
func TestPipedRequests(t *testing.T) {
	const n = 500
	var in strings.Builder
	in.WriteString(handshake)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"test_slow","arguments":{"ms":%d}}}`+"\n", i, i%5)
	}
	in.WriteString(strings.TrimSuffix(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", n+1), "\n")) // no newline at the end
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"=serve", "DOCKET_MCP_TEST_DB="+database(t))
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for l := range strings.Lines(string(out)) {
		var m message
		if err := json.Unmarshal([]byte(l), &m); err != nil || m.Error != nil {
			t.Fatalf("%s: %v", l, err)
		}
		got[string(m.ID)] = true
	}
	for i := range n + 2 {
		if !got[strconv.Itoa(i)] {
			t.Errorf("request %d was not answered", i)
		}
	}
}

// Cases 127, 133: eight hosts start their servers at once, on a store that is not there yet.
func TestEightServers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.db")
	var children []*child
	for range 8 {
		children = append(children, startChild(t, path))
	}
	for _, c := range children {
		r := c.initialize().call("search_evidence", map[string]any{"query": "anything", "mode": "lexical"})
		if r.IsError || !strings.Contains(string(r.Structured), `"no_matches"`) {
			t.Errorf("answered %s", r.Content[0].Text)
		}
	}
	for _, c := range children {
		c.in.Close()
		if c.rest(); c.exited() != 0 {
			t.Errorf("a server failed: %s", c.stderr)
		}
	}
}

// What is open when the input ends gets its time, and no more.
func TestEndDelivers(t *testing.T) {
	t.Parallel()
	s := newServer(t, dbtest.Open(t), nil)
	p := serve(t, s).initialize()
	p.send(
		`{"jsonrpc":"2.0","id":"soon","method":"tools/call","params":{"name":"test_slow","arguments":{"ms":300}}}`,
		`{"jsonrpc":"2.0","id":"never","method":"tools/call","params":{"name":"test_slow","arguments":{"ms":600000}}}`,
	)
	start := time.Now()
	p.in.Close()
	answers := map[string]bool{}
	for _, m := range p.rest() {
		answers[string(m.ID)] = p.reply(m).IsError
	}
	if err := p.ended(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > endTime {
		t.Errorf("ended after %v", took)
	}
	if failed, ok := answers[`"soon"`]; !ok || failed {
		t.Error("the call that takes 300 ms was not delivered")
	}
	if failed, ok := answers[`"never"`]; !ok || !failed {
		t.Error("the endless call was not answered with an error")
	}
}

func TestCancelledContextEndsRun(t *testing.T) {
	s := newServer(t, dbtest.Open(t), nil)
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	defer inW.Close()
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, inR, io.Discard) }()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("Run goes on")
	}
}

// A client that does not read cannot keep the server from ending.
func TestEndsWithOutputStuck(t *testing.T) {
	t.Parallel()
	s := newServer(t, dbtest.Open(t), nil)
	_, outW := io.Pipe() // nobody reads
	done := make(chan error, 1)
	go func() {
		done <- s.Run(context.WithoutCancel(t.Context()), strings.NewReader(handshake), outW)
	}()
	start := time.Now()
	select {
	case <-done:
		if took := time.Since(start); took > endTime {
			t.Errorf("ended after %v", took)
		}
	case <-time.After(patience):
		t.Error("Run goes on")
	}
}

func TestPanicAndFailure(t *testing.T) {
	p := serve(t, newServer(t, dbtest.Open(t), nil)).initialize()
	if e := p.call("test_panic", nil).failed(t); e.Code != "internal" || strings.Contains(e.Message, "boom") {
		t.Errorf("a panic answered %+v", e)
	}
	if e := p.call("test_fail", nil).failed(t); e.Code != "internal" || e.Message != "it is broken" {
		t.Errorf("a failure answered %+v", e)
	}
	p.alive()
}

func TestDeadline(t *testing.T) {
	p := serve(t, newServer(t, dbtest.Open(t), func(o *Options) { o.Deadline = 50 * time.Millisecond })).initialize()
	for _, tool := range []string{"test_slow", "test_deaf"} {
		if e := p.call(tool, map[string]any{"ms": 20_000}).failed(t); e.Code != "deadline_exceeded" || !e.RetrySafe {
			t.Errorf("%s answered %+v", tool, e)
		}
	}
	p.alive()
	if r := p.call("test_slow", map[string]any{"ms": 0}); r.IsError {
		t.Errorf("after a deadline: %s", r.Content[0].Text)
	}
}

// More calls than places wait for one; and none waits for ever for places that deaf calls hold.
func TestParallelCalls(t *testing.T) {
	s := newServer(t, dbtest.Open(t), func(o *Options) { o.Deadline = 300 * time.Millisecond })
	p := serve(t, s).initialize()
	const n = maxCalls * 2
	for i := range n {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"d%d","method":"tools/call","params":{"name":"test_deaf","arguments":{"ms":5000}}}`, i))
	}
	codes := map[string]int{}
	for range n {
		codes[p.reply(p.receive()).failed(t).Code]++
	}
	if codes["deadline_exceeded"] != maxCalls || codes["busy"] != n-maxCalls {
		t.Errorf("got %v, want %d in progress and the rest refused", codes, maxCalls)
	}
	p.alive() // what needs no place is answered all the while
}

func TestCancelNotification(t *testing.T) {
	p := serve(t, newServer(t, dbtest.Open(t), nil)).initialize()
	p.send(`{"jsonrpc":"2.0","id":1000,"method":"tools/call","params":{"name":"test_slow","arguments":{"ms":600000}}}`)
	p.alive() // so the call has begun
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1000}}`)
	if e := p.reply(p.receive()).failed(t); e.Code != "cancelled" {
		t.Errorf("got %+v", e)
	}
	for i := range 50 { // one that is cancelled at once may not have begun; it is answered all the same
		p.send(
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"test_slow","arguments":{"ms":600000}}}`, i),
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i),
		)
		m := p.receive()
		if string(m.ID) != fmt.Sprint(i) || m.Error != nil && m.Error.Code != -32603 || m.Error == nil && p.reply(m).failed(t).Code != "cancelled" {
			t.Errorf("answered %+v", m)
		}
	}
}
