package ingest

// This file defines what a rebuild does besides reading every file again: the words of all versions that no file stands for any more.

import (
	"context"
	"slices"

	"docket/db"
	"docket/search"
)

// rebuildRest makes the words anew of superseded and deleted versions, and of current ones whose file could not be read.
func (s *rootSync) rebuildRest(ctx context.Context) error {
	var docs []db.Document
	err := s.d.View(ctx, func(tx *db.Tx) (err error) { docs, err = tx.AllDocuments(ctx, s.root.ID); return err })
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(docs, batchDocuments) {
		err := s.lock.update(ctx, func(tx *db.Tx) error {
			for _, doc := range batch {
				if err := s.rebuildWords(ctx, tx, doc); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *rootSync) rebuildWords(ctx context.Context, tx *db.Tx, doc db.Document) error {
	versions, err := tx.Versions(ctx, doc.ID)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if v.Row != doc.Current {
			if err := search.Retire(ctx, tx, v.Row); err != nil {
				return err
			}
			continue
		}
		if s.rebuilt[doc.ID] {
			continue
		}
		text, err := tx.Text(ctx, v.Row, 0, v.Bytes)
		if err != nil {
			return err
		}
		sections, err := tx.Sections(ctx, v.Row)
		if err != nil {
			return err
		}
		chunks, err := tx.Chunks(ctx, v.Row)
		if err != nil {
			return err
		}
		if err := search.Index(ctx, tx, v, text, sections, chunks); err != nil {
			return err
		}
	}
	return nil
}
