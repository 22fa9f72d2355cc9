package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/search"
	"docket/search/vector"
)

// legsOf tells what found the hits: a line each of its document, whether words and meaning found it, and at which rank.
func legsOf(r search.Result) (out []string) {
	for _, h := range r.Hits {
		s := strings.TrimPrefix(h.DocumentKey, "docs/")
		if l := h.Legs.Lexical; l != nil {
			s += fmt.Sprintf(" words %d", l.Rank)
		}
		if l := h.Legs.Semantic; l != nil {
			s += fmt.Sprintf(" meaning %d", l.Rank)
		}
		out = append(out, s)
	}
	return out
}

var pets = []string{
	"lease.md", "# Lease\n\nA dog or a cat needs the written consent of the landlord.\n",
	"rent.md", "# Rent\n\nThe rent is due on the third working day of each month.\n",
	"ship.md", "# Ship\n\nThe vessel left the harbour at noon and sailed towards the north.\n",
	"cake.md", "# Cake\n\nMix butter with sugar, add the eggs, and bake it in the oven.\n",
}

func TestMeaningFindsOtherWords(t *testing.T) {
	w := newWorld(t, pets...)
	for _, tt := range []struct {
		query, mode string
		first       string
	}{
		{"puppies and kittens", search.Semantic, "lease.md meaning 1"},
		{"boats at sea", search.Semantic, "ship.md meaning 1"},
		{"dessert recipe", search.Semantic, "cake.md meaning 1"},
		{"boats in the harbour", search.Hybrid, "ship.md words 1 meaning 1"},
		{"boats sailing the ocean", search.Hybrid, "ship.md words 1 meaning 1"},
		{"puppies kittens", search.Hybrid, "lease.md meaning 1"}, // no word of it is there, so it is the meaning alone
	} {
		r := w.ask(search.Query{Text: tt.query, Mode: tt.mode})
		if got := legsOf(r); r.Status != search.OK || len(got) == 0 || got[0] != tt.first {
			t.Errorf("%s %q: %s %v, want %s first", tt.mode, tt.query, r.Status, got, tt.first)
		}
		if tt.mode == search.Semantic && !slices.IsSortedFunc(r.Hits, func(a, b search.Hit) int {
			if a.Score != a.Legs.Semantic.Score || a.Score > 1 {
				t.Errorf("%q: score %v of %v", tt.query, a.Score, a.Legs.Semantic)
			}
			return int(1e6 * (b.Score - a.Score))
		}) {
			t.Errorf("%q: not by score", tt.query)
		}
	}
	for _, tt := range []struct{ query, mode string }{
		{"検索エンジン", search.Semantic},
		{"qzxvw", search.Semantic},
		{"...", search.Semantic},
		{"検索エンジン", search.Hybrid},
		{"photosynthesis", search.Hybrid}, // near to nothing here
	} {
		if r := w.ask(search.Query{Text: tt.query, Mode: tt.mode}); r.Status != search.NoMatches || len(r.Hits) != 0 || len(r.Failures) != 0 {
			t.Errorf("%s %q: %s %v %v", tt.mode, tt.query, r.Status, legsOf(r), r.Failures)
		}
	}
}

// Questions about the folder that comes with docket, in words that its answers do not use, or not all of them.
func TestOtherWordsFindTheirAnswers(t *testing.T) {
	w := corpus(t)
	for _, tt := range []struct{ question, document string }{
		{"vessel delayed at the gate", "letters/harbour-office.txt"},
		{"website showed outdated picture", "incidents/2026-01-19-stale-map.md"},
		{"customers unhappy", "notes/customer-interviews.md"},
	} {
		r := w.ask(search.Query{Text: tt.question, Mode: search.Hybrid, Limit: 3})
		if r.Status != search.OK || r.Hits[0].DocumentKey != "docs/"+tt.document {
			t.Errorf("%s: %s %v, want %s first", tt.question, r.Status, legsOf(r), tt.document)
		}
	}
	for _, query := range []string{"zebra", "photosynthesis in plants", "cooking recipes", "football championship"} {
		if r := w.ask(search.Query{Text: query, Mode: search.Hybrid}); r.Status == search.OK {
			for _, h := range r.Hits {
				if h.Legs.Lexical == nil {
					t.Errorf("%s: %s is no answer", query, h.DocumentKey)
				}
			}
		}
	}
}

// What is quoted, or named by a path, an id or a version, is looked for as it stands.
func TestNamesAreNotMeant(t *testing.T) {
	w := newWorld(t, append(pets, "dogs.md", "# Dogs\n\nEvery dog is a dog, and no dog is a puppy_kennel.\n")...)
	meant := func(query string) bool {
		for _, h := range w.ask(search.Query{Text: query, Mode: search.Hybrid}).Hits {
			if h.Legs.Semantic != nil {
				return true
			}
		}
		return false
	}
	for _, query := range []string{
		`"written consent" of a dog`, "“consent” for the dog", "dog /etc/dog.conf", "dog ./run", "dog ~/notes", `dog C:\notes`, "src/dog.go", "a/b/dog",
		"puppy_kennel dog", "std::sort dog", "dog v1.2", "dog 2026.4.10", "dog 1.2.3-rc.1", "dog 0a4f9c1", "dog (see 123e4567-e89b-42d3-a456-426614174000)",
		"c_l5jvyd5bbziepdxj6csufabky6 dog", "dog https://example.org/lease.html",
	} {
		if meant(query) {
			t.Errorf("%s: found by its meaning", query)
		}
	}
	for _, query := range []string{"dog", "does a dog need the landlord's consent?", "dog and/or cat", "dogs: 3.5 or 4", "a 19th-century dog", "dog's", "facade of the decade dog"} {
		if !meant(query) {
			t.Errorf("%s: not found by its meaning", query)
		}
	}
}

// Case 71: the scope is inside the search by meaning, so a small folder is found beside a huge one.
func TestMeaningInScope(t *testing.T) {
	files := []string{"small/ship.md", "# Ship\n\nThe vessel left the harbour.\n"}
	for i := range 300 {
		files = append(files, fmt.Sprintf("huge/%d.md", i), fmt.Sprintf("# Dog %d\n\nThe dog chased the cat around house %d.\n", i, i))
	}
	w := newWorld(t, files...)
	for _, mode := range []string{search.Semantic, search.Hybrid} {
		r := w.ask(search.Query{Text: "the kittens and puppies", Mode: mode, Scope: w.scope("docs/small/")})
		for _, h := range r.Hits {
			if h.DocumentKey != "docs/small/ship.md" {
				t.Errorf("%s: %s is out of scope", mode, h.DocumentKey)
			}
		}
		if mode == search.Semantic && len(r.Hits) != 1 {
			t.Errorf("found %v", legsOf(r))
		}
		if r = w.ask(search.Query{Text: "the dog", Mode: mode, Scope: w.scope("")}); r.Status != search.NoMatches {
			t.Errorf("%s, empty scope: %s %v", mode, r.Status, legsOf(r))
		}
	}
}

// Cases 64, 65, 67: vectors that a query cannot be compared with are told in every answer, words go on, and one sync makes new ones.
func TestVectorsOfAnotherModel(t *testing.T) {
	for name, tt := range map[string]struct{ stmt, reason, state string }{
		"model":      {`UPDATE vector_generation SET model = 'nomic-embed-text'`, "nomic-embed-text", search.Stale},
		"dimensions": {`UPDATE vector_generation SET dim = 1536`, "1536 values", search.Stale},
		"none":       {`DELETE FROM vector_generation`, "no vectors yet", search.Missing},
		"lacking":    {`DELETE FROM vec_g1 WHERE chunk_id > 2`, "2 of 4 documents", search.Building},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, pets...)
			if err := w.d.Update(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), tt.stmt)
				if err == nil && name == "lacking" {
					_, err = tx.Exec(t.Context(), `UPDATE vector_generation SET changes = changes + 1`)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			r := w.ask(search.Query{Text: "landlord", Mode: search.Hybrid})
			if r.Status != search.Partial || len(r.Hits) != 1 || len(r.Failures) != 1 || r.IndexState.Semantic.State != tt.state || r.IndexState.Semantic.Todo == 0 {
				t.Fatalf("hybrid: %s, %d hits, failures %v, state %+v", r.Status, len(r.Hits), r.Failures, r.IndexState.Semantic)
			}
			if f := r.Failures[0]; f.Leg != search.Semantic || !strings.Contains(f.Reason, tt.reason) || !f.RetrySafe {
				t.Errorf("failure %+v, want one that says %q", f, tt.reason)
			}
			want := search.Unavailable
			if name == "lacking" {
				want = search.Partial
			}
			if r := w.ask(search.Query{Text: "landlord", Mode: search.Semantic}); r.Status != want || len(r.Failures) != 1 {
				t.Errorf("semantic: %s, failures %v, want %s", r.Status, r.Failures, want)
			}
			if r := w.ask(search.Query{Text: "landlord", Mode: search.Lexical}); r.Status != search.OK || len(r.Failures) != 0 {
				t.Errorf("lexical: %s, failures %v", r.Status, r.Failures)
			}
			w.write("new.md", "# New\n\nThe landlord has a new dog.\n") // an activation meanwhile
			w.sync()
			if r := w.ask(search.Query{Text: "landlord", Mode: search.Hybrid}); r.Status != search.OK || len(r.Hits) != 2 || r.IndexState.Semantic != r.IndexState.Lexical {
				t.Errorf("after a sync: %s, %v, failures %v, %+v", r.Status, legsOf(r), r.Failures, r.IndexState.Semantic)
			}
			if n, err := search.Backfill(t.Context(), w.d); n != 0 || err != nil {
				t.Errorf("a second backfill: %d, %v", n, err)
			}
			w.vectors()
		})
	}
}

// vectors checks that the vectors are whole, and that no current passage lacks one.
func (w *world) vectors() {
	w.Helper()
	found, err := vector.Check(w.Context(), w.d)
	if err != nil || len(found) > 0 {
		w.Errorf("vectors: %v, %v", found, err)
	}
	if r := w.ask(search.Query{Text: "a"}); r.IndexState.Semantic != r.IndexState.Lexical {
		w.Errorf("index state %+v", r.IndexState)
	}
}

// Case 116: whatever happens to the files, there are vectors of the current passages and of no others.
func TestVectorsFollowTheFiles(t *testing.T) {
	w := newWorld(t, pets...)
	w.vectors()
	w.write("lease.md", "# Lease\n\nNo parrots.\n\n## Heating\n\nThe boiler is serviced in autumn.\n", "cake.md", pets[7]+"\n\n## Bread\n\nKnead the dough.\n")
	w.remove("ship.md")
	w.sync()
	w.vectors()
	for _, h := range w.ask(search.Query{Text: "a vessel at sea", Mode: search.Semantic}).Hits {
		if h.DocumentKey == "docs/ship.md" {
			t.Error("what was deleted is found by its meaning")
		}
	}
	w.write("lease.md", pets[1], "ship.md", pets[5]) // content that comes back
	w.sync()
	w.vectors()
	if got := legsOf(w.ask(search.Query{Text: "a boat at sea", Mode: search.Semantic, Limit: 1})); !slices.Equal(got, []string{"ship.md meaning 1"}) {
		t.Errorf("found %v", got)
	}
	w.rebuild()
	w.vectors()
}

// The order in which documents came, and what was there before, leave no trace in what is found.
func TestMeaningDependsOnWhatIsCurrent(t *testing.T) {
	var files []string
	for i := range 60 {
		files = append(files, fmt.Sprintf("%02d.md", i), fmt.Sprintf("# Note %d\n\n%s\n", i, pets[2*(i%4)+1][8:]))
	}
	a := newWorld(t, files...)
	b := newWorld(t, slices.Concat(files[100:], []string{"00.md", "# Before\n\nA dog.\n", "gone.md", "# Gone\n\nA ship.\n"})...)
	b.write(files[:50]...)
	b.remove("gone.md")
	b.sync()
	b.write(files...)
	b.sync()
	for _, q := range []string{"puppy", "boat in a harbour", "note 7", "rent of the house", "eggs"} {
		for _, mode := range []string{search.Semantic, search.Hybrid} {
			for _, limit := range []int{1, 7, 100} {
				x, y := a.ask(search.Query{Text: q, Mode: mode, Limit: limit}), b.ask(search.Query{Text: q, Mode: mode, Limit: limit})
				for _, r := range []search.Result{x, y} {
					for i := range r.Hits {
						r.Hits[i].URI = "" // the folders have other names
					}
				}
				if diff := cmp.Diff(x, y); diff != "" {
					t.Errorf("%s %q, limit %d (-one +other):\n%s", mode, q, limit, diff)
				}
			}
		}
	}
}

// A store that an older docket made gets its vectors with the next sync, without reading a file again.
func TestStoreOlderThanItsVectors(t *testing.T) {
	w := newWorld(t, pets...)
	if err := w.d.Update(t.Context(), func(tx *db.Tx) error {
		for _, stmt := range []string{`DROP TABLE vec_g1`, `DELETE FROM vector_generation`} {
			if _, err := tx.Exec(t.Context(), stmt); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	d := w.d
	n, err := search.Backfill(t.Context(), d)
	if err != nil || n != 4 {
		t.Errorf("backfill: %d, %v", n, err)
	}
	if n, err = search.Backfill(t.Context(), d); err != nil || n != 0 {
		t.Errorf("again: %d, %v", n, err)
	}
	r, err := search.Evidence(t.Context(), d, search.Query{Text: "puppy", Mode: search.Semantic, Limit: 1, SnippetChars: 100})
	if err != nil || !slices.Equal(legsOf(r), []string{"lease.md meaning 1"}) {
		t.Errorf("found %v, %v", legsOf(r), err)
	}
}
