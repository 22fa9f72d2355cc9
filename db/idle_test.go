package db_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docket/db"
	"docket/db/dbtest"
	"docket/migrations"
)

// copyAlone copies the one file and opens the copy, as a person who knows of no WAL would.
func copyAlone(t *testing.T, path string) *db.DB {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return dbtest.OpenAt(t, to)
}

func TestCheckpoint(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "docket.db")
	d := dbtest.OpenAt(t, path)
	if err := addRoot(ctx, d, "a"); err != nil {
		t.Fatal(err)
	}
	// Case 136: a reader that does not end keeps the WAL; nobody waits for it, and writers go on.
	reading, stop := make(chan struct{}), make(chan struct{})
	ended := make(chan error)
	go func() {
		ended <- d.View(ctx, func(tx *db.Tx) error {
			_, err := tx.Roots(ctx)
			close(reading)
			<-stop
			return err
		})
	}()
	<-reading
	if err := addRoot(ctx, d, "b"); err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[*db.CheckpointError](d.Checkpoint(ctx)); !ok {
		t.Error("the WAL was emptied under a reader")
	}
	if err := addRoot(ctx, d, "c"); err != nil {
		t.Errorf("a write after a checkpoint that could not be made: %v", err)
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := d.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path + "-wal"); err != nil || fi.Size() != 0 {
		t.Errorf("the WAL: %v, %v", fi, err)
	}
	if got := roots(t, copyAlone(t, path)); len(got) != 3 {
		t.Errorf("the file alone holds %v", got)
	}
}

// A store of an earlier docket is copied beside itself before it is migrated, and a failed migration changes nothing.
func TestCopyBeforeMigration(t *testing.T) {
	old := db.SchemaVersion() - 1
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var stmts []string
	for _, name := range names[:old] {
		text, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		stmts = append(stmts, string(text))
	}
	path := filepath.Join(t.TempDir(), "docket.db")
	stmts = append(stmts, `INSERT INTO root (name, path, state, added_at) VALUES ('kept', '/kept', 'online', '')`,
		fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d`, 0x646f636b, old))
	raw(t, path, stmts...)
	if got := roots(t, dbtest.OpenAt(t, path)); len(got) != 1 {
		t.Errorf("migrated: %v", got)
	}
	kept := fmt.Sprintf("%s.schema-%d", path, old)
	fi, err := os.Stat(kept)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Fatalf("the copy: %v, %v", fi, err)
	}
	if left, _ := filepath.Glob(path + ".schema*"); len(left) != 1 {
		t.Errorf("copies: %v", left)
	}
	dbtest.OpenAt(t, path) // a second start migrates nothing and copies nothing
	if got := roots(t, dbtest.OpenAt(t, kept)); len(got) != 1 || got[0].Name != "kept" {
		t.Errorf("the copy holds %v", got)
	}
}

// What is deleted can still be read in the file's free pages and in the WAL until it is scrubbed.
func TestScrub(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "docket.db")
	d := dbtest.OpenAt(t, path)
	const word = "periwinkle"
	put(t, d, "r/keep.md", strings.Repeat("Some other text. ", 1000))
	v, _ := put(t, d, "r/a.md", strings.Repeat("The "+word+" is a flower. ", 5000))
	remove := func(tx *db.Tx) error {
		if _, err := tx.Remove(ctx, v.DocumentID, 0); err != nil {
			return err
		}
		return tx.DeleteVersion(ctx, v.Row)
	}
	if err := d.Update(ctx, remove); err != nil {
		t.Fatal(err)
	}
	left := func() (n int) {
		for _, suffix := range []string{"", "-wal"} {
			b, err := os.ReadFile(path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			n += strings.Count(string(b), word)
		}
		return n
	}
	if left() == 0 {
		t.Fatal("the test sees nothing")
	}
	if err := d.Scrub(ctx); err != nil {
		t.Fatal(err)
	}
	if n := left(); n != 0 {
		t.Errorf("found %d times afterwards", n)
	}
	if found, err := d.Check(context.WithoutCancel(ctx), true); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}
