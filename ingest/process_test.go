package ingest_test

// This file tests with processes of its own: some are killed, one has no rights.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/ingest"
)

// TestMain lets the test binary be the other process: it syncs the store that it is told of, and says what came of it.
func TestMain(m *testing.M) {
	store := os.Getenv("DOCKET_TEST_SYNC")
	if store == "" {
		os.Exit(m.Run())
	}
	if err := child(store); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(store string) (err error) {
	ctx := context.Background()
	d, err := db.Open(ctx, store, db.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	fmt.Println("open")
	r, err := ingest.Sync(ctx, d, ingest.SyncRequest{Progress: func(p ingest.Progress) {
		switch os.Getenv("DOCKET_TEST_TELL") {
		case "":
			return
		case "ask": // and wait for leave to go on, as long as somebody gives it
			defer func() { _, _ = os.Stdin.Read(make([]byte, 1)) }()
		}
		fmt.Println(p)
	}})
	for _, root := range r.Roots {
		fmt.Printf("indexed %d unchanged %d failed %d\n", root.Indexed, root.Unchanged, root.Failed)
	}
	return err
}

func childCommand(t *testing.T, store string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "DOCKET_TEST_SYNC="+store)
	return cmd
}

// A sync that is killed at any moment leaves every document wholly old or wholly new, and the next sync finishes the work.
func TestKilled(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	w := newWorld(t)
	w.now = time.Now()
	w.add("docs")
	r := rand.New(rand.NewPCG(3, 4))
	stored, written := map[string]string{}, map[string]string{} // texts by key
	for round := range rounds {
		for i := range 150 {
			name := fmt.Sprintf("d%d/f%03d.md", i%5, i)
			now := fmt.Sprintf("# Round %d\n\n%s\n\n## End\n\nThe end of %d in round %d.\n", round, strings.Repeat("Words between. ", r.IntN(400)), i, round)
			written["docs/"+name] = now
			w.write(name, now)
		}
		if err := w.d.Close(); err != nil {
			t.Fatal(err)
		}
		cmd := childCommand(t, w.path)
		cmd.Env = append(cmd.Env, "DOCKET_TEST_TELL=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range r.IntN(310) { // it tells of each file twice: found, and done
			lines.Scan()
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed, or done before
		w.open()
		w.wantSound()
		w.checkWords()
		old, changed := 0, 0
		for key, doc := range w.snapshot() {
			switch doc.Text {
			case stored[key]:
				old++
			case written[key]:
				changed++
			default:
				t.Fatalf("round %d: %s holds neither the old nor the new text", round, key)
			}
			if len(doc.Chunks) == 0 || len(doc.Sections) == 0 {
				t.Fatalf("round %d: %s is a half document: %+v", round, key, doc)
			}
			stored[key] = doc.Text
		}
		t.Logf("round %d: %d old, %d new of 150", round, old, changed)
		if round%3 == 2 {
			w.sync()
			stored = maps.Clone(written)
			w.wantFresh(fmt.Sprintf("after round %d", round))
		}
	}
}

// wantSound runs SQLite's own check.
func (w *world) wantSound() {
	w.Helper()
	w.view(func(tx *db.Tx) error {
		got, err := db.Query(w.Context(), tx, db.Value[string], `SELECT integrity_check FROM pragma_integrity_check`)
		if err != nil {
			return err
		}
		if diff := cmp.Diff([]string{"ok"}, got); diff != "" {
			w.Fatalf("integrity_check (-want +got):\n%s", diff)
		}
		half, err := db.One(w.Context(), tx, db.Value[int], `
			SELECT count(*) FROM document d JOIN version v ON v.id = d.current_version
			WHERE v.bytes <> (SELECT coalesce(sum(length(data)), 0) FROM text_piece p WHERE p.version_id = v.id)`)
		if err == nil && half != 0 {
			w.Fatalf("%d documents have not all of their text", half)
		}
		return err
	})
}

// Case 125: syncs of several processes take turns, and together do the work once.
func TestSeveralProcesses(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.write(fmt.Sprintf("f%02d.md", i), fmt.Sprintf("# F\n\nText %d.\n", i))
	}
	w.add("docs")
	if err := w.d.Close(); err != nil {
		t.Fatal(err)
	}
	var children []*exec.Cmd
	var outs []*strings.Builder
	for range 4 {
		cmd, out := childCommand(t, w.path), new(strings.Builder)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children, outs = append(children, cmd), append(outs, out)
	}
	indexed := 0
	for i, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Errorf("child %d: %v\n%s", i, err, outs[i])
		}
		var n, unchanged, failed int
		if _, err := fmt.Sscanf(outs[i].String(), "open\nindexed %d unchanged %d failed %d", &n, &unchanged, &failed); err != nil || n+unchanged != 60 {
			t.Errorf("child %d said %q", i, outs[i])
		}
		indexed += n
	}
	if indexed != 60 {
		t.Errorf("the children indexed %d files together, want each of the 60 once", indexed)
	}
	w.open()
	w.wantSound()
	w.wantFresh("after four processes")
}

// Cases 108 and 114: what may not be read is named and counted, and nothing of it is believed gone.
func TestNoRights(t *testing.T) {
	w := newWorld(t)
	w.now = time.Now()
	w.write("a.md", note, "locked.md", note+"Locked.\n", "closed/b.md", note+"Closed.\n", "closed/deep/c.md", note+"Deep.\n", "open/d.md", note+"Open.\n",
		"strict/.gitignore", "e.md\n", "strict/e.md", note, "strict/f.md", note+"F.\n")
	w.add("docs")
	w.sync()
	before := w.snapshot()
	run := asNobody(t, w)
	mode := func(path string, m os.FileMode) {
		t.Helper()
		if err := os.Chmod(w.file(path), m); err != nil {
			t.Fatal(err)
		}
	}
	mode("locked.md", 0)
	mode("closed", 0)
	mode("strict/.gitignore", 0)
	for range 2 {
		if out, err := run(); err != nil {
			t.Fatalf("sync without rights: %v\n%s", err, out)
		}
		w.wantSame(before, "while they cannot be read")
		w.wantLedger(map[string]string{
			"a.md": "indexed", "open/d.md": "indexed", "locked.md": "failed: permission denied", "closed/": "failed: the folder cannot be read: permission denied",
			"closed/b.md": "failed: its folder cannot be read", "closed/deep/c.md": "failed: its folder cannot be read",
			"strict/": "failed: the folder cannot be read: .gitignore cannot be read: permission denied", "strict/.gitignore": "failed: its folder cannot be read",
			"strict/f.md": "failed: its folder cannot be read", "strict/e.md": "skipped: ignored by strict/.gitignore",
		})
	}
	// The whole root: offline, which is an error of the command, and changes nothing.
	mode("", 0)
	out, err := run()
	if err == nil || !strings.Contains(out, "offline: permission denied") {
		t.Errorf("sync of a root without rights: %v\n%s", err, out)
	}
	w.wantSame(before, "while the root cannot be read")
	mode("", 0o755)
	mode("locked.md", 0o644)
	mode("closed", 0o755)
	mode("strict/.gitignore", 0o644)
	if out, err := run(); err != nil {
		t.Fatalf("sync with rights again: %v\n%s", err, out)
	}
	w.wantSame(before, "once they can be read again")
	w.wantFresh("once they can be read again")
}

// asNobody gives the store and the folder to a user without rights, and returns a sync by that user. Where the test runs as such a
// user already, it is that one.
func asNobody(t *testing.T, w *world) func() (string, error) {
	t.Helper()
	if os.Geteuid() < 0 {
		t.Skip("no such rights there")
	}
	cmd := childCommand(t, w.path)
	if os.Geteuid() == 0 {
		bin := t.TempDir()
		self, err := os.ReadFile(cmd.Path)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Path = filepath.Join(bin, "child")
		if err := os.WriteFile(cmd.Path, self, 0o755); err != nil {
			t.Fatal(err)
		}
		const nobody = 65534
		for _, top := range []string{bin, w.dir, filepath.Dir(w.path)} {
			if err := os.Chmod(filepath.Dir(top), 0o755); err != nil { // the test's own temporary folder
				t.Fatal(err)
			}
			err := filepath.WalkDir(top, func(p string, _ os.DirEntry, err error) error {
				if err != nil {
					return err
				}
				return os.Chown(p, nobody, nobody)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		runAs(cmd, nobody)
	}
	return func() (string, error) {
		c := &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, SysProcAttr: cmd.SysProcAttr, Dir: filepath.Dir(w.dir)}
		out, err := c.CombinedOutput()
		return string(out), err
	}
}
