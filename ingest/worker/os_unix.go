//go:build unix && !linux

package worker

// This file defines what other Unix systems add. The child's use of processor and memory is not watched there, its time is.

import (
	"errors"
	"os/exec"
	"syscall"
)

func limitSelf() {
	const maxLifeCPU = 60 * 60 // seconds, over all its documents; one that reaches it is replaced
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CPU, &r) == nil && r.Max > maxLifeCPU {
		_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: maxLifeCPU, Max: maxLifeCPU})
	}
}

// prepare puts the child in a process group of its own, out of reach of the terminal's signals.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func usage(int) (used, bool) { return used{}, false }

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
