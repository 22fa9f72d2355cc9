// Package migrations holds the numbered SQL files that build the schema.
//
// It is a Go package only because go:embed cannot reach into a sibling folder. Files are named NNNN_what.sql, are run once each
// in numeric order by package db, and are never edited after a release has shipped.
package migrations

import "embed"

// FS holds every NNNN_*.sql file of this folder.
//
//go:embed *.sql
var FS embed.FS
