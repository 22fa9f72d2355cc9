package format

// This file defines how a part of a Word file is read: a stream of XML events over encoding/xml's RawToken, with our own element
// stack, so that a part that breaks off or is badly nested is understood as far as it goes.

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// An element is one open XML element. Prefixes are ignored: producers choose them, and the local names we read are unambiguous.
type element struct {
	name string
	attr []xml.Attr
}

func (e element) value(local string) string {
	for _, a := range e.attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// on reads a switch such as <w:b/>, which is on unless its val says otherwise.
func (e element) on() bool {
	switch e.value("val") {
	case "0", "false", "off":
		return false
	}
	return true
}

// A walker sees a part's elements and text in order. start reports whether to go into the element.
// end is called for every element that start went into, also for those still open where the part breaks off.
type walker interface {
	start(element) bool
	end(name string)
	chars([]byte)
}

// walkXML feeds a part to w. An error means that the part was read only so far.
func walkXML(r io.Reader, lim Limits, w walker) error {
	d := xml.NewDecoder(&cleaner{r: transform.NewReader(r, unicode.BOMOverride(transform.Nop))})
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf-16") { // already decoded by its byte-order mark
			return in, nil
		}
		return charset.NewReaderLabel(label, in)
	}
	var open []string
	skip := 0 // elements open below one that w does not go into
	pop := func(to int) {
		for len(open) > to {
			w.end(open[len(open)-1])
			open = open[:len(open)-1]
		}
	}
	defer pop(0)
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			if len(open) > 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(open)+skip >= lim.Depth {
				return fmt.Errorf("elements are nested more than %d deep", lim.Depth)
			}
			if skip > 0 || !w.start(element{t.Name.Local, t.Attr}) {
				skip++
				continue
			}
			open = append(open, t.Name.Local)
		case xml.EndElement:
			if skip > 0 {
				skip--
				continue
			}
			for i := len(open) - 1; i >= 0; i-- { // an end without its start is passed over
				if open[i] == t.Name.Local {
					pop(i)
					break
				}
			}
		case xml.CharData:
			if skip == 0 {
				w.chars(t)
			}
		}
	}
}

// cleaner turns control characters, which XML forbids and some producers write, into spaces, where the decoder would stop.
type cleaner struct{ r io.Reader }

func (c *cleaner) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' {
			p[i] = ' '
		}
	}
	return n, err
}

// walkPart walks one entry of the archive. Whatever keeps it from being read to its end becomes a note, never an error:
// a reader of a damaged file wants the rest. An entry that is not there is passed over.
func walkPart(a *archive, b *builder, name string, w walker) {
	r, err := a.open(name)
	if errors.Is(err, errNoEntry) {
		return
	}
	if err != nil {
		b.note("a part could not be read: %v", err)
		return
	}
	defer func() { _ = r.Close() }() // it was only read
	if err := walkXML(r, a.lim, w); err != nil {
		if _, ok := errors.AsType[*limitError](err); ok {
			b.note("a part was read only so far: %v", err)
		} else {
			b.note("a part was read only so far: %s: %v", name, err)
		}
	}
}

// walkFunc is a walker that wants only the starts of elements.
type walkFunc func(element)

func (f walkFunc) start(e element) bool { f(e); return true }
func (walkFunc) end(string)             {}
func (walkFunc) chars([]byte)           {}
