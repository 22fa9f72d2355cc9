// Package ingest turns files into rows: it walks the roots, reads what changed, and makes each new content a version, its passages and
// its words in one transaction. A document is either wholly the old version or wholly the new one, and every file that was seen
// has a row in the ledger that says what became of it.
//
// It never writes to a source file, never opens a path outside a root or through a link, and never takes "could not be read" for
// "is gone": a removal is believed only where the folder was listed and the name was not in it. It does not decide *when* to index;
// watch and cli do. One process at a time indexes a store, and holds a lock for it.
package ingest

import (
	"errors"
	"io"
	"os"
)

// What one transaction takes at most: FULL's fsync is paid once for all of it, and others can write in between.
const (
	batchDocuments = 64
	batchBytes     = 512 << 10
	batchRows      = 1000
)

func readFull(f *os.File, b []byte) (int, error) {
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
