package mcp

// This file defines the guarded transport: one JSON-RPC message a line, in which no line, however bad, ends the session.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine bounds a line that comes in: the largest legal argument is an event of 1,000,000 characters, which JSON escapes can
// make 12 MB: two escapes of six bytes each for an emoji. What goes out is bounded by the tools.
const maxLine = 16 << 20

// maxErrorText bounds the message of a protocol error, since the SDK quotes what it could not decode.
const maxErrorText = 500

// A line is one line of input as the reader found it. Of one that is too large only the envelope is left.
type line struct {
	text []byte
	size int
	env  envelope
}

// A conn is the server's end of the stream, and the whole of the transport: the SDK's own ends the process at the first line
// that it cannot decode, and drops calls in flight when its input ends.
type conn struct {
	out    io.Writer
	log    *slog.Logger
	lines  chan line
	ended  chan struct{} // closed when the input has ended and all of it was read
	closed chan struct{}

	write sync.Mutex // held while a line goes out

	mu        sync.Mutex
	open      map[jsonrpc.ID]bool // the requests that were read and not answered
	answering int                 // answers that are being written
	stopped   bool                // no more requests are taken
	quiet     chan struct{}       // closed when stopped, and all that was taken is answered
	closing   sync.Once
}

func newConn(in io.Reader, out io.Writer, log *slog.Logger) *conn {
	c := &conn{
		out: out, log: log,
		lines: make(chan line), ended: make(chan struct{}), closed: make(chan struct{}), quiet: make(chan struct{}),
		open: map[jsonrpc.ID]bool{},
	}
	// No portable call ends a read of standard input, so this goroutine may outlive the session; it holds nothing but a buffer.
	go c.split(in)
	return c
}

// Connect makes a conn its own transport.
func (c *conn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID is empty: over stdio the process is the session.
func (c *conn) SessionID() string { return "" }

// split cuts the input into lines until it ends.
func (c *conn) split(in io.Reader) {
	defer close(c.lines)
	r := bufio.NewReaderSize(in, 64<<10)
	var l line
	for {
		part, err := r.ReadSlice('\n')
		l.size += len(part)
		l.env.write(part)
		if l.size <= maxLine {
			l.text = append(l.text, part...)
		} else {
			l.text = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if l.size > 0 {
			select {
			case c.lines <- l:
			case <-c.closed:
				return
			}
		}
		l = line{}
		if err != nil {
			if err != io.EOF {
				c.log.Warn("input ended", "error", err)
			}
			return
		}
	}
}

// Read returns the next message that is fit to be handled. It answers what is not, and goes on.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-c.closed:
			return nil, io.EOF
		case l, ok := <-c.lines:
			if !ok {
				// The SDK cancels what is in flight when it hears of the end; [Server.Run] decides when it does.
				close(c.ended)
				<-c.closed
				return nil, io.EOF
			}
			msg, bad := l.admit()
			if bad == nil && msg != nil {
				if bad = c.take(msg); bad == nil {
					return msg, nil
				}
			}
			if bad != nil {
				c.log.Warn("refused a message", "code", bad.Code, "reason", bad.Message, "bytes", l.size)
				if err := c.refuse(bad.id, bad.Error); err != nil {
					return nil, err
				}
			}
		}
	}
}

// A refusal is the answer to a line that is not handed on.
type refusal struct {
	*jsonrpc.Error
	id []byte // the raw id to answer under, nil where none can be told
}

var utf8BOM = []byte("\xef\xbb\xbf")

// admit decodes a line. Both results are nil for a line that is to be passed over without an answer.
func (l *line) admit() (jsonrpc.Message, *refusal) {
	refuse := func(code int64, format string, args ...any) (jsonrpc.Message, *refusal) {
		if l.env.response && !l.env.method {
			return nil, nil // answering a broken answer could go on for ever
		}
		return nil, &refusal{&jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}, l.env.rawID()}
	}
	if l.size > maxLine {
		return refuse(jsonrpc.CodeInvalidRequest, "the message has %d bytes, and the limit is %d", l.size, maxLine)
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(l.text, utf8BOM))
	switch {
	case len(text) == 0:
		return nil, nil
	case l.env.deepest > maxDepth:
		return refuse(jsonrpc.CodeInvalidRequest, "the message is nested more than %d levels deep", maxDepth)
	case !json.Valid(text):
		l.env.id = nil // what cannot be parsed has no id that can be trusted
		return refuse(jsonrpc.CodeParseError, "the line is not JSON; send one message a line")
	case text[0] == '[':
		return refuse(jsonrpc.CodeInvalidRequest, "batches are not supported; send one message a line")
	case text[0] != '{':
		return refuse(jsonrpc.CodeInvalidRequest, "a message is a JSON object")
	case l.env.method && string(l.env.id) == "null":
		return refuse(jsonrpc.CodeInvalidRequest, "the id of a request is a string or an integer, not null")
	}
	if id := l.env.rawID(); id != nil && id[0] != '"' {
		if n, err := strconv.ParseFloat(string(id), 64); err != nil || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
			return refuse(jsonrpc.CodeInvalidRequest, "an id that is a number is an integer of at most 2^53")
		}
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return refuse(jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message: %v", err)
	}
	return msg, nil
}

// rawID returns the id as it can be sent back, nil where there is none.
func (e *envelope) rawID() []byte {
	id := e.id
	if len(id) == 0 || !json.Valid(id) || id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		return nil
	}
	return bytes.ToValidUTF8(id, []byte("\uFFFD"))
}

// take counts a request as open, unless the session is ending.
func (c *conn) take(msg jsonrpc.Message) *refusal {
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id, _ := json.Marshal(req.ID.Raw())
	switch {
	case c.stopped:
		return &refusal{&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server is stopping"}, id}
	case c.open[req.ID]:
		// Without an id: under this one it would be taken for the answer to the request that is open.
		return &refusal{&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("the id %s is that of a request still open", id)}, nil}
	}
	c.open[req.ID] = true
	return nil
}

// Write sends a message as one line.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	res, isAnswer := msg.(*jsonrpc.Response)
	if isAnswer {
		if res.Error != nil {
			res.Error = coded(res.Error)
		}
		c.mu.Lock()
		delete(c.open, res.ID) // before it is sent, since the client may use the id again at once
		c.answering++
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			c.answering--
			c.settle()
			c.mu.Unlock()
		}()
	}
	b, err := jsonrpc.EncodeMessage(msg)
	if err != nil && isAnswer {
		c.log.Error("an answer could not be encoded", "error", err)
		b, err = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: res.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the answer could not be encoded"}})
	}
	if err != nil {
		return err
	}
	return c.send(unescape(b))
}

// coded gives an error of the SDK that has no JSON-RPC code (a call before initialize, a second initialize) the code it should
// have, and bounds the message.
func coded(err error) error {
	e := jsonrpc.Error{Message: err.Error()}
	if wrapped, ok := errors.AsType[*jsonrpc.Error](err); ok {
		e.Code, e.Data = wrapped.Code, wrapped.Data
	}
	switch {
	case e.Code != 0:
	case errors.Is(err, context.Canceled): // cancelled before it began
		e.Code, e.Message = jsonrpc.CodeInternalError, "the request was cancelled"
	default:
		e.Code = jsonrpc.CodeInvalidRequest
	}
	if len(e.Message) > maxErrorText {
		e.Message = string(bytes.ToValidUTF8([]byte(e.Message[:maxErrorText]), nil)) + "…"
	}
	return &e
}

func (c *conn) refuse(id []byte, e *jsonrpc.Error) error {
	if id == nil {
		id = []byte("null")
	}
	b, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   error           `json:"error"`
	}{"2.0", id, coded(e)})
	if err != nil {
		return err
	}
	return c.send(unescape(b))
}

func (c *conn) send(b []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	_, err := c.out.Write(append(b, '\n'))
	return err
}

// stop takes no more requests. The channel that it returns is closed when all that were taken are answered.
func (c *conn) stop() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	c.settle()
	return c.quiet
}

func (c *conn) settle() {
	if !c.stopped || len(c.open) > 0 || c.answering > 0 {
		return
	}
	select {
	case <-c.quiet:
	default:
		close(c.quiet)
	}
}

// Close ends the session for the SDK. The streams are the caller's.
func (c *conn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return nil
}
