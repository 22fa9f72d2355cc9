package format

// This file defines Parse, the table of parsers it chooses from, and the errors it refuses a file with.

import (
	"cmp"
	"fmt"
)

// A parser reads one kind of file.
type parser struct {
	revision string // "markdown/1": a new revision reads every file of the kind again
	limit    int    // bytes of the file
	parse    func(name string, data []byte) (*Document, error)
}

const textLimit = 64 << 20

// parsers holds every kind that is read in this process. A new format is one line here and one file beside this one.
var parsers = map[string]parser{
	kindMarkdown: {"markdown/1", textLimit, decoded(markdown)},
	kindText:     {"text/1", textLimit, decoded(plainText)},
	kindCSV:      {"csv/1", textLimit, decoded(separated)},
	kindTSV:      {"tsv/1", textLimit, decoded(separated)},
	kindCode:     {"code/1", textLimit, decoded(sourceCode)},
}

// Parse reads a file of any kind it knows. name is the file's name or path with forward slashes, which decides only what the bytes leave
// open. It refuses a file with a [BinaryError], an [UnsupportedError] or a [TooLargeError], and with nothing else.
func Parse(name string, data []byte) (*Document, error) {
	kind := Detect(name, data)
	p, ok := parsers[kind]
	switch {
	case kind == kindBinary:
		return nil, &BinaryError{}
	case !ok:
		return nil, &UnsupportedError{Kind: kind}
	case len(data) > p.limit:
		return nil, &TooLargeError{Kind: kind, Size: len(data), Limit: p.limit}
	}
	doc, err := p.parse(name, data)
	if err != nil {
		return nil, err
	}
	doc.Kind, doc.Parser = kind, p.revision
	return doc, nil
}

// Revision names the parser that a kind is read with today, here or in the worker (see [Foreign]), and is "" where it has none.
func Revision(kind string) string { return cmp.Or(parsers[kind].revision, foreignRevisions[kind]) }

// decoded makes a parser of bytes from one that fills in a Document whose Text is there.
func decoded(fill func(name string, doc *Document)) func(string, []byte) (*Document, error) {
	return func(name string, data []byte) (*Document, error) {
		d := decode(data)
		doc := &Document{Encoding: d.encoding, Guessed: d.guessed, Text: d.text, Sections: []Section{{Parent: -1, End: len(d.text)}}}
		fill(name, doc)
		if n := d.note(); n != "" {
			doc.Notes = append(doc.Notes, n)
		}
		return doc, nil
	}
}

// A BinaryError refuses bytes that hold no text, whatever the file is called.
type BinaryError struct{}

func (*BinaryError) Error() string { return "binary content, no text" }

// An UnsupportedError refuses a file of a kind that is known and has no parser.
type UnsupportedError struct{ Kind string }

func (e *UnsupportedError) Error() string { return e.Kind + ": no parser yet" }

// A TooLargeError refuses a file over its kind's limit.
type TooLargeError struct {
	Kind        string
	Size, Limit int // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s file of %.1f MB, more than %d MB", e.Kind, float64(e.Size)/(1<<20), e.Limit>>20)
}
