package worker

// This file defines what Linux adds: the child's use of processor and memory, and limits that hold even where nobody watches.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Backstops a child sets on itself, well above what the parent allows a document.
const (
	maxAddressSpace = 6 << 30
	maxLifeCPU      = 60 * 60 // seconds, over all its documents; one that reaches it is replaced
)

// limitSelf lowers the process's own limits. A system that refuses leaves the parent's watch, which is enough.
func limitSelf() {
	lower := func(resource int, to uint64) {
		var r unix.Rlimit
		if unix.Getrlimit(resource, &r) == nil && r.Max > to {
			_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: to, Max: to})
		}
	}
	lower(unix.RLIMIT_AS, maxAddressSpace)
	lower(unix.RLIMIT_CPU, maxLifeCPU)
	lower(unix.RLIMIT_CORE, 0)
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// prepare puts the child in a process group of its own, out of reach of the terminal's signals, and has the kernel end it when its
// parent dies, however that happens.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// usage reads what a process has used. ok is false where it cannot be told.
func usage(pid int) (u used, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, false
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // the name before it may hold anything
	if len(f) < 22 {
		return u, false
	}
	var n [3]int64
	for i, at := range []int{11, 12, 21} { // utime, stime, rss: fields 14, 15 and 24 of proc(5)
		if n[i], err = strconv.ParseInt(string(f[at]), 10, 64); err != nil {
			return u, false
		}
	}
	const ticks = 100 // USER_HZ, on every architecture Go runs on
	return used{cpu: time.Duration(n[0]+n[1]) * time.Second / ticks, resident: n[2] * int64(os.Getpagesize())}, true
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
