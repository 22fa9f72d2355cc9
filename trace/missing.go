package trace

// This file defines absences: documents that are not at their place, while the grace period runs.

import (
	"context"
	"fmt"
	"time"

	"docket/db"
)

// An Absence is a document that is not at its place, and since when that is known.
type Absence struct {
	Document db.Document
	Since    time.Time
}

// Absences returns the live documents of a root that [Unreadable] was told are [Missing], by key.
func Absences(ctx context.Context, tx *db.Tx, rootID int64) ([]Absence, error) {
	return db.Query(ctx, tx, func(r db.Row, a *Absence) error {
		var since string
		if err := r.Scan(&a.Document.ID, &a.Document.RootID, &a.Document.Key, &a.Document.Current, &a.Document.MovedTo, &since); err != nil {
			return err
		}
		var err error
		if a.Since, err = time.Parse(time.RFC3339, since); err != nil {
			return fmt.Errorf("since when document %d is missing: %w", a.Document.ID, err)
		}
		return nil
	}, `
		SELECT d.id, d.root_id, d.key, d.current_version, coalesce(d.moved_to, 0), u.at FROM unreadable u CROSS JOIN document d ON d.id = u.document_id
		WHERE u.cause = 'missing' AND d.root_id = ? AND d.current_version IS NOT NULL ORDER BY d.key`, rootID)
}
