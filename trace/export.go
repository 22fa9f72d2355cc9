package trace

// This file defines the export of what exists nowhere else, in a form that outlives this program: a line of JSON for each record.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"docket/db"
)

// An exported record names the table it is of; its other members are the columns as they stand, hashes in hexadecimal, and rows that
// it refers to by what a person would call them.
var exports = []struct{ table, query string }{
	{"task", `SELECT json_object('record', 'task', 'project', project, 'name', name, 'goal', goal, 'agent', agent, 'created_at', created_at,
		'hash', lower(hex(hash))) FROM task WHERE id = ?`},
	{"event", `SELECT json_object('record', 'event', 'project', t.project, 'task', t.name, 'seq', e.seq, 'kind', e.kind, 'role', e.role, 'name', e.name,
		'chars', e.chars, 'truncated', json(iif(e.truncated, 'true', 'false')), 'full_sha256', lower(hex(e.full_hash)), 'agent', e.agent,
		'created_at', e.created_at, 'hash', lower(hex(e.hash)), 'body', CAST(e.body AS TEXT))
		FROM event e JOIN task t ON t.id = e.task_id WHERE e.id = ?`},
	{"step", `SELECT json_object('record', 'step', 'project', t.project, 'task', t.name, 'name', s.name, 'state', s.state, 'kind', s.kind,
		'basis', s.basis, 'result_seq', s.result_seq, 'review', ` + shownReview + `, 'agent', s.agent, 'created_at', s.created_at, 'updated_at', s.updated_at)
		FROM step s JOIN holder h ON h.id = s.id JOIN task t ON t.id = s.task_id WHERE s.id = ?`},
	{"decision", `SELECT json_object('record', 'decision', 'decision_id', d.decision_id, 'project', d.project, 'task', t.name, 'choice_key', d.choice_key,
		'conclusion', d.conclusion, 'rationale', d.rationale, 'assumptions', json(d.assumptions), 'open_questions', json(d.open_questions),
		'status', d.status, 'review', ` + shownReview + `, 'supersedes', p.decision_id, 'superseded_by', n.decision_id, 'agent', d.agent,
		'created_at', d.created_at, 'hash', lower(hex(d.hash)))
		FROM decision d JOIN holder h ON h.id = d.id JOIN task t ON t.id = d.task_id
		LEFT JOIN decision p ON p.id = d.supersedes LEFT JOIN decision n ON n.id = d.superseded_by WHERE d.id = ?`},
	{"decision_act", `SELECT json_object('record', 'act', 'decision_id', d.decision_id, 'what', a.what, 'explanation', a.explanation, 'agent', a.agent,
		'at', a.at, 'hash', lower(hex(a.hash))) FROM decision_act a JOIN decision d ON d.id = a.decision_id WHERE a.id = ?`},
	{"support", `SELECT json_object('record', 'support', 'decision_id', d.decision_id, 'step', iif(d.id IS NULL, st.name, NULL),
		'task', coalesce(t.name, t2.name), 'ordinal', s.ordinal, 'origin', s.origin, 'type', s.type, 'alternative', s.alternative,
		'live', json(iif(s.live, 'true', 'false')), 'state', s.state, 'cause', s.cause, 'document_key', doc.key, 'quote', s.quote,
		'quote_sha256', lower(hex(s.quote_hash)), 'first_evidence_id', s.first_evidence, 'evidence_id', s.evidence, 'version_id', v.version_id,
		'start', s.start, 'end', s.end, 'target_decision_id', td.decision_id, 'target_step', ts.name,
		'event_seq', e.seq)
		FROM support s LEFT JOIN decision d ON d.id = s.holder_id LEFT JOIN task t ON t.id = d.task_id
		LEFT JOIN step st ON st.id = s.holder_id LEFT JOIN task t2 ON t2.id = st.task_id
		LEFT JOIN document doc ON doc.id = s.document_id LEFT JOIN version v ON v.id = s.version_id
		LEFT JOIN decision td ON td.id = s.target LEFT JOIN step ts ON ts.id = s.target LEFT JOIN event e ON e.id = s.event_id WHERE s.id = ?`},
}

// Export writes every task, event, step, decision, act and support as a line of JSON each, in the order in which they were recorded,
// all as of one instant. With the words of a decision stand the passages that it rests on, so that a reader needs no database.
func Export(ctx context.Context, d *db.DB, w io.Writer) error {
	return d.View(ctx, func(tx *db.Tx) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, e := range exports {
			ids, err := db.Query(ctx, tx, db.Value[int64], `SELECT id FROM `+e.table+` ORDER BY id`)
			if err != nil {
				return fmt.Errorf("export of %s: %w", e.table, err)
			}
			for _, id := range ids { // one at a time: bodies are large
				line, err := db.One(ctx, tx, db.Value[string], e.query, id)
				if err == nil && e.table == "support" {
					line, err = withPassage(ctx, tx, id, line)
				}
				if err == nil {
					err = enc.Encode(json.RawMessage(line))
				}
				if err != nil {
					return fmt.Errorf("export of %s %d: %w", e.table, id, err)
				}
			}
		}
		return nil
	})
}

// withPassage puts the text that a support rests on into its record, as the last member.
func withPassage(ctx context.Context, tx *db.Tx, id int64, line string) (string, error) {
	a, err := db.One(ctx, tx, func(r db.Row, a *anchor) error { return r.Scan(&a.version, &a.start, &a.end) },
		`SELECT coalesce(version_id, 0), start, end FROM support WHERE id = ?`, id)
	if err != nil || a.version == 0 {
		return line, err
	}
	text, err := tx.Text(ctx, a.version, a.start, a.end)
	if err != nil {
		return "", err
	}
	passage, err := json.Marshal(text)
	return strings.TrimSuffix(line, "}") + `,"passage":` + string(passage) + "}", err
}
