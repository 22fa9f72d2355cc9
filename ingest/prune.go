package ingest

// This file defines pruning: which old versions are given up, and that nothing anybody leans on is.

import (
	"context"
	"errors"
	"slices"

	"docket/db"
	"docket/search"
	"docket/trace"
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
	l, err := acquire(ctx, d, nil, nil)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	var docs []db.Document
	err = d.View(ctx, func(tx *db.Tx) (err error) { docs, err = tx.DocumentsWithVersions(ctx, keep); return err })
	if err != nil {
		return report, err
	}
	for batch := range slices.Chunk(docs, batchDocuments) {
		var did PruneReport
		err := l.update(ctx, func(tx *db.Tx) error {
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
		leant, err := trace.LeansOn(ctx, tx, v.Row)
		if err != nil {
			return err
		}
		if leant {
			did.Kept++
			continue
		}
		if err := search.Drop(ctx, tx, v.Row); err != nil {
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
