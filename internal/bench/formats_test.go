package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/internal/bench"
)

// A file that cannot be read counts as 0 with its reason; one without an expected text, and a text without its file, are told apart.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"files/a.md": "# One\n\ntwo three\n", "expected/a.md.txt": "one two three",
		"files/b.txt": "one two\n", "expected/b.txt.txt": "one two three four five six",
		"files/c.rtf": "{\\rtf1 hello}", "expected/c.rtf.txt": "hello",
		"files/d.txt": "nobody expects this\n", "expected/e.txt.txt": "gone",
	} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := bench.Formats(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := bench.FormatsReport{
		Files: []bench.FileScore{
			{File: "a.md", Kind: "markdown", F1: 1, State: "indexed"},
			{File: "b.txt", Kind: "text", F1: 0.5, State: "indexed"},
			{File: "c.rtf", Kind: "rtf", State: "skipped", Reason: "rtf: no parser yet"},
		},
		MeanF1:     0.5,
		Kinds:      []bench.KindScore{{Kind: "markdown", Files: 1, MeanF1: 1}, {Kind: "rtf", Files: 1}, {Kind: "text", Files: 1, MeanF1: 0.5}},
		Unexpected: []bench.UnexpectedFile{{File: "d.txt", Kind: "text", State: "indexed"}},
		Missing:    []string{"e.txt"},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := bench.Formats(t.Context(), t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "expected") {
		t.Errorf("an empty folder: %v", err)
	}
}
