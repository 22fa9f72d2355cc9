package search

// This file defines what is found out about a quote: whether the passage that it is pinned to says it, and if not, what does.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docket/db"
)

// A Quote is a text that is said to stand in a passage.
type Quote struct {
	EvidenceID string `json:"evidence_id"`
	Quote      string `json:"quote"`
}

// MaxQuote is how many characters a quote has at most.
const MaxQuote = 4000

// The statuses of a quote. The first that applies holds, in this order, save that what is but little altered is never joined.
const (
	Exact      = "exact"      // the passage has it, character for character
	Normalised = "normalised" // the passage has it, with other white space, quote marks, dashes or case, or between ellipses
	Elsewhere  = "elsewhere"  // another fetched passage has it
	Joined     = "joined"     // two pieces that fetched passages have, or pieces with an ellipsis between, or what runs on across passages
	Altered    = "altered"    // a passage says nearly that
	Absent     = "absent"     // no fetched passage says anything like it
)

const (
	maxSources = 1000 // fetched passages in which quotes are looked for
	minPiece   = 3    // words of a piece that is joined to another without an ellipsis
	maxAltered = 40   // per cent of a quote's words that may differ from what a passage says, else it is another text

	littleAltered = 5 // one word in so many differs, or only one: that is no joint, though the rest may be two real pieces

	nearestSize = 600 // characters of a nearest passage that are shown
	nearestLead = 20  // words of it before the first that differs
)

// A finding is what was found out about a quote.
type finding struct {
	status  string
	foundIn []string // ids: of the other passage, or of each piece
	nearest *Nearest
}

// A Nearest is the passage that comes nearest to a quote.
type Nearest struct {
	EvidenceID string `json:"evidence_id"`
	Text       string `json:"text"` // the words that come nearest, cut where they are many
}

// A source is a passage in which quotes are looked for.
type source struct {
	id string
	*wording
}

// A QuoteError is a quote that cannot be looked for.
type QuoteError struct {
	Index   int // in the list of quotes
	problem string
}

func (e *QuoteError) Error() string { return fmt.Sprintf("quotes[%d].quote %s", e.Index, e.problem) }

// Code names the error for agents.
func (*QuoteError) Code() string { return "invalid_parameter" }

// Hint says what to send instead.
func (*QuoteError) Hint() string {
	return fmt.Sprintf("send the words that you quote, 1 to %d characters", MaxQuote)
}

func checkQuotes(quotes []Quote) error {
	for i, q := range quotes {
		switch n := utf8.RuneCountInString(q.Quote); {
		case strings.TrimSpace(q.Quote) == "" || len(foldGlyphs(q.Quote)) == 0:
			return &QuoteError{i, "is blank"}
		case n > MaxQuote:
			return &QuoteError{i, fmt.Sprintf("has %d characters", n)}
		}
	}
	return nil
}

// A quoteJudge finds out about quotes. The passages that were fetched are read when the first quote needs them.
type quoteJudge struct {
	vocabulary
	ready   bool
	sources []source // in the order in which they are looked at
	runs    []quoteRun
}

// A quoteRun is a stretch of a document that several fetched passages make up.
type quoteRun struct {
	wording *wording
	parts   []part
}

// A part is one of the passages of a run.
type part struct {
	id         string
	start, end int // bytes in the run
}

// read reads the passages with these ids that are in scope, those of one document in the order in which they stand.
func (j *quoteJudge) read(ctx context.Context, lines *reader, ids []string, scope db.Scope) error {
	var nodes []node
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] || len(seen) == maxSources {
			continue
		}
		seen[id] = true
		n, err := lines.resolve(ctx, id, scope)
		if errors.Is(err, db.ErrNotFound) || errors.Is(err, errBadID) {
			continue // deleted since
		}
		if err != nil {
			return err
		}
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(rank(a.state()), rank(b.state())), cmp.Compare(a.doc.Key, b.doc.Key), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.id(), b.id()))
	})
	for i := range nodes {
		j.sources = append(j.sources, source{nodes[i].id(), j.newWording(nodes[i].own())})
	}
	for from := 0; from < len(nodes); {
		to, r, err := j.run(ctx, lines, nodes, from)
		if err != nil {
			return err
		}
		if len(r.parts) > 1 {
			j.runs = append(j.runs, r)
		}
		from = to
	}
	return nil
}

func rank(state string) int {
	return slices.Index([]string{db.Current, db.Superseded, db.Deleted}, state)
}

// run returns the passages from one on that follow each other with nothing but white space between, and where the next run begins.
func (j *quoteJudge) run(ctx context.Context, lines *reader, nodes []node, from int) (to int, r quoteRun, err error) {
	first := nodes[from]
	end := first.end
	r.parts = []part{{first.id(), 0, end - first.start}}
	for to = from + 1; to < len(nodes) && nodes[to].Row == first.Row; to++ {
		n := nodes[to]
		if n.end <= end { // inside what is there
			continue
		}
		if n.start > end {
			between, err := lines.tx.Text(ctx, first.Row, end, n.start)
			if err != nil {
				return 0, r, err
			}
			if strings.TrimSpace(between) != "" {
				break
			}
		}
		r.parts, end = append(r.parts, part{n.id(), n.start - first.start, n.end - first.start}), n.end
	}
	if len(r.parts) > 1 {
		text, err := lines.tx.Text(ctx, first.Row, first.start, end)
		if err != nil {
			return 0, r, err
		}
		r.wording = j.newWording(text)
	}
	return to, r, nil
}

// ellipsis is what stands where a quote leaves something out.
var ellipsis = regexp.MustCompile(`[\[(]\s*(?:…|\.(?:\s?\.){2,})\s*[\])]|…|\.(?:\s?\.){2,}`)

// find finds out about a quote that is pinned to own.
func (j *quoteJudge) find(ctx context.Context, lines *reader, c CitationCheck, own source, quote string) (finding, error) {
	if own.wording != nil {
		if status := j.own(own.wording, quote); status != "" {
			return finding{status: status}, nil
		}
	}
	if !j.ready {
		if err := j.read(ctx, lines, c.Sources, c.Scope); err != nil {
			return finding{}, err
		}
		j.ready = true
	}
	return j.judge(ctx, own, quote)
}

// own finds out whether a passage has the quote.
func (j *quoteJudge) own(w *wording, quote string) string {
	switch {
	case strings.Contains(w.raw, quote):
		return Exact
	case slices.ContainsFunc(forms(quote), w.has):
		return Normalised
	}
	return ""
}

// forms returns a quote as it may stand in a folded text: as it is, without the quote marks around it, and without ellipses around it.
func forms(quote string) []string {
	out := []string{foldText(quote)}
	if inner, ok := strings.CutPrefix(out[0], string(quoteMark)); ok {
		if inner, ok = strings.CutSuffix(inner, string(quoteMark)); ok {
			out = append(out, strings.TrimSpace(inner))
		}
	}
	if pieces := pieces(quote); len(pieces) == 1 && pieces[0] != out[0] {
		out = append(out, pieces[0])
	}
	return out
}

func foldText(text string) string {
	var b strings.Builder
	for _, g := range foldGlyphs(text) {
		b.WriteRune(g.r)
	}
	return b.String()
}

// pieces returns what stands between the ellipses of a quote, folded, and without quote marks around it all.
func pieces(quote string) []string {
	var out []string
	for _, p := range ellipsis.Split(quote, -1) {
		if p = foldText(p); strings.ContainsFunc(p, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			out = append(out, p)
		}
	}
	if n := len(out); n > 0 && strings.HasPrefix(out[0], string(quoteMark)) && strings.HasSuffix(out[n-1], string(quoteMark)) {
		out[0] = strings.TrimPrefix(out[0], string(quoteMark))
		out[n-1] = strings.TrimSuffix(out[n-1], string(quoteMark))
	}
	return out
}

// judge finds out about a quote that is pinned to own, which has it not as it stands. own.wording is nil where the id names nothing.
func (j *quoteJudge) judge(ctx context.Context, own source, quote string) (finding, error) {
	others := make([]source, 0, len(j.sources)+1)
	if own.wording != nil {
		others = append(others, own)
	}
	for _, s := range j.sources {
		if s.id != own.id {
			others = append(others, s)
		}
	}
	folded := forms(quote)
	for _, s := range others {
		if s.id != own.id && slices.ContainsFunc(folded, s.says) {
			return finding{status: Elsewhere, foundIn: []string{s.id}}, nil
		}
	}
	for _, r := range j.runs {
		if ids := r.says(folded); len(ids) > 0 {
			return finding{status: Joined, foundIn: ids}, nil
		}
	}
	if pieces := pieces(quote); len(pieces) > 1 {
		return j.judgePieces(ctx, others, pieces)
	}
	words := j.newWording(quote).words
	near, distance, err := nearest(ctx, others, words)
	switch {
	case err != nil:
		return finding{}, err
	case near != nil && distance <= max(1, len(words)/littleAltered):
		return finding{status: Altered, nearest: near}, nil
	}
	if ids := joined(others, words); ids != nil {
		return finding{status: Joined, foundIn: ids}, nil
	}
	if near != nil {
		return finding{status: Altered, nearest: near}, nil
	}
	return finding{status: Absent}, nil
}

// judgePieces finds out about a quote that leaves something out, and says where.
func (j *quoteJudge) judgePieces(ctx context.Context, in []source, pieces []string) (finding, error) {
	f := finding{status: Joined}
	for _, p := range pieces {
		i := slices.IndexFunc(in, func(s source) bool { return s.says(p) })
		if i < 0 { // what is wrong with this one is what is wrong with the quote
			near, _, err := nearest(ctx, in, j.newWording(p).words)
			if near == nil {
				return finding{status: Absent}, err
			}
			return finding{status: Altered, nearest: near}, err
		}
		f.foundIn = append(f.foundIn, in[i].id)
	}
	return f, nil
}

// says returns the ids of the passages that a quote runs across.
func (r *quoteRun) says(forms []string) []string {
	for _, f := range forms {
		start, end, ok := r.wording.place(f)
		if !ok {
			continue
		}
		var ids []string
		for _, p := range r.parts {
			if p.start < end && start < p.end {
				ids = append(ids, p.id)
			}
		}
		return ids
	}
	return nil
}

// joined returns the ids of the passages that have the beginning and the rest of a quote; the first that has as much of it as any.
func joined(in []source, words []said) []string {
	var first, last string
	head, tail := 0, 0
	for _, s := range in {
		if _, n := longest(words, s.words); n > head {
			first, head = s.id, n
		}
		if _, n := longestBack(words, s.words); n > tail {
			last, tail = s.id, n
		}
	}
	if head < minPiece || tail < minPiece || head+tail < len(words) || len(words) < 2*minPiece {
		return nil
	}
	return []string{first, last}
}

// nearest returns the passage that differs from a quote by the fewest words, the first of equals, and by how many. There is none where
// all differ by more than maxAltered allows.
func nearest(ctx context.Context, in []source, words []said) (*Nearest, int, error) {
	var best *source
	var from, to int
	most := min(max(1, len(words)*maxAltered/100), max(0, len(words)-2)) // two words make a resemblance
	distance := most + 1
	for i := range in {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if start, end, d := closest(words, in[i].words, distance-1); d < distance && start < end {
			best, from, to, distance = &in[i], start, end, d
		}
	}
	if best == nil {
		return nil, 0, nil
	}
	// Where both are long, what is shown begins shortly before they part.
	text := best.raw[best.words[from].start:best.words[to-1].end]
	if utf8.RuneCountInString(text) > nearestSize {
		same := 0
		for same < len(words) && from+same < to && words[same].id == best.words[from+same].id {
			same++
		}
		text = best.raw[best.words[from+max(0, min(same, to-from-1)-nearestLead)].start:best.words[to-1].end]
		text, _ = cut(text, nearestSize)
	}
	return &Nearest{best.id, text}, distance, nil
}
