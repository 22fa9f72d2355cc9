//go:build unix

package db

// This file defines how Unix tells who may read a file, and how many names it has.

import (
	"os"
	"syscall"
)

// othersMay says what users other than the owner may do with a file, or "".
func othersMay(fi os.FileInfo) string {
	switch mode := fi.Mode().Perm(); {
	case mode&0o022 != 0:
		return "write"
	case mode&0o044 != 0:
		return "read"
	}
	return ""
}

func links(fi os.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink) //nolint:unconvert // its type differs between systems
	}
	return 1
}
