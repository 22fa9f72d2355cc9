package worker

// This file defines the protocol between the two processes: frames of a length, a checksum and a payload, on pipes.

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"docket/ingest/format"
)

// What a frame may hold: a document on its way in, and one on its way out with its positions.
const (
	maxRequest = 512 << 20
	maxReply   = 256 << 20
)

// Operations of a request.
const (
	opParse = "parse" // a frame with the document follows
	opWarm  = "warm"  // start the PDF reader
)

type request struct {
	Op       string
	Name     string
	CacheDir string
	Limits   format.Limits
}

type reply struct {
	Document  *format.Document
	Error     string // why there is none
	Encrypted bool   // it is format.ErrEncrypted
	Notice    string // what the person should know of the worker itself
}

var errFrame = errors.New("a frame is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func writeFrame(w io.Writer, payload []byte) error {
	var head [8]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(payload, castagnoli))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// readFrame reads one frame. It gives io.EOF where the stream ends before one begins.
func readFrame(r io.Reader, most int) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if int64(n) > int64(most) {
		return nil, fmt.Errorf("a frame of %d bytes, more than %d", n, most)
	}
	payload := make([]byte, n)
	if _, err := io.ReadFull(r, payload); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, errFrame
	}
	return payload, nil
}

func writeJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, b)
}
