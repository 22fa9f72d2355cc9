package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
	"docket/ingest"
	"docket/search"
)

// A library is a store with real documents in it, read from real files.
type library struct {
	testing.TB
	d    *db.DB
	path string // of the store
	dir  string // holds the roots' folders
}

func newLibrary(t testing.TB) *library {
	t.Helper()
	l := &library{TB: t, path: filepath.Join(t.TempDir(), "docket.db"), dir: t.TempDir()}
	l.d = dbtest.OpenAt(t, l.path)
	l.write("notes/guide.md", `# Guide to the archive

The archive keeps every letter. A letter is filed under the year it was written. Nobody removes a letter without asking.

## Opening hours

The reading room opens at nine. It closes at five, except on Fridays.

| day | opens | closes |
|---|---|---|
| Monday | 9:00 | 17:00 |
| Friday | 9:00 | 13:00 |

## 漢字 and emoji

図書館は九時に開きます。 The label <b>"quoted"</b> & the sign 🙂 stand on the door. Café, naïve, Zürich.
`)
	l.write("notes/log.txt", "1901: the roof leaked.\n\n1902: the roof was mended.\n\n1903: nothing happened.\n")
	l.write("notes/a b/100% é#1?.md", "# Odd name\n\nThe odd name holds a walrus.\n")
	l.write("private/diary.md", "# Diary\n\nThe letter was burnt, and the walrus knows.\n")
	for _, name := range []string{"notes", "private"} {
		if _, err := ingest.AddRoot(t.Context(), l.d, filepath.Join(l.dir, name), name); err != nil {
			t.Fatal(err)
		}
	}
	l.sync()
	return l
}

func (l *library) write(name, text string) {
	l.Helper()
	path := filepath.Join(l.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		l.Fatal(err)
	}
}

func (l *library) sync() {
	l.Helper()
	if _, err := ingest.Sync(l.Context(), l.d, ingest.SyncRequest{AllowRemovals: true}); err != nil {
		l.Fatal(err)
	}
}

// A reader is an agent in a session on a library: it calls tools, and every result is held to the tool's schema.
type reader struct {
	*peer
	tools []listedTool
}

func (l *library) reader(change func(*Options)) *reader {
	l.Helper()
	_, tools := listTools(l)
	return &reader{serve(l, newServer(l, l.d, change)).initialize(), tools}
}

// ask calls a tool that must succeed, and stores its structured content in result.
func (r *reader) ask(tool string, arguments map[string]any, result any) reply {
	r.t.Helper()
	answer := r.call(tool, arguments)
	if answer.IsError {
		r.t.Fatalf("%s %v: %s", tool, arguments, answer.Content[0].Text)
	}
	checkOutput(r.t, r.tools, tool, answer.Structured)
	if err := json.Unmarshal(answer.Structured, result); err != nil {
		r.t.Fatal(err)
	}
	return answer
}

func (r *reader) search(query string) []search.Hit {
	r.t.Helper()
	var result search.Result
	r.ask("search_evidence", map[string]any{"query": query}, &result)
	return result.Hits
}

// find returns the id of the best passage for a query.
func (r *reader) find(query string) string {
	r.t.Helper()
	hits := r.search(query)
	if len(hits) == 0 {
		r.t.Fatalf("nothing found for %q", query)
	}
	return hits[0].EvidenceID
}

func (r *reader) fetch(maxChars int, ids ...string) search.Fetched {
	r.t.Helper()
	var result search.Fetched
	arguments := map[string]any{"evidence_ids": ids}
	if maxChars > 0 {
		arguments["max_chars"] = maxChars
	}
	r.ask("fetch_evidence", arguments, &result)
	return result
}

func (r *reader) verdicts(ids ...string) []string {
	r.t.Helper()
	var result search.Verdicts
	r.ask("check_citations", map[string]any{"evidence_ids": ids}, &result)
	got := []string{}
	for i, v := range result.Verdicts {
		if v.EvidenceID != ids[i] {
			r.t.Errorf("verdict %d is on %s, asked about %s", i, v.EvidenceID, ids[i])
		}
		got = append(got, v.Verdict)
	}
	return got
}

const unknownID = "c_aaaaaaaaaaaaaaaaaaaaaaaaaa"

// The verdict table, in one session, over a document that changes and one that goes. Cases 161, 162.
func TestVerdicts(t *testing.T) {
	l := newLibrary(t)
	r := l.reader(nil)
	letter, hours, roof, walrus := r.find("every letter is filed"), r.find("reading room opens"), r.find("roof mended"), r.find("odd name walrus")
	check := func(when string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, r.verdicts(letter, hours, roof, walrus, unknownID, "nonsense", letter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("nothing fetched", "not_fetched", "not_fetched", "not_fetched", "not_fetched", "not_found", "invalid_id", "not_fetched")
	if o := r.fetch(5, hours).Outcomes[0]; !o.Partial || utf8.RuneCountInString(o.Text) != 5 {
		t.Errorf("five characters are %+v", o)
	}
	r.fetch(0, letter, roof)
	check("some fetched", "valid", "partial_only", "valid", "not_fetched", "not_found", "invalid_id", "valid")
	r.fetch(5, letter)
	check("fetched in part after the whole", "valid", "partial_only", "valid", "not_fetched", "not_found", "invalid_id", "valid")

	l.write("notes/guide.md", "# Guide to the archive\n\nThe archive was sold.\n")
	if err := os.Remove(filepath.Join(l.dir, "notes", "log.txt")); err != nil {
		t.Fatal(err)
	}
	l.sync()
	check("one changed, one gone", "superseded", "partial_only", "deleted", "not_fetched", "not_found", "invalid_id", "superseded")
	if o := r.fetch(0, letter).Outcomes[0]; o.StatusOfVersion != "superseded" || !strings.Contains(o.Text, "keeps every letter") {
		t.Errorf("the old passage is %+v", o)
	}

	r = l.reader(nil) // another session has fetched nothing
	check("a new session", "not_fetched", "not_fetched", "not_fetched", "not_fetched", "not_found", "invalid_id", "not_fetched")
}

// Superseded text is found where it is asked for, marked as such, and nowhere else.
func TestIncludeHistory(t *testing.T) {
	l := newLibrary(t)
	l.write("notes/guide.md", "# Guide to the archive\n\nThe archive was sold.\n")
	l.sync()
	r := l.reader(nil)
	for _, mode := range []string{"lexical", "semantic", "hybrid"} {
		for _, history := range []any{nil, false, true} {
			var result search.Result
			r.ask("search_evidence", map[string]any{"query": "the archive keeps every letter", "mode": mode, "include_history": history}, &result)
			found := false
			for _, h := range result.Hits {
				old := strings.Contains(h.Snippet, "keeps every letter")
				if old != (h.LifecycleState == "superseded" && h.DocumentKey == "notes/guide.md" && old) {
					t.Errorf("hit %+v", h)
				}
				found = found || old
			}
			if found != (history == true) {
				t.Errorf("%s, include_history %v: %+v", mode, history, result.Hits)
			}
		}
	}
}

// Case 162: in a session, a quote is told to be exact, changed, of another passage that was fetched, joined, or nowhere.
func TestQuotes(t *testing.T) {
	l := newLibrary(t)
	r := l.reader(nil)
	letter, roof, diary := r.find("every letter is filed"), r.find("roof mended"), r.find("letter was burnt")
	check := func(id, quote string) search.Verdict {
		t.Helper()
		var result search.Verdicts
		r.ask("check_citations", map[string]any{"evidence_ids": []string{id}, "quotes": []any{map[string]any{"evidence_id": id, "quote": quote}}}, &result)
		if len(result.Verdicts) != 1 {
			t.Fatalf("%+v", result)
		}
		return result.Verdicts[0]
	}
	if v := check(letter, "The roof was mended."); v.Verdict != "not_fetched" || v.QuoteStatus != "absent" {
		t.Errorf("before a fetch: %+v", v)
	}
	r.fetch(0, letter, roof)
	r.fetch(5, diary) // in part, so nothing is found in it
	for _, tt := range []struct{ quote, status, at string }{
		{"The archive keeps every letter.", "exact", ""},
		{"the archive keeps  every letter", "normalised", ""},
		{"The archive keeps no letter.", "altered", letter},
		{"the roof was mended", "elsewhere", roof},
		{"The archive keeps every letter … nothing happened", "joined", letter + " " + roof},
		{"The letter was burnt, and the walrus knows.", "absent", ""},
	} {
		v := check(letter, tt.quote)
		at := strings.Join(v.FoundIn, " ")
		if v.Nearest != nil {
			at = v.Nearest.EvidenceID
		}
		if v.Verdict != "valid" || v.QuoteStatus != tt.status || at != tt.at || *v.QuoteIndex != 0 {
			t.Errorf("%q: %+v, want %s at %q", tt.quote, v, tt.status, tt.at)
		}
	}
	answer := r.call("check_citations", map[string]any{"evidence_ids": []string{letter}, "quotes": []any{map[string]any{"evidence_id": letter, "quote": " "}}})
	if e := answer.failed(t); e.Message != "quotes[0].quote is blank" || e.NextAction != "send the words that you quote, 1 to 4000 characters" {
		t.Errorf("a blank quote: %+v", e)
	}
}

// The scope is inside each tool and each resource: what is outside does not exist.
func TestScope(t *testing.T) {
	l := newLibrary(t)
	all := l.reader(nil)
	secret := ""
	for _, h := range all.search("walrus letter burnt") {
		if h.DocumentKey == "private/diary.md" {
			secret = h.EvidenceID
		}
	}
	if secret == "" {
		t.Fatal("the diary is not found without a scope")
	}
	scope, err := db.ParseScope("notes/")
	if err != nil {
		t.Fatal(err)
	}
	empty, err := db.ParseScope("")
	if err != nil {
		t.Fatal(err)
	}
	r := l.reader(func(o *Options) { o.Scope = scope })
	for _, h := range r.search("walrus letter burnt") {
		if !strings.HasPrefix(h.DocumentKey, "notes/") {
			t.Errorf("found %s", h.DocumentKey)
		}
	}
	if o := r.fetch(0, secret).Outcomes[0]; o != (search.Outcome{Status: "not_found", EvidenceID: secret}) {
		t.Errorf("fetched %+v", o)
	}
	var n search.Navigation
	for _, relation := range relations {
		if r.ask("navigate_document_tree", map[string]any{"evidence_id": secret, "relation": relation}, &n); n.Status != "not_found" || len(n.Items) != 0 {
			t.Errorf("%s is %+v", relation, n)
		}
	}
	if diff := cmp.Diff([]string{"not_found"}, r.verdicts(secret)); diff != "" {
		t.Error(diff)
	}
	for _, uri := range []string{"docket://evidence/" + secret, "docket://document/private/diary.md", "docket://document/private%2Fdiary.md"} {
		if m := r.request("resources/read", map[string]any{"uri": uri}); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%s answered %s", uri, m.Result)
		}
	}
	if hits := l.reader(func(o *Options) { o.Scope = empty }).search("letter"); len(hits) != 0 {
		t.Errorf("an empty scope found %d", len(hits))
	}
}

var relations = []string{"parent", "children", "siblings", "previous", "next", "table_context"}

// TestBounds tries every parameter below, at and above its bounds. What is capped, and what is refused, is part of the contract.
func TestBounds(t *testing.T) {
	l := newLibrary(t)
	if n := len(l.reader(nil).search("letter walrus roof")); n <= 3 {
		t.Fatalf("%d hits are too few to see a cap of 3", n)
	}
	r := l.reader(func(o *Options) { o.MaxHits, o.MaxFetchIDs, o.MaxFetchChars = 3, 4, 50 })
	id := r.find("letter")
	ids := func(n int) []string { return slices.Repeat([]string{id}, n) }
	quotes := func(n int, text string) []any {
		return slices.Repeat([]any{map[string]any{"evidence_id": id, "quote": text}}, n)
	}
	const ok, refused = "", "invalid_parameter"
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"search_evidence", map[string]any{"query": ""}, ok},
		{"search_evidence", map[string]any{"query": " \n"}, ok},
		{"search_evidence", map[string]any{"query": strings.Repeat("letter ", 5000)}, ok},
		{"search_evidence", map[string]any{"query": `"a AND NEAR( -x:* OR`}, ok},
		{"search_evidence", map[string]any{}, refused},
		{"search_evidence", map[string]any{"query": "x", "limit": -1}, refused},
		{"search_evidence", map[string]any{"query": "x", "limit": 0}, refused},
		{"search_evidence", map[string]any{"query": "letter walrus roof", "limit": 1}, ok},
		{"search_evidence", map[string]any{"query": "letter walrus roof", "limit": 4}, ok}, // capped
		{"search_evidence", map[string]any{"query": "letter walrus roof", "limit": 1 << 40}, ok},
		{"search_evidence", map[string]any{"query": "letter walrus roof", "limit": "2"}, ok},
		{"search_evidence", map[string]any{"query": "x", "limit": 1.5}, refused},
		{"search_evidence", map[string]any{"query": "x", "limit": nil, "mode": nil}, ok},
		{"search_evidence", map[string]any{"query": "x", "mode": "lexical"}, ok},
		{"search_evidence", map[string]any{"query": "x", "mode": "semantic"}, ok},
		{"search_evidence", map[string]any{"query": "x", "mode": "hybrid"}, ok},
		{"search_evidence", map[string]any{"query": "x", "mode": "fuzzy"}, refused},
		{"search_evidence", map[string]any{"query": "x", "mode": ""}, refused},
		{"search_evidence", map[string]any{"query": "x", "include_history": true}, ok},
		{"search_evidence", map[string]any{"query": "x", "include_history": "false"}, ok},
		{"search_evidence", map[string]any{"query": "x", "include_history": nil}, ok},
		{"search_evidence", map[string]any{"query": "x", "include_history": 1}, refused},
		{"search_evidence", map[string]any{"query": "x", "expand_relations": false}, refused},
		{"search_evidence", map[string]any{"query": "x", "scope": "notes/"}, refused},
		{"fetch_evidence", map[string]any{}, refused},
		{"fetch_evidence", map[string]any{"evidence_ids": ids(0)}, refused},
		{"fetch_evidence", map[string]any{"evidence_ids": ids(1)}, ok},
		{"fetch_evidence", map[string]any{"evidence_ids": ids(4)}, ok},
		{"fetch_evidence", map[string]any{"evidence_ids": ids(5)}, refused},
		{"fetch_evidence", map[string]any{"evidence_ids": `["` + id + `"]`}, ok},
		{"fetch_evidence", map[string]any{"evidence_ids": id}, refused},
		{"fetch_evidence", map[string]any{"evidence_ids": ids(1), "max_chars": -5}, refused},
		{"fetch_evidence", map[string]any{"evidence_ids": ids(1), "max_chars": 0}, refused},
		{"fetch_evidence", map[string]any{"evidence_ids": ids(1), "max_chars": 1}, ok},
		{"fetch_evidence", map[string]any{"evidence_ids": ids(1), "max_chars": 51}, ok}, // capped
		{"navigate_document_tree", map[string]any{"evidence_id": id}, refused},
		{"navigate_document_tree", map[string]any{"relation": "next"}, refused},
		{"navigate_document_tree", map[string]any{"evidence_id": id, "relation": "uncle"}, refused},
		{"navigate_document_tree", map[string]any{"evidence_id": "", "relation": "next"}, ok}, // answers invalid_id
		{"navigate_document_tree", map[string]any{"evidence_id": id, "relation": "next", "limit": 0}, refused},
		{"navigate_document_tree", map[string]any{"evidence_id": id, "relation": "next", "limit": 1}, ok},
		{"navigate_document_tree", map[string]any{"evidence_id": id, "relation": "next", "limit": 50}, ok},
		{"navigate_document_tree", map[string]any{"evidence_id": id, "relation": "next", "limit": 51}, refused},
		{"navigate_document_tree", map[string]any{"evidence_id": id, "relation": "next", "max_chars": 0}, refused},
		{"navigate_document_tree", map[string]any{"evidence_id": id, "relation": "next", "max_chars": 1}, ok},
		{"navigate_document_tree", map[string]any{"evidence_id": id, "relation": "next", "max_chars": 20000}, ok},
		{"navigate_document_tree", map[string]any{"evidence_id": id, "relation": "next", "max_chars": 20001}, refused},
		{"check_citations", map[string]any{}, refused},
		{"check_citations", map[string]any{"evidence_ids": ids(0)}, refused},
		{"check_citations", map[string]any{"evidence_ids": ids(1)}, ok},
		{"check_citations", map[string]any{"evidence_ids": ids(4)}, ok},
		{"check_citations", map[string]any{"evidence_ids": ids(5)}, refused},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": []any{}}, ok},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": nil}, ok},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": quotes(4, "x")}, ok},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": quotes(5, "x")}, refused},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": quotes(1, "")}, refused},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": quotes(1, " \n\u00a0")}, refused},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": quotes(1, strings.Repeat("é", 4000))}, ok},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": quotes(1, strings.Repeat("é", 4001))}, refused},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": []any{"x"}}, refused},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": []any{map[string]any{"quote": "x"}}}, refused},
		{"check_citations", map[string]any{"evidence_ids": ids(1), "quotes": []any{map[string]any{"evidence_id": id, "quote": "x", "page": 1}}}, refused},
		{"check_citations", map[string]any{"quotes": quotes(1, "x")}, refused},
	} {
		b, err := json.Marshal(tt.arguments)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("%s %.80s", tt.tool, b), func(t *testing.T) {
			answer := r.call(tt.tool, tt.arguments)
			if tt.want == ok {
				if answer.IsError {
					t.Fatal(answer.Content[0].Text)
				}
				checkOutput(t, r.tools, tt.tool, answer.Structured)
				var result struct {
					Hits     []search.Hit
					Outcomes []search.Outcome
				}
				if err := json.Unmarshal(answer.Structured, &result); err != nil {
					t.Fatal(err)
				}
				if len(result.Hits) > 3 {
					t.Errorf("%d hits", len(result.Hits))
				}
				for _, o := range result.Outcomes {
					if utf8.RuneCountInString(o.Text) > 50 {
						t.Errorf("%d characters", utf8.RuneCountInString(o.Text))
					}
				}
			} else if e := answer.failed(t); e.Code != tt.want {
				t.Errorf("got %+v, want %s", e, tt.want)
			}
		})
	}
}

// TestSizes holds every answer of every tool, over text of many bytes, to limits small and large.
func TestSizes(t *testing.T) {
	l := newLibrary(t)
	for i := range 12 {
		l.write(fmt.Sprintf("notes/many/%02d.md", i), fmt.Sprintf("# 図書館 %d\n\n", i)+strings.Repeat("図書館は九時に開きます 🙂 \"<&>\" walrus. ", 20+i)+"\n")
	}
	l.sync()
	var ids []string
	for _, h := range l.reader(nil).search("walrus 図書館") {
		ids = append(ids, h.EvidenceID)
	}
	if len(ids) < 10 {
		t.Fatalf("%d passages", len(ids))
	}
	var quotes []any
	for i, id := range ids {
		quotes = append(quotes, map[string]any{"evidence_id": id, "quote": strings.Repeat("図書館は九時に閉まります 🙂 \"<&>\" walrus. ", 10+i)})
	}
	for _, limit := range []int{200, 900, 1500, 3000, 6000, 12000, 24000, 60000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			r := l.reader(func(o *Options) { o.MaxResponseChars = limit })
			for tool, arguments := range map[string]map[string]any{
				"search_evidence":        {"query": "walrus 図書館"},
				"fetch_evidence":         {"evidence_ids": ids},
				"navigate_document_tree": {"evidence_id": ids[0], "relation": "children"},
				"check_citations":        {"evidence_ids": ids, "quotes": quotes},
			} {
				answer := r.call(tool, arguments)
				if answer.IsError {
					if e := answer.failed(t); e.Code != "response_too_large" {
						t.Errorf("%s: %+v", tool, e)
					}
					continue
				}
				checkOutput(t, r.tools, tool, answer.Structured)
				size := len(answer.Structured) + len(note)
				if tool != "navigate_document_tree" {
					size = 2 * utf8.RuneCount(answer.Structured)
					if answer.Content[0].Text != string(answer.Structured) {
						t.Errorf("%s: the copies differ", tool)
					}
				} else if answer.Content[0].Text != note {
					t.Errorf("%s: the text is %q", tool, answer.Content[0].Text)
				}
				if size > limit {
					t.Errorf("%s has a size of %d", tool, size)
				}
			}
			// What did not fit is named, and was not fetched.
			answer := r.call("fetch_evidence", map[string]any{"evidence_ids": ids})
			if answer.IsError {
				return
			}
			var fetched search.Fetched
			if err := json.Unmarshal(answer.Structured, &fetched); err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, o := range fetched.Outcomes {
				got = append(got, o.EvidenceID)
			}
			if diff := cmp.Diff(ids, append(got, fetched.OmittedIDs...)); diff != "" {
				t.Errorf("outcomes and omitted_ids are not what was asked for:\n%s", diff)
			}
			if fetched.Truncated != (len(fetched.OmittedIDs) > 0) {
				t.Errorf("truncated is %v with %d omitted", fetched.Truncated, len(fetched.OmittedIDs))
			}
			for i, id := range ids {
				if complete, partial := verdictOf(r, id); complete != (i < len(got)) || partial {
					t.Errorf("passage %d of %d: fetched is %v, partial %v", i, len(got), complete, partial)
				}
			}
		})
	}
}

func verdictOf(r *reader, id string) (complete, partial bool) {
	answer := r.call("check_citations", map[string]any{"evidence_ids": []string{id}})
	text := string(answer.Structured)
	return strings.Contains(text, `"valid"`), strings.Contains(text, "partial_only")
}

func TestResources(t *testing.T) {
	l := newLibrary(t)
	r := l.reader(nil)
	read := func(uri string) (string, int) {
		t.Helper()
		m := r.request("resources/read", map[string]any{"uri": uri})
		if m.Error != nil {
			return m.Error.Message, m.Error.Code
		}
		var result struct {
			Contents []struct{ URI, MimeType, Text string }
		}
		if err := json.Unmarshal(m.Result, &result); err != nil || len(result.Contents) != 1 {
			t.Fatalf("%s: %s", uri, m.Result)
		}
		if c := result.Contents[0]; c.URI != uri || c.MimeType != "text/plain" {
			t.Errorf("%s is %s of type %s", uri, c.URI, c.MimeType)
		}
		return result.Contents[0].Text, 0
	}
	id := r.find("every letter")
	text, code := read("docket://evidence/" + id)
	if code != 0 || !strings.Contains(text, "keeps every letter") {
		t.Fatalf("answered %d %q", code, text)
	}
	if got := r.verdicts(id); got[0] != "valid" {
		t.Errorf("read as a resource, the passage is %s", got[0])
	}
	if got := r.fetch(0, id).Outcomes[0].Text; got != text {
		t.Errorf("fetched %q, read %q", got, text)
	}
	whole, err := os.ReadFile(filepath.Join(l.dir, "notes", "guide.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{"docket://document/notes/guide.md", "docket://document/notes%2Fguide.md"} {
		if text, _ := read(uri); text != string(whole) {
			t.Errorf("%s is %q", uri, text)
		}
	}
	odd := "notes/a b/100% é#1?.md"
	for _, uri := range []string{"docket://document/" + url.PathEscape(odd), "docket://document/notes/a%20b/100%25 é#1?.md"} {
		if text, _ := read(uri); !strings.Contains(text, "walrus") {
			t.Errorf("%s is %q", uri, text)
		}
	}
	for _, uri := range []string{
		"docket://evidence/" + unknownID, "docket://evidence/nonsense", "docket://evidence/", "docket://document/", "docket://document/notes",
		"docket://document/notes/nope.md", "docket://document/../etc/passwd", "docket://nope", "file:///etc/passwd", "", "\x00\x01", "docket://document/%zz",
	} {
		if text, code := read(uri); code != -32602 {
			t.Errorf("%q answered %d %q", uri, code, text)
		}
	}
	l.write("notes/large.txt", strings.Repeat("A line of the large text.\n", 50_000))
	l.sync()
	if text, code := read("docket://document/notes/large.txt"); code == 0 || !strings.Contains(text, "1300000 bytes") {
		t.Errorf("a large document answered %d %.100q", code, text)
	}
}

// TestChildStdout runs every tool in a real process that logs all it can, and reads every byte of its output. Case 139, 155.
func TestChildStdout(t *testing.T) {
	l := newLibrary(t)
	_, tools := listTools(t)
	t.Setenv("LC_ALL", "POSIX")
	c := startChild(t, l.path)
	r := &reader{c.initialize(), tools}
	id := r.find("図書館")
	var out map[string]any
	r.ask("search_evidence", map[string]any{"query": "letter 🙂", "mode": "semantic"}, &out)
	r.fetch(0, id, unknownID, "nonsense")
	for _, relation := range relations {
		r.ask("navigate_document_tree", map[string]any{"evidence_id": id, "relation": relation}, &out)
	}
	r.verdicts(id, unknownID)
	r.call("test_panic", nil).failed(t)
	r.call("test_fail", nil).failed(t)
	r.call("fetch_evidence", nil).failed(t)
	r.send("not JSON", `[1]`)
	r.receive()
	r.receive()
	r.request("resources/read", map[string]any{"uri": "docket://evidence/" + id})
	r.request("prompts/get", map[string]any{"name": "answer_with_citations", "arguments": map[string]any{"question": "?"}})
	c.in.Close()
	if left := c.rest(); len(left) != 0 {
		t.Errorf("%d lines that nobody asked for", len(left))
	}
	if code := c.exited(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if log := c.stderr.String(); !strings.Contains(log, "DEBUG") && !strings.Contains(log, "INFO") {
		t.Error("nothing was logged, so the test shows nothing")
	} else if strings.Contains(log, "図書館") || strings.Contains(log, "letter") {
		t.Error("text of a document reached the log")
	}
}
