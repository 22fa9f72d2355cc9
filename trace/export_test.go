package trace

// What tests look at from inside.
var (
	CheckTx  = check // inside a transaction, so that a test can undo the damage it does
	Diff     = diff
	DiffLate = diffLate
)

// Match is a match of a diff.
type Match = match
