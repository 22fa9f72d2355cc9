package trace

// This file defines the lists of decisions: list_decisions, list_decisions_for_review and list_conflicts.

import (
	"context"
	"strings"

	"docket/db"
)

func countDecisions(ctx context.Context, tx *db.Tx, task int64) (active, toReview int, err error) {
	type counts struct{ active, toReview int }
	c, err := db.One(ctx, tx, func(r db.Row, c *counts) error { return r.Scan(&c.active, &c.toReview) }, `
		SELECT count(*), count(*) FILTER (WHERE h.pending = 1 OR h.review <> 'current')
		FROM decision d JOIN holder h ON h.id = d.id WHERE d.task_id = ? AND d.status = 'active'`, task)
	return c.active, c.toReview, err
}

// ListDecisionsParams are the parameters of [ListDecisions].
type ListDecisionsParams struct {
	TaskName string `json:"task_name"`
	After    string `json:"after"` // the last decision of the page before
	Limit    int    `json:"limit"`
}

// A DecisionPage is a page of a task's decisions, oldest first.
type DecisionPage struct {
	TaskName  string            `json:"task_name"`
	NextAfter string            `json:"next_after,omitempty"` // absent on the last page
	Decisions []DecisionSummary `json:"decisions"`
}

// ListDecisions returns a page of all decisions of a task, those out of force too, without rationale and supports.
func ListDecisions(ctx context.Context, d *db.DB, who Identity, p ListDecisionsParams) (DecisionPage, error) {
	var out DecisionPage
	if err := first(who.check(), checkTaskName(p.TaskName), checkRange("limit", p.Limit, 1, 100)); err != nil {
		return out, err
	}
	if p.After != "" {
		if err := checkDecisionID("after", p.After); err != nil {
			return out, err
		}
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		t, err := findTask(ctx, tx, who.Project, p.TaskName)
		if err != nil {
			return err
		}
		after := decisionRow{}
		if p.After != "" {
			if after, err = mustFindDecision(ctx, tx, who.Project, p.After); err != nil {
				return err
			}
		}
		list, err := db.Query(ctx, tx, scanSummary, `
			SELECT `+summaryColumns+` FROM decision d JOIN holder h ON h.id = d.id JOIN task t ON t.id = d.task_id
			WHERE d.task_id = ? AND d.id > ? ORDER BY d.id LIMIT ?`, t.id, after.row, p.Limit+1)
		out = DecisionPage{TaskName: t.TaskName, Decisions: list}
		if len(list) > p.Limit {
			out.Decisions = list[:p.Limit]
			out.NextAfter = out.Decisions[p.Limit-1].DecisionID
		}
		return err
	})
	return out, err
}

// ListReviewParams are the parameters of [ListDecisionsForReview].
type ListReviewParams struct {
	TaskName string `json:"task_name"` // "" for all tasks of the project
	Limit    int    `json:"limit"`
}

// A FlaggedDecision is a decision that is not current, with the reasons.
type FlaggedDecision struct {
	DecisionSummary
	Dependents    int          `json:"dependents"` // decisions that lean on it directly
	MoreReasons   int          `json:"more_reasons,omitempty"`
	ReviewReasons []ReasonView `json:"review_reasons"`
}

// A ReviewList is the decisions that need a review, worst first.
type ReviewList struct {
	NeedsReview int               `json:"needs_review"` // how many there are in all
	Unknown     int               `json:"unknown"`
	Truncated   bool              `json:"truncated"`
	Decisions   []FlaggedDecision `json:"decisions"`
}

// listedReasons is how many reasons a list shows of each decision.
const listedReasons = 3

// ListDecisionsForReview returns the project's flagged decisions, worst first: those that need a review before those of which it is
// unknown; with a changed source of their own before those that lean on such; with more dependents, then older reasons first.
func ListDecisionsForReview(ctx context.Context, d *db.DB, who Identity, p ListReviewParams) (ReviewList, error) {
	out := ReviewList{Decisions: []FlaggedDecision{}}
	if err := first(who.check(), checkTexts(bound{"task_name", p.TaskName, 0, 200}), checkRange("limit", p.Limit, 1, 100)); err != nil {
		return out, err
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		task := int64(0)
		if p.TaskName != "" {
			t, err := findTask(ctx, tx, who.Project, p.TaskName)
			if err != nil {
				return err
			}
			task = t.id
		}
		type counts struct{ needed, unknown int }
		const flagged = `h.project = ?1 AND h.live = 1 AND h.kind = 'decision' AND (?2 = 0 OR d.task_id = ?2)`
		// Two ways to be flagged, each with an index of its own.
		const ids = `
			SELECT h.id FROM holder h JOIN decision d ON d.id = h.id WHERE h.review <> 'current' AND ` + flagged + `
			UNION SELECT h.id FROM holder h JOIN decision d ON d.id = h.id WHERE h.pending = 1 AND ` + flagged
		c, err := db.One(ctx, tx, func(r db.Row, c *counts) error { return r.Scan(&c.needed, &c.unknown) }, `
			SELECT count(*) FILTER (WHERE h.pending = 0 AND h.review = 'needs_review'), count(*) FILTER (WHERE h.pending = 1 OR h.review = 'unknown')
			FROM holder h WHERE h.id IN (`+ids+`)`, who.Project, task)
		if err != nil {
			return err
		}
		out.NeedsReview, out.Unknown = c.needed, c.unknown
		type row struct {
			FlaggedDecision
			id int64
		}
		rows, err := db.Query(ctx, tx, func(r db.Row, f *row) error {
			s := &f.DecisionSummary
			return r.Scan(&s.DecisionID, &s.TaskName, &s.ChoiceKey, &s.Conclusion, &s.Status, &s.Review, &s.Supersedes, &s.SupersededBy, &s.AgentID, &s.CreatedAt,
				&f.Dependents, &f.id)
		}, `
			SELECT `+summaryColumns+`,
				(SELECT count(*) FROM support s WHERE s.target = d.id AND s.live = 1), d.id
			FROM decision d JOIN holder h ON h.id = d.id JOIN task t ON t.id = d.task_id
				LEFT JOIN (SELECT y.holder_id, min(y.cause = 'depends_on') AS leans, min(y.opened_seq) AS seq
					FROM review_reason y WHERE y.closed_at = '' AND y.holder_id IN (`+ids+`) GROUP BY y.holder_id) y ON y.holder_id = d.id
			WHERE d.id IN (`+ids+`)
			ORDER BY h.pending = 1 OR h.review = 'unknown', coalesce(y.leans, 1), 11 DESC, y.seq, d.id LIMIT ?3`, who.Project, task, p.Limit)
		if err != nil {
			return err
		}
		out.Truncated = len(rows) < c.needed+c.unknown
		for _, f := range rows {
			reasons, err := readReasons(ctx, tx, who, f.id, listedReasons+1)
			if err != nil {
				return err
			}
			if f.ReviewReasons = reasons; len(reasons) > listedReasons {
				f.ReviewReasons = reasons[:listedReasons]
				open, err := db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM review_reason WHERE holder_id = ? AND closed_at = ''`, f.id)
				if err != nil {
					return err
				}
				f.MoreReasons = open - listedReasons
			}
			out.Decisions = append(out.Decisions, f.FlaggedDecision)
		}
		return nil
	})
	return out, err
}

// ListConflictsParams are the parameters of [ListConflicts].
type ListConflictsParams struct {
	After string `json:"after"` // the last choice of the page before
	Limit int    `json:"limit"`
}

// A Conflict is a choice on which active decisions of the project differ.
type Conflict struct {
	Choice    string            `json:"choice"` // the key, without what does not tell two keys apart
	Count     int               `json:"count"`  // active decisions on it
	Decisions []DecisionSummary `json:"decisions"`
}

// A ConflictPage is a page of conflicts, by choice.
type ConflictPage struct {
	NextAfter string     `json:"next_after,omitempty"` // absent on the last page
	Conflicts []Conflict `json:"conflicts"`
}

// How many decisions are shown of one conflict, and how many characters of each conclusion: one conflict always fits an answer.
const (
	shownConflicting = 10
	shownConclusion  = 1000
)

// ListConflicts returns a page of the choices on which active decisions reached different conclusions, across tasks. Keys that
// differ in case, white space, hyphens or underscores alone are one choice; conclusions that differ in white space or case alone are one.
func ListConflicts(ctx context.Context, d *db.DB, who Identity, p ListConflictsParams) (ConflictPage, error) {
	out := ConflictPage{Conflicts: []Conflict{}}
	if err := first(who.check(), checkTexts(bound{"after", p.After, 0, 200}), checkRange("limit", p.Limit, 1, 100)); err != nil {
		return out, err
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		after := p.After
		for {
			const batch = 100
			choices, err := db.Query(ctx, tx, db.Value[string], `
				SELECT choice FROM decision WHERE project = ? AND choice > ? AND status = 'active'
				GROUP BY choice HAVING count(*) > 1 ORDER BY choice LIMIT ?`, who.Project, after, batch)
			if err != nil {
				return err
			}
			for _, choice := range choices {
				after = choice
				list, err := db.Query(ctx, tx, scanSummary, `
					SELECT `+summaryColumns+` FROM decision d JOIN holder h ON h.id = d.id JOIN task t ON t.id = d.task_id
					WHERE d.project = ? AND d.choice = ? AND d.status = 'active' ORDER BY d.id`, who.Project, choice)
				if err != nil {
					return err
				}
				if !differ(list) {
					continue
				}
				if len(out.Conflicts) == p.Limit {
					out.NextAfter = out.Conflicts[p.Limit-1].Choice
					return nil
				}
				list, count := oneOfEach(list), len(list)
				for i := range list {
					list[i].Conclusion = cut(list[i].Conclusion, shownConclusion)
				}
				out.Conflicts = append(out.Conflicts, Conflict{choice, count, list})
			}
			if len(choices) < batch {
				return nil
			}
		}
	})
	return out, err
}

func conclusionOf(d DecisionSummary) string { return strings.ToLower(fold(d.Conclusion)) }

func differ(list []DecisionSummary) bool {
	for _, d := range list[1:] {
		if conclusionOf(d) != conclusionOf(list[0]) {
			return true
		}
	}
	return false
}

// oneOfEach bounds a conflict's decisions, those with conclusions of their own first.
func oneOfEach(list []DecisionSummary) []DecisionSummary {
	seen := map[string]bool{}
	var own, others []DecisionSummary
	for _, d := range list {
		if c := conclusionOf(d); !seen[c] {
			seen[c] = true
			own = append(own, d)
		} else {
			others = append(others, d)
		}
	}
	list = append(own, others...)
	return list[:min(len(list), shownConflicting)]
}

// ReviewMark returns a text that changes when the project's list of decisions for review does, to be compared with an earlier one.
func ReviewMark(ctx context.Context, d *db.DB, who Identity) (mark string, err error) {
	err = d.View(ctx, func(tx *db.Tx) error {
		mark, err = db.One(ctx, tx, db.Value[string], `
			SELECT (SELECT coalesce(max(id), 0) FROM review_reason) || ' ' ||
				(SELECT count(*) || ' ' || coalesce(sum(new_version), 0) FROM review_reason WHERE closed_at = '') || ' ' ||
				(SELECT count(*) || ' ' || coalesce(sum(id), 0) FROM holder WHERE project = ?1 AND pending = 1) || ' ' ||
				(SELECT count(*) || ' ' || coalesce(sum(id), 0) FROM holder WHERE project = ?1 AND live = 1 AND kind = 'decision' AND review <> 'current')`, who.Project)
		return err
	})
	return mark, err
}
