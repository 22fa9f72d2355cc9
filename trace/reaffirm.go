package trace

// This file defines reaffirm_decision: what was decided still holds, on evidence as it is now.

import (
	"context"
	"fmt"
	"slices"

	"docket/db"
)

// ReaffirmDecisionParams are the parameters of [ReaffirmDecision].
type ReaffirmDecisionParams struct {
	DecisionID  string   `json:"decision_id"`
	EvidenceIDs []string `json:"evidence_ids"`
	Explanation string   `json:"explanation"`
	RequestID   string   `json:"request_id"`
}

// ReaffirmDecision adds refreshed supports to an active decision, and ends the fallen ones that they answer: those on a changed
// document by evidence of that document, those on a removed one and on what is no longer in force by any. A support on a decision
// that itself needs a review is answered by nothing but the review of that decision.
func ReaffirmDecision(ctx context.Context, d *db.DB, who Identity, p ReaffirmDecisionParams) (DecisionReceipt, error) {
	if err := first(
		checkDecisionID("decision_id", p.DecisionID),
		checkRange("evidence_ids, by its length,", len(p.EvidenceIDs), 1, 20),
		checkTexts(bound{"explanation", p.Explanation, 1, 4000}),
	); err != nil {
		return DecisionReceipt{}, err
	}
	args := p
	args.RequestID = ""
	return write(ctx, d, who, request{"reaffirm_decision", p.RequestID, args}, func(tx *db.Tx) (DecisionReceipt, error) {
		var out DecisionReceipt
		dec, err := activeDecision(ctx, tx, who.Project, p.DecisionID)
		if err != nil {
			return out, err
		}
		var given []Support
		for _, id := range p.EvidenceIDs {
			if s := (Support{Type: typeEvidence, EvidenceID: id}); !slices.Contains(given, s) {
				given = append(given, s)
			}
		}
		fresh, err := resolve(ctx, tx, who, given, 0)
		if err != nil {
			return out, err
		}
		if err := refresh(ctx, tx, dec.row, fresh); err != nil {
			return out, fmt.Errorf("decision %s: %w", dec.id, err)
		}
		if err := act(ctx, tx, who, dec.row, "reaffirmed", p.Explanation); err != nil {
			return out, err
		}
		if _, err := touch(ctx, tx, []int64{dec.row}, byReaffirm); err != nil {
			return out, err
		}
		return receipt(ctx, tx, dec.row)
	})
}

func receipt(ctx context.Context, tx *db.Tx, row int64) (DecisionReceipt, error) {
	return db.One(ctx, tx, func(r db.Row, out *DecisionReceipt) error {
		return r.Scan(&out.DecisionID, &out.Status, &out.Review, &out.Supersedes, &out.SupersededBy)
	}, `
		SELECT d.decision_id, d.status, `+shownReview+`,
			coalesce((SELECT o.decision_id FROM decision o WHERE o.id = d.supersedes), ''),
			coalesce((SELECT o.decision_id FROM decision o WHERE o.id = d.superseded_by), '')
		FROM decision d JOIN holder h ON h.id = d.id WHERE d.id = ?`, row)
}

// refresh puts fresh evidence beside or in place of a decision's supports. A fresh one takes the group of what it answers.
func refresh(ctx context.Context, tx *db.Tx, row int64, fresh []resolved) error {
	type holding struct {
		id         int64
		document   int64
		version    int64
		start, end int
		refreshed  bool
		quoted     bool
	}
	all, err := grounds(ctx, tx, row)
	if err != nil {
		return err
	}
	held := map[int64]holding{}
	rows, err := db.Query(ctx, tx, func(r db.Row, h *holding) error {
		return r.Scan(&h.id, &h.document, &h.version, &h.start, &h.end, &h.refreshed, &h.quoted)
	}, `
		SELECT id, coalesce(document_id, 0), coalesce(version_id, 0), start, end, origin = 'refreshed', length(quote_hash) > 0
		FROM support WHERE holder_id = ? AND live = 1 ORDER BY ordinal`, row)
	if err != nil {
		return err
	}
	for _, h := range rows {
		held[h.id] = h
	}
	var answered, replaced []int64
	groups := make([][]string, len(fresh)) // that each fresh one joins
	join := func(i int, group string) {
		if !slices.Contains(groups[i], group) {
			groups[i] = append(groups[i], group)
		}
	}
	for _, g := range all {
		h := held[g.id]
		s, cause, detail := g.standing()
		if s == fallen {
			byAny := cause == CauseRemoved || cause == CauseDependsOn && detail != ReviewNeeded
			done := false
			for i, f := range fresh {
				if f.document == h.document && h.document != 0 && cause != CauseRemoved || byAny {
					join(i, g.alternative)
					done = true
				}
			}
			if done {
				answered = append(answered, g.id)
			}
			continue
		}
		for i, f := range fresh { // the same evidence once more takes the place of the time before
			if h.refreshed && !h.quoted && f.version == h.version && f.start == h.start && f.end == h.end {
				replaced = append(replaced, g.id)
				join(i, g.alternative)
				break
			}
		}
	}
	if err := retire(ctx, tx, answered, stateAnswered); err != nil {
		return err
	}
	if err := retire(ctx, tx, replaced, stateReplaced); err != nil {
		return err
	}
	var out []resolved
	for i, f := range fresh {
		if len(groups[i]) == 0 {
			groups[i] = []string{""}
		}
		for _, group := range groups[i] {
			f.Group = group
			out = append(out, f)
		}
	}
	return addSupports(ctx, tx, row, originRefreshed, out)
}
