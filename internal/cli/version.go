package cli

// This file defines "docket version".

import (
	"context"
	"flag"
	"runtime"

	"docket/db"
)

// Version is set when a release is linked.
var Version = "dev"

type versions struct {
	Docket string `json:"docket"`
	Schema int    `json:"schema"`
	SQLite string `json:"sqlite"`
	Go     string `json:"go"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
}

var versionCommand = &command{
	name: "version", short: "print the versions of docket and what it is built on",
	long: "Prints the versions of docket, of the schema it writes, of SQLite and of Go.",
	setup: func(*flag.FlagSet) runner {
		return func(_ context.Context, c *call, _ []string) error {
			v := versions{Version, db.SchemaVersion(), db.SQLiteVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH}
			if c.json {
				return c.writeJSON(v)
			}
			p(c.out, "docket %s\nschema %d\nSQLite %s\n%s %s/%s\n", v.Docket, v.Schema, v.SQLite, v.Go, v.OS, v.Arch)
			return nil
		}
	},
}
