package trace_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docket/db"
)

// repetitive is what real notes are full of: the same short sentences, rows and lines over and over.
const repetitive = `# Minutes

## Budget

The board looked at the budget for the coming year. Approved.

## Staff

Two positions are open in the laboratory. Approved. To be filled by May.

## Rooms

The seminar room is too small. Postponed.

The lecture hall is fine. Approved.

| item | count | state |
|------|-------|-------|
| chair | 30 | ok |
| table | 30 | ok |
| lamp | 4 | broken |
| chair | 30 | ok |

- call the caretaker
- order lamps
- call the caretaker

Approved. Approved. The rest was postponed until the board meets once more in the autumn of this year.
`

// An edit is a change of known effect on a citation of whole spans. It returns the new text, and whether a careful reader would say
// that what was cited has changed; ok is false where the edit makes no sense.
type edit struct {
	name  string
	apply func(e *edited) (text string, flagged, ok bool)
}

type edited struct {
	rng        *rand.Rand
	text       string
	spans      []db.Span
	cited      []db.Span // neighbours
	start, end int
}

var word = regexp.MustCompile(`[\p{L}\p{N}]{2,}`)

// change alters one word of text[start:end].
func (e *edited) change(start, end int) (string, bool) {
	at := word.FindAllStringIndex(e.text[start:end], -1)
	if len(at) == 0 {
		return "", false
	}
	w := at[e.rng.IntN(len(at))]
	return e.text[:start+w[0]] + e.text[start+w[0]:start+w[1]] + "qx" + e.text[start+w[1]:], true
}

// other picks a span that is not cited.
func (e *edited) other() (db.Span, bool) {
	for range 20 {
		s := e.spans[e.rng.IntN(len(e.spans))]
		if s.End <= e.start || s.Start >= e.end {
			return s, true
		}
	}
	return db.Span{}, false
}

// paragraph returns the start of a line that begins outside what is cited, behind an empty line.
func (e *edited) paragraph() (int, bool) {
	var at []int
	for i := 1; i < len(e.text); i++ {
		if e.text[i-1] == '\n' && (i == 1 || e.text[i-2] == '\n') && (i <= e.start || i >= e.end) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return 0, false
	}
	return at[e.rng.IntN(len(at))], true
}

var edits = []edit{
	{"change a cited word", func(e *edited) (string, bool, bool) {
		text, ok := e.change(e.start, e.end)
		return text, true, ok
	}},
	{"delete what is cited", func(e *edited) (string, bool, bool) {
		cited := e.text[e.start:e.end]
		ambiguous := strings.HasPrefix(strings.TrimSpace(e.text[e.end:]), cited) || strings.HasSuffix(strings.TrimSpace(e.text[:e.start]), cited)
		return e.text[:e.start] + e.text[e.end:], true, !ambiguous
	}},
	{"put a sentence inside", func(e *edited) (string, bool, bool) {
		if len(e.cited) < 2 || e.cited[0].Kind != "sentence" || e.cited[1].Kind != "sentence" {
			return "", false, false
		}
		return e.text[:e.cited[0].End] + " Something new was said here." + e.text[e.cited[0].End:], true, true
	}},
	{"change another word", func(e *edited) (string, bool, bool) {
		s, ok := e.other()
		if !ok {
			return "", false, false
		}
		text, ok := e.change(s.Start, s.End)
		return text, false, ok && (s.Kind != "row" || e.cited[0].Kind != "row") // it might be the header
	}},
	{"put in a paragraph", func(e *edited) (string, bool, bool) {
		at, ok := e.paragraph()
		if !ok {
			return "", false, false
		}
		return e.text[:at] + "Something entirely new was put in here.\n\n" + e.text[at:], false, true
	}},
	{"put in a paragraph that stands elsewhere too", func(e *edited) (string, bool, bool) {
		at, ok := e.paragraph()
		s, ok2 := e.other()
		if !ok || !ok2 || s.Kind != "sentence" {
			return "", false, false
		}
		return e.text[:at] + e.text[s.Start:s.End] + "\n\n" + e.text[at:], false, true
	}},
	{"move another paragraph to the end", func(e *edited) (string, bool, bool) {
		at, ok := e.paragraph()
		if !ok {
			return "", false, false
		}
		end := strings.Index(e.text[at:], "\n\n")
		if end < 0 || at < e.end && at+end > e.start || strings.Contains(e.text[e.start:e.end], e.text[at:at+end]) {
			return "", false, false
		}
		header := e.cited[0].Kind == "row" && at < e.start && strings.HasPrefix(e.text[at:], "|")
		return e.text[:at] + e.text[at+end+2:] + "\n\n" + e.text[at:at+end] + "\n", false, !header
	}},
	{"join two paragraphs", func(e *edited) (string, bool, bool) {
		at, ok := e.paragraph()
		if !ok || at < 3 || e.cited[0].Kind != "sentence" || !strings.HasSuffix(e.text[:at], ".\n\n") || !word.MatchString(e.text[at:min(len(e.text), at+2)]) {
			return "", false, false
		}
		return e.text[:at-2] + " " + e.text[at:], false, true
	}},
	{"line ends", func(e *edited) (string, bool, bool) { return strings.ReplaceAll(e.text, "\n", "\r\n"), false, true }},
	{"trailing space", func(e *edited) (string, bool, bool) { return strings.ReplaceAll(e.text, "\n", " \n"), false, true }},
	{"blank lines", func(e *edited) (string, bool, bool) { return strings.ReplaceAll(e.text, "\n\n", "\n\n\n"), false, true }},
	{"a preface", func(e *edited) (string, bool, bool) {
		return "Hello there.\n\n" + e.text, false, !strings.HasPrefix(e.text, "---")
	}},
	{"an appendix", func(e *edited) (string, bool, bool) { return e.text + "\n\nGood bye then.\n", false, true }},
}

// Edits of known effect: none that changes what is cited may go unseen, and hardly any other may be flagged.
func TestEditsOfKnownEffect(t *testing.T) {
	files := map[string]string{"minutes.md": repetitive}
	for _, pattern := range []string{"../*.md", "*.go", "../migrations/*.sql"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) < 20_000 {
				files[filepath.Base(name)] = string(b)
			}
		}
	}
	rounds := 250
	if testing.Short() {
		rounds = 200
	}
	w := newWorld(t)
	w.task("t")
	rng := rand.New(rand.NewPCG(5, 5))
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var changed, seen, unchanged, falsely int
	byEdit := map[string]int{}
	for round := range rounds {
		name := names[rng.IntN(len(names))]
		if round%3 == 0 {
			name = "minutes.md"
		}
		text := files[name]
		_, parsed, _, chunks := read(t, name, text)
		if parsed != text {
			continue
		}
		e := &edited{rng: rng, text: text}
		var within [][2]int // chunk of each span, and its number there
		for c := range chunks {
			for s, span := range chunks[c].Spans {
				e.spans, within = append(e.spans, span), append(within, [2]int{c, s})
			}
		}
		i := rng.IntN(len(e.spans))
		last := min(i+rng.IntN(3), len(e.spans)-1)
		for within[last][0] != within[i][0] {
			last--
		}
		e.cited = e.spans[i : last+1]
		e.start, e.end = e.cited[0].Start, e.cited[len(e.cited)-1].End
		kind := edits[rng.IntN(len(edits))]
		after, flagged, ok := kind.apply(e)
		if !ok {
			continue
		}
		file := fmt.Sprintf("%d-%s", round, name)
		w.put(file, text)
		var id string
		w.eachChunk(file, func(c db.Chunk, _ string) {
			if c.Ord == within[i][0] {
				id = c.SpanID(e.start, e.end)
			}
		})
		w.decide(file, quoted(id, ""))
		got := w.put(file, after).Flagged > 0
		switch {
		case flagged && got:
			changed, seen = changed+1, seen+1
		case flagged:
			changed++
			t.Errorf("round %d, %s in %s: not flagged: %q", round, kind.name, name, text[e.start:e.end])
		case got:
			unchanged, falsely = unchanged+1, falsely+1
			byEdit[kind.name]++
			t.Logf("round %d, %s in %s: flagged: %q", round, kind.name, name, text[e.start:e.end])
		default:
			unchanged++
		}
		w.remove(file)
	}
	t.Logf("changed: %d, flagged of them: %d; unchanged: %d, flagged of them: %d %v", changed, seen, unchanged, falsely, byEdit)
	if falsely*100 > unchanged {
		t.Errorf("%d of %d citations were flagged for edits elsewhere", falsely, unchanged)
	}
}
