//go:build unix

package ingest_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"docket/db"
	"docket/ingest"
)

// A sync that stands still in the middle of its work is replaced after 10 s, and writes nothing when it moves again.
func TestStandstill(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 10 s until a process is given up")
	}
	w := newWorld(t)
	w.now = time.Now()
	const files = 400
	for i := range files {
		w.write(fmt.Sprintf("f%03d.md", i), fmt.Sprintf("# F\n\nOld text %d.\n", i))
	}
	w.add("docs")
	cmd := childCommand(t, w.path)
	cmd.Env = append(cmd.Env, "DOCKET_TEST_TELL=ask") // else it might be done before it can be stopped
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	leave, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	signal := func(s syscall.Signal) {
		t.Helper()
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	if !lines.Scan() { // that it has opened the store
		t.Fatal("the other sync said nothing")
	}
	for steps := files + 80; ; steps = 1 { // past the walk, into the indexing
		for range steps {
			if !lines.Scan() {
				t.Fatalf("the other sync ended: %s", &said)
			}
			if _, err := leave.Write([]byte{'\n'}); err != nil {
				t.Fatal(err)
			}
		}
		signal(syscall.SIGSTOP)
		// Stopped inside a transaction it holds SQLite's own lock, and nobody can write until it moves.
		if err := w.d.Update(t.Context(), func(*db.Tx) error { return nil }); err == nil {
			break
		}
		signal(syscall.SIGCONT)
	}
	for i := range files {
		w.write(fmt.Sprintf("f%03d.md", i), fmt.Sprintf("# F\n\nNew text %d.\n", i))
	}
	if _, err := ingest.Sync(t.Context(), w.d, ingest.SyncRequest{}); err != nil {
		t.Fatalf("sync beside one that stands still: %v", err)
	}
	after := w.snapshot()
	seq := w.seq()
	signal(syscall.SIGCONT)
	if err := leave.Close(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err == nil || !strings.Contains(said.String(), "stood still") {
		t.Errorf("the sync that stood still ended with %v and said %q; want it to say so", err, &said)
	}
	w.wantSame(after, "after the other moved again")
	if now := w.seq(); now != seq {
		t.Errorf("it made %d activations after it was replaced", now-seq)
	}
	w.wantFresh("after both")
}

func (w *world) seq() (seq int64) {
	w.view(func(tx *db.Tx) (err error) { seq, err = tx.Seq(w.Context()); return err })
	return seq
}

// A lease is one holder's at a time, is free when it is given back, and tells who has it.
func TestLease(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	l, err := ingest.TryLease(ctx, w.d, ingest.IndexerLease, "1.2")
	if err != nil || l == nil {
		t.Fatalf("a free lease: %v, %v", l, err)
	}
	if err := l.Tell("at work"); err != nil {
		t.Fatal(err)
	}
	if other, err := ingest.NewWatch(w.d, ingest.IndexerLease, "").Try(ctx); other != nil || err != nil {
		t.Errorf("a held lease was given to another: %v, %v", other, err)
	}
	if alive, err := ingest.NewWatch(w.d, ingest.IndexerLease, "").Alive(); !alive || err != nil {
		t.Errorf("its holder is alive: %v, %v", alive, err)
	}
	b, held, err := ingest.ReadBeat(w.d, ingest.IndexerLease)
	if err != nil || !held || b.Version != "1.2" || string(b.Note) != `"at work"` {
		t.Errorf("its beat is %+v, held %v, %v", b, held, err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if _, held, err := ingest.ReadBeat(w.d, ingest.IndexerLease); held || err != nil {
		t.Errorf("a released lease is held: %v, %v", held, err)
	}
}
