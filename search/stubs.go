package search

import (
	"context"

	"docket/db"
)

// Evidence finds passages of current versions.
func Evidence(ctx context.Context, d *db.DB, q Query) (Result, error) {
	return Result{Status: NoMatches, Failures: []Failure{}, Hits: []Hit{}}, nil
}

// Fetch returns the exact stored text of evidence.
func Fetch(ctx context.Context, d *db.DB, r FetchRequest) (Fetched, error) {
	return Fetched{Status: OK, Outcomes: []Outcome{}}, nil
}

// Navigate returns passages near a known one.
func Navigate(ctx context.Context, d *db.DB, r NavigateRequest) (Navigation, error) {
	return Navigation{Status: None, Items: []Item{}}, nil
}

// CheckCitations judges cited ids.
func CheckCitations(ctx context.Context, d *db.DB, c CitationCheck) (Verdicts, error) {
	return Verdicts{Verdicts: []Verdict{}}, nil
}

// RenderCitations numbers the references of a draft.
func RenderCitations(ctx context.Context, d *db.DB, r RenderRequest) (Rendered, error) {
	return Rendered{Text: r.Draft, UnknownIDs: []string{}, References: []Reference{}}, nil
}

// DocumentText returns the whole text of a document's current version; the error is [db.ErrNotFound] out of scope, too.
func DocumentText(ctx context.Context, d *db.DB, key string, scope db.Scope) (Text, error) {
	return Text{}, db.ErrNotFound
}

// Tree returns the tree of a document's current version; the error is [db.ErrNotFound] out of scope, too.
func Tree(ctx context.Context, d *db.DB, key string, scope db.Scope) (Outline, error) {
	return Outline{}, db.ErrNotFound
}

// State returns how far the indexes are.
func State(ctx context.Context, tx *db.Tx, scope db.Scope) (IndexState, error) {
	return IndexState{}, nil
}

// Index puts the passages of a version into the main index. The caller makes the version current in the same transaction.
func Index(ctx context.Context, tx *db.Tx, v db.Version, text string, sections []db.Section, chunks []db.Chunk) error {
	return nil
}

// Retire moves the passages of a version out of the main index into the history index.
func Retire(ctx context.Context, tx *db.Tx, versionRow int64) error { return nil }

// Drop takes the passages of a version out of both indexes, before the version is deleted or its tree replaced.
func Drop(ctx context.Context, tx *db.Tx, versionRow int64) error { return nil }

// Mask replaces what looks like a credential in s, and keeps the rest.
func Mask(s string) string { return s }
