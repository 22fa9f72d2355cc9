package independent_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docket/db"
	"docket/db/dbtest"
	"docket/db/independent"
	"docket/ingest"
)

// A copy is read alike by the second SQLite; what was damaged in a way that only one of them sees is told.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a whole SQLite first")
	}
	ctx := t.Context()
	dir := t.TempDir()
	for i := range 60 {
		text := fmt.Sprintf("# Note %d\n\nThe harbour master wrote about berth number%d and the %s.\n", i, i, strings.Repeat("tide ", i%7+1))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("n%d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := dbtest.Open(t)
	if _, err := ingest.AddRoot(ctx, d, dir, "docs"); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Sync(ctx, d, ingest.SyncRequest{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, damaged, want string }{
		{"sound", "", ""},
		{"an index", "version_content", "file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "copy.db")
			if err := d.Backup(ctx, path, func(context.Context, *db.DB) ([]db.Problem, error) { return nil, nil }); err != nil {
				t.Fatal(err)
			}
			if tt.damaged != "" {
				spoil(t, path, tt.damaged)
			}
			c := dbtest.OpenAt(t, path)
			found, err := independent.Compare(ctx, c, path)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" && len(found) > 0 || tt.want != "" && !strings.Contains(fmt.Sprint(found), tt.want) {
				t.Errorf("found %v, want %q", found, tt.want)
			}
		})
	}
}

// spoil overwrites the root page of a table or an index but for its head.
func spoil(t *testing.T, path, name string) {
	t.Helper()
	r, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	var page, size int64
	if err := r.QueryRow(`SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = ?`, name).Scan(&page, &size); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0x5a}, int(size/2)), (page-1)*size+size/4); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
