package format

// This file defines the plain text parser: paragraphs between blank lines, and lines of data as lines.

import "strings"

const (
	logBlock = 24 // the most lines in one block of a log
	logRun   = 12 // a run of at least so many lines may be a log
)

// plainText cuts text at blank lines. A run of lines that reads like a log or a listing becomes blocks of lines.
func plainText(name string, doc *Document) {
	lines := linesOf(doc.Text)
	isLog := strings.HasSuffix(strings.ToLower(name), ".log")
	for i := 0; i < len(lines); {
		if isBlank(doc.Text, lines[i]) {
			i++
			continue
		}
		n := 1
		for i+n < len(lines) && !isBlank(doc.Text, lines[i+n]) {
			n++
		}
		run := lines[i : i+n]
		if isLog || n >= logRun && readsAsLog(doc.Text, run) {
			addLog(doc, run)
		} else {
			start, end := trimmed(doc.Text, run[0].start, run[n-1].end)
			doc.Blocks = append(doc.Blocks, Block{Kind: Paragraph, Start: start, End: end, Spans: appendSentences(nil, doc.Text, start, end)})
		}
		i += n
	}
}

// addLog adds blocks of lines, each line a span of its own.
func addLog(doc *Document, run []line) {
	for len(run) > 0 {
		n := min(len(run), logBlock)
		b := Block{Kind: Code}
		for _, l := range run[:n] {
			start, end := trimmed(doc.Text, l.start, l.end)
			b.Spans = append(b.Spans, Span{Lines, start, end})
		}
		b.Start, b.End = b.Spans[0].Start, b.Spans[n-1].End
		doc.Blocks = append(doc.Blocks, b)
		run = run[n:]
	}
}

// readsAsLog reports a run most of whose lines begin with a digit or a bracket, as a time or a level does, or hold tabs.
func readsAsLog(text string, run []line) bool {
	n := 0
	for _, l := range run {
		s := text[l.start:l.end]
		if s[0] >= '0' && s[0] <= '9' || s[0] == '[' || s[0] == '<' || strings.IndexByte(s, '\t') > 0 {
			n++
		}
	}
	return n*2 > len(run)
}
