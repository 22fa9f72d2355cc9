//go:build unix

package watch_test

// This file makes a process stand still.

import (
	"syscall"
	"testing"
)

func stopProcess(t *testing.T, p *process) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

func moveOn(t *testing.T, p *process) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}
