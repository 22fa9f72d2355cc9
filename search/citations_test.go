package search_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/search"
)

// Cases 161 and 162.
func TestVerdicts(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nAlpha.\n", "b.md", "# B\n\nBeta.\n", "c.md", "# C\n\nGamma.\n", "out/d.md", "# D\n\nDelta.\n")
	valid, old, gone, out := w.first("alpha"), w.first("beta"), w.first("gamma"), w.first("delta")
	span := w.span("a.md", "Alpha")
	w.write("b.md", "# B\n\nBeta, again.\n")
	w.remove("c.md")
	w.sync()
	absent := "c_" + strings.Repeat("b", 26)
	all := []string{"no id", absent, out, valid, span, old, gone}
	check := func(name string, complete, partial bool, want ...string) {
		t.Helper()
		v, err := search.CheckCitations(t.Context(), w.d, search.CitationCheck{
			IDs: all, Scope: w.scope("docs/*.md"), Fetched: func(string) (bool, bool) { return complete, partial },
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, x := range v.Verdicts {
			got = append(got, x.Verdict)
			if x.EvidenceID != all[i] {
				t.Errorf("verdict %d is on %s", i, x.EvidenceID)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	check("nothing fetched", false, false, search.InvalidID, search.NotFound, search.NotFound, search.NotFetched, search.NotFetched, search.NotFetched, search.NotFetched)
	check("fetched in part", false, true, search.InvalidID, search.NotFound, search.NotFound, search.PartialOnly, search.PartialOnly, search.PartialOnly, search.PartialOnly)
	check("fetched", true, false, search.InvalidID, search.NotFound, search.NotFound, search.Valid, search.Valid, db.Superseded, db.Deleted)
}

func TestRenderCitations(t *testing.T) {
	w := newWorld(t, "a.md", "# A *b* [c](d)\n\nAlpha.\n", "b.md", "# B\n\nBeta.\n", "out/c.md", "# C\n\nGamma.\n")
	a, b, out := w.first("alpha"), w.first("beta"), w.first("gamma")
	r, err := search.RenderCitations(t.Context(), w.d, search.RenderRequest{
		Draft: "One [[" + b + "]], two [[" + a + "]], one again [[" + b + "]]; [[Page]], [[" + out + "]].",
		IDs:   []string{a, "nonsense", out, b}, Scope: w.scope("docs/*.md"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "One [1], two [2], one again [1]; [[Page]], [[" + out + "]].\n\n1. [B, lines 1–3]("; !strings.HasPrefix(r.Text, want) {
		t.Errorf("text %q, want it to begin %q", r.Text, want)
	}
	if diff := cmp.Diff([]string{out, "nonsense"}, r.UnknownIDs); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
	if len(r.References) != 2 || r.References[0].EvidenceID != b || r.References[0].Number != 1 || r.References[1].Number != 2 {
		t.Errorf("references %+v", r.References)
	}
	for _, ref := range r.References {
		if !strings.Contains(r.Text, ref.CitationMarkdown) || ref.StatusOfVersion != db.Current {
			t.Errorf("reference %+v", ref)
		}
	}
	alone, err := search.RenderCitations(t.Context(), w.d, search.RenderRequest{IDs: []string{b}})
	if err != nil || alone.Text != "1. "+alone.References[0].CitationMarkdown+"\n" {
		t.Errorf("ids alone: %q, %v", alone.Text, err)
	}
}

// Case 162: a marker that was meant as a citation and names no one passage is told, and never goes out as if it were prose.
func TestRenderCitationsTellsMarkersThatNameNothing(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nAlpha.\n")
	a := w.first("alpha")
	for _, tt := range []struct{ marker, unknown string }{
		{"[[" + a + "]]", ""},
		{"[[ " + a + " ]]", ""},
		{"[[" + a + ", " + a + "]]", a + ", " + a},
		{"[[" + a + "|the report]]", a + "|the report"},
		{"[[" + a[:25] + "]]", a[:25]},
		{"[[" + a + "q]]", a + "q"},
		{"[[" + strings.ToUpper(a) + "]]", strings.ToUpper(a)},
		{"[[see " + a + "]]", "see " + a},
	} {
		r, err := search.RenderCitations(t.Context(), w.d, search.RenderRequest{Draft: tt.marker + " end"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.UnknownIDs, "; "); got != tt.unknown || strings.HasPrefix(r.Text, tt.marker) != (tt.unknown != "") {
			t.Errorf("%s: unknown %q, want %q; text %q", tt.marker, got, tt.unknown, r.Text)
		}
	}
	for _, link := range []string{"[[Page]]", "[[c_notes]]", "[[docs/abc_internationalization]]", "[c_" + a + "]", "[[]]", "[[a\n" + a + "]]"} {
		r, err := search.RenderCitations(t.Context(), w.d, search.RenderRequest{Draft: link})
		if err != nil || r.Text != link || len(r.UnknownIDs) > 0 {
			t.Errorf("%q became %q, unknown %q, %v", link, r.Text, r.UnknownIDs, err)
		}
	}
}

// Nothing that a title or path holds becomes markup, or leaves the link.
func TestCitationsAreSafeMarkdown(t *testing.T) {
	w := newWorld(t, "a)](b) <x>.md", "# Click ](http://evil) `x` <img> \u202eback\n\nWords here.\n")
	c := w.fetch(w.first("words")).CitationMarkdown
	for _, bad := range []string{"](http", "<", " `", "\u202e", "\n"} {
		if strings.Contains(strings.ReplaceAll(c, `\<`, ""), bad) {
			t.Errorf("citation %q holds %q", c, bad)
		}
	}
	if strings.Count(c, "](file://") != 1 || !strings.HasSuffix(c, `")`) {
		t.Errorf("citation %q", c)
	}
}
