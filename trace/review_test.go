package trace_test

import (
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"docket/db"
	"docket/trace"
)

const page = `# Limits

The upload limit is 30 megabytes for every account. Larger files go through support.

## Approval

The board met on Monday. Approved.

The auditors met on Tuesday. Approved.

| name | limit |
|------|-------|
| free | 30 |
| paid | 500 |

Nothing else is limited in any way that a customer could notice.
`

// The demonstration of what review is for: an edit elsewhere flags nothing, an edit of the cited sentence flags what rests on it and
// says what changed, and reaffirming the first clears the second.
func TestReview(t *testing.T) {
	w := newWorld(t)
	w.task("t")
	w.put("a.md", page)
	a := w.decide("limit", quoted(w.evidence("a.md", "30 megabytes"), "limit is 30 megabytes"))
	b := w.decide("page size", quoted(w.evidence("a.md", "Nothing else"), "Nothing else is limited"), onDecision(a))
	w.wantReview(a, "current")
	w.wantReview(b, "current")

	out := w.put("a.md", strings.Replace(page, "Larger files", "Much larger files", 1))
	if out.Flagged != 0 || out.Carried != 2 || out.Decisions != 0 {
		t.Errorf("an edit elsewhere did %+v", out)
	}
	w.wantReview(a, "current")
	w.wantReview(b, "current")

	out = w.put("a.md", strings.Replace(page, "30 megabytes", "60 megabytes", 1))
	if out.Flagged != 1 || out.Carried != 1 || out.Decisions != 1 {
		t.Errorf("an edit of the cited sentence did %+v", out)
	}
	d := w.wantReview(a, "needs_review", "source_changed")
	r := d.ReviewReasons[0]
	if want := "The upload limit is [-30-]{+60+} megabytes for every account."; r.Diff != want {
		t.Errorf("diff %q, want %q", r.Diff, want)
	}
	if r.ProposedEvidenceID != w.evidence("a.md", "60 megabytes") {
		t.Errorf("proposed %q", r.ProposedEvidenceID)
	}
	w.wantReview(b, "unknown") // on its way
	w.drain()
	w.wantReview(b, "needs_review", "depends_on")

	if _, err := trace.ReaffirmDecision(t.Context(), w.d, w.who, trace.ReaffirmDecisionParams{
		DecisionID: a, EvidenceIDs: []string{w.evidence("a.md", "60 megabytes")}, Explanation: "still a limit", RequestID: w.request(),
	}); err != nil {
		t.Fatal(err)
	}
	w.wantReview(a, "current")
	w.wantReview(b, "unknown", "depends_on")
	w.drain()
	w.wantReview(b, "current")
	w.wantSound()
}

// What an edit does to one quote. The expected effect is that of a careful reader.
func TestRelocation(t *testing.T) {
	w := newWorld(t)
	w.task("t")
	long := strings.Repeat("The quick brown fox jumps over the lazy dog again. ", 3)
	for _, tt := range []struct {
		name           string
		file           string
		before, after  string
		passage, quote string // what is cited; "" for the quote cites the whole passage
		flagged        bool
	}{
		{"nothing but the time", "a.md", page, page + "\n", "30 megabytes", "30 megabytes", false},
		{"CRLF", "a.md", page, strings.ReplaceAll(page, "\n", "\r\n"), "30 megabytes", "30 megabytes", false},
		{"CR", "a.md", page, strings.ReplaceAll(page, "\n", "\r"), "30 megabytes", "30 megabytes", false},
		{"trailing space", "a.md", page, strings.ReplaceAll(page, ".\n", ". \n"), "Nothing else", "", false},
		{"a byte-order mark", "a.md", page, "\ufeff" + page, "30 megabytes", "", false},
		{"wrapped anew", "a.md", page, strings.Replace(page, "limit is 30 megabytes for", "limit is\n30 megabytes\nfor", 1), "30 megabytes", "30 megabytes", false},
		{"the sentence itself", "a.md", page, strings.Replace(page, "every account", "most accounts", 1), "30 megabytes", "30 megabytes", true},
		{"the sentence beside it", "a.md", page, strings.Replace(page, "go through support", "are refused", 1), "30 megabytes", "30 megabytes", false},
		{"a sentence put before it", "a.md", page, strings.Replace(page, "The upload", "Hear this. The upload", 1), "30 megabytes", "30 megabytes", false},
		{"a word put at its front", "a.md", page, strings.Replace(page, "The upload limit is 30", "It is not true that the upload limit is 30", 1), "30 megabytes", "30 megabytes", true},
		{"a sentence put inside the passage", "a.md", page, strings.Replace(page, "Larger files", "This may change. Larger files", 1), "30 megabytes", "", true},
		{"deleted", "a.md", page, strings.Replace(page, "The upload limit is 30 megabytes for every account. ", "", 1), "30 megabytes", "30 megabytes", true},
		{"a new section above", "a.md", page, "# New\n\nHello there, this is new.\n\n" + page, "Nothing else", "Nothing else", false},
		{"the passage is joined with the one before it", "a.md", page, strings.Replace(page, "Approved.\n\nThe auditors", "Approved. The auditors", 1), "auditors met", "The auditors met on Tuesday.", false},
		{"split into paragraphs", "a.md", page, strings.Replace(page, ". Larger", ".\n\nLarger", 1), "30 megabytes", "limit is 30 megabytes for every account. Larger files", false},

		// Repeated sentences are told apart by their place.
		{"the other Approved goes", "a.md", page, strings.Replace(page, "Monday. Approved.", "Monday.", 1), "auditors met", "Tuesday. Approved.", false},
		{"this Approved goes", "a.md", page, strings.Replace(page, "Tuesday. Approved.", "Tuesday.", 1), "auditors met", "Tuesday. Approved.", true},
		{"this Approved turns into Denied", "a.md", page, strings.Replace(page, "Tuesday. Approved.", "Tuesday. Denied.", 1), "auditors met", "Tuesday. Approved.", true},
		{"the other Approved turns into Denied", "a.md", page, strings.Replace(page, "Monday. Approved.", "Monday. Denied.", 1), "auditors met", "Tuesday. Approved.", false},

		// Table rows, with their header; tiny quotes.
		{"the cited row", "a.md", page, strings.Replace(page, "| free | 30 |", "| free | 40 |", 1), "| free |", "| free | 30 |", true},
		{"another row", "a.md", page, strings.Replace(page, "| paid | 500 |", "| paid | 600 |", 1), "| free |", "| free | 30 |", false},
		{"a row put above", "a.md", page, strings.Replace(page, "| free |", "| none | 0 |\n| free |", 1), "| free |", "| free | 30 |", false},
		{"the header", "a.md", page, strings.Replace(page, "| name | limit |", "| name | price |", 1), "| free |", "| free | 30 |", true},
		{"a tiny quote, its row", "a.csv", "name,limit\nfree,30\npaid,50\n", "name,limit\nfree,31\npaid,50\n", "free", "30", true},
		{"a tiny quote, another row", "a.csv", "name,limit\nfree,30\npaid,50\n", "name,limit\nnone,1\nfree,30\npaid,51\n", "free", "30", false},
		{"a tiny quote, its header", "a.csv", "name,limit\nfree,30\npaid,50\n", "name,price\nfree,30\npaid,50\n", "free", "30", true},
		{"a tiny quote that could mean either of two rows", "a.csv", "name,limit\nfree,30\npaid,30\n", "name,limit\nfree,30\npaid,50\n", "free", "30", true},
		{"white space in data", "a.csv", "name,limit\nfree,a b\n", "name,limit\nfree,a  b\n", "free", "free,a b", true},

		// Code: indentation counts, blank lines and line ends do not.
		{"code, an edit above", "a.py", "import os\n\ndef f(x):\n    return x\n", "import os, sys\n\ndef f(x):\n    return x\n", "return x", "return x", false},
		{"code, lines put above", "a.py", "def f(x):\n    y = x\n    return y\n", "def e():\n    pass\n\ndef f(x):\n    y = x\n    return y\n", "return y", "return y", false},
		{"code, the line", "a.py", "def f(x):\n    return x\n", "def f(x):\n    return x + 1\n", "return x", "return x", true},
		{"code, the indentation", "a.py", "for a in b:\n    f(a)\n    g(a)\n", "for a in b:\n    f(a)\ng(a)\n", "g(a)", "g(a)", true},
		{"code, trailing space", "a.py", "def f(x):\n    return x\n", "def f(x):  \n    return x \n", "return x", "return x", false},
		{
			"code, a function with the same brackets put between", "a.go", "package p\n\nfunc f() {\n\ta()\n}\n\nfunc g() {\n\tb()\n}\n",
			"package p\n\nfunc f() {\n\ta()\n}\n\nfunc h() {\n\tc()\n}\n\nfunc g() {\n\tb()\n}\n", "a()", "", false,
		},

		// Text that stands elsewhere.
		{
			"a long sentence moved", "a.txt", "First of all, something here.\n\n" + long + "\n\nThe end of it all is near now.\n",
			"The end of it all is near now.\n\n" + long + "\n\nFirst of all, something here.\n", "quick", strings.TrimSpace(long), false,
		},
		{
			"a short sentence moved", "a.txt", "Yes.\n\nThe long sentence in the middle of the page stays here.\n\nAnother long sentence follows it right here.\n",
			"The long sentence in the middle of the page stays here.\n\nAnother long sentence follows it right here.\n\nYes.\n", "Yes.", "Yes.", true,
		},
		{
			"a section moved with its table", "a.md", "# A\n\nA unique sentence that opens the section about numbers.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n# B\n\n" + long + long + "\n",
			"# B\n\n" + long + long + "\n\n# A\n\nA unique sentence that opens the section about numbers.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "| 1 |", "| 1 | 2 |", false,
		},

		// Front matter has no order.
		{"front matter in another order", "a.md", "---\ntitle: T\nstatus: draft\ntags: [a]\n---\n\nText.\n", "---\nstatus: draft\ntags: [a]\ntitle: T\n---\n\nText.\n", "status", "status: draft", false},
		{"front matter, the cited line", "a.md", "---\ntitle: T\nstatus: draft\ntags: [a]\n---\n\nText.\n", "---\nstatus: final\ntags: [a]\ntitle: T\n---\n\nText.\n", "status", "status: draft", true},
		{"the text below reordered front matter", "a.md", "---\ntitle: T\nstatus: draft\n---\n\nSome text.\n", "---\nstatus: draft\ntitle: T\n---\n\nSome text.\n", "Some text", "Some text.", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := *w
			w.TB = t
			tt.file = strings.ReplaceAll(tt.name, " ", "-") + path.Ext(tt.file)
			w.put(tt.file, tt.before)
			id := w.decide(tt.name, quoted(w.evidence(tt.file, tt.passage), tt.quote))
			out := w.put(tt.file, tt.after)
			if got := out.Flagged > 0; got != tt.flagged {
				t.Errorf("flagged: %v, want %v; %+v", got, tt.flagged, w.decision(id).ReviewReasons)
			}
			if tt.flagged {
				w.wantReview(id, "needs_review", "source_changed")
			} else {
				w.wantReview(id, "current")
			}
			w.put(tt.file, tt.before) // text that comes back closes its reason by itself
			d := w.wantReview(id, "current")
			if got := d.Supports[0]; got.EvidenceID != w.evidence(tt.file, tt.passage) || got.State != "current" {
				t.Errorf("back again, the support is %+v", got)
			}
			h, err := trace.ListSupportHistory(t.Context(), w.d, w.who, trace.ListSupportHistoryParams{DecisionID: id, AfterOrdinal: -1, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			if last := h.Supports[0].Changes[0].What; tt.flagged && last != "restored" {
				t.Errorf("the history ends with %s", last)
			}
			w.remove(tt.file)
		})
	}
	w.wantSound()
}

func TestRemovedAndBack(t *testing.T) {
	w := newWorld(t)
	w.task("t")
	w.put("a.md", page)
	a := w.decide("limit", quoted(w.evidence("a.md", "30 megabytes"), ""))
	w.remove("a.md")
	d := w.wantReview(a, "needs_review", "source_removed")
	if d.Supports[0].State != "removed" || d.ReviewReasons[0].OldText == "" || d.ReviewReasons[0].NewText != "" {
		t.Errorf("a removed source shows as %+v, %+v", d.Supports[0], d.ReviewReasons[0])
	}
	w.put("a.md", page) // Acceptance: the same bytes clear it
	w.wantReview(a, "current")
	w.remove("a.md")
	w.put("a.md", "# Limits\n\nThe upload limit is 30 megabytes for every account. Larger files go through support.\n")
	w.wantReview(a, "current")
	w.remove("a.md")
	w.put("a.md", "Gone.\n")
	w.wantReview(a, "needs_review", "source_changed")
	w.wantSound()
}

func TestMovedFile(t *testing.T) {
	w := newWorld(t)
	w.task("t")
	w.put("a.md", page)
	a := w.decide("limit", quoted(w.evidence("a.md", "30 megabytes"), ""))
	if out := w.move("a.md", "b/c.md"); out.Flagged != 0 || out.Carried != 1 {
		t.Errorf("a move did %+v", out)
	}
	d := w.wantReview(a, "current")
	if s := d.Supports[0]; s.DocumentKey != "r/b/c.md" || s.EvidenceID != w.evidence("b/c.md", "30 megabytes") || s.CitedEvidenceID == "" {
		t.Errorf("after the move the support is %+v", s)
	}
	w.put("b/c.md", strings.Replace(page, "30 megabytes", "31 megabytes", 1))
	w.wantReview(a, "needs_review", "source_changed")
	w.move("b/c.md", "a.md") // a flagged support moves too, and stays flagged
	d = w.wantReview(a, "needs_review", "source_changed")
	if d.Supports[0].DocumentKey != "r/a.md" {
		t.Errorf("a flagged support did not move: %+v", d.Supports[0])
	}
	w.put("a.md", page)
	w.wantReview(a, "current")
	w.wantSound()
}

// A new parser's text for the same bytes is never taken for a change of the source.
func TestExtractionChanged(t *testing.T) {
	w := newWorld(t)
	w.task("t")
	w.put("a.txt", "The limit is 30. It holds.\n")
	a := w.decide("limit", quoted(w.evidence("a.txt", "30"), "The limit is 30."))
	b := w.decide("holds", quoted(w.evidence("a.txt", "30"), "It holds."))
	w.putParsed("a.txt", "The limit is 30. It holds.\n", "The limit is 3O. It holds.\n")
	w.wantReview(a, "needs_review", "extraction_changed")
	w.wantReview(b, "current")
	w.put("a.txt", "The limit is 40. It holds.\n")
	w.wantReview(a, "needs_review", "source_changed")
	w.put("a.txt", "The limit is 30. It holds.\n")
	w.wantReview(a, "current")
	w.wantSound()
}

func TestUnreadable(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("a.md", page)
	a := w.decide("limit", quoted(w.evidence("a.md", "30 megabytes"), ""))
	b := w.decide("other", quoted(w.evidence("a.md", "Nothing"), "Nothing"), onDecision(a))
	doc := func(tx *db.Tx) int64 {
		d, err := tx.Document(ctx, "r/a.md")
		if err != nil {
			t.Fatal(err)
		}
		return d.ID
	}
	mark := func(cause string) {
		w.update(func(tx *db.Tx) error { return trace.Unreadable(ctx, tx, doc(tx), cause) })
	}
	clearOf := func(cause string) { w.update(func(tx *db.Tx) error { return trace.Readable(ctx, tx, doc(tx), cause) }) }
	setRoot := func(state string) {
		w.update(func(tx *db.Tx) error {
			if err := tx.SetRootState(ctx, w.root.ID, state, "", 0); err != nil {
				return err
			}
			return trace.RootChanged(ctx, tx, w.root.ID)
		})
	}
	both := func(review string) {
		t.Helper()
		w.drain()
		w.wantReview(a, review)
		w.wantReview(b, review)
	}
	mark(trace.ParseFailed)
	mark(trace.ParseFailed)
	w.wantReview(a, "unknown")
	both("unknown")
	setRoot(db.RootOffline)
	clearOf(trace.ParseFailed)
	both("unknown") // one of two causes is gone
	setRoot(db.RootOnline)
	both("current")
	mark(trace.Pending)
	mark(trace.Missing)
	clearOf(trace.Pending)
	both("unknown")
	clearOf("")
	both("current")
	mark(trace.Missing)
	w.put("a.md", page+"\nMore.\n") // an activation ends every cause
	both("current")
	mark(trace.Missing)
	w.put("a.md", strings.Replace(page, "30 megabytes", "31 megabytes", 1))
	w.drain()
	w.wantReview(a, "needs_review", "source_changed")
	mark(trace.Pending) // what is known to have changed stays so
	w.drain()
	w.wantReview(a, "needs_review", "source_changed")
	w.remove("a.md")
	w.drain()
	w.wantReview(a, "needs_review", "source_removed")
	w.wantReview(b, "needs_review", "source_removed", "depends_on")
	w.wantSound()
}

// SPEC Review 6: a decision stands while one whole group stands.
func TestGroups(t *testing.T) {
	w := newWorld(t)
	w.task("t")
	for _, name := range []string{"a", "b", "c", "d"} {
		w.put(name+".txt", "The fact of "+name+" stands here.\n")
	}
	on := func(name, group string) trace.Support {
		return inGroup(quoted(w.evidence(name+".txt", "fact"), ""), group)
	}
	x := w.decide("x", on("a", ""), on("b", "one"), on("c", "one"), on("d", "two"))
	w.put("b.txt", "Other.\n")
	d := w.wantReview(x, "current")
	if d.Supports[1].State != "changed" {
		t.Errorf("the fallen alternative is %+v", d.Supports[1])
	}
	w.remove("d.txt")
	w.wantReview(x, "needs_review", "source_changed", "source_removed")
	w.put("b.txt", "The fact of b stands here.\n")
	w.wantReview(x, "current")
	w.put("c.txt", "Other.\n")
	w.wantReview(x, "needs_review", "source_changed", "source_removed")
	if _, err := trace.ReaffirmDecision(t.Context(), w.d, w.who, trace.ReaffirmDecisionParams{
		DecisionID: x, EvidenceIDs: []string{w.evidence("c.txt", "Other")},
		Explanation: "still so", RequestID: w.request(),
	}); err != nil {
		t.Fatal(err)
	}
	w.wantReview(x, "current")
	w.put("a.txt", "Other.\n") // always needed
	w.wantReview(x, "needs_review", "source_changed")
	w.wantSound()
}

// An alignment is made before the transaction, and decisions may be recorded or changed in between: what was not aligned is then.
func TestAlignmentOutOfDate(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.task("t")
	w.put("a.md", page)
	changed := strings.NewReplacer("30 megabytes", "60 megabytes", "Nothing else", "Hardly anything else").Replace(page)
	v, text, sections, chunks := read(t, "a.md", changed)
	var doc db.Document
	w.view(func(tx *db.Tx) (err error) { doc, err = tx.Document(ctx, "r/a.md"); return err })
	align := func() *trace.Alignment {
		t.Helper()
		a, err := trace.Align(ctx, w.d, trace.Change{Document: doc, New: v, NewText: text, NewChunks: chunks})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	none := align()
	if none != nil {
		t.Error("an alignment for a document that nothing leans on")
	}
	limit := w.decide("limit", quoted(w.evidence("a.md", "30 megabytes"), "limit is 30 megabytes"))
	one := align()
	rest := w.decide("rest", quoted(w.evidence("a.md", "Nothing"), "Nothing else is limited"))
	kept := w.decide("kept", quoted(w.evidence("a.md", "The board met"), "The board met on Monday."))
	another, err := trace.Align(ctx, w.d, trace.Change{Document: doc, New: v, NewText: page, NewChunks: chunks}) // of another text
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*trace.Alignment{"made when nothing leant on it": none, "made when one decision did": one, "of another text": another} {
		err := w.d.Update(ctx, func(tx *db.Tx) error {
			v, chunks := v, slices.Clone(chunks)
			if err := tx.PutVersion(ctx, doc, &v, text, sections, chunks); err != nil {
				return err
			}
			if _, err := tx.Activate(ctx, doc.ID, v.Row); err != nil {
				return err
			}
			out, err := trace.Apply(ctx, tx, trace.Change{Document: doc, New: v, NewText: text, NewChunks: chunks}, a)
			if err != nil {
				return err
			}
			if want := (trace.Outcome{Carried: 1, Flagged: 2, Decisions: 2}); out != want {
				t.Errorf("%s: %+v, want %+v", name, out, want)
			}
			return errors.New("undo")
		})
		if err == nil || err.Error() != "undo" {
			t.Fatal(err)
		}
	}
	for _, id := range []string{limit, rest, kept} {
		w.wantReview(id, "current")
	}
	w.wantSound()
}
