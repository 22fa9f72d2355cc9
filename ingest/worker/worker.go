// Package worker parses foreign documents (PDF, Word, HTML) in a child process: the same program started again, one document at a time.
//
// It owns the child's life: starting it, feeding it, watching its CPU, memory and time, killing it, replacing it. It refuses to parse in
// its own process and to say anything of a file but what the child said or how it ended. The invariant: nothing a document does,
// crash, spin or fill memory, reaches the process that asked, and no child outlives that process.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docket/ingest/format"
)

// Options say how a Client runs its child.
type Options struct {
	Command  []string     // the program and its arguments; it must call Serve on its standard input and output
	CacheDir string       // where the child keeps compiled code, mode 0700; "" is nowhere
	Limits   Limits       // zero fields take DefaultLimits
	Log      *slog.Logger // nil logs nothing
}

// Limits bound one document's cost and one child's life.
type Limits struct {
	CPU      time.Duration // processor time for a document,
	CPUPerMB time.Duration // and more for each megabyte of it; Linux only
	Wall     time.Duration // time on the clock for a document
	Memory   int64         // resident bytes at which a child is killed; Linux only
	Files    int           // documents after which a child is replaced
	Keep     int64         // resident bytes after a document above which a child is replaced; Linux only
	Format   format.Limits // what the parsers themselves keep to
}

// DefaultLimits are the limits docket runs under.
func DefaultLimits() Limits {
	return Limits{
		CPU: 20 * time.Second, CPUPerMB: 2 * time.Second, Wall: 120 * time.Second,
		Memory: 1536 << 20, Files: 200, Keep: 512 << 20, Format: format.DefaultLimits(),
	}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.CPU == 0 {
		l.CPU = d.CPU
	}
	if l.CPUPerMB == 0 {
		l.CPUPerMB = d.CPUPerMB
	}
	if l.Wall == 0 {
		l.Wall = d.Wall
	}
	if l.Memory == 0 {
		l.Memory = d.Memory
	}
	if l.Files == 0 {
		l.Files = d.Files
	}
	if l.Keep == 0 {
		l.Keep = d.Keep
	}
	if l.Format == (format.Limits{}) {
		l.Format = d.Format
	}
	return l
}

// KilledError reports a document that ended the child: by a crash, or by a limit for which it was killed. The caller should not try
// the same bytes again before the parser changes.
type KilledError struct{ Reason string }

func (e *KilledError) Error() string { return "the parser did not survive it: " + e.Reason }

// ErrUnavailable reports that no document could be parsed just now: nothing is said of this one, and it should be tried again.
var ErrUnavailable = errors.New("the document worker is not available")

// ErrClosed reports a call on a Client after Close. It is an ErrUnavailable.
var ErrClosed = fmt.Errorf("%w: it was closed", ErrUnavailable)

// A Client parses documents in a child of its own. Calls wait for each other; the child is started by the first one that needs it.
type Client struct {
	opt    Options
	turn   chan struct{} // holds the one token of whoever uses child
	closed chan struct{}
	child  *child // nil where none runs
	told   bool   // the child's notice was logged
}

// New makes a Client. It starts nothing yet.
func New(opt Options) *Client {
	opt.Limits = opt.Limits.orDefault()
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{opt: opt, turn: make(chan struct{}, 1), closed: make(chan struct{})}
	c.turn <- struct{}{}
	return c
}

// Parse reads one document. name is its file name: the parser is chosen by the bytes and, where they say nothing, by its extension.
// A document that the parser refuses gives the parser's error (format.ErrEncrypted among them), one that ends the child a
// *KilledError; an ErrUnavailable is about no document. Where a child that had read other documents before crashed or ran out of memory, a new one tries once more, so that a
// file is not blamed for what another left behind. When ctx ends, the child is killed and ctx's error returned.
func (c *Client) Parse(ctx context.Context, name string, data []byte) (*format.Document, error) {
	if err := c.acquire(ctx); err != nil {
		return nil, err
	}
	defer func() { c.turn <- struct{}{} }()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.child == nil {
			ch, err := startChild(c.opt)
			if err != nil {
				return nil, err
			}
			c.child = ch
		}
		fresh := c.child.files == 0
		doc, err := c.parseOnce(ctx, name, data)
		if end, ok := errors.AsType[*endError](err); ok {
			c.child = nil
			if end.again && !fresh {
				continue
			}
			return nil, end.err
		}
		return doc, err
	}
}

func (c *Client) acquire(ctx context.Context) error {
	select {
	case <-c.closed:
		return ErrClosed
	default:
	}
	select {
	case <-c.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return ErrClosed
	}
}

// endError reports that the child is gone, and whether a new one may do better.
type endError struct {
	err   error
	again bool
}

func (e *endError) Error() string { return e.err.Error() }
func (e *endError) Unwrap() error { return e.err }

func (c *Client) parseOnce(ctx context.Context, name string, data []byte) (*format.Document, error) {
	l := c.opt.Limits
	if !c.child.warm && format.Foreign(name, data) == "pdf" {
		// The PDF reader's code is compiled once a machine, in seconds that belong to no document.
		rep, err := c.child.ask(ctx, c.closed, request{Op: opWarm, CacheDir: c.opt.CacheDir, Limits: l.Format}, nil,
			bounds{cpu: 10 * l.CPU, wall: 5 * l.Wall, memory: l.Memory})
		if err != nil {
			if killed, ok := errors.AsType[*KilledError](err); ok {
				err = &endError{err: fmt.Errorf("%w: the PDF reader did not start: %s", ErrUnavailable, killed.Reason)}
			}
			return nil, err
		}
		if rep.Error != "" {
			return nil, fmt.Errorf("%w: the PDF reader did not start: %s", ErrUnavailable, rep.Error)
		}
		if rep.Notice != "" && !c.told {
			c.told = true
			c.opt.Log.Warn("document worker", "notice", rep.Notice)
		}
		c.child.warm = true
	}
	mb := time.Duration((len(data) + 1<<20 - 1) >> 20)
	rep, err := c.child.ask(ctx, c.closed, request{Op: opParse, Name: name, CacheDir: c.opt.CacheDir, Limits: l.Format}, data,
		bounds{cpu: l.CPU + mb*l.CPUPerMB, wall: l.Wall, memory: l.Memory})
	if err != nil {
		return nil, err
	}
	c.child.files++
	if c.child.files >= l.Files || c.child.resident() > l.Keep {
		c.child.retire()
		c.child = nil
	}
	switch {
	case rep.Encrypted:
		return nil, format.ErrEncrypted
	case rep.Error != "":
		return nil, errors.New(rep.Error)
	case rep.Document == nil:
		return nil, &KilledError{Reason: "the answer holds no document"}
	}
	if err := rep.Document.Check(); err != nil {
		return nil, &KilledError{Reason: "the answer is not sound: " + err.Error()}
	}
	return rep.Document, nil
}

// Close ends the child, and with it a Parse still under way. It may be called twice.
func (c *Client) Close() error {
	select {
	case <-c.closed:
		return nil
	default:
		close(c.closed)
	}
	<-c.turn // Parse returns as soon as it sees closed
	if c.child != nil {
		c.child.retire()
		c.child = nil
	}
	return nil
}
