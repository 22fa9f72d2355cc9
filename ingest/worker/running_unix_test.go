//go:build unix

package worker_test

import (
	"syscall"
	"testing"
	"time"

	"docket/ingest/worker"
)

// running reports a process that is there and no zombie of ours.
func running(pid int) bool { return syscall.Kill(pid, 0) == nil }

// A Ctrl-C that reaches the child is not the document's fault.
func TestChildIgnoresTheTerminal(t *testing.T) {
	c := client(t, "__parse", worker.Limits{})
	alive(t, c)
	pid := c.Pid()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond)
	alive(t, c)
	if c.Pid() != pid {
		t.Error("the child went")
	}
}
