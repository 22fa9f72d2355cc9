package format

// This file defines front matter: the properties between two lines of --- at the top of a note. It is read line by line and keeps
// what it can, since much of what people write there is no valid YAML.

import (
	"fmt"
	"path"
	"strings"
)

const maxFront = 2000 // lines

// frontMatter reads the properties of a note, and gives the number of lines they take. It gives 0 where the text between the marks is
// no list of properties, as in a letter that opens with a rule: that is body text.
func frontMatter(name string, doc *Document, lines []line) int {
	if len(lines) == 0 || strings.TrimRight(doc.Text[lines[0].start:lines[0].end], " \t") != "---" {
		return 0
	}
	end := 0
	for i := 1; i < min(len(lines), maxFront) && end == 0; i++ {
		if s := strings.TrimRight(doc.Text[lines[i].start:lines[i].end], " \t"); s == "---" || s == "..." {
			end = i
		}
	}
	f := frontReader{text: doc.Text, lenient: strings.HasSuffix(strings.ToLower(path.Ext(name)), ".mdc")}
	for i := 1; i < end; i++ {
		f.line(i+1, lines[i])
	}
	if end == 0 || len(f.props) == 0 || f.badFirst || f.bad > f.good {
		return 0
	}
	f.flush()
	doc.Props = f.props
	doc.Notes = append(doc.Notes, f.notes...)
	for _, p := range f.props {
		if strings.EqualFold(p.Key, "title") && len(p.Values) > 0 {
			doc.Title = p.Values[0]
			break
		}
	}
	doc.Blocks = append(doc.Blocks, Block{Kind: Front, Start: f.spans[0].Start, End: f.spans[len(f.spans)-1].End, Spans: f.spans})
	return end + 1
}

type frontReader struct {
	text      string
	lenient   bool // the name promises no YAML: Cursor's rules hold bare globs
	props     []Property
	spans     []Span
	notes     []string
	good, bad int
	badFirst  bool
	literal   int      // for a block scalar, 1 + the indent of its key
	folded    bool     // its lines are joined by spaces
	block     []string // its lines
}

func (f *frontReader) line(number int, l line) {
	start, end := trimmed(f.text, l.start, l.end)
	s, indent := f.text[start:end], start-l.start
	if f.literal > 0 {
		if s == "" || indent >= f.literal {
			f.block = append(f.block, s)
			f.cover(start, end, false)
			return
		}
		f.flush()
	}
	if s == "" {
		return
	}
	if s[0] == '#' {
		f.cover(start, end, true)
		return
	}
	if (s == "-" || strings.HasPrefix(s, "- ")) && len(f.props) > 0 {
		f.good++
		f.cover(start, end, false)
		p := &f.props[len(f.props)-1]
		if v := f.scalar(number, strings.TrimSpace(s[1:])); v != "" {
			p.Values = append(p.Values, v)
		}
		return
	}
	key, value, ok := cutKey(s)
	switch {
	case ok && indent == 0:
	case ok && len(f.props) > 0: // a map inside: its keys get the outer one's name
		outer, _, _ := strings.Cut(f.props[len(f.props)-1].Key, ".")
		key = outer + "." + key
	case indent > 0 && len(f.props) > 0: // a value that goes on
		f.good++
		f.cover(start, end, false)
		p := &f.props[len(f.props)-1]
		if n := len(p.Values); n > 0 {
			p.Values[n-1] += " " + s
		} else {
			p.Values = append(p.Values, f.values(number, s)...)
		}
		return
	default:
		f.bad++
		f.badFirst = f.badFirst || f.good == 0
		f.notes = append(f.notes, fmt.Sprintf("front matter, line %d: no property, kept as text", number))
		f.cover(start, end, true)
		return
	}
	f.good++
	f.cover(start, end, true)
	p := Property{Key: key}
	switch strings.TrimRight(value, "+-0123456789") {
	case "|", ">":
		f.literal, f.folded = indent+1, value[0] == '>'
	default:
		p.Values = f.values(number, value)
	}
	f.props = append(f.props, p)
}

// flush ends a block scalar.
func (f *frontReader) flush() {
	if f.literal > 0 && len(f.props) > 0 {
		sep := "\n"
		if f.folded {
			sep = " "
		}
		if v := strings.TrimSpace(strings.Join(f.block, sep)); v != "" {
			p := &f.props[len(f.props)-1]
			p.Values = append(p.Values, v)
		}
	}
	f.literal, f.block = 0, nil
}

// cover puts a line into the span of its property.
func (f *frontReader) cover(start, end int, fresh bool) {
	switch {
	case start == end:
	case fresh || len(f.spans) == 0:
		f.spans = append(f.spans, Span{Lines, start, end})
	default:
		f.spans[len(f.spans)-1].End = end
	}
}

// cutKey parts "key: value". A key is a word or a few, without any mark that would make it a sentence.
func cutKey(s string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(s, ":")
	key = strings.Trim(strings.TrimSpace(key), `"'`)
	if !ok || key == "" || len(key) > 64 || value != "" && value[0] != ' ' && value[0] != '\t' || strings.ContainsAny(key, "*[]{}()<>|,;.!?#@`") || len(strings.Fields(key)) > 4 {
		return "", "", false
	}
	return key, strings.TrimSpace(value), true
}

// values reads a value: one scalar, or a list in brackets.
func (f *frontReader) values(number int, s string) []string {
	s = cutComment(s)
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "[[") {
		if !strings.HasSuffix(s, "]") {
			f.note(number, "a bracket without its end")
		}
		var out []string
		for _, v := range splitList(strings.TrimSuffix(s[1:], "]")) {
			if v = f.scalar(number, strings.TrimSpace(v)); v != "" {
				out = append(out, v)
			}
		}
		return out
	}
	if v := f.scalar(number, s); v != "" {
		return []string{v}
	}
	return nil
}

// scalar reads one value, and says what YAML would not have taken.
func (f *frontReader) scalar(number int, s string) string {
	s = cutComment(s)
	if s == "" {
		return ""
	}
	if q := s[0]; q == '"' || q == '\'' {
		if len(s) < 2 || s[len(s)-1] != q {
			f.note(number, "a quotation mark without its end")
			return strings.TrimSpace(s[1:])
		}
		if s = s[1 : len(s)-1]; q == '"' {
			return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(s)
		}
		return strings.ReplaceAll(s, "''", "'")
	}
	switch {
	case strings.IndexByte("*&!%@`", s[0]) >= 0:
		f.note(number, fmt.Sprintf("a value that begins with %c and is not quoted", s[0]))
	case strings.Contains(s, ": ") || strings.HasSuffix(s, ":"):
		f.note(number, "a value that holds a colon and is not quoted")
	}
	return s
}

func (f *frontReader) note(number int, what string) {
	if !f.lenient {
		f.notes = append(f.notes, fmt.Sprintf("front matter, line %d: %s, read as it stands", number, what))
	}
}

// cutComment takes a YAML comment off a value that is not quoted. "#tag" alone is a value, whatever YAML says.
func cutComment(s string) string {
	if s == "" || s[0] == '"' || s[0] == '\'' {
		return s
	}
	if strings.HasPrefix(s, "# ") || s == "#" {
		return ""
	}
	if i := strings.Index(s, " # "); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// splitList cuts at commas outside of quotation marks.
func splitList(s string) []string {
	var out []string
	var quote byte
	from := 0
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && strings.TrimSpace(s[from:i]) == "":
			quote = c
		case c == ',':
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}
