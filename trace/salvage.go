package trace

// This file defines what is made for records that outlived a damaged file without the rows they belong to.

import (
	"context"
	"fmt"

	"docket/db"
)

// Mend makes holders for decisions and steps that lost theirs, and tasks for those whose task is lost: a name that says so stands for
// the old one. It returns how many tasks it made. [Rebuild] and [Drain] must follow.
func Mend(ctx context.Context, tx *db.Tx) (tasks int, err error) {
	type lost struct {
		id      int64
		project string
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, l *lost) error { return r.Scan(&l.id, &l.project) }, `
		SELECT x.task_id, coalesce(max(x.project), 'recovered') FROM (
			SELECT task_id, project FROM decision UNION ALL SELECT s.task_id, h.project FROM step s LEFT JOIN holder h ON h.id = s.id
			UNION ALL SELECT task_id, NULL FROM event) x
		WHERE x.task_id NOT IN (SELECT id FROM task) GROUP BY x.task_id ORDER BY x.task_id`)
	if err != nil {
		return 0, fmt.Errorf("lost tasks: %w", err)
	}
	for _, l := range rows {
		t := Task{TaskName: fmt.Sprintf("recovered-%d", l.id), Goal: "The task's own words were lost with a damaged file.", AgentID: "docket repair", CreatedAt: tx.Stamp()}
		_, err := tx.Exec(ctx, `INSERT INTO task (id, project, name, goal, agent, created_at, hash) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			l.id, l.project, t.TaskName, t.Goal, t.AgentID, t.CreatedAt, recordHash(l.project, t))
		if err != nil {
			return 0, fmt.Errorf("task %s: %w", t.TaskName, err)
		}
	}
	for _, stmt := range []string{
		`INSERT OR IGNORE INTO holder (id, project, kind, live, review, pending) SELECT id, project, 'decision', status = 'active', 'unknown', 1 FROM decision`,
		`INSERT OR IGNORE INTO holder (id, project, kind, live, review, pending) SELECT s.id, t.project, 'step', 1, 'unknown', 1 FROM step s JOIN task t ON t.id = s.task_id`,
	} {
		if _, err := tx.Exec(ctx, stmt); err != nil {
			return 0, fmt.Errorf("lost holders: %w", err)
		}
	}
	return len(rows), nil
}
