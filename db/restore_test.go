package db_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"docket/db"
	"docket/db/dbtest"
)

func TestRestore(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "docket.db"), filepath.Join(dir, "backup.db")
	d := dbtest.OpenAt(t, path)
	if err := addRoot(ctx, d, "kept"); err != nil {
		t.Fatal(err)
	}
	if err := d.Backup(ctx, backup, deep); err != nil {
		t.Fatal(err)
	}
	if err := addRoot(ctx, d, "later"); err != nil {
		t.Fatal(err)
	}
	_, err := db.Restore(ctx, backup, path, deep)
	if _, ok := errors.AsType[*db.LiveError](err); !ok {
		t.Fatalf("restore under a live store: %v", err)
	}
	// What a killed process leaves: a store whose newest rows are in the WAL.
	wal, err := os.ReadFile(path + "-wal")
	if err != nil || len(wal) == 0 {
		t.Fatalf("no WAL to leave behind: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", wal, 0o600); err != nil {
		t.Fatal(err)
	}
	aside, err := db.Restore(ctx, backup, path, deep)
	if err != nil {
		t.Fatal(err)
	}
	restored := dbtest.OpenAt(t, path)
	if got := roots(t, restored); len(got) != 1 || got[0].Name != "kept" {
		t.Errorf("restored roots: %v", got)
	}
	if found, err := restored.Check(ctx, true); err != nil || len(found) != 0 {
		t.Errorf("restored: %v, %v", found, err)
	}
	if got := roots(t, dbtest.OpenAt(t, aside)); len(got) != 2 {
		t.Errorf("set aside: %v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".docket-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRestoreRefuses(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	path := filepath.Join(dir, "docket.db")
	d := dbtest.OpenAt(t, path)
	if err := addRoot(ctx, d, "kept"); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{text, path, filepath.Join(dir, "none.db")} {
		if _, err := db.Restore(ctx, from, path, deep); err == nil {
			t.Errorf("restored from %s", from)
		}
		if got := roots(t, dbtest.OpenAt(t, path)); len(got) != 1 {
			t.Errorf("after %s: %v", from, got)
		}
	}
}
