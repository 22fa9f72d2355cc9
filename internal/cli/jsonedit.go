package cli

// This file defines how one entry is set in, or taken out of, a JSON file that belongs to another program: the text around it
// stays as it is, byte for byte, since the file holds what docket knows nothing about.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const jsonSpace = " \t\r\n"

// A member is one key with its value in the text of an object.
type member struct {
	key               string
	start, value, end int // where the key begins, where the value begins, and where it ends
}

// An object is an object in a text, with its members.
type object struct {
	start, end int // of its braces
	members    []member
}

// readObject reads the object that begins at text[at].
func readObject(text string, at int) (object, error) {
	dec := json.NewDecoder(strings.NewReader(text[at:]))
	if _, err := dec.Token(); err != nil { // the brace
		return object{}, err
	}
	o := object{start: at}
	for dec.More() {
		from := at + int(dec.InputOffset())
		key, err := dec.Token()
		if err != nil {
			return object{}, err
		}
		name, ok := key.(string)
		if !ok {
			return object{}, fmt.Errorf("a key is not a string")
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return object{}, err
		}
		end := at + int(dec.InputOffset())
		o.members = append(o.members, member{name, from + strings.IndexByte(text[from:], '"'), end - len(value), end})
	}
	if _, err := dec.Token(); err != nil {
		return object{}, err
	}
	o.end = at + int(dec.InputOffset())
	return o, nil
}

// find returns the member of that name; which of two is meant nobody can tell.
func (o object) find(name string) (m member, found bool, err error) {
	for _, have := range o.members {
		if have.key != name {
			continue
		}
		if found {
			return member{}, false, fmt.Errorf("it has the key %q twice", name)
		}
		m, found = have, true
	}
	return m, found, nil
}

// topObject reads the object that is the whole text.
func topObject(text string) (object, error) {
	rest := strings.TrimPrefix(text, "\ufeff")
	at := len(text) - len(strings.TrimLeft(rest, jsonSpace))
	if at == len(text) || text[at] != '{' {
		return object{}, errors.New("it is not a JSON object")
	}
	o, err := readObject(text, at)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && strings.Trim(text[o.end:], jsonSpace) != "" {
		err = errors.New("text follows the JSON object")
	}
	return o, err
}

// entryOf returns the text of outer.name, "" if it is not there.
func entryOf(text, outer, name string) (string, error) {
	if strings.Trim(text, jsonSpace) == "" {
		return "", nil
	}
	top, err := topObject(text)
	if err != nil {
		return "", err
	}
	group, found, err := top.group(text, outer)
	if err != nil || !found {
		return "", err
	}
	m, found, err := group.find(name)
	if err != nil || !found {
		return "", err
	}
	return text[m.value:m.end], nil
}

// group returns the object that is the member of that name.
func (o object) group(text, name string) (object, bool, error) {
	m, found, err := o.find(name)
	if err != nil || !found {
		return object{}, false, err
	}
	if text[m.value] != '{' {
		return object{}, false, fmt.Errorf("its %q is not an object", name)
	}
	group, err := readObject(text, m.value)
	return group, true, err
}

// setEntry returns text with outer.name set to value, and all else as it was.
func setEntry(text, outer, name string, value any) (string, error) {
	if strings.Trim(text, jsonSpace) == "" {
		out, err := indentedJSON(map[string]any{outer: map[string]any{name: value}}, "")
		return out + "\n", err
	}
	top, err := topObject(text)
	if err != nil {
		return "", err
	}
	group, found, err := top.group(text, outer)
	if err != nil {
		return "", err
	}
	if !found {
		return top.insert(text, outer, map[string]any{name: value})
	}
	m, found, err := group.find(name)
	if err != nil {
		return "", err
	}
	if !found {
		return group.insert(text, name, value)
	}
	out, err := styledJSON(value, leadingSpace(text, m.start))
	return text[:m.value] + out + text[m.end:], err
}

// insert adds a member at the end of the object, laid out as its last member is.
func (o object) insert(text, name string, value any) (string, error) {
	key, err := indentedJSON(name, "")
	if err != nil {
		return "", err
	}
	if len(o.members) > 0 {
		last := o.members[len(o.members)-1]
		space := leadingSpace(text, last.start)
		out, err := styledJSON(value, space)
		return text[:last.end] + "," + space + key + ": " + out + text[last.end:], err
	}
	outer := lineIndent(text, o.start)
	space := "\n" + outer + "  "
	out, err := styledJSON(value, space)
	return text[:o.start+1] + space + key + ": " + out + "\n" + outer + text[o.end-1:], err
}

// deleteEntry returns text without outer.name, and all else as it was; found is false if it was not there.
func deleteEntry(text, outer, name string) (_ string, found bool, err error) {
	if strings.Trim(text, jsonSpace) == "" {
		return text, false, nil
	}
	top, err := topObject(text)
	if err != nil {
		return "", false, err
	}
	group, found, err := top.group(text, outer)
	if err != nil || !found {
		return text, false, err
	}
	if _, found, err = group.find(name); err != nil || !found {
		return text, false, err
	}
	for i, m := range group.members {
		if m.key != name {
			continue
		}
		switch {
		case i > 0: // with the comma before it
			return text[:group.members[i-1].end] + text[m.end:], true, nil
		case len(group.members) > 1: // with the comma after it
			return text[:m.start] + text[group.members[1].start:], true, nil
		}
	}
	return text[:group.start+1] + text[group.end-1:], true, nil // it was the only one
}

// leadingSpace returns the white space in front of text[at].
func leadingSpace(text string, at int) string {
	return text[len(strings.TrimRight(text[:at], jsonSpace)):at]
}

// lineIndent returns the white space at the start of the line of text[at].
func lineIndent(text string, at int) string {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// styledJSON returns v in lines where the white space before its key holds a line feed, else on one line.
func styledJSON(v any, space string) (string, error) {
	if i := strings.LastIndexByte(space, '\n'); i >= 0 {
		return indentedJSON(v, space[i+1:])
	}
	text, err := indentedJSON(v, "")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = json.Compact(&b, []byte(text))
	return b.String(), err
}

// indentedJSON returns v in lines; those after the first begin with indent.
func indentedJSON(v any, indent string) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, "  ")
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
