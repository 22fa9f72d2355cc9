package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"docket/search"
)

func (w *world) snippet(query string, n int) string {
	w.Helper()
	r := w.ask(search.Query{Text: query, SnippetChars: n, Limit: 1})
	if len(r.Hits) == 0 {
		w.Fatalf("search %q: no hit", query)
	}
	return r.Hits[0].Snippet
}

func TestSnippetIsVerbatimAroundTheBestMatch(t *testing.T) {
	filler := strings.Repeat("Nothing of note is written in this sentence. ", 20)
	text := "Budget talk first. " + filler + "The migration budget was approved by Mara on Friday. " + filler
	w := newWorld(t, "a.txt", text)
	for _, n := range []int{20, 60, 120, 240, 1000} {
		got := w.snippet("who approved the migration budget", n)
		if c := utf8.RuneCountInString(got); c > n || c < n-70 && n > 100 {
			t.Errorf("%d characters of %d: %q", c, n, got)
		}
		if !strings.Contains(text, got) {
			t.Errorf("not verbatim: %q", got)
		}
		if n >= 60 && !strings.Contains(got, "migration budget was approved") {
			t.Errorf("the best match is not in it: %q", got)
		}
		for _, word := range strings.Fields(got) {
			if !strings.Contains(" "+strings.Join(strings.Fields(text), " ")+" ", " "+word+" ") {
				t.Errorf("the word %q is cut in %q", word, got)
			}
		}
	}
	if got := w.snippet("approved", 60); !strings.Contains(got, "approved by Mara") || strings.HasPrefix(got, "approved") {
		t.Errorf("not centred: %q", got)
	}
	if got := w.snippet("budget", 5); got != "Budge" {
		t.Errorf("shorter than the match: %q", got)
	}
}

// Case 9: no length of snippet ever cuts a grapheme.
func TestSnippetNeverCutsAGrapheme(t *testing.T) {
	for name, text := range map[string]string{
		"emoji": strings.Repeat("👨‍👩‍👧‍👦🇫🇷👍🏽e\u0301", 40) + " needle " + strings.Repeat("🇩🇪👩🏾‍🚀", 40),
		"cjk":   strings.Repeat("これは長い文章です。", 20) + " needle " + strings.Repeat("検索エンジン", 20),
		"thai":  strings.Repeat("ที่นี่", 40) + " needle " + strings.Repeat("น้ำ", 40),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "a.txt", text)
			borders := map[int]bool{0: true, len(text): true}
			g := uniseg.NewGraphemes(text)
			for g.Next() {
				_, to := g.Positions()
				borders[to] = true
			}
			for n := 6; n < 200; n += 7 {
				got := w.snippet("needle", n)
				at := strings.Index(text, got)
				if at < 0 || !utf8.ValidString(got) || utf8.RuneCountInString(got) > n {
					t.Fatalf("%d: %q", n, got)
				}
				at = strings.Index(text, "needle") - strings.Index(got, "needle")
				if !borders[at] || !borders[at+len(got)] {
					t.Errorf("%d: cut inside a grapheme: %q", n, got)
				}
				if !strings.Contains(got, "needle") {
					t.Errorf("%d: no match in %q", n, got)
				}
			}
		})
	}
}

// Case 164: what looks like a credential is not in a snippet; what only looks a little like one is.
func TestSnippetMasksCredentials(t *testing.T) {
	long := strings.Repeat("aB3dE5fG", 8)
	for _, secret := range []string{
		"AKIAABCDEFGHIJKLMNOP", "ghp_" + long[:36], "github_pat_" + long[:40], "glpat-" + long[:20], "sk-ant-api03-" + long[:30], "sk-proj-" + long[:30],
		"sk_live_" + long[:24], "xoxb-123456789012-" + long[:20], "AIza" + long[:35], "npm_" + long[:36], "hf_" + long[:34], "SG." + long[:22] + "." + long[:43],
		"eyJ" + long[:20] + ".eyJ" + long[:30] + "." + long[:43],
	} {
		text := "The token is " + secret + " and it is secret."
		got := search.Mask(text)
		if strings.Contains(got, secret[8:]) || len(got) != len(text) || !strings.HasPrefix(got, "The token is "+secret[:3]) || !strings.HasSuffix(got, " and it is secret.") {
			t.Errorf("masked %q", got)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"DB=postgres://user:s3cretpass@host/db", "DB=postgres://user:***********host/db"},
		{"https://example.com:8080/a@b and http://host/x:y@z", "https://example.com:8080/a@b and http://host/x:y@z"},
		{"Authorization: Bearer abcdef0123456789abcdef==", "Authorization: Bearer ************************"},
		{"the bearer of this letter", "the bearer of this letter"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = ****************************************"},
		{`api_key="9f8e7d6c5b4a39281706"`, `api_key="********************"`},
		{`{"client_secret": "ab12cd34ef"}`, `{"client_secret": "**********"}`},
		{"password: hunter2hunter2\n", "password: **************\n"},
		{"password: required, of 12 letters", "password: required, of 12 letters"},
		{"token: the access-token of the user", "token: the access-token of the user"},
	} {
		if got := search.Mask(tt.text); got != tt.want {
			t.Errorf("%q masked as %q, want %q", tt.text, got, tt.want)
		}
	}
	pem := "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabcdef\n-----END RSA PRIVATE KEY-----"
	if got := search.Mask("a\n" + pem + "\nb"); strings.Contains(got, "MIIE") || strings.Count(got, "\n") != 5 || !strings.HasPrefix(got, "a\n*") || !strings.HasSuffix(got, "*\nb") {
		t.Errorf("masked %q", got)
	}
	for _, harmless := range []string{"a task-force-of-twenty-four-people", "AKIA", "risk-adjusted-return-on-capital", "sk-ip", "the eyJ of it", "BEGIN PRIVATE KEY is how it starts"} {
		if got := search.Mask(harmless); got != harmless {
			t.Errorf("%q masked as %q", harmless, got)
		}
	}
	secret := "ghp_" + long[:36]
	w := newWorld(t, "notes.md", "# Notes\n\n"+strings.Repeat("words ", 60)+"deploy token "+secret+" "+strings.Repeat("words ", 60)+"\n")
	for n := 20; n < 240; n += 11 {
		if got := w.snippet("deploy token", n); strings.Contains(got, secret[8:14]) {
			t.Errorf("%d: %q", n, got)
		}
	}
	if got := w.fetch(w.first("deploy token")).Text; !strings.Contains(got, secret) {
		t.Error("fetched text is not exact")
	}
}

// Cases 10 and 165: what would act on a terminal, or hide from a reader, is shown or left out; the stored text has it.
func TestSnippetIsSafeToShow(t *testing.T) {
	text := "alarm\x07 nul\x00 escape\x1b[31m turn\u202eback\u202c isolate\u2066x\u2069 tag\U000E0041\U000E0042 zero\u200bwidth bom\ufeff soft\u00adhyphen lone\rreturn end"
	w := newWorld(t, "a.txt", text)
	got := w.snippet("alarm", 400)
	if want := "alarm␇ nul␀ escape␛[31m turnback isolatex tag zerowidth bom softhyphen lone\nreturn end"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if full := w.fetch(w.first("alarm")).Text; full != text {
		t.Errorf("fetched %q", full)
	}
}
