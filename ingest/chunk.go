package ingest

// This file defines chunks, the passages that a document is cut into: the unit that search finds and evidence names.

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"docket/ingest/format"
)

const (
	maxChunk    = 4000 // code points, so at most 16,000 bytes: any chunk can be fetched completely, and a place in it fits 15 bits
	aimChunk    = 1800 // code points: blocks are packed up to it, prose is cut at it
	smallChunk  = 400  // a chunk below this takes the whole table or fence that follows it, as its caption
	maxGrapheme = 1024 // bytes: a longer cluster is an attack, not a letter, and is cut at a code point
)

// A Chunk is a passage of a document: a byte range of its Text that lies in one section.
type Chunk struct {
	Section                int
	Kind                   format.BlockKind // of the longest block in it
	Start, End             int
	Part                   bool // a piece of a fence, table, row or line that is too long for one chunk, or of a fence that is never closed
	Page                   int
	HeaderStart, HeaderEnd int // the header of the table whose rows it holds, inside it or not; both 0 without
	Spans                  []format.Span
}

// Chunks cuts a document into passages. They are in reading order and do not overlap, and every byte of a block that is not white space
// is in exactly one of them. A chunk belongs to one section and one page. A heading goes with the text below it, a heading without
// text of its own with its first child. Small blocks are packed together; a table or a fence stays whole where it fits into maxChunk,
// and is cut between rows or lines where not. A table does not join another one that has a header. No cut goes through a grapheme cluster.
func Chunks(doc *format.Document) []Chunk {
	p := packer{doc: doc}
	var pieces []fragment
	for i := range doc.Blocks {
		pieces = appendPieces(pieces[:0], doc, &doc.Blocks[i])
		for _, f := range pieces {
			p.add(f)
		}
	}
	p.flush()
	return p.out
}

// A fragment is a block, or a piece of one.
type fragment struct {
	Chunk
	chars int
}

func newFragment(doc *format.Document, b *format.Block, start, end int, spans []format.Span) fragment {
	f := fragment{Chunk: Chunk{Section: b.Section, Kind: b.Kind, Page: b.Page, Start: start, End: end, Spans: spans, HeaderStart: b.HeaderStart, HeaderEnd: b.HeaderEnd}}
	f.chars = utf8.RuneCountInString(doc.Text[start:end])
	return f
}

// A packer joins fragments to chunks.
type packer struct {
	doc     *format.Document
	out     []Chunk
	cur     Chunk
	chars   int  // in cur, 0 while there is none
	longest int  // chars of cur's longest fragment
	own     bool // cur's spans are no longer the block's
}

func (p *packer) add(f fragment) {
	if p.chars > 0 {
		gap := utf8.RuneCountInString(p.doc.Text[p.cur.End:f.Start])
		if p.joins(f, p.chars+gap+f.chars) {
			p.chars += gap + f.chars
			p.cur.Section, p.cur.Part, p.cur.End = f.Section, f.Part, f.End
			if !p.own {
				p.cur.Spans, p.own = slices.Clone(p.cur.Spans), true
			}
			p.cur.Spans = append(p.cur.Spans, f.Spans...)
			if p.cur.HeaderEnd == 0 {
				p.cur.HeaderStart, p.cur.HeaderEnd = f.HeaderStart, f.HeaderEnd
			}
			if p.cur.Kind == format.Heading || f.chars > p.longest && f.Kind != format.Heading {
				p.cur.Kind, p.longest = f.Kind, f.chars
			}
			return
		}
		p.flush()
	}
	p.cur, p.chars, p.longest, p.own = f.Chunk, f.chars, f.chars, false
}

// joins reports whether f belongs to the current chunk, which would then have so many characters.
func (p *packer) joins(f fragment, chars int) bool {
	if p.cur.Part || p.cur.Page != f.Page || chars > maxChunk {
		return false
	}
	if f.Kind == format.Table && p.cur.HeaderEnd > 0 && f.HeaderStart != p.cur.HeaderStart { // a chunk tells one header, that of all its rows
		return false
	}
	heading := p.cur.Kind == format.Heading
	if p.cur.Section != f.Section && !(heading && p.doc.Sections[f.Section].Parent == p.cur.Section) {
		return false
	}
	return chars <= aimChunk || heading || p.chars < smallChunk
}

func (p *packer) flush() {
	if p.chars > 0 {
		p.out = append(p.out, p.cur)
	}
	p.chars = 0
}

// appendPieces gives a block whole where that is allowed, and otherwise in pieces between its spans.
func appendPieces(out []fragment, doc *format.Document, b *format.Block) []fragment {
	text := doc.Text
	whole := newFragment(doc, b, backToBorder(text, b.Start), onToBorder(text, b.End), b.Spans)
	keep := b.Kind == format.Table || b.Kind == format.Code
	if whole.chars <= aimChunk || keep && whole.chars <= maxChunk {
		whole.Part = b.Open
		return append(out, whole)
	}
	goal := whole.chars / ((whole.chars + aimChunk - 1) / aimChunk)
	var cur fragment
	first := 0 // cur's first span
	for u := range units(text, b, whole.Start, whole.End) {
		next := newFragment(doc, b, u.Start, u.End, u.spans)
		if cur.chars > 0 {
			gap := text[cur.End:next.Start]
			joined := cur.chars + utf8.RuneCountInString(gap) + next.chars
			paragraph := strings.Count(gap, "\n") > 1 || strings.Count(gap, "\r") > 1
			if joined <= aimChunk && cur.chars < goal && !(paragraph && cur.chars*3 > goal*2) {
				cur.chars, cur.End, cur.Spans = joined, next.End, b.Spans[first:u.first+len(u.spans)]
				continue
			}
			out = append(out, cur)
		}
		cur, first = next, u.first
		if cur.chars > maxChunk {
			out = append(out, cutUnit(doc, b, u)...)
			cur = fragment{}
		}
	}
	if cur.chars > 0 {
		out = append(out, cur)
	}
	for i := range out {
		out[i].Part = out[i].Part || keep
	}
	return out
}

// A unit is a run of a block that appendPieces does not cut: a span with what follows it up to the next, or more of them where their border
// goes through a grapheme cluster.
type unit struct {
	Start, End int
	first      int // index of its first span in the block
	spans      []format.Span
}

func units(text string, b *format.Block, start, end int) iter.Seq[unit] {
	return func(yield func(unit) bool) {
		u := unit{Start: start, spans: b.Spans[:1]}
		for i := 1; i < len(b.Spans); i++ {
			from := backToBorder(text, b.Spans[i].Start)
			if from < b.Spans[i-1].End {
				u.spans = b.Spans[u.first : i+1]
				continue
			}
			u.End = onToBorder(text, u.Start+len(strings.TrimRightFunc(text[u.Start:from], unicode.IsSpace)))
			if !yield(u) {
				return
			}
			u = unit{Start: from, first: i, spans: b.Spans[i : i+1]}
		}
		u.End = end
		yield(u)
	}
}

// cutUnit cuts what is too long even alone: a sentence, row or line. Pieces end at white space where there is some in their last third.
func cutUnit(doc *format.Document, b *format.Block, u unit) []fragment {
	var out []fragment
	for start := u.Start; start < u.End; {
		end, space, chars := start, 0, 0
		for end < u.End && chars < aimChunk {
			n := clusterLen(doc.Text[end:u.End])
			if chars*3 > aimChunk*2 && n == 1 && (doc.Text[end] == ' ' || doc.Text[end] == '\n') {
				space = end
			}
			chars += utf8.RuneCountInString(doc.Text[end : end+n])
			end += n
		}
		if space > 0 && end < u.End {
			end = space
		}
		stop := start + len(strings.TrimRightFunc(doc.Text[start:end], unicode.IsSpace))
		if stop < end {
			stop = onToBorder(doc.Text, stop)
		}
		if stop > start {
			spans := clip(doc.Text, u.spans, start, stop)
			if len(spans) == 0 { // a table's delimiter row, longer than a chunk
				spans = []format.Span{{Kind: u.spans[0].Kind, Start: start, End: stop}}
			}
			f := newFragment(doc, b, start, stop, spans)
			f.Part = true
			out = append(out, f)
		}
		start = end + len(doc.Text[end:u.End]) - len(strings.TrimLeftFunc(doc.Text[end:u.End], unicode.IsSpace))
		start = max(end, backToBorder(doc.Text, start))
	}
	return out
}

// clip gives what of spans lies from start to end.
func clip(text string, spans []format.Span, start, end int) []format.Span {
	var out []format.Span
	for _, s := range spans {
		from, to := max(s.Start, start), min(s.End, end)
		if from >= to {
			continue
		}
		rest := strings.TrimLeftFunc(text[from:to], unicode.IsSpace)
		from = to - len(rest)
		if to = from + len(strings.TrimRightFunc(rest, unicode.IsSpace)); from < to {
			out = append(out, format.Span{Kind: s.Kind, Start: from, End: to})
		}
	}
	return out
}

// clusterLen is the length of the grapheme cluster that s starts with, at most maxGrapheme or so.
func clusterLen(s string) int {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf && s[0] != '\r') {
		return 1
	}
	window := s
	if len(s) > maxGrapheme {
		n := maxGrapheme
		for !utf8.RuneStart(s[n]) {
			n--
		}
		window = s[:n]
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(window, -1)
	return len(cluster)
}

// backToBorder moves a place in text back to the start of the grapheme cluster it is in, unless that is absurdly far.
func backToBorder(text string, place int) int {
	at := place
	for !isBorder(text, at) {
		if place-at > maxGrapheme {
			return place
		}
		_, n := utf8.DecodeLastRuneInString(text[:at])
		at -= n
	}
	return at
}

// onToBorder moves it on to the cluster's end.
func onToBorder(text string, place int) int {
	at := place
	for !isBorder(text, at) {
		if at-place > maxGrapheme {
			return place
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at
}

// isBorder reports whether two grapheme clusters meet at a place. It looks back a few code points only: places lie next to white space.
func isBorder(text string, at int) bool {
	if at == 0 || at == len(text) {
		return true
	}
	if before, after := text[at-1], text[at]; before < utf8.RuneSelf && after < utf8.RuneSelf {
		return before != '\r' || after != '\n'
	}
	from := at
	for range 16 {
		if from == 0 || text[from-1] < ' ' {
			break
		}
		_, n := utf8.DecodeLastRuneInString(text[:from])
		from -= n
	}
	_, n := utf8.DecodeRuneInString(text[at:])
	borders := []int{}
	for rest, state, place := text[from:at+n], -1, from; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		place += len(cluster)
		borders = append(borders, place)
	}
	return slices.Contains(borders, at)
}
