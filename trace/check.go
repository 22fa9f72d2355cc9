package trace

// This file defines the check of what cannot be derived, and the making anew of what can.

import (
	"bytes"
	"context"
	"fmt"

	"docket/db"
)

// Check looks for damage that only the hashes beside the rows can tell: in tasks, events, decisions and what was done to them, in
// quotes and anchors. Where deep is set it also derives every review anew and compares. It writes nothing.
func Check(ctx context.Context, d *db.DB, deep bool) ([]db.Problem, error) {
	var found []db.Problem
	err := d.View(ctx, func(tx *db.Tx) (err error) { found, err = check(ctx, tx, deep); return err })
	return found, err
}

func check(ctx context.Context, tx *db.Tx, deep bool) ([]db.Problem, error) {
	checks := []func(context.Context, *db.Tx) ([]db.Problem, error){checkTasks, checkEvents, checkDecisions, checkActs}
	if deep {
		checks = append(checks, checkAnchors, checkReviews)
	}
	found := []db.Problem{}
	for _, check := range checks {
		problems, err := check(ctx, tx)
		if err != nil {
			return found, err
		}
		found = append(found, problems...)
	}
	return found, nil
}

const altered = "it is not what was recorded"

func checkTasks(ctx context.Context, tx *db.Tx) (found []db.Problem, _ error) {
	type row struct {
		project string
		taskRow
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, t *row) error {
		return r.Scan(&t.project, &t.TaskName, &t.Goal, &t.AgentID, &t.CreatedAt, &t.hash)
	}, `SELECT project, name, goal, agent, created_at, hash FROM task ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("tasks: %w", err)
	}
	for _, t := range rows {
		if !bytes.Equal(t.hash, recordHash(t.project, t.Task)) {
			found = append(found, db.Problem{Where: "task " + t.TaskName, What: altered})
		}
	}
	return found, nil
}

func checkEvents(ctx context.Context, tx *db.Tx) (found []db.Problem, _ error) {
	type row struct {
		id, task            int64
		seq, chars          int
		kind, role, name    string
		body, full, hash    []byte
		truncated           bool
		agent, at, taskName string
	}
	for after := int64(0); ; { // bodies are large: a few at a time
		rows, err := db.Query(ctx, tx, func(r db.Row, e *row) error {
			return r.Scan(&e.id, &e.task, &e.seq, &e.kind, &e.role, &e.name, &e.body, &e.chars, &e.full, &e.truncated, &e.agent, &e.at, &e.hash, &e.taskName)
		}, `
			SELECT e.id, e.task_id, e.seq, e.kind, e.role, e.name, e.body, e.chars, e.full_hash, e.truncated, e.agent, e.created_at, e.hash, t.name
			FROM event e JOIN task t ON t.id = e.task_id WHERE e.id > ? ORDER BY e.id LIMIT 200`, after)
		if err != nil {
			return nil, fmt.Errorf("events: %w", err)
		}
		if len(rows) == 0 {
			break
		}
		for _, e := range rows {
			after = e.id
			var full db.Hash
			copy(full[:], e.full)
			if !bytes.Equal(e.hash, eventHash(e.task, e.seq, e.kind, e.role, e.name, string(e.body), e.chars, full, e.truncated, e.agent, e.at)) ||
				!e.truncated && db.HashOf(e.body) != full {
				found = append(found, db.Problem{Where: fmt.Sprintf("event %d of task %s", e.seq, e.taskName), What: altered})
			}
		}
	}
	gaps, err := db.Query(ctx, tx, db.Value[string], `
		SELECT t.name FROM event e JOIN task t ON t.id = e.task_id GROUP BY e.task_id HAVING count(*) <> max(e.seq) OR min(e.seq) <> 1 ORDER BY e.task_id`)
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	for _, name := range gaps {
		found = append(found, db.Problem{Where: "task " + name, What: "some of its events are missing"})
	}
	return found, nil
}

func checkDecisions(ctx context.Context, tx *db.Tx) (found []db.Problem, _ error) {
	type row struct {
		id     int64
		uuid   string
		status string
		hash   []byte
		live   bool
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, d *row) error { return r.Scan(&d.id, &d.uuid, &d.status, &d.hash, &d.live) },
		`SELECT d.id, d.decision_id, d.status, d.hash, h.live FROM decision d JOIN holder h ON h.id = d.id ORDER BY d.id`)
	if err != nil {
		return nil, fmt.Errorf("decisions: %w", err)
	}
	for _, d := range rows {
		hash, err := decisionHash(ctx, tx, d.id)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(hash, d.hash) {
			found = append(found, db.Problem{Where: "decision " + d.uuid, What: altered})
		}
		if d.live != (d.status == StatusActive) {
			found = append(found, db.Problem{Where: "decision " + d.uuid, What: "it is " + d.status + ", and its supports say otherwise"})
		}
	}
	type quote struct {
		id    int64
		quote string
		hash  []byte
	}
	quotes, err := db.Query(ctx, tx, func(r db.Row, q *quote) error { return r.Scan(&q.id, &q.quote, &q.hash) },
		`SELECT id, quote, quote_hash FROM support WHERE quote <> '' ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("quotes: %w", err)
	}
	for _, q := range quotes {
		if h := db.HashOf(q.quote); !bytes.Equal(h[:], q.hash) {
			found = append(found, db.Problem{Where: fmt.Sprintf("support %d", q.id), What: "its quote " + altered[3:]})
		}
	}
	return found, nil
}

func checkActs(ctx context.Context, tx *db.Tx) (found []db.Problem, _ error) {
	type row struct {
		decision                     int64
		what, explanation, agent, at string
		hash                         []byte
		uuid                         string
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, a *row) error {
		return r.Scan(&a.decision, &a.what, &a.explanation, &a.agent, &a.at, &a.hash, &a.uuid)
	}, `SELECT a.decision_id, a.what, a.explanation, a.agent, a.at, a.hash, d.decision_id FROM decision_act a JOIN decision d ON d.id = a.decision_id ORDER BY a.id`)
	if err != nil {
		return nil, fmt.Errorf("acts: %w", err)
	}
	for _, a := range rows {
		if !bytes.Equal(a.hash, recordHash(a.decision, a.what, a.explanation, a.agent, a.at)) {
			found = append(found, db.Problem{Where: "decision " + a.uuid, What: "how it was " + a.what + " " + altered[3:]})
		}
	}
	return found, nil
}

// checkAnchors compares every live support that stands with the text at its place.
func checkAnchors(ctx context.Context, tx *db.Tx) (found []db.Problem, _ error) {
	type row struct {
		id int64
		anchor
		words []byte
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, s *row) error { return r.Scan(&s.id, &s.version, &s.start, &s.end, &s.words) }, `
		SELECT id, version_id, start, end, words FROM support
		WHERE live = 1 AND type = 'evidence' AND state = 'current' AND version_id IS NOT NULL ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("anchors: %w", err)
	}
	for _, s := range rows {
		text, err := tx.Text(ctx, s.version, s.start, s.end)
		if err != nil || !bytes.Equal(wordsHash(text), s.words) {
			found = append(found, db.Problem{Where: fmt.Sprintf("support %d", s.id), What: "the text at its place is not what was cited"})
		}
	}
	return found, nil
}

// checkReviews derives the review of all that is not pending, and compares.
func checkReviews(ctx context.Context, tx *db.Tx) (found []db.Problem, _ error) {
	type row struct {
		id      int64
		review  string
		pending bool
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, h *row) error { return r.Scan(&h.id, &h.review, &h.pending) },
		`SELECT id, review, pending FROM holder WHERE live = 1 ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("reviews: %w", err)
	}
	for _, h := range rows {
		if h.pending {
			continue
		}
		all, err := grounds(ctx, tx, h.id)
		if err != nil {
			return nil, err
		}
		if want := reviewOf[judge(all).standing]; want != h.review {
			found = append(found, db.Problem{Where: fmt.Sprintf("review of %d", h.id), What: fmt.Sprintf("it is stored as %s, and follows to be %s", h.review, want)})
		}
	}
	return found, nil
}

// Rebuild makes every review anew: all live decisions and steps are settled again, and the word index is filled from the decisions.
// [Drain] must be called after it. The places of supports are derived too, and follow from [Apply] when a version is activated again.
func Rebuild(ctx context.Context, d *db.DB) error {
	return d.Update(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE holder SET pending = 1 WHERE live = 1`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO decision_words (decision_words) VALUES ('delete-all')`); err != nil {
			return err
		}
		type row struct {
			id                            int64
			choice, conclusion, rationale string
		}
		rows, err := db.Query(ctx, tx, func(r db.Row, v *row) error { return r.Scan(&v.id, &v.choice, &v.conclusion, &v.rationale) },
			`SELECT id, choice_key, conclusion, rationale FROM decision WHERE status = 'active' ORDER BY id`)
		if err != nil {
			return err
		}
		for _, v := range rows {
			if err := indexDecision(ctx, tx, v.id, v.choice, v.conclusion, v.rationale); err != nil {
				return err
			}
		}
		return nil
	})
}
