package trace

// This file defines decisions, and record_decision.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"docket/db"
)

// The states of a decision.
const (
	StatusActive     = "active"
	StatusSuperseded = "superseded"
	StatusRejected   = "rejected"
)

// shownReview is the review of a holder h as everybody sees it: what is pending is unknown.
const shownReview = `CASE WHEN h.pending = 1 THEN 'unknown' ELSE h.review END`

// RecordDecisionParams are the parameters of [RecordDecision].
type RecordDecisionParams struct {
	TaskName      string    `json:"task_name"`
	ChoiceKey     string    `json:"choice_key"` // what was chosen between; the same choice has the same key in every task
	Conclusion    string    `json:"conclusion"`
	Rationale     string    `json:"rationale"`
	Supports      []Support `json:"supports"`
	Assumptions   []string  `json:"assumptions"`
	OpenQuestions []string  `json:"open_questions"`
	RequestID     string    `json:"request_id"`
}

// A DecisionReceipt is what every write of a decision returns.
type DecisionReceipt struct {
	DecisionID   string `json:"decision_id"`
	Status       string `json:"status"`
	Review       string `json:"review,omitempty"` // of an active one
	Supersedes   string `json:"supersedes,omitempty"`
	SupersededBy string `json:"superseded_by,omitempty"`
}

type decisionRow struct {
	row            int64
	task           int64
	id             string
	choiceKey      string
	status, review string
}

// findDecision returns a decision of a project, or [db.ErrNotFound].
func findDecision(ctx context.Context, tx *db.Tx, project, id string) (decisionRow, error) {
	d, err := db.One(ctx, tx, func(r db.Row, d *decisionRow) error {
		return r.Scan(&d.row, &d.task, &d.id, &d.choiceKey, &d.status, &d.review)
	}, `
		SELECT d.id, d.task_id, d.decision_id, d.choice_key, d.status, `+shownReview+`
		FROM decision d JOIN holder h ON h.id = d.id WHERE d.decision_id = ? AND d.project = ?`, id, project)
	if err != nil {
		err = fmt.Errorf("decision %s: %w", id, err)
	}
	return d, err
}

// mustFindDecision is findDecision with a refusal for one that is not there.
func mustFindDecision(ctx context.Context, tx *db.Tx, project, id string) (decisionRow, error) {
	d, err := findDecision(ctx, tx, project, id)
	if errors.Is(err, db.ErrNotFound) {
		err = refuse(CodeDecisionNotFound, "find it with search_decisions or list_decisions", "there is no decision %s in project %s", id, project)
	}
	return d, err
}

// activeDecision is mustFindDecision for one that is to be changed.
func activeDecision(ctx context.Context, tx *db.Tx, project, id string) (decisionRow, error) {
	d, err := mustFindDecision(ctx, tx, project, id)
	if err == nil && d.status != StatusActive {
		err = refuse(CodeNotActive, "see get_decision for what became of it", "decision %s is %s", id, d.status)
	}
	return d, err
}

// choiceOf reduces a choice key to what tells choices apart: not case, not width, and not how its words are joined.
func choiceOf(key string) string {
	key = cases.Fold().String(norm.NFKC.String(key))
	return strings.Join(strings.FieldsFunc(key, func(r rune) bool {
		return r == '-' || r == '_' || strings.ContainsRune(" \t\r\n\u00a0\u2010\u2011\u2012\u2013\u2014", r)
	}), " ")
}

// RecordDecision records a decision on its supports.
func RecordDecision(ctx context.Context, d *db.DB, who Identity, p RecordDecisionParams) (DecisionReceipt, error) {
	if err := first(
		checkTaskName(p.TaskName),
		checkTexts(bound{"choice_key", p.ChoiceKey, 1, 200}),
		checkBody(p.Conclusion, p.Rationale, p.Supports, p.Assumptions, p.OpenQuestions),
	); err != nil {
		return DecisionReceipt{}, err
	}
	if choiceOf(p.ChoiceKey) == "" {
		return DecisionReceipt{}, invalid("choice_key", fmt.Sprintf("is %q, which names nothing", p.ChoiceKey), "send a key with letters")
	}
	args := p
	args.RequestID = ""
	return write(ctx, d, who, request{"record_decision", p.RequestID, args}, func(tx *db.Tx) (DecisionReceipt, error) {
		t, err := findTask(ctx, tx, who.Project, p.TaskName)
		if err != nil {
			return DecisionReceipt{}, err
		}
		was, err := db.Query(ctx, tx, db.Value[string], `SELECT decision_id FROM decision WHERE task_id = ? AND choice = ? AND status = 'active'`,
			t.id, choiceOf(p.ChoiceKey))
		if err != nil {
			return DecisionReceipt{}, err
		}
		if len(was) > 0 {
			return DecisionReceipt{}, refuse(CodeChoiceDecided, "use supersede_decision on "+was[0],
				"task %q has decided %q already, in decision %s", p.TaskName, p.ChoiceKey, was[0])
		}
		supports, err := resolve(ctx, tx, who, p.Supports, 0)
		if err != nil {
			return DecisionReceipt{}, err
		}
		return putDecision(ctx, tx, who, newDecision{
			task: t, choiceKey: p.ChoiceKey, conclusion: p.Conclusion, rationale: p.Rationale,
			assumptions: p.Assumptions, openQuestions: p.OpenQuestions, supports: supports,
		})
	})
}

// checkBody checks what every new decision is made of.
func checkBody(conclusion, rationale string, supports []Support, assumptions, openQuestions []string) error {
	if err := first(
		checkTexts(bound{"conclusion", conclusion, 1, 4000}, bound{"rationale", rationale, 1, 8000}),
		checkSupports(supports, 1),
		checkList("assumptions", assumptions),
		checkList("open_questions", openQuestions),
	); err != nil {
		return err
	}
	for _, s := range supports {
		if s.Type == typeEvidence || s.Type == typeEvent {
			return nil
		}
	}
	return refuse(CodeEvidenceRequired, "add a support of type evidence or event", "a decision cannot rest on other decisions and steps alone")
}

// A newDecision is all that is stored of a decision when it is recorded.
type newDecision struct {
	task                       taskRow
	choiceKey                  string
	conclusion, rationale      string
	assumptions, openQuestions []string
	supports                   []resolved
	supersedes                 decisionRow
}

func putDecision(ctx context.Context, tx *db.Tx, who Identity, n newDecision) (DecisionReceipt, error) {
	out := DecisionReceipt{DecisionID: tx.NewID(), Status: StatusActive, Supersedes: n.supersedes.id}
	row, err := tx.Insert(ctx, `INSERT INTO holder (project, kind, live, review, pending) VALUES (?, 'decision', 1, 'current', 0)`, who.Project)
	if err != nil {
		return out, err
	}
	assumptions, err := json.Marshal(append([]string{}, n.assumptions...))
	if err != nil {
		return out, err
	}
	questions, err := json.Marshal(append([]string{}, n.openQuestions...))
	if err != nil {
		return out, err
	}
	if _, err = tx.Exec(ctx, `
		INSERT INTO decision (id, decision_id, project, task_id, choice_key, choice, conclusion, rationale, assumptions, open_questions,
			status, supersedes, agent, created_at, hash)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'active', nullif(?, 0), ?, ?, x'')`,
		row, out.DecisionID, who.Project, n.task.id, n.choiceKey, choiceOf(n.choiceKey), n.conclusion, n.rationale, string(assumptions), string(questions),
		n.supersedes.row, who.Agent, tx.Stamp()); err != nil {
		return out, fmt.Errorf("decision on %s: %w", n.choiceKey, err)
	}
	if err := addSupports(ctx, tx, row, originOriginal, n.supports); err != nil {
		return out, err
	}
	hash, err := decisionHash(ctx, tx, row)
	if err != nil {
		return out, err
	}
	if _, err := tx.Exec(ctx, `UPDATE decision SET hash = ? WHERE id = ?`, hash, row); err != nil {
		return out, err
	}
	if err := indexDecision(ctx, tx, row, n.choiceKey, n.conclusion, n.rationale); err != nil {
		return out, err
	}
	if _, err := settle(ctx, tx, row, byRecord); err != nil {
		return out, err
	}
	out.Review, err = reviewNow(ctx, tx, row)
	return out, err
}

func reviewNow(ctx context.Context, tx *db.Tx, row int64) (string, error) {
	return db.One(ctx, tx, db.Value[string], `SELECT `+shownReview+` FROM holder h WHERE h.id = ?`, row)
}

// decisionHash is the hash of what was recorded of a decision, its original supports included, as it stands in the store.
func decisionHash(ctx context.Context, tx *db.Tx, row int64) ([]byte, error) {
	type recorded struct {
		id, project, choiceKey, choice, conclusion, rationale, assumptions, questions, agent, at string
		task, supersedes                                                                         int64
	}
	d, err := db.One(ctx, tx, func(r db.Row, d *recorded) error {
		return r.Scan(&d.id, &d.project, &d.task, &d.choiceKey, &d.choice, &d.conclusion, &d.rationale, &d.assumptions, &d.questions, &d.supersedes, &d.agent, &d.at)
	}, `
		SELECT decision_id, project, task_id, choice_key, choice, conclusion, rationale, assumptions, open_questions, coalesce(supersedes, 0), agent, created_at
		FROM decision WHERE id = ?`, row)
	if err != nil {
		return nil, fmt.Errorf("decision %d: %w", row, err)
	}
	type given struct {
		Ordinal       int
		Type, Group   string
		QuoteHash     []byte
		Evidence      string
		Target, Event int64
	}
	supports, err := db.Query(ctx, tx, func(r db.Row, g *given) error {
		return r.Scan(&g.Ordinal, &g.Type, &g.Group, &g.QuoteHash, &g.Evidence, &g.Target, &g.Event)
	}, `
		SELECT ordinal, type, alternative, quote_hash, first_evidence, coalesce(target, 0), coalesce(event_id, 0)
		FROM support WHERE holder_id = ? AND origin = 'original' ORDER BY ordinal`, row)
	if err != nil {
		return nil, fmt.Errorf("supports of decision %s: %w", d.id, err)
	}
	return recordHash(d.id, d.project, d.task, d.choiceKey, d.choice, d.conclusion, d.rationale, d.assumptions, d.questions, d.supersedes, d.agent, d.at, supports), nil
}

// act records what was done to a decision, and why.
func act(ctx context.Context, tx *db.Tx, who Identity, row int64, what, explanation string) error {
	_, err := tx.Exec(ctx, `INSERT INTO decision_act (decision_id, what, explanation, agent, at, hash) VALUES (?, ?, ?, ?, ?, ?)`,
		row, what, explanation, who.Agent, tx.Stamp(), recordHash(row, what, explanation, who.Agent, tx.Stamp()))
	if err != nil {
		return fmt.Errorf("decision %d %s: %w", row, what, err)
	}
	return nil
}

// end takes a decision out of force: its supports and reasons end with it, and what leans on it is queued.
func end(ctx context.Context, tx *db.Tx, d decisionRow, status, by string) error {
	seq, err := tx.Seq(ctx)
	if err != nil {
		return err
	}
	for _, s := range []struct {
		stmt string
		args []any
	}{
		{`UPDATE decision SET status = ? WHERE id = ?`, []any{status, d.row}},
		{`UPDATE holder SET live = 0, pending = 0 WHERE id = ?`, []any{d.row}},
		{`UPDATE support SET live = 0 WHERE holder_id = ? AND live = 1`, []any{d.row}},
		{`UPDATE review_reason SET closed_by = ?, closed_seq = ?, closed_at = ? WHERE holder_id = ? AND closed_at = ''`, []any{by, seq, tx.Stamp(), d.row}},
		{`DELETE FROM decision_words WHERE rowid = ?`, []any{d.row}},
	} {
		if _, err := tx.Exec(ctx, s.stmt, s.args...); err != nil {
			return fmt.Errorf("decision %s %s: %w", d.id, status, err)
		}
	}
	return markAbove(ctx, tx, d.row)
}
