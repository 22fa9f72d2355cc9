package format

// This file defines spans, the smallest citable pieces of a block: sentences of prose and groups of code lines.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	longSentence = 1200 // a sentence beyond this many bytes is cut at line ends
	groupLines   = 8    // the most lines in one span of code
	maxCode      = 200  // bytes of a code span in prose, which is looked for on its line only
)

// proseSpans cuts prose into sentences. Offsets count from base.
func proseSpans(prose string, base int) []Span {
	return shift(appendSentences(nil, prose, 0, len(prose)), base)
}

// codeSpans cuts code into groups of lines. Offsets count from base.
func codeSpans(code string, base int) []Span {
	return shift(appendLineGroups(nil, code, linesOf(code)), base)
}

func shift(spans []Span, by int) []Span {
	for i := range spans {
		spans[i].Start, spans[i].End = spans[i].Start+by, spans[i].End+by
	}
	return spans
}

// appendSentences appends the sentences of text[start:end]. A sentence ends at . ! ? or … before white space, unless the next word is in
// lower case or the point belongs to an abbreviation, an initial or an ordinal; and at 。！？｡ wherever they stand.
func appendSentences(spans []Span, text string, start, end int) []Span {
	from, end := trimmed(text, start, end)
	for i := from; i < end; {
		c := text[i]
		if !mayEnd[c] {
			i++
			continue
		}
		r, n := rune(c), 1
		if c == '`' { // what looks like an end inside a code span is none
			if k := strings.IndexAny(text[i+1:min(end, i+maxCode)], "`\r\n"); k > 0 && text[i+1+k] == '`' {
				i += k + 1
			}
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:end])
			if !isEnder(r) {
				i += n
				continue
			}
		}
		stop, wide := i, false // the run of marks that end the sentence, and the quotes and brackets that it closes
		marks := 0
		for stop < end && isEnder(r) {
			wide = wide || isWideEnder(r)
			stop += n
			marks++
			r, n = utf8.DecodeRuneInString(text[stop:end])
		}
		for stop < end && strings.ContainsRune("\"')]}*_~`”’»›」』）】》", r) {
			stop += n
			r, n = utf8.DecodeRuneInString(text[stop:end])
		}
		if stop == end {
			break
		}
		next, _ := trimmed(text, stop, end)
		ends := next > stop
		if ends {
			r, _ = utf8.DecodeRuneInString(text[next:end])
			ends = !unicode.IsLower(r) && !(c == '.' && marks == 1 && isAbbreviation(text[from:i], text[next:end]))
		} else if wide {
			ends = !unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) && r != '\u200d'
		}
		if ends {
			spans = appendSentence(spans, text, from, stop)
			from = next
		}
		i = max(stop, i+1)
	}
	if from < end {
		spans = appendSentence(spans, text, from, end)
	}
	return spans
}

// appendSentence appends one sentence, or its lines in groups where it is too long to be cited as a whole: lists and logs without points.
func appendSentence(spans []Span, text string, start, end int) []Span {
	if end-start > longSentence {
		from, size := start, 0
		for _, l := range linesOf(text[start:end]) {
			if size += l.end - l.start + 1; size > longSentence && start+l.start > from {
				s, e := trimmed(text, from, start+l.start)
				spans = append(spans, Span{Sentence, s, e})
				from, size = e+strings.IndexFunc(text[e:end], notSpace), l.end-l.start+1
			}
		}
		start = from
	}
	return append(spans, Span{Sentence, start, end})
}

func notSpace(r rune) bool { return !unicode.IsSpace(r) }

// mayEnd marks the first bytes of the marks that end a sentence, and what begins code.
var mayEnd = func() (t [256]bool) {
	for _, s := range []string{".", "!", "?", "…", "。", "｡", "！", "？", "`"} {
		t[s[0]] = true
	}
	return t
}()

func isEnder(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '…' || isWideEnder(r) }

func isWideEnder(r rune) bool { return r == '。' || r == '！' || r == '？' || r == '｡' }

// isAbbreviation reports whether the point between before and after belongs to the word before it.
func isAbbreviation(before, after string) bool {
	word := before[max(0, len(before)-16):]
	word = word[strings.LastIndexFunc(word, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("([{\"'“‘„/", r) })+1:]
	word = strings.TrimLeft(word, "*_>#-")
	if word == "" || len(word) > 12 {
		return false
	}
	if isDigits(word) {
		if len(word) > 2 {
			return false
		}
		return word == strings.TrimLeft(before, "*_>#- ") || strings.Contains(germanMonths, " "+firstWord(after)+" ")
	}
	if isInitials(word) {
		return true
	}
	word = strings.ToLower(word)
	if after[0] >= '0' && after[0] <= '9' && strings.Contains(beforeNumber, " "+word+" ") {
		return true
	}
	return strings.Contains(abbreviations, " "+word+" ")
}

// The abbreviations of English and German that a sentence seldom ends with, in lower case and without their last point.
const (
	abbreviations = " e.g i.e cf vs viz resp approx dr mr mrs ms mx prof rev gen sgt capt st mt hr fr frau hrn dipl ing z.b d.h u.a o.ä s.o s.u i.d.r m.e v.a bzw ggf ca inkl exkl zzgl evtl vgl sog geb gest abs art "
	beforeNumber  = " no nos nr fig figs eq sec secs ch chap vol p pp pt ver v art abs tab abb bd s jan feb mar apr jun jul aug sep sept oct nov dec "
	germanMonths  = " Januar Februar März April Mai Juni Juli August September Oktober November Dezember Jan Feb Mär Apr Jun Jul Aug Sep Okt Nov Dez "
)

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// isInitials reports one letter, as in "J. Smith" and "z. B.", or a run of capitals with points, as in "the U.S. Army".
func isInitials(word string) bool {
	if r, n := utf8.DecodeRuneInString(word); n == len(word) {
		return unicode.IsLetter(r)
	}
	for len(word) > 0 {
		r, n := utf8.DecodeRuneInString(word)
		if !unicode.IsUpper(r) {
			return false
		}
		word = word[n:]
		if word != "" {
			if word[0] != '.' || len(word) == 1 {
				return false
			}
			word = word[1:]
		}
	}
	return true
}

func firstWord(s string) string {
	s = s[:min(len(s), 24)]
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		s = s[:i]
	}
	return s
}

// appendLineGroups appends groups of at most groupLines lines that end before blank lines. Within a run of lines a group also ends after
// a line whose content says so: groups counted from the start of the run would all change when one line is put in at its top, and
// with them every citation of the code below.
func appendLineGroups(spans []Span, text string, lines []line) []Span {
	start, end, n := 0, 0, 0
	flush := func() {
		if n > 0 {
			spans = append(spans, Span{Lines, start, end})
		}
		n = 0
	}
	full := false
	for _, l := range lines {
		from, to := trimmed(text, l.start, l.end)
		if from == to {
			flush()
			continue
		}
		if n == groupLines || full && !isCloser(text[from:to]) {
			flush()
		}
		if n == 0 {
			start = from
		}
		end = to
		n++
		full = n >= 2 && endsGroup(text[from:to])
	}
	flush()
	return spans
}

// isCloser reports a line that says nothing without the one above it.
func isCloser(code string) bool { return strings.Trim(code, "{}()[];,<>/`~ \t") == "" }

// endsGroup reports about one line in three, the same ones always, so that few groups run into the limit and groups fall in step again soon.
func endsGroup(code string) bool {
	h := uint32(2166136261)
	for i := range len(code) {
		h = (h ^ uint32(code[i])) * 16777619
	}
	return (h>>8)%3 == 0
}
