package worker

import (
	"io"

	"docket/ingest/format"
)

// ServeOdd is Serve for a child that first does what odd says: the tests' way to a document that breaks its parser. odd gets the
// number of documents this child has had, from 1.
func ServeOdd(in io.Reader, out io.Writer, odd func(name string, n int, data []byte) (*format.Document, error)) error {
	limitSelf()
	p := &parser{}
	n := 0
	return serve(in, out, func(req request, data []byte) reply {
		if req.Op == opParse {
			n++
			if doc, err := odd(req.Name, n, data); err != nil {
				return reply{Error: err.Error()}
			} else if doc != nil {
				return reply{Document: doc}
			}
		}
		return p.answer(req, data)
	})
}

// Pid gives the child's process id, 0 where none runs.
func (c *Client) Pid() int {
	if c.child == nil {
		return 0
	}
	return c.child.cmd.Process.Pid
}

// ReadFrame and WriteFrame are the protocol's.
var (
	ReadFrame  = readFrame
	WriteFrame = writeFrame
)
