package format

// This file defines the parser of separated values: CSV and TSV become one table whose rows are spans, exactly as they stand.

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

const maxRecord = 1 << 20 // bytes: a longer record is a quotation mark without its end

// separated reads records. Line ends inside quotation marks belong to their record.
func separated(name string, doc *Document) {
	r := recordReader{text: doc.Text, comma: sniffComma(name, doc.Text)}
	b := Block{Kind: Table, Spans: make([]Span, 0, max(strings.Count(doc.Text, "\n"), strings.Count(doc.Text, "\r"))+1)}
	for {
		rec, ok := r.next()
		if !ok {
			break
		}
		if start, end := trimmed(doc.Text, rec.start, rec.end); start < end {
			b.Spans = append(b.Spans, Span{Row, start, end})
		}
	}
	if len(b.Spans) == 0 {
		return
	}
	if r.broken > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("line %d: a quotation mark without its end; from there on every line is read as a row", r.broken))
	}
	b.Start, b.End = b.Spans[0].Start, b.Spans[len(b.Spans)-1].End
	if head := b.Spans[0]; len(b.Spans) > 1 && isHeader(doc.Text[head.Start:head.End], r.comma) {
		b.HeaderStart, b.HeaderEnd = head.Start, head.End
	}
	doc.Blocks = append(doc.Blocks, b)
}

type recordReader struct {
	text   string
	comma  byte
	at     int
	lines  int // read so far
	broken int // the line from which quotation marks are not heeded, 0 if they are
}

// next gives the next record without its line end.
func (r *recordReader) next() (line, bool) {
	if r.at >= len(r.text) {
		return line{}, false
	}
	start, lines := r.at, 0
	quoted, fresh := false, true // inside quotation marks; at the start of a field
	limit := min(len(r.text), start+maxRecord)
	firstEnd := -1 // where the first line of the record ends
	closed := -1   // where the last quotation mark closed
	for i := start; ; i++ {
		if i == len(r.text) || quoted && i >= limit {
			if quoted && r.broken == 0 {
				r.broken = r.lines + 1
				if firstEnd < 0 {
					firstEnd = lineEnd(r.text, i)
				}
				r.at, r.lines = afterLine(r.text, firstEnd), r.lines+1
				return line{start, firstEnd}, true
			}
			r.at = i
			return line{start, i}, true
		}
		switch c := r.text[i]; {
		case c == '"' && r.broken == 0:
			switch {
			case quoted:
				quoted, closed = false, i
			case fresh || i > start && closed == i-1: // two marks are one, inside
				quoted = true
			}
			fresh = false
		case c == '\n' || c == '\r':
			if c == '\r' && i+1 < len(r.text) && r.text[i+1] == '\n' && quoted {
				i++ // counted as one
			}
			lines++
			if firstEnd < 0 {
				firstEnd = i
				if c == '\n' && i > start && r.text[i-1] == '\r' {
					firstEnd--
				}
			}
			if !quoted {
				r.at, r.lines = afterLine(r.text, i), r.lines+lines
				return line{start, i}, true
			}
		case c == r.comma:
			fresh = true
		case c != ' ':
			fresh = false
		}
	}
}

func lineEnd(text string, at int) int {
	if n := strings.IndexAny(text[at:], "\r\n"); n >= 0 {
		return at + n
	}
	return len(text)
}

// afterLine gives the place behind the line end at end.
func afterLine(text string, end int) int {
	switch {
	case end >= len(text):
		return len(text)
	case text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n':
		return end + 2
	}
	return end + 1
}

// sniffComma picks what parts the fields: the candidate that most of the first records hold, equally often.
func sniffComma(name, text string) byte {
	candidates := []byte{',', ';', '\t', '|'}
	if e := strings.ToLower(path.Ext(name)); e == ".tsv" || e == ".tab" {
		candidates = []byte{'\t', ',', ';', '|'}
	}
	best, bestScore := candidates[0], 0
	for _, comma := range candidates {
		r := recordReader{text: text[:min(len(text), 64<<10)], comma: comma}
		counts := map[int]int{}
		score := 0
		for range 20 {
			rec, ok := r.next()
			if !ok {
				break
			}
			if n := len(fields(r.text[rec.start:rec.end], comma)); n > 1 {
				counts[n]++
				score = max(score, counts[n]*100+min(n, 99))
			}
		}
		if score > bestScore {
			best, bestScore = comma, score
		}
	}
	return best
}

// fields cuts a record at its commas outside of quotation marks.
func fields(rec string, comma byte) []string {
	var out []string
	quoted, from := false, 0
	for i := range len(rec) {
		switch rec[i] {
		case '"':
			quoted = !quoted
		case comma:
			if !quoted {
				out = append(out, rec[from:i])
				from = i + 1
			}
		}
	}
	return append(out, rec[from:])
}

// isHeader reports a first record that names columns: no field of it is a number or empty, save for a first one without a name.
func isHeader(rec string, comma byte) bool {
	for i, f := range fields(rec, comma) {
		f = strings.Trim(f, "\" \t")
		if _, err := strconv.ParseFloat(strings.ReplaceAll(f, ",", "."), 64); err == nil || f == "" && i > 0 {
			return false
		}
	}
	return true
}
