package format

// This file defines lines: text cut at LF, CRLF and CR alike, so that a file has the same tree whatever ends its lines.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A line is a range of text without its line end.
type line struct{ start, end int }

// linesOf cuts text into lines. A line end at the end of text starts no further line.
func linesOf(text string) []line {
	lines := make([]line, 0, strings.Count(text, "\n")+1)
	if strings.IndexByte(text, '\r') < 0 {
		for at := 0; at < len(text); {
			n := strings.IndexByte(text[at:], '\n')
			if n < 0 {
				return append(lines, line{at, len(text)})
			}
			lines = append(lines, line{at, at + n})
			at += n + 1
		}
		return lines
	}
	at := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\r':
			lines = append(lines, line{at, i})
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			at = i + 1
		case '\n':
			lines = append(lines, line{at, i})
			at = i + 1
		}
	}
	if at < len(text) {
		lines = append(lines, line{at, len(text)})
	}
	return lines
}

// trimmed narrows a range of text to leave out the white space around it; the range is empty where there is nothing else.
func trimmed(text string, start, end int) (int, int) {
	for start < end && text[start] < utf8.RuneSelf && asciiSpace[text[start]] {
		start++
	}
	for start < end && text[end-1] < utf8.RuneSelf && asciiSpace[text[end-1]] {
		end--
	}
	if start == end || text[start] < utf8.RuneSelf && text[end-1] < utf8.RuneSelf {
		return start, end
	}
	s := text[start:end]
	rest := strings.TrimLeftFunc(s, unicode.IsSpace)
	start += len(s) - len(rest)
	return start, start + len(strings.TrimRightFunc(rest, unicode.IsSpace))
}

var asciiSpace = [256]bool{' ': true, '\t': true, '\n': true, '\v': true, '\f': true, '\r': true}

func isBlank(text string, l line) bool {
	for i := l.start; i < l.end; i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t':
		case c > ' ' && c < 0x7f:
			return false
		default:
			start, end := trimmed(text, i, l.end)
			return start == end
		}
	}
	return true
}
