package watch_test

// This file tests with processes of its own: they stand for election, are killed, and are made to stand still.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/watch"
)

// TestMain lets the test binary be another process: a watcher of the store that it is told of.
func TestMain(m *testing.M) {
	store := os.Getenv("DOCKET_TEST_STORE")
	if store == "" {
		os.Exit(m.Run())
	}
	if err := child(store); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(store string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	d, err := db.Open(ctx, store, db.Options{Create: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	o := watch.Options{Command: os.Getenv("DOCKET_TEST_COMMAND") != "", Log: slog.New(slog.NewTextHandler(os.Stdout, nil))}
	return watch.Run(ctx, d, o.ForTest(grace, 0, nil))
}

// A process is another watcher.
type process struct {
	*exec.Cmd
	said journal
	over sync.WaitGroup
}

func (w *world) process(command bool) *process {
	w.Helper()
	self, err := os.Executable()
	w.must(err)
	p := &process{Cmd: exec.Command(self)}
	p.Env = append(os.Environ(), "DOCKET_TEST_STORE="+w.path)
	if command {
		p.Env = append(p.Env, "DOCKET_TEST_COMMAND=1")
	}
	out, err := p.StdoutPipe()
	w.must(err)
	p.Stderr = &p.said
	w.must(p.Start())
	p.over.Go(func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			_, _ = p.said.Write([]byte(s.Text() + "\n"))
		}
	})
	w.Cleanup(func() {
		p.kill()
		if w.Failed() {
			w.Logf("process %d said:\n%s", p.Process.Pid, &p.said)
		}
	})
	return p
}

func (p *process) kill() {
	_ = p.Process.Kill() // it may have ended
	p.over.Wait()
	_ = p.Wait() // killed, which is an error
}

// leader waits until a process leads that is not one of these, and has looked at everything, and returns its id.
func (w *world) leader(not ...int) (pid int) {
	w.Helper()
	w.eventually("a leader", func() string {
		s, err := watch.ReadStatus(w.d)
		w.must(err)
		for _, n := range not {
			if s.PID == n {
				return fmt.Sprintf("process %d leads", n)
			}
		}
		if !s.Running || len(s.Roots) == 0 || s.Roots[0].LastLook == "" {
			return fmt.Sprintf("%+v", s)
		}
		pid = s.PID
		return ""
	})
	return pid
}

// A leader that is killed is followed by another within seconds, and what changes meanwhile is not missed.
func TestLeaderKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("a.md", text(1))
	rounds := 2
	if long() > 0 {
		rounds = 50
	}
	others := map[int]*process{}
	start := func() { p := w.process(false); others[p.Process.Pid] = p }
	start()
	start()
	for round := range rounds {
		pid := w.leader()
		start()
		others[pid].kill()
		delete(others, pid)
		w.write("a.md", text(100+round))
		w.many(fmt.Sprintf("r%02d/", round%5), 20, 1000*round) // so that some are killed at work
		w.leader(pid)
		w.eventually("an edit", func() string { return w.lacks(fmt.Sprintf("note %d stand", 100+round)) })
	}
	w.wantFresh("after all kills")
	w.must(w.d.View(t.Context(), func(tx *db.Tx) error {
		got, err := db.Query(t.Context(), tx, db.Value[string], `SELECT integrity_check FROM pragma_integrity_check`)
		if diff := cmp.Diff([]string{"ok"}, got); diff != "" {
			t.Errorf("integrity_check (-want +got):\n%s", diff)
		}
		return err
	}))
}

// A leader that stands still is replaced. When it moves again it neither leads nor writes.
func TestLeaderStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 10 s until a process is given up")
	}
	t.Parallel()
	w := newWorld(t)
	w.write("a.md", text(1))
	first := w.process(false)
	old := w.leader()
	w.process(false)
	w.eventually("an idle store", func() string { return w.lacks("note 1 stand") })
	stopProcess(t, first)
	w.write("a.md", text(2))
	now := w.leader(old)
	w.eventually("an edit", func() string { return w.lacks("note 2 stand") })
	if n := w.count(`SELECT epoch FROM lease WHERE name = 'indexer'`); n != 1 {
		t.Errorf("the epoch is %d after one leader was replaced, want 1", n)
	}
	moveOn(t, first)
	w.eventually("the old leader's resignation", func() string {
		if strings.Contains(first.said.String(), "another docket takes over") {
			return ""
		}
		return first.said.String()
	})
	w.write("a.md", text(3))
	w.eventually("an edit", func() string { return w.lacks("note 3 stand") })
	if s, err := watch.ReadStatus(w.d); err != nil || s.PID != now {
		t.Errorf("process %d leads, %v; want %d still", s.PID, err, now)
	}
}

// A `docket watch` takes the lead from a server, and a server takes it when the command ends.
func TestCommandOutranks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("a.md", text(1))
	w.process(false)
	server := w.leader()
	command := w.process(true)
	if pid := w.leader(server); pid != command.Process.Pid {
		t.Errorf("process %d leads; want the command, %d", pid, command.Process.Pid)
	}
	command.kill()
	if pid := w.leader(command.Process.Pid); pid != server {
		t.Errorf("process %d leads; want the server, %d", pid, server)
	}
}

// Case 127: eight servers and a `docket watch` start at once; one does the work, once, and the command ends up leading.
func TestStartAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const files = 40
	w.many("d/", files, 1)
	for range 8 {
		w.process(false)
	}
	command := w.process(true)
	w.eventually("every document", func() string {
		if n := w.count(`SELECT count(*) FROM document WHERE current_version IS NOT NULL`); n != files {
			return fmt.Sprintf("%d of %d", n, files)
		}
		return ""
	})
	w.eventually("the command's lead", func() string {
		if s, err := watch.ReadStatus(w.d); err != nil || s.PID != command.Process.Pid {
			return fmt.Sprintf("%+v, %v", s, err)
		}
		return ""
	})
	w.wantFresh("after nine starts")
	if n := w.count(`SELECT count(*) FROM activation`); n != files {
		t.Errorf("%d activations of %d files; want each once", n, files)
	}
}
