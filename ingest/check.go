package ingest

// This file defines the check of a whole store: every package's own, one after the other.

import (
	"context"
	"fmt"

	"docket/db"
	"docket/search"
	"docket/search/vector"
	"docket/trace"
)

// Check has every package look for damage in its own rows: the file and its indexes, and, where deep is set, also every stored hash and
// every derived review. Damage that stops one check is a problem like others, and the next check is made. It writes nothing.
func Check(ctx context.Context, d *db.DB, deep bool) ([]db.Problem, error) {
	found := []db.Problem{}
	for _, c := range []struct {
		name string
		of   func() ([]db.Problem, error)
	}{
		{"file", func() ([]db.Problem, error) { return d.Check(ctx, deep) }},
		{"words", func() ([]db.Problem, error) { return search.Check(ctx, d, deep) }},
		{"vectors", func() ([]db.Problem, error) { return vector.Check(ctx, d) }},
		{"decisions", func() ([]db.Problem, error) { return trace.Check(ctx, d, deep) }},
	} {
		problems, err := c.of()
		found = append(found, problems...)
		switch {
		case err != nil && db.IsDamage(err):
			found = append(found, db.Problem{Where: c.name, What: err.Error()})
		case err != nil:
			return found, fmt.Errorf("check %s of %s: %w", c.name, d.Path(), err)
		}
	}
	return found, nil
}

// CheckDeep is [Check] with every hash, as [db.DB.Backup] and [db.Restore] want it.
func CheckDeep(ctx context.Context, d *db.DB) ([]db.Problem, error) { return Check(ctx, d, true) }
