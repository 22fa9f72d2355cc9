package format

// This file defines what the Markdown parser reads inside a line: links, wikilinks, images, tags and the plain text of a heading.
// Everything that could look ahead for ever looks ahead a fixed way.

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxTarget = 2000 // bytes of a link's target
	maxLabel  = 300  // bytes of a reference's label, a title or a wikilink
	maxPlain  = 1000 // bytes of a heading that are read for its plain text
	maxTicks  = 32   // backticks that open a code span
)

// links looks through all prose, now that the references are known.
func (m *markdownScanner) links() {
	s := linkScanner{text: m.text, refs: m.refs}
	for _, p := range m.prose {
		s.scan(p.start, p.end)
	}
	m.doc.Links = s.links
}

// define reads the reference definitions that a paragraph begins with: [label]: target.
func (m *markdownScanner) define(start, end int) {
	for start < end && m.text[start] == '[' {
		l := m.text[start:end]
		if i := strings.IndexAny(l, "\r\n"); i >= 0 {
			l = l[:i]
		}
		label, target, ok := strings.Cut(l[1:], "]:")
		if !ok || label == "" || len(label) > maxLabel || label[0] == '^' || strings.ContainsAny(label, "[]") {
			return
		}
		target = strings.TrimSpace(target)
		if i := strings.IndexAny(target, " \t"); i >= 0 {
			target = target[:i]
		}
		if target = strings.TrimSuffix(strings.TrimPrefix(target, "<"), ">"); target == "" || len(target) > maxTarget {
			return
		}
		if m.refs == nil {
			m.refs = map[string]string{}
		}
		if _, have := m.refs[foldLabel(label)]; !have {
			m.refs[foldLabel(label)] = target
		}
		start, _ = trimmed(m.text, start+len(l), end)
	}
}

func foldLabel(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// A linkScanner finds links in ranges of text, in order.
type linkScanner struct {
	text  string
	refs  map[string]string
	links []Link
	open  []int // places of [ without their ]
	// noTicks says, for each length of a run of backticks, that no further run of that length stands in the range.
	noTicks [maxTicks + 1]bool
}

// inlineMark marks the bytes that may begin something.
var inlineMark = [256]bool{'\\': true, '`': true, '[': true, ']': true, '#': true, '<': true, 'h': true}

func (s *linkScanner) scan(start, end int) {
	s.open = s.open[:0]
	s.noTicks = [maxTicks + 1]bool{}
	first := len(s.links)
	for i := start; i < end; {
		c := s.text[i]
		if !inlineMark[c] {
			i++
			continue
		}
		switch c {
		case '\\':
			i += 2
		case '`':
			i = s.code(i, end)
		case '[':
			if next := s.wikilink(i, start, end); next > 0 {
				i = next
				continue
			}
			s.open = append(s.open, i)
			i++
		case ']':
			i = s.closeBracket(i, start, end)
		case '#':
			i = s.tag(i, start, end)
		case '<':
			i = s.autolink(i, end)
		case 'h':
			i = s.bareURL(i, start, end)
		}
	}
	// A link is found at its end: the image inside it came first. Only such pairs are out of order.
	for i := first + 1; i < len(s.links); i++ {
		for k := i; k > first && s.links[k].Start < s.links[k-1].Start; k-- {
			s.links[k], s.links[k-1] = s.links[k-1], s.links[k]
		}
	}
}

// code moves behind a code span, or behind backticks that open none.
func (s *linkScanner) code(i, end int) int {
	n := 1
	for i+n < end && s.text[i+n] == '`' {
		n++
	}
	if n > maxTicks || s.noTicks[n] {
		return i + n
	}
	for at := i + n; at < end; {
		k := strings.IndexByte(s.text[at:end], '`')
		if k < 0 {
			break
		}
		at += k
		run := 1
		for at+run < end && s.text[at+run] == '`' {
			run++
		}
		if at += run; run == n {
			return at
		}
	}
	s.noTicks[n] = true
	return i + n
}

// wikilink reads [[Target#Fragment|alias]], and gives the place behind it or 0.
func (s *linkScanner) wikilink(i, start, end int) int {
	if i+2 >= end || s.text[i+1] != '[' {
		return 0
	}
	body := s.text[i+2 : min(end, i+2+maxLabel)]
	n := strings.Index(body, "]]")
	if n < 1 || strings.ContainsAny(body[:n], "[]\r\n") {
		return 0
	}
	target, alias, _ := strings.Cut(body[:n], "|")
	target = strings.TrimSuffix(target, `\`) // a pipe inside a table is written \|
	target, fragment, _ := strings.Cut(target, "#")
	target, fragment = strings.TrimSpace(target), strings.TrimSpace(fragment)
	if target == "" && fragment == "" {
		return 0
	}
	l := Link{Kind: "wikilink", Target: target, Fragment: fragment, Text: strings.TrimSpace(alias), Start: i, End: i + 2 + n + 2}
	if i > start && s.text[i-1] == '!' {
		l.Start--
		if isImageName(target) {
			l.Kind = "image"
		}
	}
	s.links = append(s.links, l)
	return l.End
}

func isImageName(name string) bool {
	i := strings.LastIndexByte(name, '.')
	return i >= 0 && strings.Contains(" png jpg jpeg gif svg webp avif bmp tiff ", " "+strings.ToLower(name[i+1:])+" ")
}

// closeBracket reads what follows a ] whose [ is open: (target), [label] or nothing. It gives the place to go on from.
func (s *linkScanner) closeBracket(i, start, end int) int {
	if len(s.open) == 0 {
		return i + 1
	}
	from := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	shown := s.text[from+1 : i]
	target, next, ok := "", i+1, false
	if next < end && s.text[next] == '(' {
		target, next, ok = inlineTarget(s.text, next, end)
	}
	defines := i+1 < end && s.text[i+1] == ':' && (from == start || s.text[from-1] == '\n' || s.text[from-1] == '\r')
	if !ok && len(s.refs) > 0 && !defines {
		label := shown
		next = i + 1
		if next < end && s.text[next] == '[' {
			if n := strings.IndexByte(s.text[next:min(end, next+maxLabel)], ']'); n > 1 {
				label = s.text[next+1 : next+n]
				next += n + 1
			} else if n == 1 {
				next += 2
			}
		}
		if len(label) <= maxLabel {
			target, ok = s.refs[foldLabel(label)]
		}
	}
	if !ok {
		return i + 1
	}
	l := Link{Kind: "link", Start: from, End: next}
	if from > start && s.text[from-1] == '!' {
		l.Kind = "image"
		l.Start--
	} else {
		// A link holds no links: what is open around it is text, but for an image.
		kept := s.open[:0]
		for _, o := range s.open[max(0, len(s.open)-maxDepth):] {
			if o > start && s.text[o-1] == '!' {
				kept = append(kept, o)
			}
		}
		s.open = kept
	}
	l.Target, l.Fragment, _ = strings.Cut(target, "#")
	if len(shown) <= maxPlain {
		l.Text = plainInline(shown)
	}
	s.links = append(s.links, l)
	return next
}

// inlineTarget reads (target "title") from its bracket on.
func inlineTarget(text string, i, end int) (target string, next int, ok bool) {
	s := text[i+1 : min(end, i+1+maxTarget+maxLabel)]
	rest := strings.TrimLeft(s, " \t\r\n")
	if strings.HasPrefix(rest, "<") {
		n := strings.IndexAny(rest, ">\r\n")
		if n < 0 || rest[n] != '>' {
			return "", 0, false
		}
		target, rest = rest[1:n], rest[n+1:]
	} else {
		n, depth := 0, 0
	scan:
		for ; n < len(rest); n++ {
			switch c := rest[n]; {
			case c <= ' ':
				break scan
			case c == '\\' && n+1 < len(rest):
				n++
			case c == '(':
				if depth++; depth > 32 {
					return "", 0, false
				}
			case c == ')':
				if depth--; depth < 0 {
					break scan
				}
			}
		}
		n = min(n, len(rest))
		target, rest = rest[:n], rest[n:]
	}
	spaced := strings.TrimLeft(rest, " \t\r\n")
	if len(spaced) < len(rest) && spaced != "" && strings.ContainsRune(`"'(`, rune(spaced[0])) {
		closing := spaced[0]
		if closing == '(' {
			closing = ')'
		}
		n := strings.IndexByte(spaced[1:], closing)
		if n < 0 {
			return "", 0, false
		}
		spaced = strings.TrimLeft(spaced[n+2:], " \t\r\n")
	}
	if !strings.HasPrefix(spaced, ")") {
		return "", 0, false
	}
	return target, i + 1 + len(s) - len(spaced) + 1, true
}

// tag reads #tag, which has a letter in it and stands behind a space or an opening bracket.
func (s *linkScanner) tag(i, start, end int) int {
	n, letters := i+1, false
	for n < end {
		r, size := utf8.DecodeRuneInString(s.text[n:end])
		if unicode.IsLetter(r) {
			letters = true
		} else if !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r != '-' && r != '/' {
			break
		}
		n += size
	}
	behind := i == start || strings.IndexByte(" \t\r\n(,", s.text[i-1]) >= 0
	if letters && behind {
		s.links = append(s.links, Link{Kind: "tag", Target: s.text[i+1 : n], Start: i, End: n})
	}
	return n
}

// autolink reads <https://…>, and moves behind it or behind a tag's attributes, which are no prose.
func (s *linkScanner) autolink(i, end int) int {
	body := s.text[i+1 : min(end, i+1+maxTarget)]
	n := strings.IndexByte(body, '>')
	if n < 1 {
		return i + 1
	}
	if scheme, rest, ok := strings.Cut(body[:n], ":"); ok && rest != "" && isScheme(scheme) && !strings.ContainsAny(rest, " \t\r\n<") {
		s.add(body[:n], i, i+n+2)
		return i + n + 2
	}
	return i + 1
}

func isScheme(s string) bool {
	if len(s) < 2 || len(s) > 32 || !isASCIILetter(s[0]) {
		return false
	}
	return strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789+.-") == ""
}

// bareURL reads an address that stands in the text as it is.
func (s *linkScanner) bareURL(i, start, end int) int {
	rest := s.text[i:min(end, i+maxTarget)]
	if !strings.HasPrefix(rest, "https://") && !strings.HasPrefix(rest, "http://") || i > start && (isASCIILetter(s.text[i-1]) || s.text[i-1] >= '0' && s.text[i-1] <= '9') {
		return i + 1
	}
	if n := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\"`[]|。、「」", r) }); n >= 0 {
		rest = rest[:n]
	}
	for trimming := true; trimming; {
		short := strings.TrimRight(rest, ".,:;!?'*_~")
		if strings.HasSuffix(short, ")") && strings.Count(short, ")") > strings.Count(short, "(") {
			short = short[:len(short)-1]
		}
		trimming = len(short) < len(rest)
		rest = short
	}
	for !utf8.ValidString(rest[max(0, len(rest)-utf8.UTFMax):]) && !utf8.ValidString(rest) {
		rest = rest[:len(rest)-1]
	}
	if strings.HasSuffix(rest, "/") && strings.HasSuffix(rest, "://") || strings.HasSuffix(rest, ":") || rest == "http" || rest == "https" {
		return i + 1
	}
	s.add(rest, i, i+len(rest))
	return i + len(rest)
}

func (s *linkScanner) add(url string, start, end int) {
	target, fragment, _ := strings.Cut(url, "#")
	s.links = append(s.links, Link{Kind: "link", Target: target, Fragment: fragment, Start: start, End: end})
}

// plainInline gives the text of a heading or link without its markup: no emphasis, code marks, tags or targets.
func plainInline(raw string) string {
	if len(raw) > maxPlain {
		n := maxPlain
		for !utf8.RuneStart(raw[n]) {
			n--
		}
		raw = raw[:n]
	}
	if !strings.ContainsAny(raw, "\\`*_~[]<&\r\n\t") {
		return strings.TrimSpace(raw)
	}
	out := make([]byte, 0, len(raw))
	var open []int // where in out what stands behind a [ begins
	isWord := func(i int) bool {
		return i >= 0 && i < len(raw) && (raw[i] >= utf8.RuneSelf || isASCIILetter(raw[i]) || raw[i] >= '0' && raw[i] <= '9')
	}
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '\\':
			if i+1 < len(raw) && strings.IndexByte("\\`*_{}[]()#+-.!|<>~", raw[i+1]) >= 0 {
				i++
			}
			out = append(out, raw[i])
		case '`':
		case '*', '_', '~':
			alone := i > 0 && raw[i-1] == ' ' && i+1 < len(raw) && raw[i+1] == ' '
			if alone || c == '_' && isWord(i-1) && isWord(i+1) || c == '~' && !strings.HasPrefix(raw[i:], "~~") && !strings.HasSuffix(raw[:i], "~") {
				out = append(out, c)
			}
		case '[':
			if n := strings.Index(raw[i:], "]]"); n > 2 && raw[i+1] == '[' {
				target, alias, ok := strings.Cut(raw[i+2:i+n], "|")
				if !ok {
					alias = target
				}
				out = append(out, alias...)
				i += n + 1
				continue
			}
			if i > 0 && raw[i-1] == '!' && len(out) > 0 && out[len(out)-1] == '!' {
				out = out[:len(out)-1]
				open = append(open, -len(out)-1)
				continue
			}
			open = append(open, len(out))
			out = append(out, '[')
		case ']':
			if len(open) == 0 {
				out = append(out, c)
				continue
			}
			at := open[len(open)-1]
			open = open[:len(open)-1]
			_, next, ok := "", 0, false
			if i+1 < len(raw) && raw[i+1] == '(' {
				_, next, ok = inlineTarget(raw, i+1, len(raw))
			}
			switch {
			case ok && at >= 0:
				out = append(out[:at], out[at+1:]...)
				i = next - 1
			case ok:
				i = next - 1
			case at < 0:
				out = append(append(append(out[:-at-1:-at-1], '!', '['), out[-at-1:]...), ']')
			default:
				out = append(out, c)
			}
		case '<':
			n := strings.IndexByte(raw[i:], '>')
			switch {
			case n < 2 || !isASCIILetter(raw[i+1]) && raw[i+1] != '/' && raw[i+1] != '!':
				out = append(out, c)
			case strings.Contains(raw[i:i+n], ":/") || strings.Contains(raw[i:i+n], "@"):
				out = append(out, raw[i+1:i+n]...)
				i += n
			default:
				i += n
			}
		default:
			out = append(out, c)
		}
	}
	return strings.Join(strings.Fields(html.UnescapeString(strings.ToValidUTF8(string(out), ""))), " ")
}
