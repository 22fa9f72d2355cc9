package ingest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docket/ingest"
)

// Case 88: whatever happened while docket looked away, after a sync the store is what a first index of the folder would be.
func TestRandomEdits(t *testing.T) {
	seeds, steps := 3, 300
	if testing.Short() {
		seeds, steps = 1, 100
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomEdits(t, uint64(seed), steps) })
	}
}

func randomEdits(t *testing.T, seed uint64, steps int) {
	w := newWorld(t)
	w.add("docs")
	r := rand.New(rand.NewPCG(seed, 7))
	names := []string{"a.md", "b.txt", "c.csv", "d.go", "e", ".env", "f~", "g.png"}
	folders := []string{"", "x/", "x/y/", "z/", "node_modules/", "x/z/"}
	contents := []string{
		"", note, "# Other\n\nWords.\n\n## Sub\n\nMore words.\n", "a,b\n1,2\n3,4\n", "package d\n\n// F does.\nfunc F() {}\n",
		"caf\xe9\n", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", strings.Repeat("A long text. ", 2000), "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n",
	}
	path := func() string { return folders[r.IntN(len(folders))] + names[r.IntN(len(names))] }
	try := func(err error) { // what the disk refuses (a file in the way of a folder, …) is simply not done
		if err != nil && !errors.As(err, new(*os.PathError)) && !errors.As(err, new(*os.LinkError)) {
			t.Fatal(err)
		}
	}
	put := func(p, content string) {
		try(os.MkdirAll(filepath.Dir(w.file(p)), 0o755))
		try(os.WriteFile(w.file(p), []byte(content), 0o644))
	}
	for step := range steps {
		p := path()
		switch r.IntN(12) {
		case 0, 1, 2, 3:
			put(p, contents[r.IntN(len(contents))])
		case 4:
			put(p, fmt.Sprintf("# New\n\nText of step %d.\n", step))
		case 5:
			try(os.RemoveAll(w.file(p)))
		case 6:
			q := path()
			try(os.MkdirAll(filepath.Dir(w.file(q)), 0o755))
			try(os.Rename(w.file(p), w.file(q)))
		case 7:
			try(os.Rename(w.file(folders[1+r.IntN(5)]), w.file(folders[1+r.IntN(5)]+"moved")))
		case 8:
			put(folders[r.IntN(3)]+".gitignore", []string{"*.txt\n", "x/\n!d.go\n", "", "/a.md\n", "*\n!*.md\n!*/\n"}[r.IntN(5)])
		case 9:
			try(os.RemoveAll(w.file(folders[1+r.IntN(5)])))
		case 10:
			try(os.Symlink(path(), w.file(p)))
		case 11: // an editor's dance: away, new, old removed
			if b, err := os.ReadFile(w.file(p)); err == nil {
				try(os.Rename(w.file(p), w.file(p+".bak")))
				put(p, string(b)+"One more line.\n")
				try(os.Remove(w.file(p + ".bak")))
			}
		}
		w.now = w.now.Add(time.Minute)
		if r.IntN(6) == 0 {
			if _, err := ingest.Sync(t.Context(), w.d, ingest.SyncRequest{AllowRemovals: true, Rebuild: r.IntN(10) == 0}); err != nil {
				t.Fatal(err)
			}
		}
		if step%60 == 59 {
			if _, err := ingest.Sync(t.Context(), w.d, ingest.SyncRequest{AllowRemovals: true}); err != nil {
				t.Fatal(err)
			}
			w.wantFresh(fmt.Sprintf("after step %d", step))
		}
	}
}
