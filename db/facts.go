package db

// This file defines what an open store says of itself.

import "context"

// Facts are what doctor shows of a store that opens.
type Facts struct {
	Schema        int    `json:"schema"`
	ApplicationID string `json:"application_id"`
	SQLite        string `json:"sqlite"`
	JournalMode   string `json:"journal_mode"`
	Pages         int64  `json:"pages"`
	FreePages     int64  `json:"free_pages"`
}

// Facts reads the file's own words back. The journal mode is what the file has, not what was asked for: some file systems refuse WAL.
func (d *DB) Facts(ctx context.Context) (Facts, error) {
	var f Facts
	err := d.View(ctx, func(tx *Tx) (err error) {
		f, err = One(ctx, tx, func(r Row, f *Facts) error {
			return r.Scan(&f.Schema, &f.ApplicationID, &f.SQLite, &f.JournalMode, &f.Pages, &f.FreePages)
		}, `
			SELECT (SELECT user_version FROM pragma_user_version), (SELECT printf('0x%08x', application_id) FROM pragma_application_id),
				sqlite_version(), (SELECT journal_mode FROM pragma_journal_mode), (SELECT page_count FROM pragma_page_count),
				(SELECT freelist_count FROM pragma_freelist_count)`)
		return err
	})
	return f, err
}
