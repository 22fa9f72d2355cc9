package db_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"docket/migrations"
)

// Migrations are numbered without gaps: a store's schema number says that it has all of them up to there.
func TestMigrationNumbers(t *testing.T) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("migrations: %v, %v", names, err)
	}
	for i, name := range names {
		if !strings.HasPrefix(name, fmt.Sprintf("%04d_", i+1)) {
			t.Errorf("migration %d is %s", i+1, name)
		}
	}
}
