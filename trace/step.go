package trace

// This file defines steps, the parts of a task: set_step and list_steps.

import (
	"context"
	"errors"
	"fmt"

	"docket/db"
)

// The states of a step.
const (
	StepNotStarted = "not_started"
	StepInProgress = "in_progress"
	StepCompleted  = "completed"
	StepFailed     = "failed"
	StepUnknown    = "unknown"
)

var stepStates = []string{StepNotStarted, StepInProgress, StepCompleted, StepFailed, StepUnknown}

// SetStepParams are the parameters of [SetStep].
type SetStepParams struct {
	TaskName       string    `json:"task_name"`
	Name           string    `json:"name"`
	State          string    `json:"state"`
	Kind           string    `json:"kind"`             // read, analysis or other
	ResultEventSeq int       `json:"result_event_seq"` // 0 without a result
	ResultBasis    string    `json:"result_basis"`     // independent, supported or unknown
	Supports       []Support `json:"supports"`
	RequestID      string    `json:"request_id"`
}

// A Step is a part of a task.
type Step struct {
	Name           string `json:"name"`
	State          string `json:"state"`
	Kind           string `json:"kind"`
	ResultEventSeq int    `json:"result_event_seq,omitempty"`
	ResultBasis    string `json:"result_basis"`
	Review         string `json:"review"`   // whether its supports still stand
	Supports       int    `json:"supports"` // how many it has
	AgentID        string `json:"agent_id"` // who set it last
	CreatedAt      string `json:"created_at"`
	UpdatedAt      string `json:"updated_at"`
}

// A StepReceipt is what [SetStep] returns.
type StepReceipt struct {
	TaskName string `json:"task_name"`
	Step
}

type stepRow struct {
	row           int64
	event         int64 // its result, 0 without
	state, review string
}

const stepColumns = `p.name, p.state, p.kind, p.result_seq, p.basis, ` + shownReview + `,
	(SELECT count(*) FROM support s WHERE s.holder_id = p.id AND s.live = 1), p.agent, p.created_at, p.updated_at`

func scanStep(r db.Row, s *Step) error {
	return r.Scan(&s.Name, &s.State, &s.Kind, &s.ResultEventSeq, &s.ResultBasis, &s.Review, &s.Supports, &s.AgentID, &s.CreatedAt, &s.UpdatedAt)
}

// findStep returns a step of a project, or [db.ErrNotFound].
func findStep(ctx context.Context, tx *db.Tx, project, task, name string) (stepRow, error) {
	s, err := db.One(ctx, tx, func(r db.Row, s *stepRow) error {
		return r.Scan(&s.row, &s.event, &s.state, &s.review)
	}, `
		SELECT p.id, coalesce(e.id, 0), p.state, `+shownReview+`
		FROM task t JOIN step p ON p.task_id = t.id JOIN holder h ON h.id = p.id LEFT JOIN event e ON e.task_id = t.id AND e.seq = p.result_seq
		WHERE t.project = ? AND t.name = ? AND p.name = ?`, project, task, name)
	if err != nil {
		err = fmt.Errorf("step %s of task %s: %w", name, task, err)
	}
	return s, err
}

// SetStep makes a step, or sets the one of that name anew: its supports are then those given and no others.
func SetStep(ctx context.Context, d *db.DB, who Identity, p SetStepParams) (StepReceipt, error) {
	if p.Kind == "" {
		p.Kind = "other"
	}
	if p.ResultBasis == "" {
		p.ResultBasis = "unknown"
	}
	if err := first(
		checkTaskName(p.TaskName),
		checkTexts(bound{"name", p.Name, 1, 200}),
		checkOneOf("state", p.State, stepStates...),
		checkOneOf("kind", p.Kind, "read", "analysis", "other"),
		checkOneOf("result_basis", p.ResultBasis, "independent", "supported", "unknown"),
		checkRange("result_event_seq", p.ResultEventSeq, 0, 1<<53),
		checkSupports(p.Supports, 0),
	); err != nil {
		return StepReceipt{}, err
	}
	if p.ResultBasis == "supported" && len(p.Supports) == 0 {
		return StepReceipt{}, refuse(CodeEvidenceRequired, "name its supports, or send another result_basis", "step %q is said to be supported, and has no supports", p.Name)
	}
	args := p
	args.RequestID, args.Supports = "", append([]Support{}, p.Supports...)
	return write(ctx, d, who, request{"set_step", p.RequestID, args}, func(tx *db.Tx) (StepReceipt, error) {
		t, err := findTask(ctx, tx, who.Project, p.TaskName)
		if err != nil {
			return StepReceipt{}, err
		}
		if err := checkResult(ctx, tx, t, p); err != nil {
			return StepReceipt{}, err
		}
		was, err := findStep(ctx, tx, who.Project, p.TaskName, p.Name)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return StepReceipt{}, err
		}
		supports, err := resolve(ctx, tx, who, p.Supports, was.row)
		if err != nil {
			return StepReceipt{}, err
		}
		id, err := putStep(ctx, tx, who, t.id, was.row, p)
		if err != nil {
			return StepReceipt{}, fmt.Errorf("step %s of task %s: %w", p.Name, p.TaskName, err)
		}
		if err := addSupports(ctx, tx, id, originOriginal, supports); err != nil {
			return StepReceipt{}, err
		}
		// What leans on it asks for its state and result, besides its review.
		leaning, err := db.Query(ctx, tx, db.Value[int64], `SELECT DISTINCT holder_id FROM support WHERE target = ? AND live = 1 ORDER BY holder_id`, id)
		if err != nil {
			return StepReceipt{}, err
		}
		if _, err := touch(ctx, tx, append([]int64{id}, leaning...), byStep); err != nil {
			return StepReceipt{}, err
		}
		out := StepReceipt{TaskName: p.TaskName}
		out.Step, err = db.One(ctx, tx, scanStep, `SELECT `+stepColumns+` FROM step p JOIN holder h ON h.id = p.id WHERE p.id = ?`, id)
		return out, err
	})
}

// checkResult refuses a completed step without a result that can be read whole.
func checkResult(ctx context.Context, tx *db.Tx, t taskRow, p SetStepParams) error {
	required := func(format string, args ...any) error {
		return refuse(CodeResultRequired, "record the result with record_event first, and send its seq as result_event_seq", format, args...)
	}
	if p.ResultEventSeq == 0 {
		if p.State == StepCompleted {
			return required("step %q cannot be completed without result_event_seq", p.Name)
		}
		return nil
	}
	type result struct {
		chars     int
		truncated bool
	}
	e, err := db.One(ctx, tx, func(r db.Row, e *result) error { return r.Scan(&e.chars, &e.truncated) },
		`SELECT chars, truncated FROM event WHERE task_id = ? AND seq = ?`, t.id, p.ResultEventSeq)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return required("task %q has no event %d", p.TaskName, p.ResultEventSeq)
	case err != nil:
		return err
	case p.State != StepCompleted:
		return nil
	case e.chars == 0:
		return required("event %d of task %q is empty", p.ResultEventSeq, p.TaskName)
	case e.truncated:
		return refuse(CodeResultTruncated, fmt.Sprintf("record a result of at most %d characters", maxStored),
			"event %d of task %q was too long to be kept whole", p.ResultEventSeq, p.TaskName)
	}
	return nil
}

// putStep stores the step, without supports, and returns its row. was is its row so far, 0 for a new one.
func putStep(ctx context.Context, tx *db.Tx, who Identity, task, was int64, p SetStepParams) (int64, error) {
	if was == 0 {
		id, err := tx.Insert(ctx, `INSERT INTO holder (project, kind, live, review, pending) VALUES (?, 'step', 1, 'current', 0)`, who.Project)
		if err != nil {
			return 0, err
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO step (id, task_id, name, state, kind, basis, result_seq, agent, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, task, p.Name, p.State, p.Kind, p.ResultBasis, p.ResultEventSeq, who.Agent, tx.Stamp(), tx.Stamp())
		return id, err
	}
	live, err := db.Query(ctx, tx, db.Value[int64], `SELECT id FROM support WHERE holder_id = ? AND live = 1 ORDER BY ordinal`, was)
	if err != nil {
		return 0, err
	}
	if err := retire(ctx, tx, live, stateReplaced); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `UPDATE step SET state = ?, kind = ?, basis = ?, result_seq = ?, agent = ?, updated_at = ? WHERE id = ?`,
		p.State, p.Kind, p.ResultBasis, p.ResultEventSeq, who.Agent, tx.Stamp(), was)
	return was, err
}

// ListStepsParams are the parameters of [ListSteps].
type ListStepsParams struct {
	TaskName  string `json:"task_name"`
	State     string `json:"state"`      // "" for all
	AfterName string `json:"after_name"` // the last name of the page before
	Limit     int    `json:"limit"`
}

// A StepPage is a page of a task's steps.
type StepPage struct {
	TaskName      string `json:"task_name"`
	NextAfterName string `json:"next_after_name,omitempty"` // absent on the last page
	Steps         []Step `json:"steps"`
}

// ListSteps returns a page of a task's steps, by name.
func ListSteps(ctx context.Context, d *db.DB, who Identity, p ListStepsParams) (StepPage, error) {
	var out StepPage
	if err := first(who.check(), checkTaskName(p.TaskName), checkTexts(bound{"after_name", p.AfterName, 0, 200}), checkRange("limit", p.Limit, 1, 200)); err != nil {
		return out, err
	}
	if p.State != "" {
		if err := checkOneOf("state", p.State, stepStates...); err != nil {
			return out, err
		}
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		t, err := findTask(ctx, tx, who.Project, p.TaskName)
		if err != nil {
			return err
		}
		steps, err := db.Query(ctx, tx, scanStep, `
			SELECT `+stepColumns+` FROM step p JOIN holder h ON h.id = p.id
			WHERE p.task_id = ? AND p.name > ? AND (? = '' OR p.state = ?) ORDER BY p.name LIMIT ?`, t.id, p.AfterName, p.State, p.State, p.Limit+1)
		out = StepPage{TaskName: t.TaskName, Steps: steps}
		if len(steps) > p.Limit {
			out.Steps = steps[:p.Limit]
			out.NextAfterName = out.Steps[p.Limit-1].Name
		}
		return err
	})
	return out, err
}
