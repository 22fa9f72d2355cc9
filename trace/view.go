package trace

// This file defines how a decision, its supports and its reasons are shown: get_decision, and what the lists share with it.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"docket/db"
)

// A Decision is one decision with its supports and the reasons for which it needs a review.
type Decision struct {
	DecisionID    string        `json:"decision_id"`
	TaskName      string        `json:"task_name"`
	ChoiceKey     string        `json:"choice_key"`
	Conclusion    string        `json:"conclusion"`
	Rationale     string        `json:"rationale"`
	Assumptions   []string      `json:"assumptions"`
	OpenQuestions []string      `json:"open_questions"`
	Status        string        `json:"status"`
	Review        string        `json:"review,omitempty"` // of an active one
	ReviewReasons []ReasonView  `json:"review_reasons"`
	Supports      []SupportView `json:"supports"`
	Supersedes    string        `json:"supersedes,omitempty"`
	SupersededBy  string        `json:"superseded_by,omitempty"`
	Explanation   string        `json:"explanation,omitempty"` // why it was superseded or rejected
	AgentID       string        `json:"agent_id"`
	CreatedAt     string        `json:"created_at"`
	MoreReasons   int           `json:"more_reasons,omitempty"`  // that are not shown
	MoreSupports  int           `json:"more_supports,omitempty"` // that are not shown; list_support_history has them
}

// A DecisionSummary is a decision in a list.
type DecisionSummary struct {
	DecisionID   string `json:"decision_id"`
	TaskName     string `json:"task_name"`
	ChoiceKey    string `json:"choice_key"`
	Conclusion   string `json:"conclusion"`
	Status       string `json:"status"`
	Review       string `json:"review,omitempty"`
	Supersedes   string `json:"supersedes,omitempty"`
	SupersededBy string `json:"superseded_by,omitempty"`
	AgentID      string `json:"agent_id"`
	CreatedAt    string `json:"created_at"`
}

// A SupportView is a support as it stands now.
type SupportView struct {
	Ordinal            int    `json:"ordinal"`
	Origin             string `json:"origin"` // original or refreshed
	Type               string `json:"type"`
	State              string `json:"state"` // current, changed, removed, unknown, needs_review, superseded, rejected, result_changed, answered, replaced
	Group              string `json:"group,omitempty"`
	EvidenceID         string `json:"evidence_id,omitempty"`       // where the text stands, or last stood
	CitedEvidenceID    string `json:"cited_evidence_id,omitempty"` // where it stood when it was cited, if that is another id
	DocumentKey        string `json:"document_key,omitempty"`
	Quote              string `json:"quote,omitempty"`
	ProposedEvidenceID string `json:"proposed_evidence_id,omitempty"` // what stands in its place
	DecisionID         string `json:"decision_id,omitempty"`
	TaskName           string `json:"task_name,omitempty"`
	Name               string `json:"name,omitempty"`
	Seq                int    `json:"seq,omitempty"`
	TextWithheld       bool   `json:"text_withheld,omitempty"` // its document is outside the scope

	id      int64
	version int64
}

// A ReasonView says why a decision needs a review.
type ReasonView struct {
	Cause              string `json:"cause"`
	Detail             string `json:"detail,omitempty"` // for depends_on: needs_review, superseded, rejected, result_changed
	SupportOrdinal     int    `json:"support_ordinal"`
	Type               string `json:"type"`
	EvidenceID         string `json:"evidence_id,omitempty"`
	DocumentKey        string `json:"document_key,omitempty"`
	DecisionID         string `json:"decision_id,omitempty"`
	TaskName           string `json:"task_name,omitempty"`
	Name               string `json:"name,omitempty"`
	ProposedEvidenceID string `json:"proposed_evidence_id,omitempty"` // the passage to look at instead
	OpenedAt           string `json:"opened_at"`
	TextWithheld       bool   `json:"text_withheld,omitempty"`
	OldText            string `json:"old_text,omitempty"`
	NewText            string `json:"new_text,omitempty"`
	Diff               string `json:"diff,omitempty"` // [-old-]{+new+}
}

// How much of the texts around a decision is shown at once.
const (
	shownSupports = 60
	shownReasons  = 20
	shownQuote    = 160
	shownText     = 500
	shownDiff     = 600
)

// GetDecisionParams are the parameters of [GetDecision].
type GetDecisionParams struct {
	DecisionID string `json:"decision_id"`
	MaxBytes   int    `json:"-"` // of its JSON, 0 for any: what stands around the decision is shortened to fit, never the decision itself
}

// GetDecision returns one decision.
func GetDecision(ctx context.Context, d *db.DB, who Identity, p GetDecisionParams) (Decision, error) {
	var out Decision
	if err := first(who.check(), checkDecisionID("decision_id", p.DecisionID)); err != nil {
		return out, err
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		row, err := mustFindDecision(ctx, tx, who.Project, p.DecisionID)
		if err != nil {
			return err
		}
		out, err = readDecision(ctx, tx, row.row)
		if err != nil {
			return err
		}
		all, err := readSupports(ctx, tx, who, row.row, `AND s.state NOT IN ('answered', 'replaced') ORDER BY s.ordinal`)
		if err != nil {
			return err
		}
		out.Supports = all[:min(len(all), shownSupports)]
		out.MoreSupports = len(all) - len(out.Supports)
		for i := range out.Supports {
			out.Supports[i].Quote = cut(out.Supports[i].Quote, shownQuote)
		}
		reasons, err := readReasons(ctx, tx, who, row.row, shownReasons+1)
		if err != nil {
			return err
		}
		out.ReviewReasons = reasons[:min(len(reasons), shownReasons)]
		if len(reasons) > shownReasons {
			open, err := db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM review_reason WHERE holder_id = ? AND closed_at = ''`, row.row)
			if err != nil {
				return err
			}
			out.MoreReasons = open - shownReasons
		}
		return out.fit(p.MaxBytes)
	})
	return out, err
}

// fit shortens what stands around the decision, the least telling first, until its JSON has at most limit bytes.
func (d *Decision) fit(limit int) error {
	shorten := []func(){
		func() {
			for i := range d.ReviewReasons {
				r := &d.ReviewReasons[i]
				if r.Diff != "" { // it holds both
					r.OldText, r.NewText = "", ""
				}
				r.OldText, r.NewText = cut(r.OldText, previewChars), cut(r.NewText, previewChars)
			}
		},
		func() {
			for i := range d.ReviewReasons {
				d.ReviewReasons[i].Diff = cut(d.ReviewReasons[i].Diff, previewChars)
			}
		},
		func() {
			for i := range d.Supports {
				d.Supports[i].Quote = cut(d.Supports[i].Quote, shownQuote/4)
			}
		},
	}
	for step := 0; limit > 0; step++ {
		b, err := json.Marshal(d)
		if err != nil || len(b) <= limit {
			return err
		}
		switch reasons, supports := len(d.ReviewReasons), len(d.Supports); {
		case step < len(shorten):
			shorten[step]()
		case reasons > 1:
			d.ReviewReasons, d.MoreReasons = d.ReviewReasons[:reasons/2], d.MoreReasons+reasons-reasons/2
		case supports > 1:
			d.Supports, d.MoreSupports = d.Supports[:supports/2], d.MoreSupports+supports-supports/2
		default:
			return nil
		}
	}
	return nil
}

func readDecision(ctx context.Context, tx *db.Tx, row int64) (Decision, error) {
	return db.One(ctx, tx, func(r db.Row, d *Decision) error {
		var assumptions, questions []byte
		err := r.Scan(&d.DecisionID, &d.TaskName, &d.ChoiceKey, &d.Conclusion, &d.Rationale, &assumptions, &questions, &d.Status, &d.Review,
			&d.Supersedes, &d.SupersededBy, &d.Explanation, &d.AgentID, &d.CreatedAt)
		if err != nil {
			return err
		}
		return errors.Join(json.Unmarshal(assumptions, &d.Assumptions), json.Unmarshal(questions, &d.OpenQuestions))
	}, `
		SELECT d.decision_id, t.name, d.choice_key, d.conclusion, d.rationale, d.assumptions, d.open_questions, d.status,
			CASE WHEN h.live = 1 THEN `+shownReview+` ELSE '' END,
			coalesce((SELECT o.decision_id FROM decision o WHERE o.id = d.supersedes), ''),
			coalesce((SELECT o.decision_id FROM decision o WHERE o.id = d.superseded_by), ''),
			coalesce((SELECT a.explanation FROM decision_act a WHERE a.decision_id = d.id AND a.what <> 'reaffirmed' ORDER BY a.id DESC LIMIT 1), ''),
			d.agent, d.created_at
		FROM decision d JOIN holder h ON h.id = d.id JOIN task t ON t.id = d.task_id WHERE d.id = ?`, row)
}

const summaryColumns = `d.decision_id, t.name, d.choice_key, d.conclusion, d.status, CASE WHEN h.live = 1 THEN ` + shownReview + ` ELSE '' END,
	coalesce((SELECT o.decision_id FROM decision o WHERE o.id = d.supersedes), ''),
	coalesce((SELECT o.decision_id FROM decision o WHERE o.id = d.superseded_by), ''), d.agent, d.created_at`

func scanSummary(r db.Row, d *DecisionSummary) error {
	return r.Scan(&d.DecisionID, &d.TaskName, &d.ChoiceKey, &d.Conclusion, &d.Status, &d.Review, &d.Supersedes, &d.SupersededBy, &d.AgentID, &d.CreatedAt)
}

// readSupports returns a holder's supports as the session may see them; tail is the rest of the WHERE clause, the order and the limit.
func readSupports(ctx context.Context, tx *db.Tx, who Identity, holder int64, tail string, args ...any) ([]SupportView, error) {
	type row struct {
		SupportView
		g ground
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, s *row) error {
		return r.Scan(&s.id, &s.Ordinal, &s.Origin, &s.Type, &s.g.state, &s.g.cause, &s.Group, &s.EvidenceID, &s.CitedEvidenceID, &s.DocumentKey, &s.Quote,
			&s.ProposedEvidenceID, &s.DecisionID, &s.TaskName, &s.Name, &s.Seq, &s.version, &s.g.unreadable, &s.g.targetLive, &s.g.targetReview,
			&s.g.targetStatus, &s.g.resultChanged)
	}, `
		SELECT s.id, s.ordinal, s.origin, s.type, s.state, s.cause, s.alternative, s.evidence, s.first_evidence, coalesce(o.key, ''), s.quote,
			s.new_evidence, coalesce(d.decision_id, ''), coalesce(pt.name, et.name, ''), coalesce(p.name, ''),
			CASE WHEN s.type = 'event' THEN e.seq ELSE 0 END, coalesce(s.version_id, 0),
			s.document_id IS NOT NULL AND (r.state = 'offline' OR EXISTS (SELECT 1 FROM unreadable u WHERE u.document_id = s.document_id)),
			coalesce(h.live, 1), coalesce(`+shownReview+`, ''), coalesce(d.status, ''),
			p.id IS NOT NULL AND (p.state <> 'completed' OR p.result_seq <> coalesce(e.seq, 0))
		FROM support s
			LEFT JOIN document o ON o.id = s.document_id LEFT JOIN root r ON r.id = o.root_id
			LEFT JOIN holder h ON h.id = s.target LEFT JOIN decision d ON d.id = s.target
			LEFT JOIN step p ON p.id = s.target LEFT JOIN task pt ON pt.id = p.task_id
			LEFT JOIN event e ON e.id = s.event_id LEFT JOIN task et ON et.id = e.task_id AND s.type = 'event'
		WHERE s.holder_id = ? `+tail, append([]any{holder}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("supports of %d: %w", holder, err)
	}
	out := make([]SupportView, 0, len(rows))
	for _, s := range rows {
		s.g.typ = s.Type
		s.State = stateShown(&s.g)
		if s.CitedEvidenceID == s.EvidenceID {
			s.CitedEvidenceID = ""
		}
		if s.Type == typeEvidence && !who.Scope.Match(s.DocumentKey) {
			s.DocumentKey, s.Quote, s.ProposedEvidenceID, s.CitedEvidenceID, s.TextWithheld = "", "", "", "", true
		}
		out = append(out, s.SupportView)
	}
	return out, nil
}

// stateShown tells how a support stands, in one word.
func stateShown(g *ground) string {
	if g.state == stateAnswered || g.state == stateReplaced {
		return g.state
	}
	s, _, detail := g.standing()
	switch {
	case s == fallen && g.typ == typeEvidence:
		return g.state
	case s == fallen:
		return detail
	case s == unsure:
		return ReviewUnknown
	}
	return stateCurrent
}

// readReasons returns at most limit open reasons of a decision, its own sources first.
func readReasons(ctx context.Context, tx *db.Tx, who Identity, holder int64, limit int) ([]ReasonView, error) {
	type row struct {
		ReasonView
		oldVersion, newVersion             int64
		oldStart, oldEnd, newStart, newEnd int
	}
	rows, err := db.Query(ctx, tx, func(r db.Row, v *row) error {
		return r.Scan(&v.Cause, &v.Detail, &v.SupportOrdinal, &v.Type, &v.EvidenceID, &v.DocumentKey, &v.DecisionID, &v.TaskName, &v.Name,
			&v.ProposedEvidenceID, &v.OpenedAt, &v.oldVersion, &v.oldStart, &v.oldEnd, &v.newVersion, &v.newStart, &v.newEnd)
	}, `
		SELECT y.cause, y.detail, s.ordinal, s.type, y.old_evidence, coalesce(o.key, ''), coalesce(d.decision_id, ''), coalesce(t.name, ''), coalesce(p.name, ''),
			y.new_evidence, y.opened_at, coalesce(y.old_version, 0), y.old_start, y.old_end, coalesce(y.new_version, 0), y.new_start, y.new_end
		FROM review_reason y JOIN support s ON s.id = y.support_id LEFT JOIN document o ON o.id = s.document_id
			LEFT JOIN decision d ON d.id = s.target LEFT JOIN step p ON p.id = s.target LEFT JOIN task t ON t.id = p.task_id
		WHERE y.holder_id = ? AND y.closed_at = '' ORDER BY y.cause = 'depends_on', s.ordinal, y.id LIMIT ?`, holder, limit)
	if err != nil {
		return nil, fmt.Errorf("reasons of %d: %w", holder, err)
	}
	out := make([]ReasonView, 0, len(rows))
	for _, v := range rows {
		if v.Type == typeEvidence {
			if !who.Scope.Match(v.DocumentKey) {
				v.DocumentKey, v.ProposedEvidenceID, v.TextWithheld = "", "", true
			} else {
				c, err := compare(ctx, tx, who, place{v.oldVersion, v.oldStart, v.oldEnd}, place{v.newVersion, v.newStart, v.newEnd})
				if err != nil {
					return nil, err
				}
				v.OldText, v.NewText, v.Diff, v.TextWithheld = c.oldText, c.newText, c.diff, c.withheld
			}
		}
		out = append(out, v.ReasonView)
	}
	return out, nil
}

// A place is a range of a version's text; version 0 is nowhere.
type place struct {
	version    int64
	start, end int
}

type comparison struct {
	oldText, newText, diff string
	withheld               bool
}

// compare returns the texts of two places, as much as is shown of them, and what differs.
func compare(ctx context.Context, tx *db.Tx, who Identity, old, new place) (comparison, error) {
	var c comparison
	before, seen, err := textAt(ctx, tx, who, old)
	if err != nil || !seen {
		return comparison{withheld: !seen}, err
	}
	after, seen, err := textAt(ctx, tx, who, new)
	if err != nil || !seen {
		return comparison{withheld: !seen}, err
	}
	c.oldText, c.newText = cut(before, shownText), cut(after, shownText)
	if before != "" && after != "" && before != after {
		c.diff = renderDiff(WordDiff(before, after), shownDiff)
	}
	return c, nil
}

// textAt returns the text of a place, "" where its version is gone. seen is false where its document is outside the scope.
func textAt(ctx context.Context, tx *db.Tx, who Identity, p place) (text string, seen bool, err error) {
	if p.version == 0 || p.end <= p.start {
		return "", true, nil
	}
	key, err := db.One(ctx, tx, db.Value[string], `SELECT d.key FROM version v JOIN document d ON d.id = v.document_id WHERE v.id = ?`, p.version)
	if errors.Is(err, db.ErrNotFound) {
		return "", true, nil
	}
	if err != nil {
		return "", false, err
	}
	if !who.Scope.Match(key) {
		return "", false, nil
	}
	text, err = tx.Text(ctx, p.version, p.start, p.end)
	return text, true, err
}
