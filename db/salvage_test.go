package db_test

import (
	"errors"
	"path/filepath"
	"testing"

	"docket/db"
	"docket/db/dbtest"
)

// A store that somebody may write to is not salvaged: what was read of it would be of no moment.
func TestSalvageRefusesALiveStore(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	path := filepath.Join(dir, "docket.db")
	live := dbtest.OpenAt(t, path)
	if err := addRoot(ctx, live, "kept"); err != nil {
		t.Fatal(err)
	}
	fresh := dbtest.OpenAt(t, filepath.Join(dir, "new.db"))
	_, err := fresh.Salvage(ctx, path, nil)
	if _, ok := errors.AsType[*db.LiveError](err); !ok {
		t.Fatalf("a live store was salvaged: %v", err)
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := fresh.Salvage(ctx, path, nil); err != nil {
		t.Fatal(err)
	}
	if got := roots(t, fresh); len(got) != 1 {
		t.Errorf("saved %v", got)
	}
}
