package db

// This file defines the errors that callers branch on.

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// ErrNotFound is returned when no row matches.
var ErrNotFound = errors.New("not found")

// A NoStoreError is returned by [Open] where there is no file and none may be made.
type NoStoreError struct{ Path string }

func (e *NoStoreError) Error() string { return "no docket store at " + e.Path }

// Hint says what to do next.
func (e *NoStoreError) Hint() string {
	return "run `docket add FOLDER` to make one, or name another with --db"
}

// A NewerSchemaError is returned by [Open] for a file written by a later docket.
type NewerSchemaError struct {
	Path       string
	Have, Know int
}

func (e *NewerSchemaError) Error() string {
	return fmt.Sprintf("%s has schema %d, and this docket knows schemas up to %d", e.Path, e.Have, e.Know)
}

// Hint says what to do next.
func (e *NewerSchemaError) Hint() string { return "upgrade docket; nothing was changed" }

// A ForeignFileError is returned by [Open] for a file that is not a docket store.
type ForeignFileError struct{ Path, Reason string }

func (e *ForeignFileError) Error() string {
	return fmt.Sprintf("%s is not a docket store: %s", e.Path, e.Reason)
}

// Hint says what to do next.
func (e *ForeignFileError) Hint() string { return "name another file with --db; nothing was changed" }

// A ReplacedError is returned when the file that was opened is no longer the one at its path.
type ReplacedError struct{ Path string }

func (e *ReplacedError) Error() string {
	return e.Path + " was removed or replaced while docket had it open"
}

// Hint says what to do next.
func (e *ReplacedError) Hint() string { return "start docket again" }

// A BusyError is returned when another process held the write lock for longer than docket waits.
type BusyError struct{ Path string }

func (e *BusyError) Error() string { return e.Path + " is busy: another process is writing to it" }

// Hint says what to do next.
func (e *BusyError) Hint() string { return "try again in a moment; nothing was written" }

// A diskError is an error of the engine that has its words for a person.
type diskError struct {
	what string
	err  error
}

func (e *diskError) Error() string { return e.what + ": " + e.err.Error() }
func (e *diskError) Unwrap() error { return e.err }

// wrap gives the engine's errors the words and types that callers know, once.
func (d *DB) wrap(err error) error {
	se, ok := errors.AsType[*sqlite.Error](err)
	_, told := errors.AsType[*diskError](err)
	_, foreign := errors.AsType[*ForeignFileError](err)
	if !ok || told || foreign || busy(err) {
		return err
	}
	switch code := se.Code() & 0xff; code {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return errors.Join(&BusyError{d.path}, err)
	case lib.SQLITE_FULL:
		return &diskError{fmt.Sprintf("the disk that holds %s is full", d.path), err}
	case lib.SQLITE_READONLY:
		return &diskError{d.path + " cannot be written", err}
	case lib.SQLITE_CANTOPEN:
		return fmt.Errorf("%s cannot be opened, since SQLite has to write beside it and its folder or disk cannot be written: %w", d.path, err)
	case lib.SQLITE_NOTADB:
		return errors.Join(&ForeignFileError{d.path, "it is not an SQLite database, or it is damaged"}, err)
	}
	return err
}

// IsDamage reports whether an error says that the file itself is damaged, and not that something stood in the way of reading it.
func IsDamage(err error) bool {
	if _, ok := errors.AsType[*ForeignFileError](err); ok {
		return true
	}
	se, ok := errors.AsType[*sqlite.Error](err)
	return ok && (se.Code()&0xff == lib.SQLITE_CORRUPT || se.Code()&0xff == lib.SQLITE_NOTADB || se.Code()&0xff == lib.SQLITE_FORMAT || se.Code() == lib.SQLITE_IOERR_SHORT_READ)
}

func busy(err error) bool {
	_, ok := errors.AsType[*BusyError](err)
	return ok
}
