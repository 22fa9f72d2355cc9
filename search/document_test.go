package search_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/search"
)

func TestDocumentTextAndTree(t *testing.T) {
	doc := "# Guide\n\nOpening.\n\n## One\n\nAlpha.\n\n## Two\n\nBravo.\n"
	w := newWorld(t, "g.md", doc, "out/x.md", "# X\n\nElsewhere.\n")
	text, err := search.DocumentText(t.Context(), w.d, "docs/g.md", db.Scope{})
	if err != nil || text.Text != doc || text.Kind != "markdown" || text.Title != "Guide" || !strings.HasPrefix(text.VersionID, "v_") {
		t.Errorf("text %+v, %v", text, err)
	}
	tree, err := search.Tree(t.Context(), w.d, "docs/g.md", db.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range tree.Sections {
		got = append(got, strings.Repeat("#", s.Level)+" "+s.Heading)
		for _, c := range s.Chunks {
			o := w.fetch(c.EvidenceID)
			got = append(got, o.Text)
			if !strings.HasPrefix(o.Text, c.Snippet) {
				t.Errorf("%s begins %q, tree shows %q", c.EvidenceID, o.Text, c.Snippet)
			}
			if diff := cmp.Diff(*o.Location, c.Location); diff != "" {
				t.Error(diff)
			}
		}
	}
	want := []string{" ", "# Guide", "# Guide\n\nOpening.", "## One", "## One\n\nAlpha.", "## Two", "## Two\n\nBravo."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	scope := w.scope("docs/g.md")
	for _, key := range []string{"docs/out/x.md", "docs/none.md", ""} {
		if _, err := search.DocumentText(t.Context(), w.d, key, scope); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("text of %q: %v", key, err)
		}
		if _, err := search.Tree(t.Context(), w.d, key, scope); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("tree of %q: %v", key, err)
		}
	}
	w.remove("g.md")
	w.sync()
	if _, err := search.Tree(t.Context(), w.d, "docs/g.md", db.Scope{}); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("tree of a deleted document: %v", err)
	}
}
