package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// direct returns the modules that a go.mod asks for itself, with their versions.
func direct(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]string{}
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "require (":
			inside = true
		case line == ")":
			inside = false
		case inside && !strings.HasSuffix(line, "// indirect"):
			if name, version, ok := strings.Cut(line, " "); ok {
				out[name] = version
			}
		}
	}
	return out
}

func TestDependenciesAreExplained(t *testing.T) {
	b, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range direct(t, "go.mod") {
		if !strings.Contains(string(b), name) {
			t.Errorf("docs/dependencies.md does not name %s", name)
		}
	}
}

// SQLite and the C library it was translated with must be of one build.
func TestLibcMatchesSQLite(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "modernc.org/sqlite").Output()
	if err != nil {
		t.Skip("no go command to ask for the module's folder")
	}
	ours := direct(t, "go.mod")["modernc.org/libc"]
	theirs := direct(t, filepath.Join(strings.TrimSpace(string(dir)), "go.mod"))["modernc.org/libc"]
	if ours == "" || ours != theirs {
		t.Errorf("modernc.org/libc is %q, and modernc.org/sqlite wants %q", ours, theirs)
	}
}
