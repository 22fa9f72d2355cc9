package trace

// This file defines supersede_decision and reject_decision, the two ways in which a decision goes out of force.

import (
	"context"
	"fmt"

	"docket/db"
)

// SupersedeDecisionParams are the parameters of [SupersedeDecision].
type SupersedeDecisionParams struct {
	DecisionID    string    `json:"decision_id"`
	Conclusion    string    `json:"conclusion"`
	Rationale     string    `json:"rationale"`
	Explanation   string    `json:"explanation"` // why the old one no longer holds
	Supports      []Support `json:"supports"`
	Assumptions   []string  `json:"assumptions"`
	OpenQuestions []string  `json:"open_questions"`
	RequestID     string    `json:"request_id"`
}

// SupersedeDecision puts a new decision of the same task and choice in the place of an active one, in one step.
func SupersedeDecision(ctx context.Context, d *db.DB, who Identity, p SupersedeDecisionParams) (DecisionReceipt, error) {
	if err := first(
		checkDecisionID("decision_id", p.DecisionID),
		checkTexts(bound{"explanation", p.Explanation, 1, 4000}),
		checkBody(p.Conclusion, p.Rationale, p.Supports, p.Assumptions, p.OpenQuestions),
	); err != nil {
		return DecisionReceipt{}, err
	}
	args := p
	args.RequestID = ""
	return write(ctx, d, who, request{"supersede_decision", p.RequestID, args}, func(tx *db.Tx) (DecisionReceipt, error) {
		old, err := activeDecision(ctx, tx, who.Project, p.DecisionID)
		if err != nil {
			return DecisionReceipt{}, err
		}
		// The new decision stands where the old one stood: nothing that leans on the old one can be a support of it.
		supports, err := resolve(ctx, tx, who, p.Supports, old.row)
		if err != nil {
			return DecisionReceipt{}, err
		}
		if err := end(ctx, tx, old, StatusSuperseded, bySupersede); err != nil {
			return DecisionReceipt{}, err
		}
		out, err := putDecision(ctx, tx, who, newDecision{
			task: taskRow{id: old.task}, choiceKey: old.choiceKey, conclusion: p.Conclusion, rationale: p.Rationale,
			assumptions: p.Assumptions, openQuestions: p.OpenQuestions, supports: supports, supersedes: old,
		})
		if err != nil {
			return out, err
		}
		if _, err := tx.Exec(ctx, `UPDATE decision SET superseded_by = (SELECT id FROM decision WHERE decision_id = ?) WHERE id = ?`, out.DecisionID, old.row); err != nil {
			return out, fmt.Errorf("decision %s: %w", old.id, err)
		}
		return out, act(ctx, tx, who, old.row, StatusSuperseded, p.Explanation)
	})
}

// RejectDecisionParams are the parameters of [RejectDecision].
type RejectDecisionParams struct {
	DecisionID string `json:"decision_id"`
	Reason     string `json:"reason"`
	RequestID  string `json:"request_id"`
}

// RejectDecision takes an active decision out of force with nothing in its place.
func RejectDecision(ctx context.Context, d *db.DB, who Identity, p RejectDecisionParams) (DecisionReceipt, error) {
	if err := first(checkDecisionID("decision_id", p.DecisionID), checkTexts(bound{"reason", p.Reason, 1, 4000})); err != nil {
		return DecisionReceipt{}, err
	}
	args := p
	args.RequestID = ""
	return write(ctx, d, who, request{"reject_decision", p.RequestID, args}, func(tx *db.Tx) (DecisionReceipt, error) {
		old, err := activeDecision(ctx, tx, who.Project, p.DecisionID)
		if err != nil {
			return DecisionReceipt{}, err
		}
		if err := end(ctx, tx, old, StatusRejected, byReject); err != nil {
			return DecisionReceipt{}, err
		}
		out := DecisionReceipt{DecisionID: old.id, Status: StatusRejected}
		out.Supersedes, err = db.One(ctx, tx, db.Value[string], `
			SELECT coalesce((SELECT o.decision_id FROM decision o WHERE o.id = d.supersedes), '') FROM decision d WHERE d.id = ?`, old.row)
		if err != nil {
			return out, err
		}
		return out, act(ctx, tx, who, old.row, StatusRejected, p.Reason)
	})
}
