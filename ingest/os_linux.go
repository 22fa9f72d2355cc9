package ingest

// This file defines how stat spells the time of change here.

import (
	"os"
	"syscall"
)

func statOf(fi os.FileInfo) stat {
	s := plainStat(fi)
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.ctimeNS, s.inode, s.device = st.Ctim.Nano(), int64(st.Ino), int64(st.Dev)
	}
	return s
}
