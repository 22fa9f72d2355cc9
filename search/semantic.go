package search

// This file defines the semantic leg. It has no model to work with yet, and says so.

import (
	"context"

	"docket/db"
)

const noModel = "no embedding model is installed, so passages cannot be searched by meaning"

func semanticState(_ context.Context, _ *db.Tx, lexical LegState) (LegState, error) {
	return LegState{State: Missing, Todo: lexical.Done + lexical.Todo}, nil
}
