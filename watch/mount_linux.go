package watch

// This file defines which file systems report no changes, or not those that other hosts make.

import (
	"fmt"

	"golang.org/x/sys/unix"
)

var remote = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "SMB",
	unix.V9FS_MAGIC: "9p", unix.FUSE_SUPER_MAGIC: "FUSE", unix.CODA_SUPER_MAGIC: "Coda", unix.AFS_SUPER_MAGIC: "AFS",
	unix.AFS_FS_MAGIC: "AFS", unix.CEPH_SUPER_MAGIC: "Ceph", 0x786f4256: "a shared folder of VirtualBox",
}

// unwatchable returns why changes below a folder are not reported by the system, or "".
func unwatchable(path string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return ""
	}
	if name, ok := remote[int64(uint32(st.Type))]; ok {
		return fmt.Sprintf("it is on %s, which does not report what others change", name)
	}
	return ""
}
