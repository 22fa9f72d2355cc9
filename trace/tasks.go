package trace

// This file defines the list of a project's tasks. Agents are told the name of theirs; it is people who look for one.

import (
	"context"

	"docket/db"
)

// A TaskSummary is a task in a list.
type TaskSummary struct {
	Task
	Events    int `json:"events"`
	Decisions int `json:"decisions"` // active ones
	ToReview  int `json:"to_review"` // of them, those that are not current
}

// ListTasks returns all tasks of the project, by name.
func ListTasks(ctx context.Context, d *db.DB, who Identity) (tasks []TaskSummary, err error) {
	if err := who.check(); err != nil {
		return nil, err
	}
	err = d.View(ctx, func(tx *db.Tx) (err error) {
		tasks, err = db.Query(ctx, tx, func(r db.Row, t *TaskSummary) error {
			return r.Scan(&t.TaskName, &t.Goal, &t.AgentID, &t.CreatedAt, &t.Events, &t.Decisions, &t.ToReview)
		}, `
			SELECT t.name, t.goal, t.agent, t.created_at, (SELECT count(*) FROM event e WHERE e.task_id = t.id),
				count(d.id), count(d.id) FILTER (WHERE h.pending = 1 OR h.review <> 'current')
			FROM task t LEFT JOIN decision d ON d.task_id = t.id AND d.status = 'active' LEFT JOIN holder h ON h.id = d.id
			WHERE t.project = ? GROUP BY t.id ORDER BY t.name`, who.Project)
		return err
	})
	return tasks, err
}
