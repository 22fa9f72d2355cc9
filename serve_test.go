package main

// This file defines what is tested of servers as processes: many at once, a parent that dies, and no network.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func serve(t *testing.T, args ...string) *session {
	t.Helper()
	cmd := exec.Command("docket", append([]string{"serve"}, args...)...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "XDG_CONFIG_HOME="+home)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	s, err := startSession(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
		if t.Failed() {
			t.Logf("stderr of docket serve %s:\n%s", strings.Join(args, " "), stderr.String())
		}
	})
	return s
}

// Cases 127, 133: eight servers that start at once on a file that does not exist yet all answer, and go on answering.
func TestEightServersOnANewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "docket.db")
	var g sync.WaitGroup
	for range 8 {
		s := serve(t, "--db", path)
		g.Go(func() {
			err := s.handshake()
			for i := 0; i < 3 && err == nil; i++ {
				var answer string
				if answer, err = s.call("search_evidence", `{"query":"anything"}`); err == nil && !strings.Contains(answer, `"no_matches"`) && !strings.Contains(answer, `"partial"`) {
					err = fmt.Errorf("answer %s", answer)
				}
			}
			if err = errors.Join(err, s.close()); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	left, err := filepath.Glob(path + "*")
	if err != nil || !slices.Equal(left, []string{path, path + ".indexer"}) {
		t.Errorf("files after the last server ended: %v, %v; want the one file, and the lock by which one of them indexed", left, err)
	}
}

// An agent is answered while a large folder is being indexed, from what is there already; a second add waits for the first.
func TestSearchWhileIndexing(t *testing.T) {
	dir := t.TempDir()
	const files = 600
	for i := range files {
		text := fmt.Sprintf("# Note %d\n\n%s\n", i, strings.Repeat(fmt.Sprintf("The harbour has berth number%d. ", i), 20))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note%04d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "docket.db")
	s := serve(t, "--db", path)
	if err := s.handshake(); err != nil {
		t.Fatal(err)
	}
	indexed := make(chan error, 2)
	for range 2 {
		add := exec.Command("docket", "add", dir, "--name", "notes", "--db", path)
		go func() {
			out, err := add.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%v: %w: %s", add, err, out)
			}
			indexed <- err
		}()
	}
	// documents asks for one hit, and returns of how many documents the answer is.
	documents := func() int {
		answer, err := s.call("search_evidence", `{"query": "harbour berth", "limit": 1}`)
		if err != nil {
			t.Fatal(err)
		}
		var a struct {
			Hits       []struct{}
			IndexState struct{ Coverage struct{ Documents int } } `json:"index_state"`
		}
		if err := json.Unmarshal([]byte(answer), &a); err != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		if n := a.IndexState.Coverage.Documents; (n > 0) != (len(a.Hits) > 0) {
			t.Errorf("%d hits in %d documents", len(a.Hits), n)
		}
		return a.IndexState.Coverage.Documents
	}
	between, last, running := 0, 0, 2
	for running > 0 {
		select {
		case err := <-indexed:
			if err != nil {
				t.Error(err)
			}
			running--
		default:
		}
		n := documents()
		if n < last {
			t.Errorf("%d documents, after there were %d", n, last)
		}
		if last = n; 0 < n && n < files {
			between++
		}
	}
	if between == 0 {
		t.Error("no answer came from a part of the folder")
	}
	if n := documents(); n != files {
		t.Errorf("%d documents in the end, want %d", n, files)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// Case 140: a server whose parent is killed ends within two seconds, though its input stays open.
func TestServerEndsWithItsParent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a Windows host ends its children by closing their input, which other tests cover")
	}
	in, keepOpen, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer keepOpen.Close()
	out, serverOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	host := exec.Command("parent", "docket", "serve", "--db", filepath.Join(t.TempDir(), "docket.db"))
	host.Stdin, host.Stdout = in, serverOut
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	serverOut.Close() // from here on only the server holds it: it reads as ended when the server is gone

	line := make([]byte, 1)
	if _, err := keepOpen.WriteString(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, line); err != nil { // the server is up
		t.Fatal(err)
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait()
	start := time.Now()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 10*time.Second { // two, and room for a machine under load
		t.Errorf("the server outlived its parent by %v", took)
	}
}

// parent starts a program on its own streams and waits for it, as a host does that knows nothing of its end.
func parent() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		log.Fatal(err)
	}
}

// Ctrl-C ends what waits for a person, at once and with a word.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signal can be sent to one process")
	}
	path := filepath.Join(t.TempDir(), "docket.db")
	s := serve(t, "--db", path) // makes the database
	if err := errors.Join(s.handshake(), s.close()); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"cite", "--db", path, "-"}, {"serve", "--db", path}} {
		t.Run(args[0], func(t *testing.T) {
			cmd := exec.Command("docket", args...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// What it reads shows that it is up: a pipe takes this much only once somebody reads.
			if _, err := in.Write(append(bytes.Repeat([]byte(" "), 1<<20), '\n')); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, _ = io.Copy(io.Discard, out)
			err = cmd.Wait()
			if took := time.Since(start); took > 10*time.Second { // at most two, and room for a machine under load
				t.Errorf("it took %v to end", took)
			}
			switch args[0] {
			case "cite":
				if cmd.ProcessState.ExitCode() != 1 || stderr.String() != "docket: interrupted\n" {
					t.Errorf("exit code %d, stderr %q", cmd.ProcessState.ExitCode(), stderr.String())
				}
			case "serve":
				if err != nil {
					t.Errorf("%v, stderr %q", err, stderr.String())
				}
			}
		})
	}
}

// docket talks to nobody: while it serves it holds no socket at all, so nothing listens and nothing can be sent. That is seen in
// the process itself, which needs no tracing; that no package below could open one is a matter of review.
func TestServerHoldsNoSocket(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	s := serve(t, "--db", filepath.Join(t.TempDir(), "docket.db"))
	if err := s.handshake(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.call("search_evidence", `{"query":"anything"}`); err != nil {
		t.Fatal(err)
	}
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.cmd.Process.Pid))
	if err != nil || len(open) < 3 {
		t.Fatalf("open files %v, %v", open, err)
	}
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, "socket:") {
			t.Errorf("%s is %s", fd, to)
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}
