package trace

// This file defines list_support_history: what became of each support of a decision, and what changed in its source.

import (
	"context"

	"docket/db"
)

// ListSupportHistoryParams are the parameters of [ListSupportHistory].
type ListSupportHistoryParams struct {
	DecisionID   string `json:"decision_id"`
	AfterOrdinal int    `json:"after_ordinal"` // -1 for the first page
	Limit        int    `json:"limit"`
}

// A SupportHistory is a page of a decision's supports, the answered and replaced ones too.
type SupportHistory struct {
	DecisionID       string            `json:"decision_id"`
	NextAfterOrdinal *int              `json:"next_after_ordinal,omitempty"` // absent on the last page
	Acts             []DecisionAct     `json:"acts"`                         // what was done to the decision, latest first
	Supports         []SupportTimeline `json:"supports"`
}

// A DecisionAct is something that was done to a decision after it was recorded.
type DecisionAct struct {
	What        string `json:"what"` // superseded, reaffirmed or rejected
	Explanation string `json:"explanation"`
	AgentID     string `json:"agent_id"`
	At          string `json:"at"`
}

// A SupportTimeline is a support and what became of it.
type SupportTimeline struct {
	SupportView
	Carried int             `json:"carried"`            // how often its text was found again, unchanged, in a new version
	Changes []SupportChange `json:"changes"`            // latest first
	OldText string          `json:"old_text,omitempty"` // the text as it was before it was last lost
	NewText string          `json:"new_text,omitempty"` // what was there instead
	Diff    string          `json:"diff,omitempty"`
}

// A SupportChange is one thing that became of a support.
type SupportChange struct {
	What          string `json:"what"` // recorded, carried, moved, restored, flagged, removed, answered, replaced
	Cause         string `json:"cause,omitempty"`
	At            string `json:"at"`
	ActivationSeq int64  `json:"activation_seq"` // the store's newest change of a document then
	OldEvidenceID string `json:"old_evidence_id,omitempty"`
	NewEvidenceID string `json:"new_evidence_id,omitempty"`

	place struct{ old, new place }
}

// How much history is shown of one support: of the many times it may have been carried only the last.
const (
	shownChanges = 12
	shownActs    = 5
)

// ListSupportHistory returns a page of a decision's supports with what became of them.
func ListSupportHistory(ctx context.Context, d *db.DB, who Identity, p ListSupportHistoryParams) (SupportHistory, error) {
	out := SupportHistory{DecisionID: p.DecisionID, Supports: []SupportTimeline{}}
	if err := first(who.check(), checkDecisionID("decision_id", p.DecisionID), checkRange("after_ordinal", p.AfterOrdinal, -1, 1<<31),
		checkRange("limit", p.Limit, 1, 100)); err != nil {
		return out, err
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		row, err := mustFindDecision(ctx, tx, who.Project, p.DecisionID)
		if err != nil {
			return err
		}
		if out.Acts, err = db.Query(ctx, tx, func(r db.Row, a *DecisionAct) error { return r.Scan(&a.What, &a.Explanation, &a.AgentID, &a.At) }, `
			SELECT what, explanation, agent, at FROM decision_act WHERE decision_id = ? ORDER BY id DESC LIMIT ?`, row.row, shownActs); err != nil {
			return err
		}
		for i := range out.Acts {
			out.Acts[i].Explanation = cut(out.Acts[i].Explanation, shownText)
		}
		supports, err := readSupports(ctx, tx, who, row.row, `AND s.ordinal > ? ORDER BY s.ordinal LIMIT ?`, p.AfterOrdinal, p.Limit+1)
		if err != nil {
			return err
		}
		if len(supports) > p.Limit {
			supports = supports[:p.Limit]
			out.NextAfterOrdinal = &supports[p.Limit-1].Ordinal
		}
		for _, s := range supports {
			t, err := timeline(ctx, tx, who, s)
			if err != nil {
				return err
			}
			out.Supports = append(out.Supports, t)
		}
		return nil
	})
	return out, err
}

func timeline(ctx context.Context, tx *db.Tx, who Identity, s SupportView) (SupportTimeline, error) {
	t := SupportTimeline{SupportView: s}
	var err error
	if t.Carried, err = db.One(ctx, tx, db.Value[int], `
		SELECT count(*) FROM support_history WHERE support_id = ? AND what IN ('carried', 'moved')`, s.id); err != nil {
		return t, err
	}
	t.Changes, err = db.Query(ctx, tx, func(r db.Row, c *SupportChange) error {
		return r.Scan(&c.What, &c.Cause, &c.At, &c.ActivationSeq, &c.OldEvidenceID, &c.NewEvidenceID,
			&c.place.old.version, &c.place.old.start, &c.place.old.end, &c.place.new.version, &c.place.new.start, &c.place.new.end)
	}, `
		SELECT what, cause, at, seq, old_evidence, new_evidence, coalesce(old_version, 0), old_start, old_end, coalesce(new_version, 0), new_start, new_end
		FROM support_history h WHERE support_id = ?1
			AND (what <> 'carried' OR id = (SELECT max(id) FROM support_history WHERE support_id = ?1 AND what = 'carried'))
		ORDER BY id DESC LIMIT ?2`, s.id, shownChanges)
	if err != nil {
		return t, err
	}
	for i := range t.Changes {
		c := &t.Changes[i]
		if s.TextWithheld {
			c.OldEvidenceID, c.NewEvidenceID = "", ""
			continue
		}
		if t.OldText == "" && !t.TextWithheld && (c.What == historyFlagged || c.What == historyRemoved) {
			same, err := compare(ctx, tx, who, c.place.old, c.place.new)
			if err != nil {
				return t, err
			}
			t.OldText, t.NewText, t.Diff, t.TextWithheld = same.oldText, same.newText, same.diff, same.withheld
		}
	}
	return t, nil
}
