package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docket/db"
	"docket/search"
)

func TestFetchOutcomes(t *testing.T) {
	w := newWorld(t,
		"in/a [b] (c)#1%.md", "# Title *with* `marks`\n\nFirst line.\n\n## Sub\n\nThe flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿 waves over 東京.\n",
		"out/b.md", "# Out\n\nSecret elsewhere.\n")
	id, other := w.first("waves"), w.first("elsewhere")
	span := w.span("in/a [b] (c)#1%.md", "First line")
	r := search.FetchRequest{IDs: []string{id, "c_zzz", id, other, "c_" + strings.Repeat("a", 26), span, "", "x\x00"}, MaxChars: 4000, Scope: w.scope("docs/in/")}
	f, err := search.Fetch(t.Context(), w.d, r)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, o := range f.Outcomes {
		got = append(got, o.Status)
		if o.EvidenceID != r.IDs[i] {
			t.Errorf("outcome %d is of %q", i, o.EvidenceID)
		}
	}
	if diff := cmp.Diff([]string{"ok", "invalid_id", "ok", "not_found", "not_found", "ok", "invalid_id", "invalid_id"}, got); diff != "" {
		t.Errorf("statuses:\n%s", diff)
	}
	if diff := cmp.Diff(f.Outcomes[0], f.Outcomes[2]); diff != "" {
		t.Error(diff)
	}
	// Out of scope and absent answer alike.
	if diff := cmp.Diff(f.Outcomes[3], f.Outcomes[4], cmpopts.IgnoreFields(search.Outcome{}, "EvidenceID")); diff != "" {
		t.Errorf("out of scope and absent differ:\n%s", diff)
	}
	o := f.Outcomes[5]
	if o.Text != "First line." || o.StatusOfVersion != db.Current || o.Partial || o.CurrentEvidenceID != "" {
		t.Errorf("span: %+v", o)
	}
	if diff := cmp.Diff(&search.Location{HeadingPath: []string{"Title with marks"}, LineStart: 3, LineEnd: 3, CharStart: 24, CharEnd: 35}, o.Location); diff != "" {
		t.Errorf("location (-want +got):\n%s", diff)
	}
	wantURI := "file://" + strings.ReplaceAll(w.dir, " ", "%20") + "/in/a%20%5Bb%5D%20%28c%29%231%25.md#L3"
	if o.URI != wantURI {
		t.Errorf("uri %s, want %s", o.URI, wantURI)
	}
	if want := "[Title with marks, line 3](" + wantURI + ` "` + span + `")`; o.CitationMarkdown != want {
		t.Errorf("citation %s, want %s", o.CitationMarkdown, want)
	}
	if _, err := search.Fetch(t.Context(), w.d, search.FetchRequest{IDs: []string{id}}); err == nil {
		t.Error("0 characters: no error")
	}
}

// Cases 9 and 159: a text is cut at any length without ever cutting a character.
func TestFetchCutsBetweenGraphemes(t *testing.T) {
	family := "👨‍👩‍👧‍👦"
	text := "a" + family + "e\u0301" + "🇫🇷🇩🇪" + "👍🏽" + "z"
	borders := []string{"", "a", "a" + family, "a" + family + "e\u0301", "a" + family + "e\u0301🇫🇷", "a" + family + "e\u0301🇫🇷🇩🇪", "a" + family + "e\u0301🇫🇷🇩🇪👍🏽", text}
	w := newWorld(t, "a.txt", text+"\n")
	id := w.first("z")
	full := w.fetch(id).Text
	if full != text {
		t.Fatalf("text %q, want %q", full, text)
	}
	for n := 1; n <= utf8.RuneCountInString(text)+1; n++ {
		f, err := search.Fetch(t.Context(), w.d, search.FetchRequest{IDs: []string{id}, MaxChars: n})
		if err != nil {
			t.Fatal(err)
		}
		o := f.Outcomes[0]
		want := ""
		for _, b := range borders {
			if utf8.RuneCountInString(b) <= n {
				want = b
			}
		}
		if o.Text != want || o.Partial != (want != text) {
			t.Errorf("%d characters: %q, partial %v; want %q", n, o.Text, o.Partial, want)
		}
	}
}

func TestReplacement(t *testing.T) {
	intro := "# Handbook\n\n## Leave\n\nEverybody has thirty days of leave a year. Ask a week ahead.\n\n"
	pay := "## Pay\n\nPay day is the 25th. Bonuses are paid in March.\n\n"
	w := newWorld(t, "a.md", intro+pay, "moved.md", "# Moved\n\nThis file moves as it is.\n", "gone.md", "# Gone\n\nThis file goes.\n")
	leave, payID, moved, gone := w.first("thirty leave"), w.first("bonuses"), w.first("moves"), w.first("goes")
	span := w.span("a.md", "Bonuses")

	w.write("a.md", "# Handbook\n\n## Remote work\n\nHome is fine.\n\n"+strings.Replace(intro, "# Handbook\n\n", "", 1)+strings.Replace(pay, "25th", "27th", 1))
	w.remove("moved.md")
	w.remove("gone.md")
	w.write("new name.md", "# Moved\n\nThis file moves as it is.\n")
	w.sync()

	for _, tt := range []struct {
		name, id, state, want string
	}{
		{"the same text further down", leave, db.Superseded, "Everybody has thirty days"},
		{"a changed passage below the same heading", payID, db.Superseded, "Pay day is the 27th"},
		{"a span that stands unchanged in a changed passage", span, db.Superseded, "Bonuses are paid in March."},
		{"a file that moved", moved, db.Deleted, "This file moves as it is."},
		{"a file that is gone", gone, db.Deleted, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := w.fetch(tt.id)
			if o.Status != search.OK || o.StatusOfVersion != tt.state {
				t.Fatalf("outcome %+v", o)
			}
			if tt.want == "" {
				if o.CurrentEvidenceID != "" {
					t.Errorf("replaced by %s", o.CurrentEvidenceID)
				}
				return
			}
			now := w.fetch(o.CurrentEvidenceID)
			if now.StatusOfVersion != db.Current || !strings.Contains(now.Text, tt.want) {
				t.Errorf("replaced by %+v", now)
			}
			if tt.id[0] != o.CurrentEvidenceID[0] {
				t.Errorf("%s is replaced by %s", tt.id, o.CurrentEvidenceID)
			}
		})
	}
	// The replacement is not shown to who may not read it.
	f, err := search.Fetch(t.Context(), w.d, search.FetchRequest{IDs: []string{moved}, MaxChars: 10, Scope: w.scope("docs/moved.md")})
	if err != nil || f.Outcomes[0].Status != search.OK || f.Outcomes[0].CurrentEvidenceID != "" {
		t.Errorf("out of scope: %+v, %v", f.Outcomes, err)
	}
	if o := w.fetch(leave); !strings.Contains(o.CitationMarkdown, "(superseded)") {
		t.Errorf("citation %s", o.CitationMarkdown)
	}
}

// A span that is said again and again is replaced by the one in its own place, not by the first or the last.
func TestReplacementOfARepeatedSpan(t *testing.T) {
	rows := func(first, eighth string) string {
		var b strings.Builder
		b.WriteString("# Log\n\n| who | what |\n|---|---|\n")
		for i := range 10 {
			who := "Mara"
			if i == 0 {
				who = first
			}
			if i == 7 {
				who = eighth
			}
			b.WriteString("| " + who + " | approved |\n")
		}
		return b.String()
	}
	w := newWorld(t, "l.md", rows("Ana", "Ben"))
	n, err := search.Navigate(t.Context(), w.d, search.NavigateRequest{ID: w.first("approved"), Relation: "children", Limit: 50, MaxChars: 9000})
	if err != nil {
		t.Fatal(err)
	}
	var before []search.Item
	for _, it := range n.Items {
		if strings.Contains(it.Text, "| Mara") {
			before = append(before, it)
		}
	}
	w.write("l.md", rows("Eve", "Ben"))
	w.sync()
	if len(before) != 8 {
		t.Fatalf("%d rows", len(before))
	}
	for _, it := range before {
		o := w.fetch(it.EvidenceID)
		if now := w.fetch(o.CurrentEvidenceID); now.Text != it.Text || now.Location.LineStart != it.Location.LineStart {
			t.Errorf("line %d is replaced by %+v", it.Location.LineStart, now)
		}
	}
}

// Content that comes back makes its old ids current again.
func TestOldIDIsCurrentAgain(t *testing.T) {
	a, b := "# A\n\nOld text.\n", "# A\n\nNew text.\n"
	w := newWorld(t, "a.md", a)
	id := w.first("old")
	for range 2 {
		w.write("a.md", b)
		w.sync()
		if o := w.fetch(id); o.StatusOfVersion != db.Superseded || o.CurrentEvidenceID == "" {
			t.Errorf("superseded: %+v", o)
		}
		w.write("a.md", a)
		w.sync()
		if o := w.fetch(id); o.StatusOfVersion != db.Current || o.CurrentEvidenceID != "" {
			t.Errorf("current again: %+v", o)
		}
	}
}
