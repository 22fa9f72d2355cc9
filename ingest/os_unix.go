//go:build unix

package ingest

// This file defines what only Unix knows: locks, and how to open a file that may be anything.

import (
	"errors"
	"os"
	"syscall"
)

// openFlags keep an open from waiting on a FIFO and from following a link that took the file's place.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY | syscall.O_NOFOLLOW

func tryLock(f *os.File) (bool, error) {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}
