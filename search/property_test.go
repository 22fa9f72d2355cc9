package search_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/db/dbtest"
	"docket/ingest"
	"docket/search"
)

// corpus indexes the project's own test documents.
func corpus(tb testing.TB) *world {
	tb.Helper()
	w := &world{tb, dbtest.Open(tb), filepath.Join("..", "testdata", "corpus")}
	if _, err := ingest.AddRoot(tb.Context(), w.d, w.dir, "docs"); err != nil {
		tb.Fatal(err)
	}
	w.sync()
	return w
}

// queriesOf makes queries of words as they stand in the stored texts.
func (w *world) queriesOf(n int) []string {
	w.Helper()
	var words []string
	w.view(func(ctx context.Context, tx *db.Tx) error {
		pieces, err := db.Query(ctx, tx, db.Value[[]byte], `SELECT data FROM text_piece ORDER BY version_id, ord`)
		for _, p := range pieces {
			words = append(words, strings.Fields(strings.ToValidUTF8(string(p), ""))...)
		}
		return err
	})
	rng := rand.New(rand.NewPCG(9, 10))
	var out []string
	for range n {
		at := rng.IntN(len(words))
		out = append(out, strings.Join(words[at:min(len(words), at+1+rng.IntN(6))], " "))
	}
	return out
}

// Case 159: for every hit of many queries the fetched text is the stored range, its positions are true, and where the stored text is
// the file's own it is the file's own bytes.
func TestEveryHitTracesToItsSource(t *testing.T) {
	w := corpus(t)
	n := 150
	if testing.Short() {
		n = 20
	}
	checked := map[string]bool{}
	exact := 0
	for _, q := range w.queriesOf(n) {
		r := w.ask(search.Query{Text: q})
		if len(r.Hits) == 0 && strings.ContainsFunc(q, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
			t.Errorf("search %q: the words of a text do not find it", q)
		}
		for _, h := range r.Hits {
			if !utf8.ValidString(h.Snippet) || utf8.RuneCountInString(h.Snippet) > 240 || h.LifecycleState != db.Current || h.Snippet == "" {
				t.Errorf("search %q: hit %+v", q, h)
			}
			if checked[h.EvidenceID] {
				continue
			}
			checked[h.EvidenceID] = true
			o := w.fetch(h.EvidenceID)
			if o.Status != search.OK || o.Partial || o.ContentHash != h.ContentHash || o.DocumentKey != h.DocumentKey || o.Title != h.Title || o.URI != h.URI {
				t.Errorf("hit %+v, fetched %+v", h, o)
			}
			doc, err := search.DocumentText(t.Context(), w.d, h.DocumentKey, db.Scope{})
			if err != nil {
				t.Fatal(err)
			}
			if runes := []rune(doc.Text); string(runes[h.Location.CharStart:h.Location.CharEnd]) != o.Text {
				t.Errorf("%s: characters %d to %d are not its text", h.EvidenceID, h.Location.CharStart, h.Location.CharEnd)
			}
			if h.Kind != "markdown" && h.Kind != "text" {
				continue
			}
			file, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(strings.TrimPrefix(h.DocumentKey, "docs/"))))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(file, []byte(doc.Text)) {
				continue // another encoding than UTF-8
			}
			exact++
			lines := strings.SplitAfter(doc.Text, "\n")
			if l := h.Location; !strings.Contains(doc.Text, "\r") && !strings.Contains(strings.Join(lines[l.LineStart-1:l.LineEnd], ""), o.Text) {
				t.Errorf("%s: lines %d to %d do not hold its text", h.EvidenceID, l.LineStart, l.LineEnd)
			}
			if !bytes.Contains(file, []byte(o.Text)) {
				t.Errorf("%s: its text is not in the file", h.EvidenceID)
			}
		}
	}
	if exact < 10 {
		t.Errorf("only %d passages were compared with their files", exact)
	}
}

// Searches at the same time as changes answer from one state or the other, and alike on every connection.
func TestSearchesSideBySide(t *testing.T) {
	w := newWorld(t, "a.md", "# A\n\nFixed words here.\n", "b.md", "# B\n\nOther words there.\n")
	want := w.ask(search.Query{Text: "fixed words"})
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for range 15 {
				r, err := search.Evidence(t.Context(), w.d, search.Query{Text: "fixed words", Mode: search.Lexical, Limit: 10, SnippetChars: 240, Scope: w.scope([]string{"docs/", "docs/a.md"}[i%2])})
				if err != nil || len(r.Hits) == 0 || r.Hits[0].EvidenceID != want.Hits[0].EvidenceID {
					t.Errorf("%v, %+v", err, r)
					return
				}
			}
		})
	}
	for i := range 5 {
		w.write("c.md", "# C\n\nMore words "+strings.Repeat("and more ", i)+".\n")
		w.sync()
	}
	wg.Wait()
	w.remove("c.md")
	w.sync()
	if diff := cmp.Diff(want, w.ask(search.Query{Text: "fixed words"})); diff != "" {
		t.Errorf("afterwards (-before +after):\n%s", diff)
	}
}

// Cases 49 to 51: no string is an error or acts as syntax. What it finds is what its words find, in any order, with anything between.
func FuzzQuery(f *testing.F) {
	w := newWorld(f,
		"a.md", "# Alpha beta\n\nGamma delta; alpha NEAR beta AND gamma, title: body.\n",
		"b.md", "# 検索\n\n検索エンジン v1.2.3-rc.1 multi-agent handleHTTPRequest a'b naïve.\n",
		"c.md", "# Notes\n\nNothing else, or not.\n")
	for _, s := range []string{
		"alpha", "a AND b", `"alpha`, "NEAR(alpha beta, 2)", "alpha*", "title:alpha", "-alpha", "^alpha", "{title body}: alpha", "alpha + beta", "(", ")", "'",
		`\`, "検索", "検", "v1.2.3-rc.1", "multi-agent", "handleHTTPRequest", "a'b", "\x00", "\xff", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u0301", "ﷺ", "OR OR OR", "alpha OR",
		"NOT alpha", "rank", "docket_bm25(word, 1)", "ʼn", "ß", "İ", "x_y.z-1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w.TB = t
		if len(s) > 5000 {
			return
		}
		found := func(q string) []string {
			r, err := search.Evidence(context.Background(), w.d, search.Query{Text: q, Mode: search.Lexical, Limit: 10, SnippetChars: 50})
			if err != nil {
				t.Fatalf("search %q: %v", q, err)
			}
			out := []string{}
			for _, h := range r.Hits {
				if !utf8.ValidString(h.Snippet) || utf8.RuneCountInString(h.Snippet) > 50 {
					t.Errorf("search %q: snippet %q", q, h.Snippet)
				}
				out = append(out, h.DocumentKey)
			}
			slices.Sort(out)
			return out
		}
		plain := found(s)
		// Characters of FTS5's syntax around the query change nothing.
		for _, q := range []string{`"` + s + `"`, "(" + s + ")", s + " *", "^ " + s, "+ " + s} {
			if got := found(q); !slices.Equal(got, plain) {
				t.Errorf("search %q finds %v, %q finds %v", s, plain, q, got)
			}
		}
		// A word more can only find more.
		if got := found(s + " alpha"); !slices.Contains(got, "docs/a.md") {
			t.Errorf("search %q and alpha: %v", s, got)
		}
	})
}

// Whatever a text is, it is found by itself, and its snippet and fetched text are sound.
func FuzzText(f *testing.F) {
	for _, s := range []string{"plain words", "日本語の文", "a\x00b", "👨‍👩‍👧‍👦 family", "v1.0.0", "हिन्दी", "e\u0301\u0301\u0301 x", "ﬁne", "x\u00ady", "İstanbul", "١٢٣", "𝒳𝓎", "ｶﾞｷﾞ"} {
		f.Add(s)
	}
	d := dbtest.Open(f)
	n := 0
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "")
		if s == "" || len(s) > 2000 {
			return
		}
		n++
		key := "r/" + strings.Repeat("x", n%50) + string(rune('a'+n%26))
		err := d.Update(t.Context(), func(tx *db.Tx) error {
			root := db.Root{Name: "r", Path: "/r", State: db.RootOnline}
			if err := tx.PutRoot(t.Context(), &root); err != nil {
				return err
			}
			doc, err := tx.PutDocument(t.Context(), root.ID, key)
			if err != nil {
				return err
			}
			if doc.Current != 0 {
				if err := search.Drop(t.Context(), tx, doc.Current); err != nil {
					return err
				}
				if _, err := tx.Remove(t.Context(), doc.ID, 0); err != nil {
					return err
				}
				if err := tx.DeleteVersion(t.Context(), doc.Current); err != nil {
					return err
				}
			}
			v := db.Version{Kind: "text", Title: "t", ContentHash: db.HashOf(s)}
			sections := []db.Section{{Parent: -1, End: len(s)}}
			chunks := []db.Chunk{{Kind: "paragraph", End: len(s), Spans: []db.Span{{Kind: "sentence", End: len(s)}}}}
			if err := tx.PutVersion(t.Context(), doc, &v, s, sections, chunks); err != nil {
				return err
			}
			if err := search.Index(t.Context(), tx, v, s, sections, chunks); err != nil {
				return err
			}
			_, err = tx.Activate(t.Context(), doc.ID, v.Row)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		scope, err := db.ParseScope(key)
		if err != nil {
			t.Fatal(err)
		}
		r, err := search.Evidence(t.Context(), d, search.Query{Text: s, Mode: search.Lexical, Limit: 1, SnippetChars: 20, Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) == 0 {
			if strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }) {
				t.Errorf("%q does not find itself", s)
			}
			return
		}
		got, err := search.Fetch(t.Context(), d, search.FetchRequest{IDs: []string{r.Hits[0].EvidenceID}, MaxChars: 4000})
		if err != nil || got.Outcomes[0].Text != s {
			t.Errorf("fetched %+v, %v; want %q", got, err, s)
		}
		if sn := r.Hits[0].Snippet; !utf8.ValidString(sn) || utf8.RuneCountInString(sn) > 20 {
			t.Errorf("snippet %q of %q", sn, s)
		}
	})
}

// Rule 19: questions whose answers are known. A change of the ranking that loses one is seen here.
func TestQuestionsFindTheirAnswers(t *testing.T) {
	w := corpus(t)
	for _, tt := range []struct{ question, document, says string }{
		{"Who approved the migration to PostgreSQL?", "decisions/0007-move-to-postgresql.md", "Priya Nair approved the migration"},
		{"for how many hours did the public map show old levels", "incidents/2026-01-19-stale-map.md", "nine hours"},
		{"What is the retention of raw readings?", "decisions/0009-keep-raw-readings-two-years.md", "two years"},
		{"why did the pilot boat wait at the lock", "letters/harbour-office.txt", "25 minutes at the lock"},
		{"when is a campsite flooded", "notes/customer-interviews.md", "campsite"},
		{"below which voltage does the probe drift", "gauge/level.go", "drifts by up to 4 cm"},
		{"rows refused because of an invalid byte sequence", "logs/cutover-2026-03-28.log", "invalid byte sequence"},
		{"Wie oft wird eine Drucksonde kalibriert?", "notes/de/pegel-kalibrierung.md", "einmal im Jahr"},
		{"移行を承認したのは誰ですか", "notes/ja/toban.md", "プリヤ・ナイル"},
		{"電池の電圧", "notes/ja/toban.md", "11.2V"},
		{"LowBattery", "gauge/level.go", "LowBattery"},
		{"Versatz in Station.Offset eintragen", "notes/de/pegel-kalibrierung.md", "`Station.Offset`"},
		{"restore-from-backup.md", "README.md", "runbooks/restore-from-backup.md"},
	} {
		t.Run(tt.question, func(t *testing.T) {
			r := w.ask(search.Query{Text: tt.question, Limit: 3})
			if len(r.Hits) == 0 || r.Hits[0].DocumentKey != "docs/"+tt.document {
				t.Fatalf("the first hit is not in %s: %+v", tt.document, r.Hits)
			}
			found := false
			for _, h := range r.Hits {
				found = found || h.DocumentKey == "docs/"+tt.document && strings.Contains(w.fetch(h.EvidenceID).Text, tt.says)
			}
			if !found {
				t.Errorf("%q is not in the first three hits", tt.says)
			}
		})
	}
}
