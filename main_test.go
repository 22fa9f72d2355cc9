package main

// This file defines the tests that run the real binary: the scripts of testdata/script, and what scripts cannot say.
//
// CONTRIBUTING.md tells how a script is written. Besides testscript's own commands there are, as programs, `docket` itself and
// `mcpcall`, a client of MCP; and, as commands of the script, `capture`,
// `exits`, `snapshot`, `unchanged`, `mode`, `newer` and `cut`, described below.

import (
	"encoding/binary"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"docket/db"
)

var update = flag.Bool("update", false, "rewrite what the scripts in testdata/script expect")

// patience is how long a test waits for an answer: far longer than any takes, as a machine under load can sleep for a minute.
const patience = 150 * time.Second

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"docket": main, "mcpcall": mcpcall, "parent": parent})
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("LOCALAPPDATA", filepath.Join(home, "AppData", "Local"))
			env.Setenv("APPDATA", filepath.Join(home, "AppData", "Roaming"))
			program, err := exec.LookPath("docket")
			if err != nil {
				return err
			}
			env.Setenv("DOCKET", program)
			env.Setenv("SCHEMA", strconv.Itoa(db.SchemaVersion()))
			if err := os.Mkdir(home, 0o700); err != nil {
				return err
			}
			env.Values[takenKey{}] = taken{}
			// A copy, since a script may change it, and to show that docket does not.
			return os.CopyFS(filepath.Join(env.WorkDir, "corpus"), os.DirFS("testdata/corpus"))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"capture": capture, "exits": exits, "snapshot": snapshot, "unchanged": unchanged, "mode": mode, "newer": newer, "cut": cut,
		},
	})
}

// The README's first command does what it says, with the words that stand there.
func TestReadmeCommand(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^go run \. (add testdata/corpus --search) "(.+)"$`).FindStringSubmatch(string(readme))
	if found == nil {
		t.Fatal("README.md has no line that adds testdata/corpus")
	}
	home := t.TempDir()
	cmd := exec.Command("docket", append(strings.Fields(found[1]), found[2])...)
	cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "LOCALAPPDATA="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	for _, want := range []string{"\n1. corpus/", "\n   c_", "\nNext: "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%v: no %q in\n%s", cmd, want, out)
		}
	}
}

// fileState is all of a file that docket could spoil.
type fileState struct {
	Mode    fs.FileMode
	ModTime time.Time
	Content string
}

func filesIn(dir string) (map[string]fileState, error) {
	files := map[string]fileState{}
	return files, filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		s := fileState{Mode: fi.Mode(), ModTime: fi.ModTime()}
		if fi.Mode().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			s.Content = string(b)
		}
		files[p] = s
		return nil
	})
}

// taken holds the snapshots of a script, by folder.
type takenKey struct{}

type taken map[string]map[string]fileState

// snapshot DIR remembers every file of a folder: bytes, mode and time.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: snapshot DIR")
	}
	files, err := filesIn(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Value(takenKey{}).(taken)[args[0]] = files
}

// unchanged DIR fails if a file of the folder is not as it was at the snapshot.
func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unchanged DIR")
	}
	want, ok := ts.Value(takenKey{}).(taken)[args[0]]
	if !ok {
		ts.Fatalf("unchanged: there is no snapshot of %s", args[0])
	}
	got, err := filesIn(ts.MkAbs(args[0]))
	ts.Check(err)
	if diff := cmp.Diff(want, got); diff != "" {
		ts.Fatalf("%s changed (-want +got):\n%s", args[0], diff)
	}
}

// exits CODE PROGRAM [ARG]... runs a program, like exec, and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG]...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// capture NAME PATTERN sets a variable to what the parentheses of a pattern match in the last standard output.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME PATTERN")
	}
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	m := pattern.FindStringSubmatch(ts.ReadFile("stdout"))
	if len(m) != 2 {
		ts.Fatalf("no match for %s, or no parentheses in it", args[1])
	}
	ts.Setenv(args[0], m[1])
}

// mode OCTAL FILE... checks permissions.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mode OCTAL FILE...")
	}
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	for _, name := range args[1:] {
		fi, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if got := fi.Mode().Perm(); got != fs.FileMode(want) {
			ts.Fatalf("%s has mode %o, want %o", name, got, want)
		}
	}
}

// newer FILE makes a database that no process has open look as if a later docket had written it.
func newer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: newer FILE")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR, 0)
	ts.Check(err)
	var number [4]byte
	binary.BigEndian.PutUint32(number[:], 9999)
	_, err = f.WriteAt(number[:], 60) // user_version, in SQLite's file header
	ts.Check(errors.Join(err, f.Close()))
}

// cut FILE TO copies the first two thirds of a file, as a copy does that is broken off.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut FILE TO")
	}
	whole := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(whole[:len(whole)*2/3]), 0o600))
}
