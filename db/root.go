package db

// This file defines roots: the folders a person added.

import (
	"context"
	"fmt"
)

// The states of a root. An offline one could not be read: its documents stay as they are. A removed one was taken out by the person.
const (
	RootOnline  = "online"
	RootOffline = "offline"
	RootRemoved = "removed"
)

// A Root is a folder with a short unique name.
type Root struct {
	ID      int64
	Name    string
	Path    string // absolute, links resolved
	State   string
	Reason  string // why it is offline
	Device  int64  // the device it stood on when it was last read
	AddedAt string
}

const rootColumns = `id, name, path, state, reason, device, added_at`

func scanRoot(r Row, v *Root) error {
	return r.Scan(&v.ID, &v.Name, &v.Path, &v.State, &v.Reason, &v.Device, &v.AddedAt)
}

// Roots returns the roots that are not removed, by name.
func (tx *Tx) Roots(ctx context.Context) ([]Root, error) {
	return Query(ctx, tx, scanRoot, `SELECT `+rootColumns+` FROM root WHERE state <> 'removed' ORDER BY name`)
}

// Root returns the root of that name, a removed one too, or [ErrNotFound].
func (tx *Tx) Root(ctx context.Context, name string) (Root, error) {
	r, err := One(ctx, tx, scanRoot, `SELECT `+rootColumns+` FROM root WHERE name = ?`, name)
	if err != nil {
		err = fmt.Errorf("root %s: %w", name, err)
	}
	return r, err
}

// PutRoot adds a root, or brings back and updates the one of the same name. It fills in r.ID and r.AddedAt.
func (tx *Tx) PutRoot(ctx context.Context, r *Root) error {
	row, err := One(ctx, tx, scanRoot, `
		INSERT INTO root (name, path, state, reason, device, added_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET path = excluded.path, state = excluded.state, reason = excluded.reason, device = excluded.device
		RETURNING `+rootColumns, r.Name, r.Path, r.State, r.Reason, r.Device, tx.Stamp())
	if err != nil {
		return fmt.Errorf("root %s: %w", r.Name, err)
	}
	*r = row
	return nil
}

// SetRootState records whether the root could be read.
func (tx *Tx) SetRootState(ctx context.Context, id int64, state, reason string, device int64) error {
	_, err := tx.Exec(ctx, `UPDATE root SET state = ?, reason = ?, device = ? WHERE id = ?`, state, reason, device, id)
	return err
}
