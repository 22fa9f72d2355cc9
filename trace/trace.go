// Package trace holds what was decided and why: tasks with their events and steps, decisions with the passages they rest on, and
// the review of every decision whose ground has moved.
//
// It owns the tables of migration 0003 and nothing else: documents and passages belong to db. It never decides when a document
// has changed; package ingest tells it, inside the transaction that changes the document, through [Apply], [Removed] and their like.
// The invariants: what an agent or a person wrote is never altered or deleted; no reader sees a decision as current while
// something that it rests on has changed; and every review state follows from the supports and the documents alone, so that it
// can be computed anew.
package trace
