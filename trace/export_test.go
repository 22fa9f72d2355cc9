package trace

import "docket/db"

// What tests look at from inside.
var (
	CheckTx  = check // inside a transaction, so that a test can undo the damage it does
	Diff     = diff
	DiffLate = diffLate
)

// Match is a match of a diff.
type Match = match

// Relocate tells where the run of spans that covers oldText[start:end] stands in the new text.
func Relocate(kind, oldText, newText string, oldChunks, newChunks []db.Chunk, start, end int) (newStart, newEnd int, stands bool) {
	p := pair(atomsOf(kind, oldText, oldChunks), atomsOf(kind, newText, newChunks))
	r := p.relocate(oldText, newText, anchor{1, start, end})
	return r.start, r.end, r.stands
}
