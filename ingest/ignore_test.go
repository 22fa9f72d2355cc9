package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db/dbtest"
	"docket/ingest"
)

// Case 111: ignore files are honoured, nested and negated. What git itself says decides, over random rules and trees.
func TestIgnoreAsGitDoes(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git to compare with")
	}
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	run := func(stdin string, args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+dir)
		out, err := cmd.Output()
		if ee, ok := err.(*exec.ExitError); err != nil && (!ok || ee.ExitCode() != 1) { // 1: nothing is ignored
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("", "init", "-q")
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	names := []string{"a", "b", "ab", "a.md", "b.md", "abc.txt", "a b", "a-b", "[x]", "x", "#n", "!n", "aa", "é.md", "A.md", "a\\b", "a1", "b ", "x*"}
	parts := []string{
		"a", "b", "*", "**", "?", "*.md", "a*", "*b", "[ab]", "[!a]", "[^b]*", "[a-c]*", "[[:alpha:]]*", "[[:digit:]]", "[[:upper:]].md", "\\[x\\]", "[]x]", "[x-]",
		"abc.txt", "a?", "é.md", "é*", "a\\ b", "a b", "\\#n", "\\!n", "#n", "x", "ab", "a**", "**b", "***", "a\\\\b", "*[b]*", "[", "[a", "a]", "\\a", "b\\ ", "x\\*", "[\\[]x]", "[[:no:]]", "[a-]", "[z-a]",
	}
	rule := func() string {
		var b strings.Builder
		if r.IntN(4) == 0 {
			b.WriteString("!")
		}
		if r.IntN(4) == 0 {
			b.WriteString("/")
		}
		for i := range 1 + r.IntN(3) {
			if i > 0 {
				b.WriteString("/")
			}
			b.WriteString(pick(parts))
		}
		b.WriteString(pick([]string{"", "", "", "/", " ", "  ", "\t", "\\", "\r"}))
		return b.String()
	}
	write := func(p, text string) {
		if err := os.WriteFile(filepath.Join(dir, p), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var fill func(at string, depth int)
	fill = func(at string, depth int) {
		if err := os.MkdirAll(filepath.Join(dir, at), 0o755); err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 || depth == 0 {
			lines := make([]string, 1+r.IntN(5))
			for i := range lines {
				lines[i] = rule()
			}
			write(at+"/.gitignore", pick([]string{"", "", "\ufeff"})+strings.Join(lines, "\n")+pick([]string{"\n", ""}))
		}
		for _, i := range r.Perm(len(names))[:6] {
			if depth < 3 && r.IntN(3) == 0 {
				fill(at+"/"+names[i], depth+1)
			} else {
				write(at+"/"+names[i], "")
			}
		}
	}
	trees := 30
	if testing.Short() {
		trees = 10
	}
	for i := range trees {
		fill(fmt.Sprintf("t%03d", i), 0)
	}
	var all []string
	err = filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if e != nil && e.IsDir() && e.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && !e.IsDir() && e.Name() != ".gitignore" {
			all = append(all, filepath.ToSlash(p[len(dir)+1:]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ignored := map[string]bool{}
	for p := range strings.SplitSeq(run(strings.Join(all, "\x00"), "check-ignore", "--no-index", "-z", "--stdin"), "\x00") {
		ignored[p] = true
	}
	want := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return ignored[p] })
	got, err := ingest.WalkFiles(t.Context(), dbtest.Open(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	got = slices.DeleteFunc(got, func(p string) bool { return strings.HasSuffix(p, ".gitignore") })
	slices.Sort(got)
	slices.Sort(want)
	t.Logf("%d paths, %d ignored", len(all), len(all)-len(want))
	if len(want) == len(all) || len(want) == 0 {
		t.Fatal("the rules decide nothing")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files that are not ignored (-git +docket):\n%s", diff)
	}
}

// Whatever stands in an ignore file, its last line has the last word about the very path that it names.
func FuzzIgnore(f *testing.F) {
	f.Add([]byte("*.md\n!a.md\n/x/**/y\n"), "x/a.md", false)
	f.Add([]byte("a**/*b[!c-e][[:alpha:]]\\\n"), "a/b [x]*?", true)
	f.Add([]byte("**/**/**/**/*a*a*a*a*b\n"), strings.Repeat("a", 200), false)
	f.Add([]byte("[\n[]\n[[:\n[a-\n\\"), "#é!", false)
	f.Fuzz(func(t *testing.T, file []byte, path string, folder bool) {
		if path == "" || strings.ContainsAny(path, "\x00\n\r") || strings.Trim(path, "/") != path || strings.Contains(path, "//") {
			t.Skip()
		}
		var escaped strings.Builder
		for _, c := range []byte(path) {
			if strings.IndexByte(`\*?[]#! `, c) >= 0 {
				escaped.WriteByte('\\')
			}
			escaped.WriteByte(c)
		}
		ingest.Ignored(file, path, folder) // it ends
		with := append(slices.Clone(file), "\n/"+escaped.String()...)
		if !ingest.Ignored(with, path, folder) {
			t.Errorf("%q does not leave %q out", with, path)
		}
		if with = append(with, "\n!/"+escaped.String()...); ingest.Ignored(with, path, folder) {
			t.Errorf("%q leaves %q out", with, path)
		}
	})
}
