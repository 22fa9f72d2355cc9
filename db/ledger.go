package db

// This file defines the ledger: a row for every file that was seen, and what became of it.

import (
	"context"
	"fmt"
)

// The states of a file.
const (
	FileIndexed = "indexed"
	FilePartly  = "partly"  // read, but not all of it
	FileNoText  = "no_text" // read, and it holds no text
	FileSkipped = "skipped" // left out on purpose, for the reason given
	FileFailed  = "failed"
	FilePending = "pending" // seen, not read yet
)

// A FileRow is the ledger's row of one file. The stat fields are what was seen when its bytes were read.
type FileRow struct {
	RootID  int64
	Path    string // relative, forward slashes, the disk's bytes
	State   string
	Reason  string
	Size    int64
	MtimeNS int64
	CtimeNS int64
	Inode   int64
	Device  int64
	Racy    bool // it changed so shortly before it was read that equal stat fields prove nothing
	Hash    Hash // of the bytes read, zero if none were
	Parser  string
	Parts   int // pages
	NoText  int // pages without text
	At      string
}

const fileColumns = `root_id, path, state, reason, size, mtime_ns, ctime_ns, inode, device, racy, hash, parser, parts, no_text, at`

func scanFile(r Row, f *FileRow) error {
	var hash []byte
	err := r.Scan(&f.RootID, &f.Path, &f.State, &f.Reason, &f.Size, &f.MtimeNS, &f.CtimeNS, &f.Inode, &f.Device, &f.Racy, &hash,
		&f.Parser, &f.Parts, &f.NoText, &f.At)
	copy(f.Hash[:], hash)
	return err
}

// Files returns a root's ledger rows, by path.
func (tx *Tx) Files(ctx context.Context, rootID int64) ([]FileRow, error) {
	return Query(ctx, tx, scanFile, `SELECT `+fileColumns+` FROM ledger WHERE root_id = ? ORDER BY path`, rootID)
}

// FilesAt returns the ledger rows of a path and of all below it, by path.
func (tx *Tx) FilesAt(ctx context.Context, rootID int64, path string) ([]FileRow, error) {
	return Query(ctx, tx, scanFile, `
		SELECT `+fileColumns+` FROM ledger WHERE root_id = ?1 AND path = ?2 UNION ALL
		SELECT `+fileColumns+` FROM ledger WHERE root_id = ?1 AND path >= ?2 || '/' AND path < ?2 || '0' ORDER BY path`, rootID, path) // 0 follows /
}

// File returns the ledger row of one file, or [ErrNotFound].
func (tx *Tx) File(ctx context.Context, rootID int64, path string) (FileRow, error) {
	f, err := One(ctx, tx, scanFile, `SELECT `+fileColumns+` FROM ledger WHERE root_id = ? AND path = ?`, rootID, path)
	if err != nil {
		err = fmt.Errorf("ledger row of %s: %w", path, err)
	}
	return f, err
}

// PutFile writes a file's ledger row and fills in f.At.
func (tx *Tx) PutFile(ctx context.Context, f *FileRow) error {
	f.At = tx.Stamp()
	var hash []byte
	if f.Hash != (Hash{}) {
		hash = f.Hash[:]
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO ledger (`+fileColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (root_id, path) DO UPDATE SET state = excluded.state, reason = excluded.reason, size = excluded.size,
			mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns, inode = excluded.inode, device = excluded.device,
			racy = excluded.racy, hash = excluded.hash, parser = excluded.parser, parts = excluded.parts,
			no_text = excluded.no_text, at = excluded.at`,
		f.RootID, f.Path, f.State, f.Reason, f.Size, f.MtimeNS, f.CtimeNS, f.Inode, f.Device, f.Racy, hash, f.Parser, f.Parts, f.NoText, f.At)
	if err != nil {
		return fmt.Errorf("ledger row of %s: %w", f.Path, err)
	}
	return nil
}

// DeleteFile forgets a file that is gone.
func (tx *Tx) DeleteFile(ctx context.Context, rootID int64, path string) error {
	_, err := tx.Exec(ctx, `DELETE FROM ledger WHERE root_id = ? AND path = ?`, rootID, path)
	return err
}

// FileCount is how many files of a root are in one state.
type FileCount struct {
	RootID int64
	State  string
	Files  int
	NoText int // pages without text among them
}

// FileCounts sums the ledger up, by root and state; roots that were removed are left out.
func (tx *Tx) FileCounts(ctx context.Context) ([]FileCount, error) {
	return Query(ctx, tx, func(r Row, c *FileCount) error { return r.Scan(&c.RootID, &c.State, &c.Files, &c.NoText) }, `
		SELECT l.root_id, l.state, count(*), sum(l.no_text) FROM ledger l JOIN root r ON r.id = l.root_id
		WHERE r.state <> 'removed' GROUP BY l.root_id, l.state ORDER BY l.root_id, l.state`)
}
