package format_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden pins the tree of each small input. Run with -update, and read the difference before it is committed.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/in/*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no inputs", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := tree(parse(t, path, string(data)))
			golden := filepath.Join("testdata", "golden", filepath.Base(path)+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
		})
	}
}
