package trace

// CheckTx is Check inside a transaction, so that a test can undo the damage it does.
var CheckTx = check
