package cli

// This file defines the hidden command that reads foreign documents (PDF, Word, HTML), and how the others start it: this program
// again, as a child that a document may bring down.

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"docket/ingest/worker"
)

// parseCommand is the child's only argument. No person types it, so help does not list it.
const parseCommand = "__parse"

// parseForeign is the whole of the child.
func parseForeign(in io.Reader, out, log io.Writer) int {
	if err := worker.Serve(in, out); err != nil {
		p(log, "docket: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// worker returns the parser of foreign documents. It starts nothing until the first one comes; the caller closes it.
func (c *call) worker() (*worker.Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which reads PDF, Word and HTML as a child of itself: %w", err)
	}
	o := worker.Options{Command: []string{self, parseCommand}, Log: c.logger()}
	if cache, err := os.UserCacheDir(); err == nil { // without one, code is compiled anew by each child
		o.CacheDir = filepath.Join(cache, "docket")
	}
	return worker.New(o), nil
}
