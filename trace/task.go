package trace

// This file defines tasks: create_task, and the resume view of get_task.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"docket/db"
)

// CreateTaskParams are the parameters of [CreateTask].
type CreateTaskParams struct {
	TaskName  string `json:"task_name"`
	Goal      string `json:"goal"`
	RequestID string `json:"request_id"`
}

// A Task is a piece of work with a goal, inside a project.
type Task struct {
	TaskName  string `json:"task_name"`
	Goal      string `json:"goal"`
	AgentID   string `json:"agent_id"` // who created it
	CreatedAt string `json:"created_at"`
}

type taskRow struct {
	id   int64
	hash []byte
	Task
}

func findTask(ctx context.Context, tx *db.Tx, project, name string) (taskRow, error) {
	t, err := db.One(ctx, tx, func(r db.Row, t *taskRow) error {
		return r.Scan(&t.id, &t.TaskName, &t.Goal, &t.AgentID, &t.CreatedAt, &t.hash)
	}, `SELECT id, name, goal, agent, created_at, hash FROM task WHERE project = ? AND name = ?`, project, name)
	if errors.Is(err, db.ErrNotFound) {
		return t, refuse(CodeTaskNotFound, "create it with create_task, or check its name", "there is no task %q in project %s", name, project)
	}
	if err != nil {
		err = fmt.Errorf("task %s: %w", name, err)
	}
	return t, err
}

// CreateTask makes a task, or returns the one of that name if its goal is the same.
func CreateTask(ctx context.Context, d *db.DB, who Identity, p CreateTaskParams) (Task, error) {
	if err := checkTaskName(p.TaskName); err != nil {
		return Task{}, err
	}
	if err := checkTexts(bound{"goal", p.Goal, 1, 4000}); err != nil {
		return Task{}, err
	}
	args := p
	args.RequestID = ""
	return write(ctx, d, who, request{"create_task", p.RequestID, args}, func(tx *db.Tx) (Task, error) {
		was, err := findTask(ctx, tx, who.Project, p.TaskName)
		switch {
		case err == nil && was.Goal == p.Goal:
			return was.Task, nil
		case err == nil:
			return Task{}, refuse(CodeTaskExists, "take another name, or work on that task",
				"task %q exists with another goal: %s", p.TaskName, cut(was.Goal, 200))
		case code(err) != CodeTaskNotFound:
			return Task{}, err
		}
		t := Task{p.TaskName, p.Goal, who.Agent, tx.Stamp()}
		_, err = tx.Exec(ctx, `INSERT INTO task (project, name, goal, agent, created_at, hash) VALUES (?, ?, ?, ?, ?, ?)`,
			who.Project, t.TaskName, t.Goal, t.AgentID, t.CreatedAt, recordHash(who.Project, t))
		if err != nil {
			return Task{}, fmt.Errorf("task %s: %w", p.TaskName, err)
		}
		return t, nil
	})
}

// code returns the code of a refusal, "" for any other error.
func code(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// recordHash is kept beside what was recorded, so that damage shows.
func recordHash(parts ...any) []byte {
	b, err := json.Marshal(parts)
	if err != nil { // it is made of strings and numbers
		panic(err)
	}
	h := db.HashOf(b)
	return h[:]
}

// GetTaskParams are the parameters of [GetTask].
type GetTaskParams struct {
	TaskName string `json:"task_name"`
}

// A Resume is what somebody needs to go on with a task. It is bounded; the lists that are cut say so by their counts.
type Resume struct {
	TaskName        string          `json:"task_name"`
	Goal            string          `json:"goal"`
	AgentID         string          `json:"agent_id"`
	CreatedAt       string          `json:"created_at"`
	Events          int             `json:"events"`
	Decisions       int             `json:"decisions"` // active ones
	ToReview        int             `json:"to_review"` // of them, those that are not current
	Steps           StepCounts      `json:"steps"`
	Truncated       bool            `json:"truncated"` // some lists below are not complete
	OpenSteps       []StepSummary   `json:"open_steps"`
	OpenQuestions   []OpenQuestion  `json:"open_questions"`
	ActiveDecisions []DecisionBrief `json:"active_decisions"`
	LastEvents      []EventSummary  `json:"last_events"`
}

// StepCounts are how many steps are in each state.
type StepCounts struct {
	NotStarted int `json:"not_started"`
	InProgress int `json:"in_progress"`
	Completed  int `json:"completed"`
	Failed     int `json:"failed"`
	Unknown    int `json:"unknown"`
}

// A StepSummary is a step in the resume view.
type StepSummary struct {
	Name      string `json:"name"`
	State     string `json:"state"`
	UpdatedAt string `json:"updated_at"`
}

// An OpenQuestion is a question that an active decision left open.
type OpenQuestion struct {
	DecisionID string `json:"decision_id"`
	Question   string `json:"question"`
}

// A DecisionBrief is a decision in a few words.
type DecisionBrief struct {
	DecisionID string `json:"decision_id"`
	ChoiceKey  string `json:"choice_key"`
	Conclusion string `json:"conclusion"` // its beginning
	Review     string `json:"review"`
}

// What the resume view holds at most: whatever was written, it fits the size of an answer.
const (
	resumeEvents    = 10
	resumeSteps     = 20
	resumeDecisions = 20
	resumeQuestions = 10
	resumeBytes     = 40_000
)

// GetTask returns the resume view of a task.
func GetTask(ctx context.Context, d *db.DB, who Identity, p GetTaskParams) (Resume, error) {
	var out Resume
	if err := first(who.check(), checkTaskName(p.TaskName)); err != nil {
		return out, err
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		t, err := findTask(ctx, tx, who.Project, p.TaskName)
		if err != nil {
			return err
		}
		out = Resume{TaskName: t.TaskName, Goal: t.Goal, AgentID: t.AgentID, CreatedAt: t.CreatedAt}
		return out.fill(ctx, tx, t.id)
	})
	return out, err
}

func (out *Resume) fill(ctx context.Context, tx *db.Tx, task int64) (err error) {
	if out.Events, err = db.One(ctx, tx, db.Value[int], `SELECT coalesce(max(seq), 0) FROM event WHERE task_id = ?`, task); err != nil {
		return err
	}
	if out.Steps, err = db.One(ctx, tx, func(r db.Row, c *StepCounts) error {
		return r.Scan(&c.NotStarted, &c.InProgress, &c.Completed, &c.Failed, &c.Unknown)
	}, `
		SELECT count(*) FILTER (WHERE state = 'not_started'), count(*) FILTER (WHERE state = 'in_progress'),
			count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'unknown')
		FROM step WHERE task_id = ?`, task); err != nil {
		return err
	}
	if out.Decisions, out.ToReview, err = countDecisions(ctx, tx, task); err != nil {
		return err
	}
	if out.OpenSteps, err = db.Query(ctx, tx, func(r db.Row, s *StepSummary) error { return r.Scan(&s.Name, &s.State, &s.UpdatedAt) }, `
		SELECT name, state, updated_at FROM step WHERE task_id = ? AND state <> 'completed'
		ORDER BY state <> 'in_progress', updated_at DESC, name LIMIT ?`, task, resumeSteps); err != nil {
		return err
	}
	if out.ActiveDecisions, err = db.Query(ctx, tx, func(r db.Row, b *DecisionBrief) error {
		return r.Scan(&b.DecisionID, &b.ChoiceKey, &b.Conclusion, &b.Review)
	}, `
		SELECT d.decision_id, d.choice_key, d.conclusion, `+shownReview+` FROM decision d JOIN holder h ON h.id = d.id
		WHERE d.task_id = ? AND d.status = 'active' ORDER BY d.id DESC LIMIT ?`, task, resumeDecisions); err != nil {
		return err
	}
	for i := range out.ActiveDecisions {
		out.ActiveDecisions[i].Conclusion = cut(out.ActiveDecisions[i].Conclusion, previewChars)
	}
	if out.OpenQuestions, err = db.Query(ctx, tx, func(r db.Row, q *OpenQuestion) error { return r.Scan(&q.DecisionID, &q.Question) }, `
		SELECT d.decision_id, q.value FROM decision d, json_each(d.open_questions) q
		WHERE d.task_id = ? AND d.status = 'active' ORDER BY d.id DESC, q.key LIMIT ?`, task, resumeQuestions+1); err != nil {
		return err
	}
	if len(out.OpenQuestions) > resumeQuestions {
		out.OpenQuestions, out.Truncated = out.OpenQuestions[:resumeQuestions], true
	}
	for i := range out.OpenQuestions {
		out.OpenQuestions[i].Question = cut(out.OpenQuestions[i].Question, previewChars)
	}
	if out.LastEvents, err = eventSummaries(ctx, tx, `task_id = ? ORDER BY seq DESC LIMIT ?`, task, resumeEvents); err != nil {
		return err
	}
	open := out.Steps.NotStarted + out.Steps.InProgress + out.Steps.Failed + out.Steps.Unknown
	out.Truncated = out.Truncated || open > len(out.OpenSteps) || out.Decisions > len(out.ActiveDecisions)
	for {
		b, err := json.Marshal(out)
		if err != nil {
			return err
		}
		if len(b) <= resumeBytes {
			return nil
		}
		out.Truncated = true
		switch longest := max(len(out.LastEvents), len(out.ActiveDecisions), len(out.OpenSteps), len(out.OpenQuestions)); longest {
		case 0:
			out.Goal = cut(out.Goal, chars(out.Goal)/2)
		case len(out.LastEvents):
			out.LastEvents = out.LastEvents[:longest/2]
		case len(out.ActiveDecisions):
			out.ActiveDecisions = out.ActiveDecisions[:longest/2]
		case len(out.OpenSteps):
			out.OpenSteps = out.OpenSteps[:longest/2]
		default:
			out.OpenQuestions = out.OpenQuestions[:longest/2]
		}
	}
}

// first returns the first error that is not nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
