package ingest

// This file defines pruning: which old versions are given up, and that nothing anybody leans on is.

import (
	"context"
	"errors"
	"slices"

	"docket/db"
)

// KeepVersions is how many versions of a document are kept besides those that something leans on.
const KeepVersions = 3

// A PruneReport is what [Prune] deleted.
type PruneReport struct {
	Versions  int   `json:"versions"`
	Documents int   `json:"documents"` // that lost a version
	Bytes     int64 `json:"bytes"`     // of text
	Kept      int   `json:"kept"`      // versions that would have gone, had nothing leant on them
}

// Prune deletes old versions with their text: of a live document all but the keep newest, of a deleted one all. A version that a
// decision or a step leans on stays, whatever its age.
func Prune(ctx context.Context, d *db.DB, keep int) (report PruneReport, err error) {
	if keep < 1 {
		return report, errors.New("keep_versions: at least the current version is kept, so it must be 1 or more")
	}
	l, err := acquire(ctx, d, nil)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, l.release()) }()
	var docs []db.Document
	err = d.View(ctx, func(tx *db.Tx) (err error) { docs, err = prunable(ctx, tx, keep); return err })
	if err != nil {
		return report, err
	}
	for batch := range slices.Chunk(docs, batchDocuments) {
		var did PruneReport
		err := d.Update(ctx, func(tx *db.Tx) error {
			did = PruneReport{}
			for _, doc := range batch {
				if err := pruneDocument(ctx, tx, doc, keep, &did); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return report, err
		}
		report.Versions += did.Versions
		report.Documents += did.Documents
		report.Bytes += did.Bytes
		report.Kept += did.Kept
	}
	return report, nil
}

// prunable returns the documents that hold more versions than are kept.
func prunable(ctx context.Context, tx *db.Tx, keep int) ([]db.Document, error) {
	ids, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT d.id FROM document d JOIN version v ON v.document_id = d.id
		GROUP BY d.id HAVING count(*) > CASE WHEN d.current_version IS NULL THEN 0 ELSE ? END ORDER BY d.id`, keep)
	if err != nil {
		return nil, err
	}
	docs := make([]db.Document, 0, len(ids))
	for _, id := range ids {
		doc, err := tx.DocumentByID(ctx, id)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func pruneDocument(ctx context.Context, tx *db.Tx, doc db.Document, keep int, did *PruneReport) error {
	versions, err := tx.Versions(ctx, doc.ID)
	if err != nil {
		return err
	}
	if doc.Current == 0 {
		keep = 0
	}
	before := did.Versions
	for _, v := range versions[min(keep, len(versions)):] {
		if v.Row == doc.Current {
			continue
		}
		leant, err := leantOn(ctx, tx, v.Row)
		if err != nil {
			return err
		}
		if leant {
			did.Kept++
			continue
		}
		if err := drop(ctx, tx, v.Row); err != nil {
			return err
		}
		if err := tx.DeleteVersion(ctx, v.Row); err != nil {
			return err
		}
		did.Versions++
		did.Bytes += int64(v.Bytes)
	}
	if did.Versions > before {
		did.Documents++
	}
	return nil
}
