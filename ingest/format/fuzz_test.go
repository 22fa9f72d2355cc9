package format_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"docket/ingest/format"
)

// FuzzParse holds every Document to the package's promises, and the tree of text to its independence of line ends.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"# A\n\ntext\n\n```\n# no\n```\n", "---\ntitle: Re: x\n---\nbody [[a#b|c]]", "> - a\n>   ```\n> b\n", "| a |\n|---|\n| 1 |", "a\n---\nb\n===\n", "\"a\nb\",1\nc,2\n",
		"package p\n\n// F is.\nfunc F() {}\n", "e.g. a. B! c。d", "\xff\xfea\x00", "<!--\n# x\n-->", "- a\n\n\tb\n1) c\n", "[a](<b> 'c') ![d][e]\n\n[e]: f",
	} {
		for name := range strings.SplitSeq("a.md a.txt a.csv a.go a.json", " ") {
			f.Add(name, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		doc, err := format.Parse(name, data)
		if err != nil {
			var binary *format.BinaryError
			var unsupported *format.UnsupportedError
			var large *format.TooLargeError
			if !errors.As(err, &binary) && !errors.As(err, &unsupported) && !errors.As(err, &large) {
				t.Fatalf("an error of no type: %v", err)
			}
			return
		}
		check(t, doc)
		marked := "\ufeff" + doc.Text // so that no line end makes another encoding of it
		if _, err := format.Parse(name, []byte(marked)); err == nil {
			checkLineEnds(t, name, marked)
		}
	})
}

// FuzzDecode reads any bytes as text: valid UTF-8, and the very bytes where they are that.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"plain", "\xef\xbb\xbfmark", "\xff\xfeh\x00i\x00", "\xfe\xff\x00h\x00i", "\xff\xfe\x00\x00h\x00\x00\x00", "caf\xe9", "h\x00e\x00l\x00l\x00o\x00", "caf\xc3\xa9 \xff", "\x00\xd8\x00\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := format.Parse("a.txt", data)
		if err != nil {
			return
		}
		if !utf8.ValidString(doc.Text) {
			t.Fatalf("%q became %q", data, doc.Text)
		}
		if doc.Encoding == "utf-8" && !doc.Guessed && doc.Text != strings.TrimPrefix(string(data), "\ufeff") {
			t.Fatalf("%q became %q", data, doc.Text)
		}
		if !doc.Guessed && len(doc.Notes) == 0 {
			again, err := format.Parse("a.txt", []byte("\ufeff"+doc.Text))
			if err != nil {
				return // marked or not, it may hold too many control characters
			}
			if again.Text != doc.Text {
				t.Fatalf("%q read again is %q", doc.Text, again.Text)
			}
		}
	})
}
