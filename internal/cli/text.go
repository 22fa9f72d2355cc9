package cli

// This file defines how text and answers are laid out: JSON, wrapped lines, and control characters made visible.

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// width is how wide lines of prose are laid out.
const width = 80

// writeJSON writes v as the whole answer.
func (c *call) writeJSON(v any) error {
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// visible returns text as it may be shown on a terminal: what would move the cursor, turn the reading direction round or hide
// is replaced by a name of it. Line feeds and tabs stay, and a CR before a line feed is dropped.
func visible(text string) string {
	if strings.IndexFunc(text, hidden) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune('␀' + r) // the control pictures stand in the order of the characters
		case r == 0x7f:
			b.WriteRune('␡')
		default:
			_, _ = fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// hidden reports whether a character acts on the terminal, or on the reader, without being seen. The joiners that emoji and
// several scripts need, and the soft hyphen, are left alone.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d', '\u00ad':
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

// fill writes prose in lines of at most width columns, each after indent.
func fill(w io.Writer, indent, text string) {
	line := indent
	for word := range strings.FieldsSeq(visible(text)) {
		if line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			p(w, "%s\n", line)
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	if line != indent {
		p(w, "%s\n", line)
	}
}

// plural returns "1 file" or "3 files".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
