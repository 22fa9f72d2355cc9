package db

// This file defines how a file gets its schema, and how a file of another kind or a later docket is refused.

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"docket/migrations"
)

// applicationID marks an SQLite file as a docket store: "dock" in ASCII.
const applicationID = 0x646f636b

type migration struct {
	number int
	name   string
}

func pending() ([]migration, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return nil, err
	}
	var out []migration
	for _, name := range names {
		n, err := strconv.Atoi(name[:min(4, len(name))])
		if err != nil || path.Ext(name) != ".sql" {
			return nil, fmt.Errorf("migration %s: want a name like 0001_what.sql", name)
		}
		out = append(out, migration{n, name})
	}
	return out, nil
}

// SchemaVersion returns the newest schema this docket knows.
func SchemaVersion() int {
	all, err := pending()
	if err != nil || len(all) == 0 {
		return 0
	}
	return all[len(all)-1].number
}

// ready brings the schema up to date. A file that is up to date is only read.
func (d *DB) ready(ctx context.Context) error {
	var have int
	err := d.retry(ctx, func() error {
		return d.View(ctx, func(tx *Tx) (err error) { have, err = tx.schema(ctx); return err })
	})
	if err != nil {
		return err
	}
	if have == SchemaVersion() {
		return nil
	}
	return d.Update(ctx, func(tx *Tx) error { return tx.migrate(ctx) })
}

// schema returns the schema number of the file, 0 for a new one, and refuses what docket must not touch.
func (tx *Tx) schema(ctx context.Context) (int, error) {
	app, err := One(ctx, tx, Value[int], `SELECT application_id FROM pragma_application_id`)
	if err != nil {
		return 0, err
	}
	have, err := One(ctx, tx, Value[int], `SELECT user_version FROM pragma_user_version`)
	if err != nil {
		return 0, err
	}
	tables, err := One(ctx, tx, Value[int], `SELECT count(*) FROM sqlite_schema`)
	if err != nil {
		return 0, err
	}
	switch {
	case app != applicationID && (app != 0 || have != 0 || tables != 0):
		return 0, &ForeignFileError{tx.db.path, "it is another program's database"}
	case have > SchemaVersion():
		return 0, &NewerSchemaError{tx.db.path, have, SchemaVersion()}
	}
	return have, nil
}

// migrate runs what is missing, all in this transaction. The number is read again inside it: another process may have been first.
func (tx *Tx) migrate(ctx context.Context) error {
	have, err := tx.schema(ctx)
	if err != nil {
		return err
	}
	all, err := pending()
	if err != nil {
		return err
	}
	if 0 < have && have < SchemaVersion() { // nothing is written yet, and nobody else can write
		if err := tx.db.keepSchema(ctx, have); err != nil {
			return fmt.Errorf("keep a copy before schema %d becomes %d: %w", have, SchemaVersion(), err)
		}
	}
	for _, m := range all {
		if m.number <= have {
			continue
		}
		text, err := fs.ReadFile(migrations.FS, m.name)
		if err != nil {
			return err
		}
		if _, err := tx.conn.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	if have == SchemaVersion() {
		return nil
	}
	// A PRAGMA takes no bound values; both are numbers of ours.
	_, err = tx.conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d`, applicationID, SchemaVersion()))
	return err
}
