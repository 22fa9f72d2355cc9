package db

// This file defines how Linux tells a network file system.

import "syscall"

// networkOf names the network file system that a path is on, or "". FUSE is counted as one: what is behind it cannot be told.
func networkOf(path string) string {
	var st syscall.Statfs_t
	if syscall.Statfs(path, &st) != nil {
		return ""
	}
	return map[uint32]string{
		0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "SMB", 0xfe534d42: "SMB", 0x01021997: "9p (a virtual machine's shared folder)",
		0x65735546: "a FUSE file system", 0x5346414f: "AFS", 0x00c36400: "Ceph", 0x0bd00bd0: "Lustre", 0x786f4256: "a VirtualBox shared folder",
		0xbacbacbc: "a VMware shared folder", 0x73757245: "Coda",
	}[uint32(st.Type)] //nolint:gosec // the magic number is 32 bits wide
}
