package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"docket/db"
	"docket/search"
)

// Cases 49 to 56: what a person types is found by its words, whatever it looks like, and what is one word to a person is one here.
func TestQueriesFindWords(t *testing.T) {
	w := newWorld(t,
		"flags.md", "# Flags\n\nUse --error-on-warnings to stop early.\n",
		"memory.md", "# Memory\n\nThe memory is safe here, and memory:safe too.\n",
		"versions.md", "# Releases\n\nWe skipped 2026.4.10 and went on to 1.0.21, after v1.2.3-rc.1.\n",
		"numbers.md", "# Figures\n\nIn 2026 there were 4 of 10, then 1, then 0 of 21; 1 2 3, 3 1 2.\n",
		"agents.md", "# Agents\n\nThe multi-agent mode is new; multi-step plans and an agent are old.\n",
		"quote.md", "# Quote\n\nHe wrote a'b on the board, and O'Brien read it.\n",
		"ja.md", "# 設計\n\nこの検索エンジンは知識グラフを使います。\n",
		"zh.md", "# 说明\n\n我们在系统中使用知识图谱来改进搜索质量。\n",
		"ko.md", "# 소개\n\n이 도구는 지식그래프를 만들고 문서를 검색합니다.\n",
		"th.md", "# ไทย\n\nระบบนี้ค้นหาเอกสารภาษาไทยได้ทันที\n",
		"hi.md", "# परिचय\n\nयह हिन्दी में लिखा गया दस्तावेज़ है।\n",
		"code.md", "# Code\n\nCall handleHTTPRequest from main_test.go on 192.168.0.1, then user_account_id.\n",
		"accents.md", "# Menu\n\nThe café served crème brûlée to the naïve.\n",
		"wide.md", "# Wide\n\nＦＵＬＬＷＩＤＴＨ and a deﬁnition.\n",
		"initials.md", "# Abroad\n\nMade in the U.S. of steel.\n",
		"build.log", "10:04 \x1b[31mfailed\x1b[0m the job\n10:05 \x1b[1;33mdeprecated:\x1b[0m the flag\n", // as a terminal colours it
		"ko-letters.md", norm.NFD.String("# 회의록\n\n예산을 승인했습니다.\n"), // as macOS writes names and some programs text
		"ja-letters.md", norm.NFD.String("# 議事\n\nプロジェクトが延びた。\n"),
	)
	for _, tt := range []struct{ query, want string }{
		{`"--error-on-warnings"`, "flags.md"}, // Case 49
		{`memory:safe`, "memory.md"},          // Case 50
		{`error-on-warnings "hi`, "flags.md"}, // Case 50
		{`(warnings`, "flags.md"},             // Case 50
		{`multi-agent`, "agents.md"},          // Case 51
		{`a'b`, "quote.md"},                   // Case 51
		{`2026.4.10`, "versions.md"},          // Case 53
		{`"1.0.21"`, "versions.md"},           // Case 53
		{`v1.2.3-rc.1`, "versions.md"},        // Case 53
		{`1.2.3-rc.1`, "versions.md"},         // Case 53
		{`1.2.3`, "versions.md"},              // Case 53
		{`検索`, "ja.md"},                       // Case 55
		{`知識グラフ`, "ja.md"},                    // Case 55
		{`この検索エンジンは知識グラフを使います`, "ja.md"}, // Case 55
		{`知识图谱`, "zh.md"},    // Case 55
		{`搜索`, "zh.md"},      // Case 56
		{`图`, "zh.md"},       // Case 56
		{`그래프`, "ko.md"},     // Case 55
		{`ภาษาไทย`, "th.md"}, // Case 55
		{`हिन्दी`, "hi.md"},
		{`handleHTTPRequest`, "code.md"},
		{`http request`, "code.md"},
		{`main_test.go`, "code.md"},
		{`192.168.0.1`, "code.md"},
		{`userAccountId`, "code.md"},
		{`cafe CREME`, "accents.md"},
		{"cafe\u0301", "accents.md"},
		{`fullwidth`, "wide.md"},
		{`definitions`, "wide.md"},
		{`failed`, "build.log"},     // Case 10
		{`deprecated`, "build.log"}, // Case 10
		{`예산`, "ko-letters.md"},
		{`승인`, "ko-letters.md"},
		{norm.NFD.String(`예산을`), "ko-letters.md"},
		{`プロジェクト`, "ja-letters.md"},
		{`US steel`, "initials.md"},
		{`U.S.`, "initials.md"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			got := w.keys(tt.query)
			if len(got) == 0 || got[0] != tt.want {
				t.Errorf("search %q found %v, want %s first", tt.query, got, tt.want)
			}
		})
	}
	for _, blank := range []string{"", " ", "\t\n", "\"", "---", "🙂", "()", "\x00", "\xff\xfe"} {
		if r := w.ask(search.Query{Text: blank}); r.Status != search.NoMatches || len(r.Hits) > 0 {
			t.Errorf("search %q: %s, %d hits", blank, r.Status, len(r.Hits))
		}
	}
}

// Case 50: words that are operators to FTS5 mean nothing but themselves.
func TestOperatorsAreWords(t *testing.T) {
	w := newWorld(t,
		"1.md", "# One\n\nThe apple fell.\n",
		"2.md", "# Two\n\nThe banana fell near the tree.\n",
		"3.md", "# Three\n\nAn apple and a banana or two.\n",
		"4.md", "# Four\n\nBody text and a title of its own.\n",
	)
	plain := w.ask(search.Query{Text: "apple banana"}).Hits
	for _, q := range []string{
		"apple AND banana", "apple OR banana", "+apple +banana", "apple, banana", `"apple" "banana"`, "apple* banana*", "(apple (banana",
		"^apple ^banana", "{apple}:banana", "apple - banana", `apple \ banana`, "apple banana)", "apple:banana", "what is the apple of a banana?",
	} {
		got := w.ask(search.Query{Text: q}).Hits
		if diff := cmp.Diff(plain, got); diff != "" {
			t.Errorf("search %q is not the words apple, banana (-want +got):\n%s", q, diff)
		}
	}
	if got := w.keys("apple NOT banana"); len(got) != 3 {
		t.Errorf("NOT excludes: %v", got)
	}
	if got := w.keys("NEAR(apple banana)"); len(got) != 3 {
		t.Errorf("NEAR acts: %v", got)
	}
	if got := w.keys("title:apple"); len(got) != 3 { // the word title is found as well
		t.Errorf("a column name acts: %v", got)
	}
}

func TestNaturalQuestionRelaxes(t *testing.T) {
	// Case 79: no passage has all the words of the question.
	w := newWorld(t,
		"a.md", "# Retention\n\nLogs are kept for ninety days.\n",
		"b.md", "# Lunch\n\nThe kitchen opens at noon.\n")
	got := w.keys("How many days do we have to keep the audit logs before they may be deleted?")
	if diff := cmp.Diff([]string{"a.md"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLongQueries(t *testing.T) {
	var han, other strings.Builder
	for i := range 999 {
		han.WriteRune(rune(0x4e00 + 7*i))
		fmt.Fprintf(&other, "w%dx ", i)
	}
	w := newWorld(t, "han.txt", han.String(), "other.txt", other.String(), "short.txt", "w5x alone\n")
	for q, want := range map[string]string{
		han.String(): "han.txt", other.String()[:990]: "other.txt", other.String(): "other.txt", strings.Repeat(other.String(), 50): "other.txt",
	} {
		if got := w.keys(q); len(got) == 0 || got[0] != want {
			t.Errorf("a query of %d bytes found %v, want %s first", len(q), got, want)
		}
	}
}

func TestLongQueryCountsItsRarestTerms(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nThe needle is here.\n", "b.md", "# B\n\nHay, hay and more hay.\n")
	for _, q := range []string{strings.Repeat("hay ", 400) + "needle", strings.Repeat("unknown hay ", 90) + " needle " + strings.Repeat("x", 100_000)} {
		if got := w.keys(q); len(got) != 2 {
			t.Errorf("a query of %d characters found %v", len(q), got)
		}
	}
}

func TestModes(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nSomething to find.\n")
	for _, tt := range []struct {
		mode, query, status string
		hits, failures      int
	}{
		{search.Lexical, "find", search.OK, 1, 0},
		{search.Lexical, "absent", search.NoMatches, 0, 0},
		{search.Hybrid, "find", search.OK, 1, 0},
		{search.Hybrid, "absent", search.NoMatches, 0, 0},
		{search.Semantic, "find", search.OK, 1, 0},
		{search.Semantic, "qzxvw", search.NoMatches, 0, 0},
		{search.Semantic, " ", search.NoMatches, 0, 0},
	} {
		r := w.ask(search.Query{Text: tt.query, Mode: tt.mode})
		if r.Status != tt.status || len(r.Hits) != tt.hits || len(r.Failures) != tt.failures {
			t.Errorf("%s %q: %s, %d hits, failures %v", tt.mode, tt.query, r.Status, len(r.Hits), r.Failures)
		}
	}
	for _, q := range []search.Query{{Text: "find", Mode: "fuzzy", Limit: 1}, {Text: "find", Limit: 0}} {
		if _, err := search.Evidence(t.Context(), w.d, q); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
}

// Case 71: a small folder beside a huge one is searched as if it were alone.
func TestScopeIsInsideTheQuery(t *testing.T) {
	files := []string{"small/a.md", "# Small\n\nOne mention of a turbine among many other words that make it long.\n"}
	for i := range 60 {
		files = append(files, fmt.Sprintf("huge/%02d.md", i), fmt.Sprintf("# Turbine\n\nTurbine turbine %d.\n", i))
	}
	w := newWorld(t, files...)
	if r := w.ask(search.Query{Text: "turbine", Limit: 5}); !r.Truncated || !strings.HasPrefix(r.Hits[0].DocumentKey, "docs/huge/") {
		t.Fatalf("without a scope: %+v", r)
	}
	for _, tt := range []struct {
		scope string
		want  int
	}{
		{"docs/small/", 1},
		{"docs/small/a.md", 1},
		{"docs/s*/*.md", 1},
		{"docs/", 10},
		{"docs/huge/0*.md", 10},
		{"", 0},
		{"docs/none/", 0},
		{"other/", 0},
	} {
		r := w.ask(search.Query{Text: "turbine", Limit: 10, Scope: w.scope(tt.scope)})
		if len(r.Hits) != tt.want {
			t.Errorf("scope %q: %d hits, want %d", tt.scope, len(r.Hits), tt.want)
		}
		for _, h := range r.Hits {
			if !w.scope(tt.scope).Match(h.DocumentKey) {
				t.Errorf("scope %q shows %s", tt.scope, h.DocumentKey)
			}
		}
	}
	if r := w.ask(search.Query{Text: "turbine", Scope: w.scope("docs/small/")}); r.Truncated || r.IndexState.Coverage.Documents != 1 {
		t.Errorf("small scope: %+v", r)
	}
}

func TestCurrentVersionsOnly(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nThe old wording says oxen.\n", "b.md", "# B\n\nGoats.\n")
	w.write("a.md", "# A\n\nThe new wording says horses.\n")
	w.sync()
	if got := w.keys("oxen"); len(got) != 0 { // Case 118
		t.Errorf("old wording is found: %v", got)
	}
	if got := w.keys("horses"); len(got) != 1 {
		t.Errorf("new wording is not: %v", got)
	}
	w.write("a.md", "# A\n\nThe old wording says oxen.\n")
	w.sync()
	if got := w.keys("oxen"); len(got) != 1 {
		t.Errorf("wording that came back is not found: %v", got)
	}
	w.remove("b.md")
	w.sync()
	if got := w.keys("goats"); len(got) != 0 { // Case 116
		t.Errorf("a deleted document is found: %v", got)
	}
}

func TestNearDuplicatesFold(t *testing.T) {
	same := "The quarterly report covers revenue,\ncosts and outlook.\n"
	w := newWorld(t, "a.txt", same, "b.txt", strings.ReplaceAll(same, "\n", "\r\n"), "c.txt", "The  QUARTERLY report covers revenue, costs and outlook.", "d.txt", "The quarterly report is late.\n")
	r := w.ask(search.Query{Text: "quarterly report revenue"})
	if len(r.Hits) != 2 || r.Hits[0].Similar != 2 || r.Hits[1].Similar != 0 || r.Truncated {
		t.Errorf("hits: %+v", r.Hits)
	}
	if r := w.ask(search.Query{Text: "quarterly report revenue", Limit: 1}); len(r.Hits) != 1 || !r.Truncated {
		t.Errorf("limit 1: %d hits, truncated %v", len(r.Hits), r.Truncated)
	}
}

func TestTruncated(t *testing.T) {
	var files []string
	for i := range 12 {
		files = append(files, fmt.Sprintf("%02d.txt", i), fmt.Sprintf("word number %d\n", i))
	}
	w := newWorld(t, files...)
	for limit, want := range map[int]bool{1: true, 11: true, 12: false, 100: false} {
		if r := w.ask(search.Query{Text: "word", Limit: limit}); r.Truncated != want || len(r.Hits) != min(limit, 12) {
			t.Errorf("limit %d: %d hits, truncated %v", limit, len(r.Hits), r.Truncated)
		}
	}
	// All score alike: then it goes by key.
	want := []string{}
	for i := range 10 {
		want = append(want, fmt.Sprintf("%02d.txt", i))
	}
	if diff := cmp.Diff(want, w.keys("word")); diff != "" {
		t.Error(diff)
	}
}

// Two stores that were filled in different orders, with other histories, give the same answers.
func TestOrderIsTheSameOnEveryStore(t *testing.T) {
	var files []string
	for i := range 40 {
		files = append(files, fmt.Sprintf("%02d.md", i), fmt.Sprintf("# Note %d\n\nAlpha %s gamma.\n\n## More\n\nBeta again, %d.\n", i, strings.Repeat("beta ", i%4), i%3))
	}
	a := newWorld(t, files...)
	b := newWorld(t, "39.md", "# Before\n\nAlpha beta.\n", "zz.md", "# Gone\n\nAlpha beta gamma.\n")
	b.write(files[40:]...)
	b.sync()
	b.remove("zz.md")
	b.write(files...)
	b.sync()
	b.rebuild()
	for _, q := range []string{"alpha", "beta", "alpha beta gamma", "note 7", "again"} {
		for _, limit := range []int{3, 10, 100} {
			x, y := a.ask(search.Query{Text: q, Limit: limit}), b.ask(search.Query{Text: q, Limit: limit})
			for _, r := range []search.Result{x, y} {
				for i := range r.Hits {
					r.Hits[i].URI = "" // the folders have other names
				}
			}
			if diff := cmp.Diff(x, y); diff != "" {
				t.Errorf("search %q (-one +other):\n%s", q, diff)
			}
		}
	}
}

func TestIndexState(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nText.\n", "b.md", "# B\n\nText.\n", "empty.txt", "", ".env", "SECRET=1\n", "sub/c.md", "# C\n\nText.\n")
	r := w.ask(search.Query{Text: "text"})
	want := search.IndexState{
		Lexical:  search.LegState{State: search.Ready, Done: 4},
		Semantic: search.LegState{State: search.Ready, Done: 4},
		Coverage: search.Coverage{Documents: 4, Unreadable: 2},
	}
	w.view(func(ctx context.Context, tx *db.Tx) error {
		n, err := db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM document WHERE current_version IS NOT NULL`)
		want.Lexical.Done, want.Semantic.Done, want.Coverage.Documents = n, n, n
		if err != nil {
			return err
		}
		files, err := db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM ledger WHERE state NOT IN ('indexed', 'pending')`)
		want.Coverage.Unreadable = files
		return err
	})
	if diff := cmp.Diff(want, r.IndexState); diff != "" || want.Coverage.Unreadable < 2 {
		t.Errorf("index state (-want +got):\n%s", diff)
	}
	r = w.ask(search.Query{Text: "text", Scope: w.scope("docs/sub/,docs/empty.txt")})
	if s := r.IndexState; s.Coverage.Unreadable != 1 || s.Coverage.Documents > 2 || s.Lexical.Done != s.Coverage.Documents {
		t.Errorf("in scope: %+v", s)
	}
}

// Case 128: a search writes nothing, not even to make things ready.
func TestSearchWritesNothing(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nText to find.\n")
	id := w.first("text")
	changes := func() (n int) {
		err := w.d.Update(t.Context(), func(tx *db.Tx) (err error) {
			n, err = db.One(t.Context(), tx, db.Value[int], `SELECT total_changes()`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := changes()
	w.ask(search.Query{Text: "text", Mode: search.Hybrid, Scope: w.scope("docs/")})
	w.fetch(id)
	if after := changes(); after != before {
		t.Errorf("reading changed %d rows", after-before)
	}
	w.view(func(ctx context.Context, tx *db.Tx) error {
		n, err := db.One(ctx, tx, db.Value[int], `SELECT total_changes()`)
		if n != 0 {
			t.Errorf("a reader changed %d rows", n)
		}
		return err
	})
}
