package format

// This file defines the archive: a zip file read under limits that are counted on the bytes that come out, never on what its
// headers claim, and read as far as it goes when its end is missing.

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ratioFree is how much of one entry may be inflated before its compression ratio counts.
const ratioFree = 4 << 20

var errNoEntry = errors.New("no such entry")

// limitError says which limit stopped the reading of an entry.
type limitError struct{ entry, limit string }

func (e *limitError) Error() string { return e.entry + " " + e.limit }

type archive struct {
	entries   map[string]func() (io.ReadCloser, int64, error) // a reader of the entry and its size in the file
	lim       Limits
	left      int64 // of Limits.Total
	truncated bool  // the central directory is missing; entries come from the local headers
}

func openArchive(data []byte, lim Limits) (*archive, error) {
	a := &archive{entries: map[string]func() (io.ReadCloser, int64, error){}, lim: lim, left: lim.Total}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		a.truncated = true
		if a.scan(data); len(a.entries) == 0 {
			return nil, fmt.Errorf("damaged zip file: %w", err)
		}
		return a, nil
	}
	if len(z.File) > lim.Entries {
		return nil, fmt.Errorf("zip file of %d entries, more than %d", len(z.File), lim.Entries)
	}
	for _, f := range z.File {
		a.put(f.Name, func() (io.ReadCloser, int64, error) {
			r, err := f.Open()
			return r, int64(f.CompressedSize64), err
		})
	}
	return a, nil
}

func (a *archive) put(name string, open func() (io.ReadCloser, int64, error)) {
	name = strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/")
	if _, ok := a.entries[name]; !ok {
		a.entries[name] = open
	}
}

// scan finds entries by their local headers, as far as the file goes.
func (a *archive) scan(data []byte) {
	const header = 30
	for at := 0; len(a.entries) < a.lim.Entries; {
		i := bytes.Index(data[at:], []byte("PK\x03\x04"))
		if i < 0 || at+i+header > len(data) {
			return
		}
		at += i
		h := data[at : at+header]
		method := binary.LittleEndian.Uint16(h[8:])
		size := int(binary.LittleEndian.Uint32(h[18:]))
		body := at + header + int(binary.LittleEndian.Uint16(h[26:])) + int(binary.LittleEndian.Uint16(h[28:]))
		if body > len(data) {
			return
		}
		name := string(data[at+header : at+header+int(binary.LittleEndian.Uint16(h[26:]))])
		rest := data[body:]
		if size > 0 && size < len(rest) {
			rest = rest[:size]
		}
		switch method {
		case zip.Deflate: // ends by itself, whatever the header says
			a.put(name, func() (io.ReadCloser, int64, error) {
				return flate.NewReader(bytes.NewReader(rest)), int64(len(rest)), nil
			})
		case zip.Store:
			a.put(name, func() (io.ReadCloser, int64, error) {
				return io.NopCloser(bytes.NewReader(rest)), int64(len(rest)), nil
			})
		}
		at = body + min(size, len(data)-body)
	}
}

// open gives a reader of an entry. It fails with errNoEntry where there is none; past a limit, Read fails with a limitError.
func (a *archive) open(name string) (io.ReadCloser, error) {
	open, ok := a.entries[name]
	if !ok {
		return nil, errNoEntry
	}
	r, packed, err := open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &entryReader{ReadCloser: r, a: a, name: name, left: a.lim.Entry, byRatio: ratioFree + packed*a.lim.Ratio}, nil
}

type entryReader struct {
	io.ReadCloser
	a       *archive
	name    string
	left    int64 // of Limits.Entry
	byRatio int64 // of what the packed size allows
}

func (r *entryReader) Read(p []byte) (int, error) {
	switch {
	case r.byRatio <= 0:
		return 0, &limitError{r.name, fmt.Sprintf("inflates to more than %d times its size", r.a.lim.Ratio)}
	case r.left <= 0:
		return 0, &limitError{r.name, fmt.Sprintf("is larger than %d MB", r.a.lim.Entry>>20)}
	case r.a.left <= 0:
		return 0, &limitError{"the file", fmt.Sprintf("inflates to more than %d MB", r.a.lim.Total>>20)}
	}
	n, err := r.ReadCloser.Read(p[:min(int64(len(p)), r.byRatio, r.left, r.a.left)])
	r.byRatio, r.left, r.a.left = r.byRatio-int64(n), r.left-int64(n), r.a.left-int64(n)
	return n, err
}
