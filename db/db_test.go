package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"docket/db"
	"docket/db/dbtest"
)

// TestMain lets the test binary stand in for another docket process: named by a path in the environment, it opens that store once.
func TestMain(m *testing.M) {
	if path := os.Getenv("DOCKET_TEST_OPEN"); path != "" {
		d, err := db.Open(context.Background(), path, db.Options{Create: true})
		if err == nil {
			err = errors.Join(addRoot(context.Background(), d, os.Getenv("DOCKET_TEST_ROOT")), d.Close())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func addRoot(ctx context.Context, d *db.DB, name string) error {
	return d.Update(ctx, func(tx *db.Tx) error {
		return tx.PutRoot(ctx, &db.Root{Name: name, Path: "/" + name, State: db.RootOnline})
	})
}

func roots(t *testing.T, d *db.DB) []db.Root {
	t.Helper()
	var rs []db.Root
	if err := d.View(t.Context(), func(tx *db.Tx) (err error) { rs, err = tx.Roots(t.Context()); return err }); err != nil {
		t.Fatal(err)
	}
	return rs
}

// raw opens the file behind docket's back, as another program would.
func raw(t *testing.T, path string, stmts ...string) {
	t.Helper()
	r, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stmts {
		if _, err := r.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenMakesAPrivateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "a b?#%.db")
	d := dbtest.OpenAt(t, path)
	if err := addRoot(t.Context(), d, "r"); err != nil { // so that -wal and -shm exist
		t.Fatal(err)
	}
	for _, p := range []string{path, path + "-wal", path + "-shm"} {
		fi, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if fi.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", p, fi.Mode().Perm())
		}
		if !d.IsFile(fi) {
			t.Errorf("IsFile(%s) = false", p)
		}
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path + "-wal"); err != nil || !dbtest.OpenAt(t, link).IsFile(fi) {
		t.Errorf("opened through a link, the store does not know its -wal (%v)", err)
	}
	if fi, err := os.Stat(filepath.Dir(path)); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v; want 0700", fi.Mode().Perm(), err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	newer := filepath.Join(dir, "newer.db")
	if err := dbtest.OpenAt(t, newer).Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, newer, `PRAGMA user_version = 9999`)
	other := filepath.Join(dir, "other.db")
	raw(t, other, `CREATE TABLE x (y)`)
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		is         func(error) bool
	}{
		{"missing", filepath.Join(dir, "none.db"), func(err error) bool { _, ok := errors.AsType[*db.NoStoreError](err); return ok }},
		{"newer schema", newer, func(err error) bool { _, ok := errors.AsType[*db.NewerSchemaError](err); return ok }},
		{"another program's", other, func(err error) bool { _, ok := errors.AsType[*db.ForeignFileError](err); return ok }},
		{"not a database", text, func(err error) bool { _, ok := errors.AsType[*db.ForeignFileError](err); return ok }},
		{"a folder", dir, func(err error) bool { _, ok := errors.AsType[*db.ForeignFileError](err); return ok }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, _ := os.ReadFile(tt.path)
			_, err := db.Open(t.Context(), tt.path, db.Options{})
			if !tt.is(err) {
				t.Errorf("Open = %v (%T)", err, err)
			}
			if strings.Count(err.Error(), "is not a docket store") > 1 {
				t.Errorf("Open says it twice: %v", err)
			}
			if after, _ := os.ReadFile(tt.path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

// Case 130: settings reach every connection, not only the one that happened to serve a PRAGMA.
func TestEveryConnectionIsSet(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	settings := func(tx *db.Tx) string {
		var out []string
		for _, p := range []string{"busy_timeout", "foreign_keys", "journal_mode", "synchronous", "trusted_schema", "query_only"} {
			v, err := db.One(ctx, tx, db.Value[string], `SELECT * FROM pragma_`+p)
			if err != nil && !errors.Is(err, db.ErrNotFound) {
				t.Fatal(p, err)
			}
			out = append(out, p+"="+v)
		}
		return strings.Join(out, " ")
	}
	var got []string
	if err := d.Update(ctx, func(w *db.Tx) error {
		got = append(got, settings(w))
		return d.View(ctx, func(a *db.Tx) error { // nested, so that each is another connection
			got = append(got, settings(a))
			return d.View(ctx, func(b *db.Tx) error { got = append(got, settings(b)); return nil })
		})
	}); err != nil {
		t.Fatal(err)
	}
	writer := "busy_timeout=10000 foreign_keys=1 journal_mode=wal synchronous=2 trusted_schema=0 query_only=0"
	reader := strings.Replace(writer, "query_only=0", "query_only=1", 1)
	for i, want := range []string{writer, reader, reader} {
		if got[i] != want {
			t.Errorf("connection %d: %s\nwant %s", i, got[i], want)
		}
	}
}

func TestEngineVersions(t *testing.T) {
	d := dbtest.Open(t)
	if err := d.View(t.Context(), func(tx *db.Tx) error {
		v, err := db.One(t.Context(), tx, db.Value[string], `SELECT sqlite_version()`)
		if err != nil {
			return err
		}
		var major, minor, patch int
		if _, err := fmt.Sscanf(v, "%d.%d.%d", &major, &minor, &patch); err != nil {
			return err
		}
		if major*1_000_000+minor*1_000+patch < 3_051_003 { // before it, two connections that checkpoint and write could lose data
			t.Errorf("SQLite %s, want at least 3.51.3", v)
		}
		_, err = db.One(t.Context(), tx, db.Value[string], `SELECT vec_version()`)
		return err
	}); err != nil {
		t.Error(err)
	}
}

// Case 128: a read writes nothing, and cannot.
func TestViewCannotWrite(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	if err := d.View(ctx, func(tx *db.Tx) error {
		return tx.PutRoot(ctx, &db.Root{Name: "r", State: db.RootOnline})
	}); err == nil {
		t.Error("a write inside View succeeded")
	}
	if got := roots(t, d); len(got) != 0 {
		t.Errorf("roots = %v", got)
	}
}

func TestUpdateRollsBack(t *testing.T) {
	ctx := t.Context()
	boom := errors.New("boom")
	for name, end := range map[string]func(cancel func()) error{
		"error":     func(func()) error { return boom },
		"panic":     func(func()) error { panic(boom) },
		"cancelled": func(cancel func()) error { cancel(); return context.Canceled },
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.Open(t)
			cctx, cancel := context.WithCancel(ctx)
			defer cancel()
			func() {
				defer func() { _ = recover() }()
				err := d.Update(cctx, func(tx *db.Tx) error {
					if err := tx.PutRoot(cctx, &db.Root{Name: "lost", State: db.RootOnline}); err != nil {
						return err
					}
					return end(cancel)
				})
				if err == nil {
					t.Error("Update returned nil")
				}
			}()
			if err := addRoot(ctx, d, "kept"); err != nil {
				t.Fatalf("a write after it: %v", err)
			}
			if got := roots(t, d); len(got) != 1 || got[0].Name != "kept" {
				t.Errorf("roots = %v", got)
			}
		})
	}
}

func TestCloseTwice(t *testing.T) {
	d := dbtest.Open(t)
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A file that is unlinked or replaced while it is open takes writes and loses them, and answers from what nobody keeps in step any
// more, so neither may succeed.
func TestReplacedFile(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"unlinked": os.Remove,
		"renamed over": func(path string) error {
			if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.Open(t)
			if err := addRoot(t.Context(), d, "before"); err != nil {
				t.Fatal(err)
			}
			if err := replace(d.Path()); err != nil {
				t.Fatal(err)
			}
			err := addRoot(t.Context(), d, "after")
			if _, ok := errors.AsType[*db.ReplacedError](err); !ok {
				t.Errorf("Update = %v, want a ReplacedError", err)
			}
			err = d.View(t.Context(), func(tx *db.Tx) error { _, err := tx.Roots(t.Context()); return err })
			if _, ok := errors.AsType[*db.ReplacedError](err); !ok {
				t.Errorf("View = %v, want a ReplacedError", err)
			}
		})
	}
}

// Case 129: a write waits while another program holds the lock, and is not lost.
func TestWriteWaitsForTheLock(t *testing.T) {
	d := dbtest.Open(t)
	other, err := sql.Open("sqlite", "file:"+d.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec(`BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- addRoot(t.Context(), d, "waited") }()
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	if _, err := other.Exec(`COMMIT`); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := roots(t, d); len(got) != 1 {
		t.Errorf("roots = %v", got)
	}
}

// Cases 131 and 133: eight processes open a brand-new file at once.
func TestFirstOpeners(t *testing.T) {
	for round := range 3 {
		path := filepath.Join(t.TempDir(), "new.db")
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), "DOCKET_TEST_OPEN="+path, fmt.Sprintf("DOCKET_TEST_ROOT=r%d", i))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("round %d, opener %d: %v\n%s", round, i, err, out)
				}
			})
		}
		wg.Wait()
		if got := roots(t, dbtest.OpenAt(t, path)); len(got) != 8 {
			t.Errorf("round %d: %d roots, want 8", round, len(got))
		}
	}
}

func TestReadersBesideAWriter(t *testing.T) {
	d := dbtest.Open(t)
	ctx := t.Context()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				if err := addRoot(ctx, d, fmt.Sprintf("%d-%d", i, j)); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 20 {
				if err := d.View(ctx, func(tx *db.Tx) error { _, err := tx.Roots(ctx); return err }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := roots(t, d); len(got) != 160 {
		t.Errorf("%d roots, want 160", len(got))
	}
}

// An up-to-date store is opened and read without any write, so that many servers can start at once.
func TestOpenWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if err := dbtest.OpenAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	roots(t, d)
	if fi, err := os.Stat(path + "-wal"); err == nil && fi.Size() > 0 {
		t.Errorf("the WAL holds %d bytes", fi.Size())
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(after) != string(before) {
		t.Error("opening and reading changed the file")
	}
}
