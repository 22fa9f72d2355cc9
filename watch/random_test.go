package watch_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// long returns how many operations the long run is asked to do, 0 for a short run: DOCKET_LONG=100000 go test -timeout 0 -run Random ./watch
func long() int {
	n, err := strconv.Atoi(os.Getenv("DOCKET_LONG"))
	if err != nil {
		return 0
	}
	return n
}

// Whatever is done to a folder, watched or not, at every checkpoint the store is what a first index of the folder would be: text, ids,
// words and ledger.
func TestRandomOperations(t *testing.T) {
	t.Parallel()
	seeds, steps, every := []uint64{1, 2}, 240, 60
	if n := long(); n > 0 {
		seeds, steps, every = []uint64{11, 12, 13}, n, 500
	} else if testing.Short() {
		seeds, steps = seeds[:1], 120
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			randomOperations(t, seed, steps, every)
		})
	}
}

func randomOperations(t *testing.T, seed uint64, steps, every int) {
	w := newWorld(t)
	r := rand.New(rand.NewPCG(seed, 5))
	names := []string{"a.md", "b.txt", "c.csv", ".env", "e~"}
	folders := []string{"", "x/", "x/y/", "z/", "node_modules/", "x/z/"}
	path := func() string { return folders[r.IntN(len(folders))] + names[r.IntN(len(names))] }
	folder := func() string { return folders[1+r.IntN(len(folders)-1)] }
	try := func(err error) { // what the disk refuses (a file in the way of a folder, …) is simply not done
		if err != nil && !errors.As(err, new(*os.PathError)) && !errors.As(err, new(*os.LinkError)) {
			t.Fatal(err)
		}
	}
	put := func(p, content string) {
		try(os.MkdirAll(filepath.Dir(w.file(p)), 0o755))
		try(os.WriteFile(w.file(p), []byte(content), 0o644))
	}
	move := func(p, q string) {
		try(os.MkdirAll(filepath.Dir(w.file(q)), 0o755))
		try(os.Rename(w.file(p), w.file(q)))
	}
	out := filepath.Join(w.TempDir(), "out")
	w.many("kept/", 60, 500) // so that never most of the documents go at once, which would be refused
	w.started(quick())
	for step := range steps {
		switch r.IntN(14) {
		case 0, 1, 2, 3:
			put(path(), text(r.IntN(30)))
		case 4:
			put(path(), []string{"", "a,b\n1,2\n", "caf\xe9\n", strings.Repeat("A long text. ", 500)}[r.IntN(4)])
		case 5:
			try(os.RemoveAll(w.file(path())))
		case 6:
			move(path(), path())
		case 7:
			move(folder(), folder()+"moved")
		case 8:
			put(folders[r.IntN(3)]+".gitignore", []string{"*.txt\n", "x/\n", "", "/a.md\n", "*\n!*.md\n!*/\n"}[r.IntN(5)])
		case 9:
			try(os.RemoveAll(w.file(folder())))
		case 10:
			p := path()
			try(os.MkdirAll(filepath.Dir(w.file(p)), 0o755))
			try(os.Symlink(path(), w.file(p)))
		case 11: // out of the root and in again, somewhere else
			try(os.Rename(w.file(folder()), out))
			put("a.md", text(r.IntN(30)))
			move("../"+filepath.Base(out), folder()+"back")
			try(os.Rename(out, w.file(folder()+"in")))
			try(os.RemoveAll(out))
		case 12: // an editor's dance
			p := path()
			if b, err := os.ReadFile(w.file(p)); err == nil {
				try(os.Rename(w.file(p), w.file(p+".bak")))
				put(p, string(b)+"One more line.\n")
				try(os.Remove(w.file(p + ".bak")))
			}
		case 13:
			if r.IntN(4) > 0 {
				continue
			}
			if w.stop != nil {
				w.end()
			} else {
				w.begin(quick())
			}
		}
		if step%every == every-1 {
			if w.stop == nil {
				w.begin(quick())
			}
			w.wantFresh(fmt.Sprintf("after step %d of seed %d", step+1, seed))
		}
	}
}
