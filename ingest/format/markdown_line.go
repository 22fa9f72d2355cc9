package format

// This file defines the cursor with which the Markdown parser reads one line: in columns, as tabs count, and only forward.

import "strings"

// A cursor stands in a line, behind the marks of the containers that have been read.
type cursor struct {
	text    string
	pos     int // the next byte
	col     int // its column, which may be inside a tab
	next    int // the next byte that is not a space or tab
	nextCol int
	end     int
}

func newCursor(text string, l line) cursor {
	c := cursor{text: text, pos: l.start, end: l.end}
	if isBlank(text, l) {
		c.pos = l.end
	}
	c.look()
	return c
}

// look finds the next byte that is not a space or tab.
func (c *cursor) look() {
	c.next, c.nextCol = c.pos, c.col
	for ; c.next < c.end; c.next++ {
		switch c.text[c.next] {
		case ' ':
			c.nextCol++
		case '\t':
			c.nextCol += 4 - c.nextCol%4
		default:
			return
		}
	}
}

func (c *cursor) blank() bool  { return c.next >= c.end }
func (c *cursor) indent() int  { return c.nextCol - c.col }
func (c *cursor) first() byte  { return c.text[c.next] }
func (c *cursor) rest() string { return c.text[c.next:c.end] }

// take moves over so many columns of white space.
func (c *cursor) take(columns int) {
	for to := c.col + columns; c.col < to && c.pos < c.next; {
		width := 1
		if c.text[c.pos] == '\t' {
			width = 4 - c.col%4
		}
		if c.col+width > to {
			c.col = to // inside a tab
			return
		}
		c.col += width
		c.pos++
	}
}

// skip moves behind so many bytes from the next one on.
func (c *cursor) skip(bytes int) {
	c.pos, c.col = c.next+bytes, c.nextCol+bytes
	c.look()
}

func (c *cursor) takeQuote() {
	c.skip(1)
	if c.indent() > 0 {
		c.take(1)
	}
}

// takeMark moves behind a list mark, and gives the columns that what belongs to the item is indented by.
func (c *cursor) takeMark(width int) int {
	from := c.col
	c.skip(width)
	switch spaces := c.indent(); {
	case c.blank():
		return c.col - from + 1
	case spaces > 4:
		c.take(1)
	default:
		c.take(spaces)
	}
	return c.col - from
}

// listMark gives the length of the list mark that comes next, 0 where there is none, and its number, 0 for a bullet.
func (c *cursor) listMark() (width, number int) {
	s := c.rest()
	switch s[0] {
	case '-', '+', '*':
		width = 1
	default:
		for width < len(s) && width < 10 && s[width] >= '0' && s[width] <= '9' {
			number = number*10 + int(s[width]-'0')
			width++
		}
		if width == 0 || width == 10 || width == len(s) || s[width] != '.' && s[width] != ')' {
			return 0, 0
		}
		if number == 0 {
			number = 2 // only a list that starts with 1 ends a paragraph
		}
		width++
	}
	if width < len(s) && s[width] != ' ' && s[width] != '\t' {
		return 0, 0
	}
	return width, number
}

func (c *cursor) isBlankAfter(width int) bool { return strings.Trim(c.rest()[width:], " \t") == "" }

// isRule reports a thematic break: three or more of - * _ and nothing else.
func (c *cursor) isRule() bool {
	s := c.rest()
	mark := s[0]
	if mark != '-' && mark != '*' && mark != '_' {
		return false
	}
	n := 0
	for i := range len(s) {
		switch s[i] {
		case mark:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// underline gives the level of the heading that this line makes of the paragraph above it, or 0.
func (c *cursor) underline() int {
	if c.indent() > 3 {
		return 0
	}
	s := strings.TrimRight(c.rest(), " \t")
	switch {
	case strings.Trim(s, "=") == "":
		return 1
	case strings.Trim(s, "-") == "":
		return 2
	}
	return 0
}

// hashes gives the level of an ATX heading, or 0.
func (c *cursor) hashes() int {
	s := c.rest()
	n := 0
	for n < len(s) && s[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// fence gives the marks that open a fence here, or "".
func (c *cursor) fence() string {
	s := c.rest()
	if c.indent() > 3 || s[0] != '`' && s[0] != '~' {
		return ""
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	if n < 3 || s[0] == '`' && strings.IndexByte(s[n:], '`') >= 0 {
		return ""
	}
	return s[:n]
}

// closes reports whether the line ends the fence that was opened by marks.
func (c *cursor) closes(marks string) bool {
	if c.blank() || c.indent() > 3 || c.first() != marks[0] {
		return false
	}
	s := strings.TrimRight(c.rest(), " \t")
	return len(s) >= len(marks) && strings.Trim(s, marks[:1]) == ""
}

// contains looks for what ends raw HTML, in any case.
func (c *cursor) contains(mark string) bool {
	s := c.text[c.pos:c.end]
	for {
		i := strings.IndexByte(s, mark[0])
		if i < 0 || len(s)-i < len(mark) {
			return false
		}
		if strings.EqualFold(s[i:i+len(mark)], mark) {
			return true
		}
		s = s[i+1:]
	}
}

// html tells HTML that begins a leaf: raw, up to a mark, or a tag of a block, up to a blank line.
func (c *cursor) html() (kind leafKind, until string) {
	s := c.rest()
	if s[0] != '<' || len(s) < 2 || c.indent() > 3 {
		return noLeaf, ""
	}
	switch {
	case strings.HasPrefix(s, "<!--"):
		return rawLeaf, "-->"
	case s[1] == '?':
		return rawLeaf, "?>"
	case strings.HasPrefix(s, "<![CDATA["):
		return rawLeaf, "]]>"
	case s[1] == '!' && len(s) > 2 && isASCIILetter(s[2]):
		return rawLeaf, ">"
	}
	name, closing := s[1:], false
	if name[0] == '/' {
		name, closing = name[1:], true
	}
	n := 0
	for n < len(name) && n < 12 && (isASCIILetter(name[n]) || name[n] >= '1' && name[n] <= '6') {
		n++
	}
	rest := name[n:]
	if n == 0 || rest != "" && !strings.ContainsRune(" \t>/", rune(rest[0])) {
		return noLeaf, ""
	}
	name = strings.ToLower(name[:n])
	if end := rawTags[name]; end != "" && !closing && !strings.HasPrefix(rest, "/") {
		return rawLeaf, end
	}
	if blockTags[name] {
		return tagLeaf, ""
	}
	return noLeaf, ""
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

var rawTags = map[string]string{"script": "</script>", "pre": "</pre>", "style": "</style>", "textarea": "</textarea>"}

var blockTags = func() map[string]bool {
	t := map[string]bool{}
	for _, n := range strings.Fields(`address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt
		fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu
		menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr track ul`) {
		t[n] = true
	}
	return t
}()
