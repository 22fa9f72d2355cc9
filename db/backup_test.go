package db_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docket/db"
	"docket/db/dbtest"
)

func deep(ctx context.Context, d *db.DB) ([]db.Problem, error) { return d.Check(ctx, true) }

func TestBackup(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	text := strings.Repeat("The migration was approved by Ada. ", 4000)
	v, _ := put(t, d, "r/a.md", text, db.Chunk{Kind: "paragraph", End: 35})
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := d.Backup(ctx, to, deep); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(to)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v", fi.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to), "*")); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
	c := dbtest.OpenAt(t, to)
	if err := c.View(ctx, func(tx *db.Tx) error {
		got, err := tx.Text(ctx, v.Row, 0, len(text))
		if got != text {
			t.Error("the copy's text differs")
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if err := d.Backup(ctx, to, deep); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second backup to the same place: %v", err)
	}
	refuse := func(context.Context, *db.DB) ([]db.Problem, error) { return []db.Problem{{Where: "x", What: "y"}}, nil }
	to2 := filepath.Join(t.TempDir(), "bad.db")
	if err := d.Backup(ctx, to2, refuse); err == nil {
		t.Error("an unsound copy was taken")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to2), ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// SQLite's integrity check sees few flipped bits; the hashes see those that change a text.
func TestCheckFindsDamage(t *testing.T) {
	ctx := t.Context()
	for name, stmt := range map[string]string{
		"text":    `UPDATE text_piece SET data = CAST('Changed' || substr(data, 8) AS BLOB) WHERE ord = 0`,
		"passage": `UPDATE chunk SET start = start + 1`,
		"range":   `UPDATE chunk SET end = 999999`,
		"orphan":  `PRAGMA foreign_keys = 0; DELETE FROM version`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			d := dbtest.OpenAt(t, path)
			put(t, d, "r/a.md", "Some text of a file.", db.Chunk{Kind: "paragraph", End: 19})
			if found, err := d.Check(ctx, true); err != nil || len(found) != 0 {
				t.Fatalf("before: %v, %v", found, err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			raw(t, path, stmt)
			found, err := dbtest.OpenAt(t, path).Check(ctx, true)
			if err != nil || len(found) == 0 {
				t.Errorf("found %v, %v", found, err)
			}
		})
	}
}
