package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/search"
)

// long is a paragraph that fills a passage, so that the next one begins another.
func long(name string) string {
	return name + " begins here. " + strings.Repeat("It goes on with words of no weight. ", 45) + "Here ends " + name + ".\n\n"
}

// brief shows items as their level and the first three words of each.
func brief(items []search.Item) []string {
	out := []string{}
	for _, it := range items {
		f := strings.Fields(it.Text)
		out = append(out, it.Level+": "+strings.Join(f[:min(len(f), 3)], " "))
	}
	return out
}

func TestNavigate(t *testing.T) {
	doc := "# Guide\n\nOpening words.\n\n## One\n\n" + long("Alpha") + long("Bravo") + long("Charlie") +
		"## Two\n\nDelta stands here. Echo follows it. Foxtrot ends it.\n\n- item golf\n- item hotel\n\n" +
		"## Three\n\nSome prices of this year. They are old.\n\n| name | price |\n|---|---|\n| pear | 1 |\n| plum | 2 |\n| fig | 3 |\n"
	w := newWorld(t, "g.md", doc)
	chunk := map[string]string{"open": w.first("opening"), "alpha": w.first("alpha"), "bravo": w.first("bravo"), "charlie": w.first("charlie"), "two": w.first("delta"), "table": w.first("plum")}
	span := func(s string) string { return w.span("g.md", s) }
	type opts struct{ limit, chars int }
	for _, tt := range []struct {
		name, id, relation string
		opts
		status string
		multi  bool
		reason string
		want   []string
	}{
		{"parent of a span", span("Echo"), "parent", opts{}, search.OK, false, "", []string{"chunk: ## Two Delta"}},
		{
			"parent of a passage", chunk["bravo"], "parent",
			opts{},
			search.OK, false, "",
			[]string{"section: ## One", "chunk: ## One Alpha", "chunk: Bravo begins here.", "chunk: Charlie begins here."},
		},
		{
			"children", chunk["two"], "children",
			opts{},
			search.OK, false, "",
			[]string{"span: ## Two", "span: Delta stands here.", "span: Echo follows it.", "span: Foxtrot ends it.", "span: - item golf", "span: - item hotel"},
		},
		{"children of a span", span("Echo"), "children", opts{}, search.None, false, "", []string{}},
		{"siblings", chunk["bravo"], "siblings", opts{}, search.OK, false, "", []string{"chunk: ## One Alpha", "chunk: Charlie begins here."}},
		{"siblings where there are none", chunk["two"], "siblings", opts{}, search.None, false, "", []string{}},
		{"siblings of a span", span("Echo"), "siblings", opts{limit: 2}, search.OK, false, "limit", []string{"span: ## Two", "span: Delta stands here."}},
		{
			"previous, across a section", chunk["two"], "previous",
			opts{limit: 4},
			search.OK, true, "",
			[]string{"chunk: Charlie begins here.", "chunk: Bravo begins here.", "chunk: ## One Alpha", "chunk: # Guide Opening"},
		},
		{"previous of the first", chunk["open"], "previous", opts{}, search.None, false, "", []string{}},
		{"next of the last", chunk["table"], "next", opts{}, search.None, false, "", []string{}},
		{"next", chunk["charlie"], "next", opts{limit: 1}, search.OK, false, "limit", []string{"chunk: ## Two Delta"}},
		{"next span", span("Foxtrot"), "next", opts{limit: 3}, search.OK, true, "limit", []string{"span: - item golf", "span: - item hotel", "span: ## Three"}},
		{"previous span, nearest first", span("Foxtrot"), "previous", opts{limit: 2}, search.OK, false, "limit", []string{"span: Echo follows it.", "span: Delta stands here."}},
		{
			"table context of a row", span("plum"), "table_context",
			opts{},
			search.OK, false, "",
			[]string{"span: | name |", "span: Some prices of", "span: | pear |", "span: | fig |"},
		},
		{
			"table context of the first row", span("pear"), "table_context",
			opts{},
			search.OK, false, "",
			[]string{"span: | name |", "span: Some prices of", "span: | plum |"},
		},
		{"table context of no table", span("Echo"), "table_context", opts{}, search.None, false, "", []string{}},
		{"characters run out", chunk["bravo"], "parent", opts{chars: 200}, search.OK, false, "max_chars", []string{"section: ## One", "chunk: ## One Alpha"}},
		{"not an id", "x", "next", opts{}, search.InvalidID, false, "", []string{}},
		{"no such id", "c_" + strings.Repeat("a", 26), "next", opts{}, search.NotFound, false, "", []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := search.NavigateRequest{ID: tt.id, Relation: tt.relation, Limit: max(tt.limit, 0), MaxChars: tt.chars}
			if r.Limit == 0 {
				r.Limit = 10
			}
			if r.MaxChars == 0 {
				r.MaxChars = 12000
			}
			n, err := search.Navigate(t.Context(), w.d, r)
			if err != nil {
				t.Fatal(err)
			}
			if n.Status != tt.status || n.TruncationReason != tt.reason || n.Truncated != (tt.reason != "") {
				t.Errorf("status %s, truncated %v %s", n.Status, n.Truncated, n.TruncationReason)
			}
			if diff := cmp.Diff(tt.want, brief(n.Items)); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			if n.MultiSection != tt.multi {
				t.Errorf("multi_section %v", n.MultiSection)
			}
			chars := 0
			for _, it := range n.Items {
				chars += len([]rune(it.Text))
				if o := w.fetch(it.EvidenceID); !it.Partial && o.Text != it.Text || it.StatusOfVersion != n.VersionStatus {
					t.Errorf("item %+v, fetched %+v", it, o)
				}
			}
			if chars > r.MaxChars {
				t.Errorf("%d characters, %d allowed", chars, r.MaxChars)
			}
		})
	}
	// Out of scope is not found; an old version is walked like any other.
	if n, err := search.Navigate(t.Context(), w.d, search.NavigateRequest{ID: chunk["two"], Relation: "next", Limit: 1, MaxChars: 100, Scope: w.scope("docs/x")}); err != nil || n.Status != search.NotFound {
		t.Errorf("out of scope: %+v, %v", n, err)
	}
	w.write("g.md", "# Guide\n\nAll new.\n")
	w.sync()
	for _, state := range []string{db.Superseded, db.Deleted} {
		if state == db.Deleted {
			w.write("other.md", "x\n")
			w.remove("g.md")
			w.sync()
		}
		n, err := search.Navigate(t.Context(), w.d, search.NavigateRequest{ID: chunk["two"], Relation: "next", Limit: 1, MaxChars: 5000})
		if err != nil || n.Status != search.OK || n.VersionStatus != state || len(n.Items) != 1 {
			t.Errorf("%s: %+v, %v", state, n, err)
		}
	}
	for _, r := range []search.NavigateRequest{{ID: chunk["two"], Relation: "uncle", Limit: 1, MaxChars: 1}, {ID: chunk["two"], Relation: "next", MaxChars: 1}, {ID: chunk["two"], Relation: "next", Limit: 1}} {
		if _, err := search.Navigate(t.Context(), w.d, r); err == nil {
			t.Errorf("%+v: no error", r)
		}
	}
}

// Case 15: a row far down a long table still leads to its header.
func TestLongTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Stock\n\nWhat lies in the north store. Counted by hand.\n\n| article | count of boxes |\n|---|---|\n")
	for i := range 400 {
		fmt.Fprintf(&b, "| article number %d of many | %d |\n", i, i*7)
	}
	w := newWorld(t, "s.md", b.String())
	n, err := search.Navigate(t.Context(), w.d, search.NavigateRequest{ID: w.span("s.md", "number 300 "), Relation: "table_context", Limit: 10, MaxChars: 5000})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"| article | count of boxes |", "What lies in the north store. Counted by hand.", "| article number 299 of many | 2093 |", "| article number 301 of many | 2107 |"}
	var got []string
	for _, it := range n.Items {
		first, _, _ := strings.Cut(it.Text, "\n")
		got = append(got, first)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table context (-want +got):\n%s", diff)
	}
	// The header's words find every piece of the table.
	if r := w.ask(search.Query{Text: "boxes 2100"}); len(r.Hits) < 2 || !strings.Contains(w.fetch(r.Hits[0].EvidenceID).Text, "| 2100 |") {
		t.Errorf("hits: %d", len(r.Hits))
	}
}
