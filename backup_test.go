package main

// This file defines what is tested of backups and of plain copies, with processes that are killed and that go on writing.
// DOCKET_LONG=1 go test . -run Backups -timeout 60m makes 200 backups under load instead of a few.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func docket(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("docket", args...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "XDG_CONFIG_HOME="+home)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func mustDocket(t *testing.T, args ...string) string {
	t.Helper()
	out, err := docket(t, args...)
	if err != nil {
		t.Fatalf("docket %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func writer(t *testing.T, path string) *session {
	t.Helper()
	s := serve(t, "--db", path, "--project", "p", "--agent", "a", "--read-only=false")
	if err := s.handshake(); err != nil {
		t.Fatal(err)
	}
	if answer, err := s.call("create_task", `{"task_name":"t","goal":"g","request_id":"t"}`); err != nil {
		t.Fatalf("%s, %v", answer, err)
	}
	return s
}

func record(s *session, n int) error {
	answer, err := s.call("record_event", fmt.Sprintf(`{"task_name":"t","kind":"note","role":"user","name":"n","payload":"event number %d","request_id":"e%d"}`, n, n))
	if err == nil && !strings.Contains(answer, `"seq"`) {
		err = fmt.Errorf("answer %s", answer)
	}
	return err
}

// After a writer was killed, one run of docket makes the single file complete: a plain copy of it holds all that was acknowledged.
// While a server lives and rests, it does so by itself.
func TestFileAloneIsComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docket.db")
	s := writer(t, path)
	for n := range 20 {
		if err := record(s, n); err != nil {
			t.Fatal(err)
		}
	}
	events := func(from string) int {
		t.Helper()
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(copied, b, 0o600); err != nil {
			t.Fatal(err)
		}
		mustDocket(t, "doctor", "--deep", copied)
		out := filepath.Join(t.TempDir(), "b.db")
		mustDocket(t, "backup", out, "--db", copied)
		lines, err := os.ReadFile(out + ".traces.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(lines), `"record":"event"`)
	}
	size := func() int64 {
		fi, err := os.Stat(path + "-wal")
		if err != nil {
			return 0
		}
		return fi.Size()
	}
	if size() == 0 {
		t.Fatal("there is no WAL, so that the test sees nothing")
	}
	if !testing.Short() {
		end, tick := time.After(patience), time.NewTicker(100*time.Millisecond)
		defer tick.Stop()
		for rests := false; !rests; {
			select {
			case <-end:
				t.Fatal("a server that rests did not empty its WAL")
			case <-tick.C:
				rests = size() == 0
			}
		}
		if n := events(path); n != 20 {
			t.Errorf("the file beside a resting server holds %d of 20 events", n)
		}
		for n := 20; n < 40; n++ {
			if err := record(s, n); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := 20
	if !testing.Short() {
		want = 40
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	if size() == 0 {
		t.Fatal("the kill left no WAL, so that the test sees nothing")
	}
	mustDocket(t, "status", "--db", path)
	if size() != 0 {
		t.Error("status left the WAL as it was")
	}
	if n := events(path); n != want {
		t.Errorf("the file alone holds %d of %d events", n, want)
	}
}

// Every backup that is taken while an agent writes and folders change is sound, and holds no less than the one before.
func TestBackupsUnderLoad(t *testing.T) {
	backups := 4
	if testing.Short() {
		backups = 2
	}
	if os.Getenv("DOCKET_LONG") != "" {
		backups = 200
	}
	dir := t.TempDir()
	path, docs := filepath.Join(dir, "docket.db"), filepath.Join(dir, "docs")
	change := func(n int) error {
		text := fmt.Sprintf("# Note %d\n\nThe harbour has berth number%d and a crane.\n", n, n)
		return os.WriteFile(filepath.Join(docs, fmt.Sprintf("n%d.md", n%50)), []byte(text), 0o600)
	}
	if err := os.Mkdir(docs, 0o700); err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		if err := change(n); err != nil {
			t.Fatal(err)
		}
	}
	mustDocket(t, "add", docs, "--db", path)
	s := writer(t, path)
	var done atomic.Bool
	var load sync.WaitGroup
	var written atomic.Int64
	load.Go(func() {
		pace := time.NewTicker(10 * time.Millisecond) // else the store, and the time of a backup, grow without end
		defer pace.Stop()
		for n := 0; !done.Load(); n++ {
			<-pace.C
			if err := record(s, n); err != nil {
				t.Error(err)
				return
			}
			written.Add(1)
			if n%20 == 0 {
				if err := change(n / 20); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	before := 0
	for n := range backups {
		to := filepath.Join(dir, fmt.Sprintf("b%03d.db", n))
		args := []string{"backup", to, "--db", path}
		if n%25 == 1 {
			args = append(args, "--verify", "independent")
		}
		acknowledged := int(written.Load())
		out, err := docket(t, args...)
		if err != nil {
			t.Errorf("backup %d: %v\n%s", n, err, out)
			break
		}
		lines, err := os.ReadFile(to + ".traces.jsonl")
		if err != nil {
			t.Error(err)
			break
		}
		have := strings.Count(string(lines), `"record":"event"`)
		if have < before || have < acknowledged {
			t.Errorf("backup %d holds %d events, the one before %d, and %d were acknowledged", n, have, before, acknowledged)
		}
		before = have
		if n%10 == 0 {
			mustDocket(t, "doctor", "--deep", to)
		}
		if err := os.Remove(to); err != nil {
			t.Error(err)
		}
	}
	done.Store(true)
	load.Wait()
	t.Logf("%d backups, %d events written meanwhile", backups, written.Load())
}
