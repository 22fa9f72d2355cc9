package worker

// This file defines what Windows adds. The child's use of processor and memory is not watched there, its time is.

import (
	"errors"
	"os/exec"
	"syscall"
)

func limitSelf() {}

// prepare puts the child in a process group of its own, out of reach of Ctrl-C in the console, and gives it no window.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func usage(int) (used, bool) { return used{}, false }

func isBrokenPipe(err error) bool {
	const noData = syscall.Errno(232) // ERROR_NO_DATA: the pipe is being closed
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, noData)
}
