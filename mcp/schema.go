package mcp

// This file defines the schema: how a tool's parameters and results are described, and how arguments are checked against it.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A schema is a JSON schema written by hand. It has only what every host takes: one plain type for each value, no unions, no
// references, items for every list, no property that is not named. Its properties keep their order, as models read them so.
type schema struct {
	kind        string // "object", "array", "string", "integer", "number" or "boolean"
	description string
	fields      []field // of an object
	items       *schema // of an array
	enum        []string
	min, max    *int // of an integer's value, a string's characters or an array's items
	fallback    any  // stands in for an absent value
}

// A field is one property of an object.
type field struct {
	name     string
	optional bool
	*schema
}

func required(name string, s *schema) field { return field{name, false, s} }
func optional(name string, s *schema) field { return field{name, true, s} }

func object(fields ...field) *schema { return &schema{kind: "object", fields: fields} }
func text(about string) *schema      { return &schema{kind: "string", description: about} }
func integer(about string) *schema   { return &schema{kind: "integer", description: about} }
func number(about string) *schema    { return &schema{kind: "number", description: about} }
func boolean(about string) *schema   { return &schema{kind: "boolean", description: about} }

func listOf(about string, items *schema) *schema {
	return &schema{kind: "array", description: about, items: items}
}

func choice(about string, values ...string) *schema {
	return &schema{kind: "string", description: about, enum: values}
}

func (s schema) from(n int) *schema      { s.min = &n; return &s }
func (s schema) upTo(n int) *schema      { s.max = &n; return &s }
func (s schema) byDefault(v any) *schema { s.fallback = v; return &s }

// MarshalJSON writes the schema as JSON Schema, properties in their order.
func (s *schema) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	var err error
	pair := func(key string, v any) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		value, e := marshal(v)
		if e != nil {
			err = e
		}
		fmt.Fprintf(&b, "%q:%s", key, value)
	}
	b.WriteByte('{')
	pair("type", s.kind)
	if s.description != "" {
		pair("description", s.description)
	}
	if s.enum != nil {
		pair("enum", s.enum)
	}
	low, high := "minimum", "maximum"
	switch s.kind {
	case "string":
		low, high = "minLength", "maxLength"
	case "array":
		low, high = "minItems", "maxItems"
		pair("items", s.items)
	case "object":
		names := []string{}
		b.WriteString(`,"properties":{`)
		for i, f := range s.fields {
			if i > 0 {
				b.WriteByte(',')
			}
			value, e := f.schema.MarshalJSON()
			if e != nil {
				err = e
			}
			fmt.Fprintf(&b, "%q:%s", f.name, value)
			if !f.optional {
				names = append(names, f.name)
			}
		}
		b.WriteByte('}')
		if len(names) > 0 {
			pair("required", names)
		}
		pair("additionalProperties", false)
	}
	if s.min != nil {
		pair(low, *s.min)
	}
	if s.max != nil {
		pair(high, *s.max)
	}
	if s.fallback != nil {
		pair("default", s.fallback)
	}
	b.WriteByte('}')
	return b.Bytes(), err
}

// decode checks arguments against the schema and stores them in p. What fails is a [toolError] that says what to send instead.
func (s *schema) decode(arguments json.RawMessage, p any) error {
	if len(bytes.TrimSpace(arguments)) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	v, err := parse(arguments)
	if err != nil {
		return refuse("arguments", "are not JSON", "send an object of named parameters")
	}
	if v, err = s.check("arguments", v); err != nil {
		return err
	}
	b, err := marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, p)
}

// parse decodes one JSON value. Of keys that stand twice the last wins, and a number keeps all its digits.
func parse(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("text after the value")
	}
	return v, nil
}

// check returns v as the schema's type, with defaults filled in. name is the parameter's path, for messages.
func (s *schema) check(name string, v any) (any, error) {
	switch s.kind {
	case "object":
		return s.checkObject(name, v)
	case "array":
		return s.checkList(name, v)
	case "string":
		text, ok := v.(string)
		if !ok {
			return nil, s.mismatch(name, v)
		}
		if s.enum != nil && !slices.Contains(s.enum, text) {
			return nil, s.mismatch(name, v)
		}
		return text, s.checkRange(name, int64(utf8.RuneCountInString(text)), v)
	case "integer":
		n, ok := wholeNumber(v)
		if !ok {
			return nil, s.mismatch(name, v)
		}
		return n, s.checkRange(name, n, v)
	case "boolean":
		if text, ok := v.(string); ok && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false")) {
			return strings.EqualFold(text, "true"), nil
		}
		if _, ok := v.(bool); ok {
			return v, nil
		}
	}
	return nil, s.mismatch(name, v)
}

func (s *schema) checkObject(name string, v any) (any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, s.mismatch(name, v)
	}
	path := func(key string) string {
		if name == "arguments" {
			return key
		}
		return name + "." + key
	}
	known := make([]string, len(s.fields))
	for i, f := range s.fields {
		known[i] = f.name
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(known, key) {
			next := "leave it out; the parameters are " + strings.Join(known, ", ")
			if len(known) == 0 {
				next = "leave it out; there are no parameters"
			}
			return nil, refuse(path(quoteName(key)), "is not a parameter", next)
		}
	}
	out := make(map[string]any, len(s.fields))
	for _, f := range s.fields {
		given := m[f.name]
		if given == nil { // absent, or null
			if f.fallback != nil {
				out[f.name] = f.fallback
			} else if !f.optional {
				return nil, refuse(path(f.name), "is missing", "send "+f.name+": "+f.shape())
			}
			continue
		}
		value, err := f.check(path(f.name), given)
		if err != nil {
			return nil, err
		}
		out[f.name] = value
	}
	return out, nil
}

func (s *schema) checkList(name string, v any) (any, error) {
	if text, ok := v.(string); ok {
		if parsed, err := parse([]byte(text)); err == nil {
			v = parsed
		}
	}
	items, ok := v.([]any)
	if !ok {
		return nil, s.mismatch(name, v)
	}
	if err := s.checkRange(name, int64(len(items)), items); err != nil {
		return nil, err
	}
	out := make([]any, len(items))
	for i, item := range items {
		value, err := s.items.check(fmt.Sprintf("%s[%d]", name, i), item)
		if err != nil {
			return nil, err
		}
		out[i] = value
	}
	return out, nil
}

func (s *schema) checkRange(name string, n int64, got any) error {
	if s.min != nil && n < int64(*s.min) || s.max != nil && n > int64(*s.max) {
		return s.mismatch(name, got)
	}
	return nil
}

func (s *schema) mismatch(name string, got any) error {
	return refuse(name, "is "+show(got), "send "+s.shape())
}

// shape says in words what the schema takes.
func (s *schema) shape() string {
	bounds := func(unit string) string {
		switch {
		case s.min != nil && s.max != nil && unit == "":
			return fmt.Sprintf(" from %d to %d", *s.min, *s.max)
		case s.min != nil && s.max != nil:
			return fmt.Sprintf(" of %d to %d%s", *s.min, *s.max, unit)
		case s.max != nil:
			return fmt.Sprintf(" of at most %d%s", *s.max, unit)
		case s.min != nil:
			return fmt.Sprintf(" of at least %d%s", *s.min, unit)
		}
		return ""
	}
	switch {
	case s.enum != nil:
		quoted := make([]string, len(s.enum))
		for i, v := range s.enum {
			quoted[i] = strconv.Quote(v)
		}
		return "one of " + strings.Join(quoted, ", ")
	case s.kind == "string":
		return "a string" + bounds(" characters")
	case s.kind == "integer":
		return "an integer" + bounds("")
	case s.kind == "boolean":
		return "true or false"
	case s.kind == "array":
		return "a list" + bounds(" items") + ", each " + s.items.shape()
	}
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	return "an object of " + strings.Join(names, ", ")
}

// wholeNumber reads an integer from a number without a fraction, or from its string form.
func wholeNumber(v any) (int64, bool) {
	var digits string
	switch v := v.(type) {
	case json.Number:
		digits = v.String()
	case string:
		if digits = strings.TrimSpace(v); !json.Valid([]byte(digits)) {
			return 0, false
		}
	default:
		return 0, false
	}
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// maxShown bounds how much of a wrong value an error repeats.
const maxShown = 60

func show(v any) string {
	var text string
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		if n := utf8.RuneCountInString(v); n > maxShown {
			return fmt.Sprintf("a string of %d characters", n)
		}
		text = strconv.Quote(v)
	case []any:
		return fmt.Sprintf("a list of %d items", len(v))
	case map[string]any:
		return "an object"
	case json.Number:
		text = v.String()
	default:
		text = fmt.Sprint(v)
	}
	if len(text) > 4*maxShown {
		return "a very long number"
	}
	return text
}

func quoteName(key string) string {
	if utf8.RuneCountInString(key) > maxShown {
		key = string([]rune(key)[:maxShown]) + "…"
	}
	return strconv.Quote(key)
}

// marshal encodes v as JSON, with <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
