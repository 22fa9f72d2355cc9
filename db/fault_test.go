package db_test

import (
	"path/filepath"
	"testing"
	"time"

	"docket/db"
	"docket/db/dbtest"
)

// A clock that is set back orders nothing anew: the version that was activated last is the newest, whatever its time says.
func TestClockSetBack(t *testing.T) {
	ctx := t.Context()
	now := dbtest.Start
	o := dbtest.Options()
	o.Now = func() time.Time { return now }
	d, err := db.Open(ctx, filepath.Join(t.TempDir(), "docket.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	first, _ := put(t, d, "r/a.md", "The first text.")
	now = now.Add(-48 * time.Hour)
	second, _ := put(t, d, "r/a.md", "The second text.")
	if err := d.View(ctx, func(tx *db.Tx) error {
		doc, err := tx.Document(ctx, "r/a.md")
		if err != nil {
			return err
		}
		versions, err := tx.Versions(ctx, doc.ID)
		if err != nil {
			return err
		}
		if doc.Current != second.Row || len(versions) != 2 || versions[0].Row != second.Row || versions[1].Row != first.Row {
			t.Errorf("current %d, versions %v; want %d before %d", doc.Current, versions, second.Row, first.Row)
		}
		if versions[0].CreatedAt >= versions[1].CreatedAt {
			t.Error("the clock was not set back")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
