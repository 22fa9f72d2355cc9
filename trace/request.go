package trace

// This file defines requests: a write that is sent twice is done once, and answered alike both times.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"docket/db"
)

// A request names one write of a tool.
type request struct {
	tool string
	id   string // given by the caller; a person may leave it out, and then nothing is remembered
	args any    // all other parameters; the JSON of equal arguments is equal
}

// write runs fn in one transaction together with the record of the request. A request that is on record is answered from there, and
// nothing is written; one with the same id and other arguments is refused. What fn refuses leaves no record.
func write[R any](ctx context.Context, d *db.DB, who Identity, r request, fn func(*db.Tx) (R, error)) (R, error) {
	var out R
	if err := who.check(); err != nil {
		return out, err
	}
	if r.id == "" && who.Person {
		err := d.Update(ctx, func(tx *db.Tx) (err error) { out, err = fn(tx); return err })
		return out, err
	}
	if err := checkTexts(bound{"request_id", r.id, 1, 64}); err != nil {
		return out, err
	}
	args, err := json.Marshal(r.args)
	if err != nil {
		return out, fmt.Errorf("arguments of %s: %w", r.tool, err)
	}
	hash := db.HashOf(args)
	err = d.Update(ctx, func(tx *db.Tx) error {
		var zero R
		out = zero
		type saved struct{ args, result []byte }
		was, err := db.One(ctx, tx, func(row db.Row, s *saved) error { return row.Scan(&s.args, &s.result) }, `
			SELECT arguments, result FROM request WHERE project = ? AND agent = ? AND tool = ? AND request_id = ?`,
			who.Project, who.Agent, r.tool, r.id)
		switch {
		case err == nil && string(was.args) != string(hash[:]):
			return refuse(CodeRequestReused, "send a new request_id for a new request",
				"request_id %q was used for another %s", r.id, r.tool)
		case err == nil:
			return json.Unmarshal(was.result, &out)
		case !errors.Is(err, db.ErrNotFound):
			return fmt.Errorf("request %s: %w", r.id, err)
		}
		if out, err = fn(tx); err != nil {
			return err
		}
		result, err := json.Marshal(out)
		if err != nil {
			return fmt.Errorf("result of %s: %w", r.tool, err)
		}
		_, err = tx.Exec(ctx, `INSERT INTO request (project, agent, tool, request_id, arguments, result, at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			who.Project, who.Agent, r.tool, r.id, hash[:], result, tx.Stamp())
		if err != nil {
			return fmt.Errorf("request %s: %w", r.id, err)
		}
		return nil
	})
	return out, err
}
