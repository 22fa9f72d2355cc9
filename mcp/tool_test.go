package mcp

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
)

type testItems struct {
	Truncated bool     `json:"truncated"`
	Omitted   []string `json:"omitted,omitempty"`
	Items     []string `json:"items"`
}

func evidenceTool(sent func(testItems)) *tool[struct{}, testItems] {
	return &tool[struct{}, testItems]{name: "test_items", evidence: &trimming[testItems]{
		items: func(r testItems) int { return len(r.Items) },
		keep: func(r testItems, n int) testItems {
			return testItems{true, append(r.Omitted[:0:0], r.Items[n:]...), first(r.Items, n)}
		},
		sent: sent,
	}}
}

// TestEvidenceFits holds that a result of evidence is whole if it fits, and otherwise has as many items as fit, by a plain
// count of the characters of both copies.
func TestEvidenceFits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	alphabet := []string{"a", "é", "漢", "🙂", "<", "&", `"`, `\`, "\n", "\u2028", "\x00"}
	for range 500 {
		r := testItems{Items: []string{}}
		for range rnd.IntN(12) {
			var item strings.Builder
			for range 30 + rnd.IntN(60) {
				item.WriteString(alphabet[rnd.IntN(len(alphabet))])
			}
			r.Items = append(r.Items, item.String()+item.String()+item.String())
		}
		o := Defaults()
		o.MaxResponseChars = 1 + rnd.IntN(6000)
		size := func(r testItems) int {
			b, err := marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			return 2 * len([]rune(string(b)))
		}
		tool := evidenceTool(nil)
		want := -1
		if size(r) <= o.MaxResponseChars {
			want = len(r.Items)
		} else {
			for n := range len(r.Items) {
				if size(tool.evidence.keep(r, n)) <= o.MaxResponseChars {
					want = n
				}
			}
		}
		var sent *testItems
		tool.evidence.sent = func(r testItems) { sent = &r }
		res, err := tool.render(o, r)
		if want < 0 {
			if e, ok := err.(*toolError); !ok || e.Code != "response_too_large" || sent != nil {
				t.Fatalf("nothing fits %d, and got %v", o.MaxResponseChars, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		structured := string(res.StructuredContent.(json.RawMessage))
		var got testItems
		if err := json.Unmarshal([]byte(structured), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Items) != want || got.Truncated != (want < len(r.Items)) || len(got.Omitted) != len(r.Items)-want {
			t.Fatalf("kept %d of %d in %d, want %d; truncated is %v", len(got.Items), len(r.Items), o.MaxResponseChars, want, got.Truncated)
		}
		if diff := cmp.Diff(got, *sent); diff != "" {
			t.Errorf("told of something else than was sent:\n%s", diff)
		}
		b, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		var out reply
		if err := json.Unmarshal(b, &out); err != nil {
			t.Fatal(err)
		}
		if out.Content[0].Text != structured {
			t.Error("the copies differ")
		}
		if n := utf8.RuneCountInString(structured) + utf8.RuneCountInString(out.Content[0].Text); n > o.MaxResponseChars {
			t.Errorf("%d characters, and the limit is %d", n, o.MaxResponseChars)
		}
	}
}

// A result that is sent once counts its bytes and the note; sent twice, its bytes twice. Never is it cut.
func TestSingleSize(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		limit      int
		fits       bool
	}{
		{"the note is 35 bytes", "note", 11 + 200 + 35, true},
		{"one byte less", "note", 11 + 200 + 35 - 1, false},
		{"full counts both", "full", 2 * (11 + 200), true},
		{"one byte less than both", "full", 2*(11+200) - 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := serve(t, newServer(t, dbtest.Open(t), func(o *Options) { o.Text, o.MaxResponseChars = tt.text, tt.limit })).initialize()
			r := p.call("test_echo", map[string]any{"size": 100}) // 100 characters of two bytes
			if !tt.fits {
				e := r.failed(t)
				if e.Code != "response_too_large" || !strings.Contains(e.NextAction, "size") {
					t.Errorf("got %+v", e)
				}
				return
			}
			if r.IsError {
				t.Fatal(r.Content[0].Text)
			}
			want := note
			if tt.text == "full" {
				want = string(r.Structured)
			}
			if r.Content[0].Text != want {
				t.Errorf("the text is %q", r.Content[0].Text)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Options)
		want   string // part of the error; empty for none
	}{
		{"defaults", func(*Options) {}, ""},
		{"read-only without project", func(o *Options) { o.Agent = "a" }, ""},
		{"reject while read-only is off, not an error", func(o *Options) { o.AllowReject = true }, ""},
		{"writes", func(o *Options) { o.ReadOnly, o.Project, o.Agent = false, "p", "a" }, ""},
		{"writes without project", func(o *Options) { o.ReadOnly, o.Agent = false, "a" }, "MCP_PROJECT_ID"},
		{"writes without agent", func(o *Options) { o.ReadOnly, o.Project = false, "p" }, "MCP_AGENT_ID"},
		{"no hits", func(o *Options) { o.MaxHits = 0 }, "MCP_MAX_HITS is 0"},
		{"negative ids", func(o *Options) { o.MaxFetchIDs = -1 }, "MCP_MAX_FETCH_IDS is -1"},
		{"no characters", func(o *Options) { o.MaxFetchChars = 0 }, "MCP_MAX_FETCH_CHARS"},
		{"no snippet", func(o *Options) { o.MaxSnippetChars = 0 }, "MCP_MAX_SNIPPET_CHARS"},
		{"no response", func(o *Options) { o.MaxResponseChars = 0 }, "MCP_MAX_RESPONSE_CHARS"},
		{"no deadline", func(o *Options) { o.Deadline = 0 }, "MCP_REQUEST_DEADLINE_SECONDS"},
		{"text", func(o *Options) { o.Text = "none" }, `text is "none"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Defaults()
			tt.change(&o)
			_, err := New(dbtest.Open(t), o)
			if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// hintError is what a package below returns.
type hintError struct{}

func (hintError) Error() string { return "the step is not there" }
func (hintError) Code() string  { return "step_not_found" }
func (hintError) Hint() string  { return "call list_steps" }

func TestExplain(t *testing.T) {
	s := newServer(t, dbtest.Open(t), nil)
	if diff := cmp.Diff(&toolError{"step_not_found", "the step is not there", "call list_steps", false}, s.explain("x", hintError{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e := s.explain("x", &db.BusyError{Path: "p"}); e.Code != "busy" || !e.RetrySafe || e.NextAction == "" {
		t.Errorf("a busy store is explained as %+v", e)
	}
}
