package db

// This file defines which engine docket is built on.

import lib "modernc.org/sqlite/lib"

// SQLiteVersion returns the version of the SQLite that is linked in.
func SQLiteVersion() string { return lib.SQLITE_VERSION }
