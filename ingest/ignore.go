package ingest

// This file defines the ignore files, .gitignore and .docketignore, matched as git does it.

import (
	"bytes"
	"strings"
)

// The files that say what to leave out. In one folder the later one has the last word.
var ignoreFiles = []string{".gitignore", ".docketignore"}

// An ignoreRule is one line of an ignore file.
type ignoreRule struct {
	pattern string
	literal int  // how many of its first bytes are no wildcards
	negated bool // it takes back what an earlier rule left out
	folder  bool // it is about folders only
	name    bool // it has no slash, and so speaks of names at any depth
}

// ignoreRules are the rules of one file, which hold in its folder and below.
type ignoreRules struct {
	file  string // its name, for the reason
	base  string // its folder, relative to the root, with a slash at the end unless it is the root
	rules []ignoreRule
}

// parseIgnore reads the rules of an ignore file.
func parseIgnore(file, base string, b []byte) ignoreRules {
	out := ignoreRules{file: file, base: base}
	for line := range bytes.Lines(bytes.TrimPrefix(b, []byte("\ufeff"))) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		var r ignoreRule
		p := trimSpaces(string(line))
		p, r.negated = strings.CutPrefix(p, "!")
		r.literal = strings.IndexAny(p, `*?[\`)
		p, r.folder = strings.CutSuffix(p, "/")
		r.name = !strings.Contains(p, "/")
		if r.literal < 0 || r.literal > len(p) {
			r.literal = len(p)
		}
		if !r.name && p[0] == '/' {
			p, r.literal = p[1:], r.literal-1
		}
		if r.pattern = p; p != "" {
			out.rules = append(out.rules, r)
		}
	}
	return out
}

// trimSpaces cuts the spaces at the end off, but not one behind a backslash.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(s))
	}
	return s[:end]
}

// match returns the last of the file's rules that speaks of a path (relative to the root), if one does.
func (rs *ignoreRules) match(path, name string, folder bool) (r ignoreRule, ok bool) {
	rel := path[len(rs.base):]
	for i := len(rs.rules) - 1; i >= 0; i-- {
		r := rs.rules[i]
		if r.folder && !folder {
			continue
		}
		text := rel
		if r.name {
			text = name
		}
		// git compares what comes before the first wildcard as it is, and only the rest as a pattern: `a**/b` means `a` and then `**/b`.
		if rest, ok := strings.CutPrefix(text, r.pattern[:r.literal]); ok && wildmatch(r.pattern[r.literal:], rest, !r.name) {
			return r, true
		}
	}
	return ignoreRule{}, false
}

// wildmatch reports whether the pattern describes the whole text. With slashes, only `**` between slashes crosses them.
func wildmatch(pattern, text string, slashes bool) bool {
	steps := 1 << 16 // a line with very many stars could take for ever; no real one comes near this
	return wild(pattern, 0, text, slashes, &steps) == wildYes
}

const (
	wildYes  = iota
	wildNo   // not here
	wildStop // not here, nor further on in the text
	wildSlash
)

// wild matches pattern[p:] against text. It follows git's wildmatch.c, answers included, since their differences are what users know.
func wild(pattern string, p int, text string, slashes bool, steps *int) int {
	at := func(i int) byte {
		if i < len(pattern) {
			return pattern[i]
		}
		return 0
	}
	for ; p < len(pattern); p++ {
		if *steps--; *steps < 0 {
			return wildStop
		}
		if text == "" && pattern[p] != '*' {
			return wildStop
		}
		switch pattern[p] {
		case '?':
			if slashes && text[0] == '/' {
				return wildNo
			}
		case '*':
			cross := !slashes
			if at(p+1) == '*' {
				start := p
				for at(p+1) == '*' {
					p++
				}
				if slashes && (start == 0 || pattern[start-1] == '/') && (p+1 == len(pattern) || at(p+1) == '/' || at(p+1) == '\\' && at(p+2) == '/') {
					if at(p+1) == '/' && wild(pattern, p+2, text, slashes, steps) == wildYes {
						return wildYes // `**/a` is also `a`
					}
					cross = true
				}
			}
			p++
			if p == len(pattern) {
				if !cross && strings.Contains(text, "/") {
					return wildSlash
				}
				return wildYes
			}
			if !cross && pattern[p] == '/' {
				i := strings.IndexByte(text, '/')
				if i < 0 {
					return wildStop
				}
				text = text[i+1:]
				continue
			}
			for text != "" {
				switch got := wild(pattern, p, text, slashes, steps); {
				case got != wildNo && (!cross || got != wildSlash):
					return got
				case got == wildNo && !cross && text[0] == '/':
					return wildSlash
				}
				text = text[1:]
			}
			return wildStop
		case '[':
			end, ok, valid := wildSet(pattern, p, text[0])
			if !valid {
				return wildStop
			}
			if !ok || slashes && text[0] == '/' {
				return wildNo
			}
			p = end
		case '\\':
			p++
			fallthrough
		default:
			if at(p) != text[0] || p >= len(pattern) {
				return wildNo
			}
		}
		text = text[1:]
	}
	if text != "" {
		return wildNo
	}
	return wildYes
}

// wildSet matches one byte against the set that begins at pattern[p], and returns where the set ends.
func wildSet(pattern string, p int, c byte) (end int, ok, valid bool) {
	p++
	negated := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if negated {
		p++
	}
	in, prev := false, byte(0)
	for first := true; first || p < len(pattern) && pattern[p] != ']'; first = false {
		if p >= len(pattern) {
			return 0, false, false
		}
		ch := pattern[p]
		switch {
		case ch == '\\':
			if p++; p >= len(pattern) {
				return 0, false, false
			}
			ch = pattern[p]
			in = in || c == ch
		case ch == '-' && prev != 0 && p+1 < len(pattern) && pattern[p+1] != ']':
			p++
			if pattern[p] == '\\' {
				if p++; p >= len(pattern) {
					return 0, false, false
				}
			}
			in = in || prev <= c && c <= pattern[p]
			ch = 0
		case ch == '[' && p+1 < len(pattern) && pattern[p+1] == ':':
			i := strings.IndexByte(pattern[p+2:], ']')
			if i < 0 {
				return 0, false, false
			}
			name := pattern[p+2 : p+2+i]
			class, isClass := strings.CutSuffix(name, ":")
			if !isClass { // a set that merely holds these characters
				in = in || c == '['
				break
			}
			member, known := wildClass(class, c)
			if !known {
				return 0, false, false
			}
			in = in || member
			p, ch = p+2+i, 0
		default:
			in = in || c == ch
		}
		prev = ch
		p++
	}
	if p >= len(pattern) {
		return 0, false, false
	}
	return p, in != negated, true
}

func wildClass(class string, c byte) (member, known bool) {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := 0x20 < c && c < 0x7f
	switch class {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < 0x20 || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F', true
	}
	return false, false
}
