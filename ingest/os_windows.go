package ingest

// This file defines what only Windows knows: locks, and that stat there gives no inode, device or time of change.

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const openFlags = 0

func tryLock(f *os.File) (bool, error) {
	// A byte far behind the end, since others can't read what is locked here.
	at := windows.Overlapped{Offset: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func statOf(fi os.FileInfo) stat { return plainStat(fi) }
