package db

// This file defines the memo: what other packages derive from a store and keep in memory as long as it is open.

// Memo returns the value kept under key, making it first where there is none. Packages use keys of their own types. The value must
// be safe for concurrent use, and must notice by itself when the store has moved on.
func (d *DB) Memo(key any, make func() any) any {
	if v, ok := d.memo.Load(key); ok {
		return v
	}
	v, _ := d.memo.LoadOrStore(key, make())
	return v
}
