package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rank is the architecture: a package imports only packages of lower rank. ARCHITECTURE.md says what lives where.
var rank = map[string]int{
	"migrations": 0, "search/embed": 0, "ingest/format": 0, // leaves
	"db": 1, "ingest/worker": 1,
	"db/dbtest": 2, "db/independent": 2, "search/vector": 2,
	"graph": 3, "search": 4, "trace": 5, "ingest": 6,
	"mcp": 7, "watch": 7, // two doors that never meet
	"internal/bench": 7,
	"internal/cli":   8, ".": 9,
}

func TestImportDirection(t *testing.T) {
	const module = "docket"
	seen := 0
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".") && p != ".") {
			return fs.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		seen++
		from := path.Dir(filepath.ToSlash(p))
		if _, ok := rank[from]; !ok {
			t.Errorf("%s: give package %s a rank in arch_test.go", p, from)
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, s := range f.Imports {
			to, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				return err
			}
			if from != "db" && (slices.Contains([]string{"database/sql", "modernc.org/libc"}, to) || strings.HasPrefix(to, "modernc.org/sqlite")) {
				t.Errorf("%s imports %s; the driver lives in package db", p, to)
			}
			if to, ok := strings.CutPrefix(to, module+"/"); ok && rank[to] >= rank[from] {
				t.Errorf("%s (rank %d) imports %s (rank %d)", p, rank[from], to, rank[to])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 10 {
		t.Errorf("read %d files; the walk is broken", seen)
	}
}
