package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"docket/db"
	"docket/search"
)

// quotes checks quotes in a session that fetched these passages completely.
func (w *world) quotes(fetched []string, quotes ...search.Quote) []search.Verdict {
	w.Helper()
	v, err := search.CheckCitations(context.Background(), w.d, search.CitationCheck{
		Quotes: quotes, Sources: fetched, Fetched: func(id string) (bool, bool) { return slices.Contains(fetched, id), false },
	})
	if err != nil {
		w.Fatal(err)
	}
	if len(v.Verdicts) != len(quotes) {
		w.Fatalf("%d verdicts on %d quotes", len(v.Verdicts), len(quotes))
	}
	return v.Verdicts
}

// Case 162: quotes that are nowhere, that stand in another source, that are joined or altered, are told apart.
func TestQuotes(t *testing.T) {
	long := func(who string) string {
		var b strings.Builder
		for i := range 90 {
			fmt.Fprintf(&b, "%s number %d is written down in the book of the year %d. ", who, i, 1900+i)
		}
		return b.String()
	}
	w := newWorld(t,
		"lease.md", "# Lease\n\nThe tenant may not keep dogs in the flat. The rent of the flat is 600 euros a month, due on the third\nworking day. "+
			"He said “don’t” — twice; see pages 10–12. Payment is 3.14 % late.\n",
		"house.md", "# House\n\nQuiet hours begin at ten in the evening. The bicycle room is open to all tenants. Fee: 30.\n",
		"zh.md", "# 说明\n\n我们在系统中使用知识图谱来改进搜索质量，并且每天更新一次。\n",
		"pdf.txt", "The deﬁnition of co\u00adoperation in the cafe\u0301\tis   clear.\r\nIt was settled in the long meeting of the spring.\r\n",
		"long.txt", long("Letter"),
		"code.go", "package a\n\n// Size is the size.\nfunc Size() int { return 42 }\n",
	)
	lease, house, zh, pdf := w.first("dogs"), w.first("bicycle"), w.first("知识图谱"), w.first("deﬁnition")
	code := w.first("Size")
	dogs, rent := w.span("lease.md", "dogs"), w.span("lease.md", "600")
	pages := []string{}
	w.view(func(ctx context.Context, tx *db.Tx) error {
		doc, err := tx.Document(ctx, "docs/long.txt")
		if err != nil {
			return err
		}
		chunks, err := tx.Chunks(ctx, doc.Current)
		for _, c := range chunks {
			pages = append(pages, c.ID())
		}
		return err
	})
	if len(pages) < 3 {
		t.Fatalf("the long document has %d passages", len(pages))
	}
	tail := func(id string, words int) string {
		f := strings.Fields(w.fetch(id).Text)
		return strings.Join(f[len(f)-words:], " ")
	}
	head := func(id string, words int) string {
		return strings.Join(strings.Fields(w.fetch(id).Text)[:words], " ")
	}
	all := append([]string{lease, house, zh, pdf, code}, pages...)
	const none = "c_aaaaaaaaaaaaaaaaaaaaaaaaaa"

	for _, tt := range []struct {
		name, id, quote string
		fetched         []string
		status          string
		foundIn         []string
		nearest         string // a part of it
	}{
		{"a sentence", lease, "The tenant may not keep dogs in the flat.", all, search.Exact, nil, ""},
		{"a part of one", lease, "keep dogs", all, search.Exact, nil, ""},
		{"a tiny one", house, "30", all, search.Exact, nil, ""},
		{"across two sentences", lease, "in the flat. The rent of", all, search.Exact, nil, ""},
		{"smart quote marks", lease, "said “don’t” — twice", all, search.Exact, nil, ""},
		{"a span", dogs, "may not keep dogs", all, search.Exact, nil, ""},
		{"Chinese", zh, "知识图谱来改进", all, search.Exact, nil, ""},

		{"straight quote marks", lease, `said "don't" — twice`, all, search.Normalised, nil, ""},
		{"an em dash as two hyphens", lease, `said “don’t” -- twice`, all, search.Normalised, nil, ""},
		{"an em dash without spaces", lease, `said “don’t”—twice`, all, search.Normalised, nil, ""},
		{"a hyphen for an en dash", lease, "pages 10-12", all, search.Normalised, nil, ""},
		{"a soft line break", lease, "due on the third working day", all, search.Normalised, nil, ""},
		{"another case", lease, "THE RENT OF THE FLAT", all, search.Normalised, nil, ""},
		{"quote marks around it", lease, "“The tenant may not keep dogs”", all, search.Normalised, nil, ""},
		{"ellipses around it", lease, "… may not keep dogs [...]", all, search.Normalised, nil, ""},
		{"a ligature, a soft hyphen, a composed letter", pdf, "The definition of cooperation in the café is clear. It was", all, search.Normalised, nil, ""},
		{"a line break in Chinese", zh, "使用知识\n图谱来改进", all, search.Normalised, nil, ""},
		{"tabs in code", code, "func  Size() int {\treturn 42 }", all, search.Normalised, nil, ""},

		{"one changed number", lease, "The rent of the flat is 700 euros a month", all, search.Altered, []string{lease}, "The rent of the flat is 600 euros a month"},
		{"a dropped not", lease, "The tenant may keep dogs in the flat.", all, search.Altered, []string{lease}, "The tenant may not keep dogs in the flat"},
		{"an added not", house, "The bicycle room is not open to all tenants.", all, search.Altered, []string{house}, "The bicycle room is open to all tenants"},
		{"a moved point", lease, "Payment is 31.4 % late.", all, search.Altered, []string{lease}, "Payment is 3.14 % late"},
		{"another comma", lease, "euros a month; due on the third", all, search.Altered, []string{lease}, "euros a month, due"},
		{"Chinese", zh, "我们在系统中使用知识图谱来降低搜索质量", all, search.Altered, []string{zh}, "知识图谱来改进搜索质量"},
		{"an accent less", pdf, "cooperation in the cafe is clear", all, search.Altered, []string{pdf}, "is   clear"},
		{"altered, and pinned to the wrong source", house, "The tenant may keep dogs in the flat.", all, search.Altered, []string{lease}, "may not keep dogs"},
		{"altered, not fetched elsewhere", lease, "The bicycle room is not open to all tenants.", []string{lease}, search.Absent, nil, ""},
		{"altered in code", code, "func Size() int { return 43 }", all, search.Altered, []string{code}, "return 42"},

		{"the wrong source", lease, "The bicycle room is open to all tenants.", all, search.Elsewhere, []string{house}, ""},
		{"the wrong source, other quote marks", house, `said "don't"`, all, search.Elsewhere, []string{lease}, ""},
		{"an id of nothing", none, "The bicycle room is open", all, search.Elsewhere, []string{house}, ""},
		{"no id at all", "page 3", "The bicycle room is open", all, search.Elsewhere, []string{house}, ""},
		{"the wrong span", dogs, "600 euros a month", []string{dogs, rent}, search.Elsewhere, []string{rent}, ""},
		{"the right source, not fetched", lease, "The bicycle room is open to all tenants.", []string{lease}, search.Absent, nil, ""},
		{"a part of a word elsewhere", zh, "icycl", all, search.Absent, nil, ""},

		{"an ellipsis", lease, "The tenant may not keep dogs … due on the third working day", all, search.Joined, []string{lease, lease}, ""},
		{"an ellipsis in brackets", lease, "may not keep dogs [...] see pages 10–12", all, search.Joined, []string{lease, lease}, ""},
		{"three dots, and quote marks around it", lease, `"The tenant may not ... keep dogs"`, all, search.Joined, []string{lease, lease}, ""},
		{"an ellipsis between two sources", lease, "may not keep dogs … Quiet hours begin", all, search.Joined, []string{lease, house}, ""},
		{"an ellipsis, and one piece altered", lease, "may not keep dogs … flat is 700 euros a month", all, search.Altered, []string{lease}, "600 euros"},
		{"an ellipsis, and one piece invented", lease, "may not keep dogs … wizards shall inherit every castle", all, search.Absent, nil, ""},
		{"two halves of two sources", lease, "The tenant may not keep dogs is open to all tenants.", all, search.Joined, []string{lease, house}, ""},
		{"two halves of one source", lease, "The tenant may not keep dogs due on the third working day", all, search.Joined, []string{lease, lease}, ""},
		{"two halves, one of them not fetched", lease, "The tenant may not keep dogs is open to all tenants.", []string{lease}, search.Absent, nil, ""},
		{"across two spans", dogs, "in the flat. The rent of the flat", []string{dogs, rent}, search.Joined, []string{dogs, rent}, ""},
		{"across two passages", pages[0], tail(pages[0], 9) + " " + head(pages[1], 9), all, search.Joined, pages[:2], ""},
		{"a little across two passages", pages[0], tail(pages[0], 20) + " " + head(pages[1], 1), all, search.Joined, pages[:2], ""},

		{"invented", lease, "Wizards shall inherit every castle by the sea.", all, search.Absent, nil, ""},
		{"invented, tiny", lease, "wizard", all, search.Absent, nil, ""},
		{"invented, Chinese", zh, "昨天下午的天气非常好", all, search.Absent, nil, ""},
		{"an emoji", lease, "🙂", all, search.Absent, nil, ""},
		{"common words alone", lease, "of the", all, search.Exact, nil, ""},
		{"common words in another order", lease, "the of to in", all, search.Absent, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := w.quotes(tt.fetched, search.Quote{EvidenceID: tt.id, Quote: tt.quote})[0]
			foundIn, nearest := v.FoundIn, ""
			if v.Nearest != nil {
				foundIn, nearest = []string{v.Nearest.EvidenceID}, v.Nearest.Text
			}
			if v.QuoteStatus != tt.status || !slices.Equal(foundIn, tt.foundIn) || !strings.Contains(nearest, tt.nearest) {
				t.Errorf("%q is %s in %v, nearest %q; want %s in %v, nearest %q", tt.quote, v.QuoteStatus, foundIn, nearest, tt.status, tt.foundIn, tt.nearest)
			}
			slices.Reverse(tt.fetched)
			if diff := cmp.Diff(v, w.quotes(tt.fetched, search.Quote{EvidenceID: tt.id, Quote: tt.quote})[0]); diff != "" {
				t.Errorf("in another order of fetches (-one +other):\n%s", diff)
			}
			slices.Reverse(tt.fetched)
		})
	}
}

// A quote is told of at its id; what finds no place follows. The verdict is what it is without quotes.
func TestQuotesAndVerdicts(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nAlpha is first.\n", "b.md", "# B\n\nBeta is second.\n", "out/c.md", "# C\n\nGamma is hidden.\n")
	a, b, out := w.first("alpha"), w.first("beta"), w.first("gamma")
	w.write("b.md", "# B\n\nBeta is third.\n")
	w.sync()
	c := search.CitationCheck{
		IDs: []string{a, b, a, out}, Scope: w.scope("docs/*.md"), Sources: []string{a, b, out, "nonsense"},
		Quotes: []search.Quote{
			{b, "Beta is second."},
			{a, "Alpha is first."},
			{a, "alpha is first."},
			{a, "Beta is second."},
			{"nonsense", "Alpha"},
			{out, "Gamma is hidden."},
			{a, "Gamma is hidden."},
		},
		Fetched: func(id string) (bool, bool) { return id == a || id == b, false },
	}
	v, err := search.CheckCitations(t.Context(), w.d, c)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range v.Verdicts {
		line := fmt.Sprint(map[string]string{a: "a", b: "b", out: "out", "nonsense": "nonsense"}[x.EvidenceID], " ", x.Verdict)
		if x.QuoteIndex != nil {
			line += fmt.Sprint(" ", *x.QuoteIndex, " ", x.QuoteStatus)
		}
		got = append(got, line)
	}
	want := []string{
		"a valid 1 exact", "b superseded 0 exact", "a valid 2 normalised", "out not_found 5 absent",
		"a valid 3 elsewhere", "nonsense invalid_id 4 elsewhere", "a valid 6 absent",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.Fetched = func(string) (bool, bool) { return false, false }
	c.Sources = nil
	if v, err = search.CheckCitations(t.Context(), w.d, c); err != nil || v.Verdicts[0].Verdict != search.NotFetched || v.Verdicts[0].QuoteStatus != search.Exact {
		t.Errorf("not fetched: %+v, %v", v, err)
	}
	for _, quote := range []string{"", " \n", "\u200b", strings.Repeat("é", search.MaxQuote+1)} {
		_, err := search.CheckCitations(t.Context(), w.d, search.CitationCheck{Quotes: []search.Quote{{a, "Alpha"}, {a, quote}}, Fetched: c.Fetched})
		if e, ok := errors.AsType[*search.QuoteError](err); !ok || e.Index != 1 {
			t.Errorf("the quote %.10q: %v", quote, err)
		}
	}
	if v := w.quotes([]string{a}, search.Quote{EvidenceID: a, Quote: strings.Repeat("é", search.MaxQuote)}); v[0].QuoteStatus != search.Absent {
		t.Errorf("a quote of %d characters is %s", search.MaxQuote, v[0].QuoteStatus)
	}
}

// changes are what a faithful quote may do to a text, each to all of it.
var changes = []func(*rand.Rand, string) string{
	func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, " ", " \n ") },
	func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, " ", "\u00a0") },
	func(_ *rand.Rand, s string) string { return strings.Join(strings.Fields(s), " ") },
	func(_ *rand.Rand, s string) string {
		return strings.NewReplacer(`"`, "“", "'", "’", "“", `"`, "”", `"`, "‘", "'", "’", "'", "「", "“").Replace(s)
	},
	func(_ *rand.Rand, s string) string {
		return strings.NewReplacer("-", "–", "–", "-", "—", "--").Replace(s)
	},
	func(rng *rand.Rand, s string) string {
		return strings.Map(func(r rune) rune {
			if f := unicode.SimpleFold(r); rng.IntN(2) == 0 && unicode.IsLetter(f) {
				return f
			}
			return r
		}, s)
	},
	func(_ *rand.Rand, s string) string { return "“" + s + "”" },
}

// quotable returns the part of a text between two borders of characters near two places.
func quotable(text string, from, to int) string {
	start, end, at := 0, len(text), 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		a, b := g.Positions()
		if at++; a <= from {
			start = a
		}
		if b >= to && end == len(text) {
			end = b
		}
	}
	return text[start:max(start, end)]
}

// holdQuotes holds what must be so of any part of any text: it is exact, a faithful change of it is normalised at worst, and with one word
// replaced it is neither. status judges a quote that is pinned to the text.
func holdQuotes(t *testing.T, text string, rng *rand.Rand, status func(quote string) string) {
	t.Helper()
	from := rng.IntN(len(text))
	part := quotable(text, from, from+rng.IntN(min(len(text)-from, 400))+1)
	if !strings.ContainsFunc(part, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) || len(part) > 2000 {
		return
	}
	if got := status(part); got != search.Exact {
		t.Errorf("%q is %q", part, got)
	}
	for i, change := range changes {
		changed := change(rng, part)
		want := search.Normalised
		if strings.Contains(text, changed) {
			want = search.Exact
		}
		if got := status(changed); got != want {
			t.Errorf("change %d of %q, %q, is %q in %q", i, part, changed, got, text)
		}
	}
	words := strings.Fields(part)
	words[rng.IntN(len(words))] = "xqzv7"
	switch got := status(strings.Join(words, " ")); {
	case got == search.Exact, got == search.Normalised, got == search.Elsewhere:
		t.Errorf("%q is %q", words, got)
	case got == search.Absent && !strings.Contains(part, "…") && !strings.Contains(part, "..") &&
		len(slices.DeleteFunc(words, func(s string) bool { return !strings.ContainsFunc(s, unicode.IsLetter) })) >= 8:
		t.Errorf("%q is absent, though all words but one are there", words)
	}
}

func TestEveryPartOfATextIsAQuoteOfIt(t *testing.T) {
	w := corpus(t)
	var ids []string
	w.view(func(ctx context.Context, tx *db.Tx) error {
		docs, err := db.Query(ctx, tx, db.Value[int64], `SELECT current_version FROM document WHERE current_version IS NOT NULL ORDER BY key`)
		for _, v := range docs {
			chunks, err := tx.Chunks(ctx, v)
			if err != nil {
				return err
			}
			for _, c := range chunks {
				ids = append(ids, c.ID())
			}
		}
		return err
	})
	rng := rand.New(rand.NewPCG(3, 4))
	n := 300
	if testing.Short() {
		n = 40
	}
	for range n {
		id := ids[rng.IntN(len(ids))]
		holdQuotes(t, w.fetch(id).Text, rng, func(quote string) string {
			return w.quotes([]string{id}, search.Quote{EvidenceID: id, Quote: quote})[0].QuoteStatus
		})
		if t.Failed() {
			return
		}
	}
}

func FuzzQuotes(f *testing.F) {
	for i, s := range []string{
		"plain words, and “more” of them", "日本語の文。 改行\nあり", "a - b -- c—d --flag 3--2", `say "no" and 'yes' ''two''`, "cafe\u0301 ﬁne x\u00ady", "👨‍👩‍👧‍👦 family",
		"हिन्दी में", "ΣΊΣΥΦΟΣ ſ K", "… dots ... [...] x", "1,000.50 and 3.14", "- item\n- item\n> quote", "İstanbul ı ß ẞ",
	} {
		f.Add(s, uint64(i))
	}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		if s = strings.ToValidUTF8(s, ""); s == "" || len(s) > 2000 {
			return
		}
		holdQuotes(t, s, rand.New(rand.NewPCG(seed, 1)), func(quote string) string { return search.OwnQuote(s, quote) })
	})
}
