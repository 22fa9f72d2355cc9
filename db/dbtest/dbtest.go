// Package dbtest opens throwaway stores for tests.
package dbtest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"docket/db"
)

// Start is the instant at which a test store's clock stands.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Options are those of a test store: a clock that stands still, and ids that count up, so that rows compare equal from run to run.
func Options() db.Options {
	var n atomic.Int64
	return db.Options{
		Create: true,
		Now:    func() time.Time { return Start },
		NewID:  func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n.Add(1)) },
	}
}

// Open returns a migrated store in a temporary file, closed at the end of the test.
func Open(tb testing.TB) *db.DB {
	tb.Helper()
	return OpenAt(tb, filepath.Join(tb.TempDir(), "docket.db"))
}

// OpenAt opens the store at path, and makes it where there is none; it is closed at the end of the test.
func OpenAt(tb testing.TB, path string) *db.DB {
	tb.Helper()
	d, err := db.Open(tb.Context(), path, Options())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}

// OpenCopy opens a copy of the store at path, migrating it.
func OpenCopy(tb testing.TB, path string) *db.DB {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	to := filepath.Join(tb.TempDir(), "docket.db")
	if err := os.WriteFile(to, b, 0o600); err != nil {
		tb.Fatal(err)
	}
	return OpenAt(tb, to)
}
