package worker

// This file defines the parent's side of one child process.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// poll is how often a working child is looked at; one look costs some ten microseconds.
const poll = 25 * time.Millisecond

// A child is one running process. ask is called by one goroutine at a time.
type child struct {
	cmd    *exec.Cmd
	in     *os.File // its standard input
	out    *os.File // its standard output
	read   *bufio.Reader
	stderr *head
	gone   chan struct{} // closed once it has been waited for
	files  int           // documents it has read
	warm   bool          // its PDF reader has started
}

func startChild(opt Options) (*child, error) {
	if len(opt.Command) == 0 {
		return nil, fmt.Errorf("%w: it has no command", ErrUnavailable)
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		_, _ = childIn.Close(), in.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	c := &child{cmd: exec.Command(opt.Command[0], opt.Command[1:]...), in: in, out: out, read: bufio.NewReader(out), stderr: &head{}, gone: make(chan struct{})}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = childIn, childOut, c.stderr
	c.cmd.Env = []string{fmt.Sprintf("GOMEMLIMIT=%d", opt.Limits.Memory*2/3)} // nothing else of ours: it reads foreign bytes
	c.cmd.WaitDelay = time.Second
	prepare(c.cmd)
	started := make(chan error)
	go func() {
		// The kernel ends the child with the thread that started it (see prepare), so this thread stays for as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		_, _ = childIn.Close(), childOut.Close()
		started <- err
		if err == nil {
			_ = c.cmd.Wait() // how it ended stands in ProcessState
			close(c.gone)
		}
	}()
	if err := <-started; err != nil {
		_, _ = in.Close(), out.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return c, nil
}

// bounds are the limits of one request.
type bounds struct {
	cpu, wall time.Duration
	memory    int64
}

// ask sends one request and waits for its answer. An endError says that the child is gone.
func (c *child) ask(ctx context.Context, closed <-chan struct{}, req request, data []byte, b bounds) (reply, error) {
	c.stderr.reset()
	type answer struct {
		reply
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		a.reply, a.err = c.exchange(req, data)
		answered <- a
	}()
	before, _ := usage(c.cmd.Process.Pid)
	wall := time.NewTimer(b.wall)
	defer wall.Stop()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	end := func(err error, again bool) (reply, error) {
		c.kill()
		<-answered // its pipes ended with the child
		return reply{}, &endError{err: err, again: again}
	}
	for {
		select {
		case a := <-answered:
			if a.err == nil {
				return a.reply, nil
			}
			if err := ctx.Err(); err != nil {
				c.kill()
				return reply{}, &endError{err: err}
			}
			return reply{}, c.autopsy(a.err)
		case <-ctx.Done():
			return end(ctx.Err(), false)
		case <-closed:
			return end(ErrClosed, false)
		case <-wall.C:
			return end(&KilledError{Reason: fmt.Sprintf("it took longer than %v", b.wall)}, false)
		case <-tick.C:
			now, ok := usage(c.cmd.Process.Pid)
			switch {
			case !ok:
			case now.cpu-before.cpu > b.cpu:
				return end(&KilledError{Reason: fmt.Sprintf("it used more than %v of processor time", b.cpu)}, false)
			case now.resident > b.memory:
				return end(&KilledError{Reason: fmt.Sprintf("it used more than %d MB of memory", b.memory>>20)}, true)
			}
		}
	}
}

func (c *child) exchange(req request, data []byte) (rep reply, err error) {
	if err := writeJSON(c.in, req); err != nil {
		return rep, err
	}
	if req.Op == opParse {
		if err := writeFrame(c.in, data); err != nil {
			return rep, err
		}
	}
	b, err := readFrame(c.read, maxReply)
	if err != nil {
		return rep, err
	}
	err = json.Unmarshal(b, &rep)
	return rep, err
}

// autopsy ends a child that did not answer and says why it did not.
func (c *child) autopsy(err error) error {
	reason := "it answered with nonsense: " + err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) || isBrokenPipe(err) {
		select { // its pipes are closed, so it is about to end
		case <-c.gone:
		case <-time.After(2 * time.Second):
		}
		reason = "it ended by itself"
		if s := c.cmd.ProcessState; c.isGone() && s != nil {
			reason = "it crashed (" + s.String() + ")"
		}
		if said := c.stderr.firstLine(); said != "" {
			reason += ": " + said
		}
	}
	c.kill()
	return &endError{err: &KilledError{Reason: reason}, again: true}
}

func (c *child) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// kill ends the child at once and waits until it is gone.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended already
	<-c.gone
	_, _ = c.in.Close(), c.out.Close()
}

// retire lets an idle child end by itself, for a moment.
func (c *child) retire() {
	_ = c.in.Close()
	select {
	case <-c.gone:
	case <-time.After(2 * time.Second):
	}
	c.kill()
}

// resident gives the child's resident bytes, 0 where the system does not say.
func (c *child) resident() int64 {
	u, _ := usage(c.cmd.Process.Pid)
	return u.resident
}

// used is what a process has consumed.
type used struct {
	cpu      time.Duration
	resident int64
}

// head keeps the start of what the child writes to its standard error, which is where a crash says what it is.
type head struct {
	mu  sync.Mutex
	buf []byte
}

const headSize = 8 << 10

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buf = append(h.buf, p[:min(len(p), headSize-len(h.buf))]...)
	return len(p), nil
}

func (h *head) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buf = h.buf[:0]
}

// firstLine gives at most 200 bytes of the first line that says something.
func (h *head) firstLine() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range bytes.Lines(h.buf) {
		if s := strings.TrimSpace(strings.ToValidUTF8(string(l), "\uFFFD")); s != "" {
			return strings.ToValidUTF8(s[:min(len(s), 200)], "")
		}
	}
	return ""
}
