package db_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"docket/db"
	"docket/db/dbtest"
)

// smallDisk mounts a disk of a few MB, where the test may.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A full disk ends a write with words that say so, and nothing that was acknowledged is lost; reading goes on, and so does writing
// once there is room.
func TestDiskFull(t *testing.T) {
	ctx := t.Context()
	dir := smallDisk(t, "4m")
	path := filepath.Join(dir, "docket.db")
	d, err := db.Open(ctx, path, dbtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	var full error
	for i := 0; i < 10000 && full == nil; i++ {
		if full = d.Update(ctx, func(tx *db.Tx) error {
			return tx.PutRoot(ctx, &db.Root{Name: fmt.Sprintf("r%05d", i), Path: strings.Repeat("/folder", 300), State: db.RootOnline})
		}); full == nil {
			acknowledged++
		}
	}
	if full == nil || !strings.Contains(full.Error(), "is full") || acknowledged == 0 {
		t.Fatalf("after %d writes: %v", acknowledged, full)
	}
	if got := roots(t, d); len(got) != acknowledged {
		t.Errorf("%d of %d acknowledged writes can be read", len(got), acknowledged)
	}
	to := filepath.Join(dir, "copy.db")
	if err := d.Backup(ctx, to, deep); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("a backup on a full disk: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*copy*")); len(left) != 0 {
		t.Errorf("left of the backup: %v", left)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := addRoot(ctx, d, "later"); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if found, err := d.Check(ctx, true); err != nil || len(found) != 0 {
		t.Errorf("afterwards: %v, %v", found, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	again := dbtest.OpenAt(t, path)
	if got := roots(t, again); len(got) != acknowledged+1 {
		t.Errorf("%d of %d roots after reopening", len(got), acknowledged+1)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// A disk that may not be written: what is refused is said, and the file stays as it is.
func TestReadOnlyDisk(t *testing.T) {
	ctx := t.Context()
	dir := smallDisk(t, "4m")
	path := filepath.Join(dir, "docket.db")
	d, err := db.Open(ctx, path, dbtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(addRoot(ctx, d, "kept"), d.Close()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("the disk cannot be made read-only: %v", err)
	}
	d, err = db.Open(ctx, path, dbtest.Options())
	if err == nil {
		err = addRoot(ctx, d, "lost")
		if got := roots(t, d); len(got) != 1 {
			t.Errorf("read %v", got)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("a write to a read-only disk: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed: %v", err)
	}
}
