package db_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docket/db"
	"docket/db/dbtest"
)

func TestScope(t *testing.T) {
	tests := []struct{ scope, key string }{
		{"a/b.md", "a/b.md"},
		{"a/", "a/b/c.md"},
		{"x.md,\n a/*.md ", "a/b.md"},
		{"a/**", "a/b/c/d.md"},
		{"**/c.md", "a/b/c.md"},
		{"a/**/d.md", "a/b/c/d.md"},
		{"a/ó.md", "a/o\u0301.md"},
	}
	for _, tt := range tests {
		s, err := db.ParseScope(tt.scope)
		if err != nil || !s.Match(tt.key) {
			t.Errorf("scope %q does not hold %q (%v)", tt.scope, tt.key, err)
		}
	}
	misses := []struct{ scope, key string }{
		{"", "a/b.md"},
		{" ,\n", "a/b.md"},
		{"a/*.md", "a/b/c.md"},
		{"a/b", "a/b.md"},
		{"a", "a/b.md"},
		{"a/", "ab/c.md"},
		{"a_b/", "axb/c.md"}, // Case 103
		{"a%", "abc"},
	}
	for _, tt := range misses {
		s, err := db.ParseScope(tt.scope)
		if err != nil || s.Match(tt.key) || s.All() {
			t.Errorf("scope %q holds %q (%v)", tt.scope, tt.key, err)
		}
	}
	if _, err := db.ParseScope("a/[b"); err == nil {
		t.Error("a broken pattern was taken")
	}
	if !(db.Scope{}).Match("anything") {
		t.Error("the zero scope is not everything")
	}
}

func TestFilterReachesSQL(t *testing.T) {
	d := dbtest.Open(t)
	f := db.NewFilter(func(id int64) bool { return id%2 == 0 })
	count := func() (n int) {
		if err := d.View(t.Context(), func(tx *db.Tx) (err error) {
			n, err = db.One(t.Context(), tx, db.Value[int], `SELECT count(*) FROM (VALUES (1), (2), (3), (4)) WHERE docket_filter(?, column1)`, f.Handle())
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 2 {
		t.Errorf("kept %d, want 2", n)
	}
	f.Close()
	if n := count(); n != 0 {
		t.Errorf("a closed filter kept %d", n)
	}
}

// put stores text as a version of the document r/key with one chunk for each range, and makes it current.
func put(t *testing.T, d *db.DB, key, text string, chunks ...db.Chunk) (db.Version, []db.Chunk) {
	t.Helper()
	ctx := t.Context()
	v := db.Version{ContentHash: db.HashOf(text), Kind: "text", Title: key, Parser: "text/1", Encoding: "utf-8", Chars: utf8.RuneCountInString(text)}
	if err := d.Update(ctx, func(tx *db.Tx) error {
		r := db.Root{Name: "r", Path: "/r", State: db.RootOnline}
		if err := tx.PutRoot(ctx, &r); err != nil {
			return err
		}
		doc, err := tx.PutDocument(ctx, r.ID, key)
		if err != nil {
			return err
		}
		sections := []db.Section{{Parent: -1, End: len(text)}}
		if err := tx.PutVersion(ctx, doc, &v, text, sections, chunks); err != nil {
			return err
		}
		_, err = tx.Activate(ctx, doc.ID, v.Row)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return v, chunks
}

func TestVersionLifecycle(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	a, _ := put(t, d, "r/a.md", "first", db.Chunk{Kind: "paragraph", Start: 0, End: 5})
	b, _ := put(t, d, "r/a.md", "second", db.Chunk{Kind: "paragraph", Start: 0, End: 6})
	states := func() (out []string) {
		if err := d.View(ctx, func(tx *db.Tx) error {
			doc, err := tx.Document(ctx, "r/a.md")
			if err != nil {
				return err
			}
			for _, row := range []int64{a.Row, b.Row} {
				v, err := tx.Version(ctx, row)
				if err != nil {
					return err
				}
				out = append(out, v.State(doc))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if diff := cmp.Diff([]string{"superseded", "current"}, states()); diff != "" {
		t.Error(diff)
	}
	if err := d.Update(ctx, func(tx *db.Tx) error {
		doc, err := tx.Document(ctx, "r/a.md")
		if err != nil {
			return err
		}
		if v, err := tx.FindVersion(ctx, doc.ID, a.ContentHash, a.TextHash); err != nil || v.Row != a.Row {
			t.Errorf("FindVersion = %v, %v", v.Row, err)
		}
		seq, err := tx.Remove(ctx, doc.ID, 0)
		if last, _ := tx.Seq(ctx); seq != 3 || last != 3 {
			t.Errorf("seq = %d, last = %d, want 3", seq, last)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"deleted", "deleted"}, states()); diff != "" {
		t.Error(diff)
	}
}

// Case 96: a key is found in another Unicode form, and two names that differ only in form stay two documents.
func TestDocumentKeyForms(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	nfc, nfd := "r/\u00f3.md", "r/o\u0301.md"
	put(t, d, nfd, "text", db.Chunk{Kind: "paragraph", End: 4})
	find := func(key string) (got string) {
		_ = d.View(ctx, func(tx *db.Tx) error {
			doc, err := tx.Document(ctx, key)
			got = doc.Key
			if err != nil && !errors.Is(err, db.ErrNotFound) {
				t.Error(err)
			}
			return err
		})
		return got
	}
	if got := find(nfc); got != nfd {
		t.Errorf("Document(NFC) = %q, want %q", got, nfd)
	}
	put(t, d, nfc, "text", db.Chunk{Kind: "paragraph", End: 4})
	if got := find(nfc); got != nfc {
		t.Errorf("Document(NFC) = %q, want itself", got)
	}
	if got := find(nfd); got != nfd {
		t.Errorf("Document(NFD) = %q, want itself", got)
	}
}

// Every range of a text that spans several rows reads back as it was, and positions count code points and lines of any ending.
func TestTextAndPositions(t *testing.T) {
	var b strings.Builder
	for b.Len() < 200<<10 {
		b.WriteString("première ligne\r\nзweite\rthird 日本 😀\n\n")
	}
	text := b.String()
	var chunks []db.Chunk
	cuts := []int{0}
	for i := range text {
		if i >= cuts[len(cuts)-1]+9000 {
			cuts = append(cuts, i)
		}
	}
	for i, start := range cuts[:len(cuts)-1] {
		c := db.Chunk{Kind: "paragraph", Start: start, End: cuts[i+1]}
		at := start
		for r := range strings.SplitSeq(text[c.Start:c.End], "\n") {
			if len(r) > 0 {
				c.Spans = append(c.Spans, db.Span{Kind: "lines", Start: at, End: at + len(r)})
			}
			at += len(r) + 1
		}
		chunks = append(chunks, c)
	}
	d := dbtest.Open(t)
	ctx := t.Context()
	v, chunks := put(t, d, "r/a.txt", text, chunks...)
	normal := strings.NewReplacer("\r\n", "\n\x00", "\r", "\n")
	line := func(at int) int { return 1 + strings.Count(normal.Replace(text[:at]), "\n") }
	if err := d.View(ctx, func(tx *db.Tx) error {
		stored, err := tx.Chunks(ctx, v.Row)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(chunks, stored, cmp.AllowUnexported(db.Chunk{})); diff != "" {
			t.Errorf("chunks (-put +stored):\n%s", diff)
		}
		for _, c := range stored {
			got, err := tx.Text(ctx, v.Row, c.Start, c.End)
			if err != nil || got != text[c.Start:c.End] {
				t.Fatalf("text of %d to %d differs (%v)", c.Start, c.End, err)
			}
			if want := utf8.RuneCountInString(text[:c.Start]); c.CharStart != want {
				t.Errorf("char_start %d, want %d", c.CharStart, want)
			}
			if want := line(c.Start); c.LineStart != want && text[c.Start] != '\n' {
				t.Errorf("line_start at %d: %d, want %d", c.Start, c.LineStart, want)
			}
			for _, s := range c.Spans {
				id, ok := db.ParseEvidenceID(c.SpanID(s.Start, s.End))
				if !ok || !id.IsSpan() {
					t.Fatalf("span id %s does not parse", c.SpanID(s.Start, s.End))
				}
				of, start, end, err := tx.Evidence(ctx, id)
				if err != nil || of.Row != c.Row || start != s.Start || end != s.End {
					t.Fatalf("span %v resolves to %d %d of %d: %v", s, start, end, of.Row, err)
				}
				cs, ce, ls, _ := c.Locate(got, s.Start, s.End)
				if cs != utf8.RuneCountInString(text[:s.Start]) || ce-cs != utf8.RuneCountInString(text[s.Start:s.End]) || ls != line(s.Start) {
					t.Fatalf("span %v located at %d to %d, line %d", s, cs, ce, ls)
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// Ids are the same on another machine and after a rebuild, and differ where the key, the content or the place does.
func TestIDsAreDerived(t *testing.T) {
	id := func(key, text string, c db.Chunk) string {
		_, chunks := put(t, dbtest.Open(t), key, text, c)
		return chunks[0].ID()
	}
	whole := db.Chunk{Kind: "paragraph", End: 4}
	first := id("r/a.md", "some text", whole)
	if again := id("r/a.md", "some text", whole); again != first {
		t.Errorf("second store: %s, want %s", again, first)
	}
	seen := map[string]bool{first: true}
	for _, other := range []string{id("r/b.md", "some text", whole), id("r/a.md", "some texts", whole), id("r/a.md", "some text", db.Chunk{Kind: "paragraph", Start: 5, End: 9})} {
		if seen[other] {
			t.Errorf("%s names two passages", other)
		}
		seen[other] = true
	}
}

func FuzzParseEvidenceID(f *testing.F) {
	for _, s := range []string{"", "c_", "c_aaaaaaaaaaaaaaaaaaaaaaaaaa", "s_aaaaaaaaaaaaaaaaaaaaaaaaaa", "s_aaaaaaaaaaaaaaaaaaaaaaaaac", "C_aaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		f.Add(s)
	}
	d := dbtest.Open(f)
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := db.ParseEvidenceID(s)
		if !ok {
			return
		}
		err := d.View(t.Context(), func(tx *db.Tx) error { _, _, _, err := tx.Evidence(t.Context(), id); return err })
		if !errors.Is(err, db.ErrNotFound) {
			t.Errorf("Evidence(%q) in an empty store = %v", s, err)
		}
	})
}

// A span id never resolves to a range that cuts a character, whatever its last six characters say.
func TestSpanIDsOnCharacterBorders(t *testing.T) {
	d := dbtest.Open(t)
	text := strings.Repeat("日本語 😀 ", 40)
	_, chunks := put(t, d, "r/a.md", text, db.Chunk{Kind: "paragraph", End: len(text) - 1})
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 2000 {
		a, b := rng.IntN(len(text)), rng.IntN(len(text)+50)
		if b <= a {
			continue
		}
		id, ok := db.ParseEvidenceID(chunks[0].SpanID(a, b))
		if !ok {
			t.Fatalf("%d to %d: %s", a, b, chunks[0].SpanID(a, b))
		}
		_ = d.View(t.Context(), func(tx *db.Tx) error {
			_, start, end, err := tx.Evidence(t.Context(), id)
			if err == nil {
				found++
				if !utf8.ValidString(text[start:end]) || start != a || end != b {
					t.Errorf("%d to %d resolves to %d to %d", a, b, start, end)
				}
			}
			return err
		})
	}
	if found == 0 {
		t.Error("no range resolved")
	}
}

func TestLedger(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	want := db.FileRow{Path: "a\xff.md", State: db.FileSkipped, Reason: "its name is not UTF-8", Size: 7, MtimeNS: -1, Inode: -5, Racy: true, Hash: db.HashOf("x"), NoText: 2}
	if err := d.Update(ctx, func(tx *db.Tx) error {
		r := db.Root{Name: "r", State: db.RootOnline}
		if err := tx.PutRoot(ctx, &r); err != nil {
			return err
		}
		want.RootID = r.ID
		for range 2 {
			if err := tx.PutFile(ctx, &want); err != nil {
				return err
			}
		}
		got, err := tx.Files(ctx, r.ID)
		if diff := cmp.Diff([]db.FileRow{want}, got); diff != "" {
			t.Error(diff)
		}
		counts, cerr := tx.FileCounts(ctx)
		if diff := cmp.Diff([]db.FileCount{{RootID: r.ID, State: db.FileSkipped, Files: 1, NoText: 2}}, counts, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		return errors.Join(err, cerr, tx.DeleteFile(ctx, r.ID, want.Path))
	}); err != nil {
		t.Fatal(err)
	}
}
