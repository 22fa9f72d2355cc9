package trace

// This file defines the review of decisions: which state follows from their supports, why, and how a change travels through the
// decisions that lean on each other.
//
// A decision or step whose ground has moved is pending, and so is everything above it, from the very transaction that moved it.
// Settling works from the ground up, each one once, so that the order in which changes came and the size of the steps in which
// they are settled make no difference. What is pending is closed upwards: whatever leans on a pending one is pending too.

import (
	"context"
	"fmt"
	"slices"

	"docket/db"
)

// The review states of an active decision, and of a step.
const (
	ReviewCurrent = "current"
	ReviewNeeded  = "needs_review"
	ReviewUnknown = "unknown"
)

// The causes of a review.
const (
	CauseChanged    = "source_changed"     // the cited text changed or is gone
	CauseRemoved    = "source_removed"     // the document is gone
	CauseExtraction = "extraction_changed" // the file is the same, and it is read otherwise
	CauseDependsOn  = "depends_on"         // what it leans on needs a review, or is over
)

// What opens and closes reasons.
const (
	byActivation = "activation"
	byMove       = "move"
	byRemoval    = "removal"
	byReadable   = "readable"
	byUnreadable = "unreadable"
	byRecord     = "record"
	bySupersede  = "supersede"
	byReject     = "reject"
	byReaffirm   = "reaffirm"
	byStep       = "step"
	byUpstream   = "upstream" // something below it was settled
)

// drainBatch is how many decisions one transaction of [Drain] settles.
const drainBatch = 200

// standing is how firm a support or a holder is; the weakest needed one decides.
type standing int

const (
	fallen standing = iota
	unsure
	firm
)

var reviewOf = map[standing]string{fallen: ReviewNeeded, unsure: ReviewUnknown, firm: ReviewCurrent}

// A ground is one live support as the review sees it.
type ground struct {
	id          int64
	typ         string
	alternative string
	state       string
	cause       string
	oldVersion  int64
	oldStart    int
	oldEnd      int
	oldEvidence string
	newVersion  int64
	newStart    int
	newEnd      int
	newEvidence string
	unreadable  bool

	targetLive    bool
	targetReview  string // as shown: pending is unknown
	targetStatus  string // of a decision
	resultChanged bool   // of a step: it is not the completed one that was cited
}

// grounds returns the live supports of a holder.
func grounds(ctx context.Context, tx *db.Tx, holder int64) ([]ground, error) {
	return db.Query(ctx, tx, func(r db.Row, g *ground) error {
		return r.Scan(&g.id, &g.typ, &g.alternative, &g.state, &g.cause, &g.oldVersion, &g.oldStart, &g.oldEnd, &g.oldEvidence,
			&g.newVersion, &g.newStart, &g.newEnd, &g.newEvidence, &g.unreadable,
			&g.targetLive, &g.targetReview, &g.targetStatus, &g.resultChanged)
	}, `
		SELECT s.id, s.type, s.alternative, s.state, s.cause, coalesce(s.version_id, 0), s.start, s.end, s.evidence,
			coalesce(s.new_version, 0), s.new_start, s.new_end, s.new_evidence,
			s.document_id IS NOT NULL AND (r.state = 'offline' OR EXISTS (SELECT 1 FROM unreadable u WHERE u.document_id = s.document_id)),
			coalesce(t.live, 1), CASE WHEN t.pending = 1 THEN 'unknown' ELSE coalesce(t.review, '') END, coalesce(d.status, ''),
			p.id IS NOT NULL AND (p.state <> 'completed' OR p.result_seq <> coalesce(e.seq, 0))
		FROM support s
			LEFT JOIN document o ON o.id = s.document_id LEFT JOIN root r ON r.id = o.root_id
			LEFT JOIN holder t ON t.id = s.target LEFT JOIN decision d ON d.id = s.target
			LEFT JOIN step p ON p.id = s.target LEFT JOIN event e ON e.id = s.event_id
		WHERE s.holder_id = ? AND s.live = 1 ORDER BY s.ordinal`, holder)
}

// standing tells how firm the support is, and what to say of it where it has fallen.
func (g *ground) standing() (_ standing, cause, detail string) {
	switch g.typ {
	case typeEvidence:
		if g.state != stateCurrent {
			return fallen, g.cause, ""
		}
		if g.unreadable {
			return unsure, "", ""
		}
	case typeDecision:
		if !g.targetLive {
			return fallen, CauseDependsOn, g.targetStatus
		}
		return ofTarget(g.targetReview)
	case typeStep:
		if g.resultChanged {
			return fallen, CauseDependsOn, detailResult
		}
		return ofTarget(g.targetReview)
	}
	return firm, "", "" // an event never changes
}

func ofTarget(review string) (standing, string, string) {
	switch review {
	case ReviewNeeded:
		return fallen, CauseDependsOn, ReviewNeeded
	case ReviewUnknown:
		return unsure, "", ""
	}
	return firm, "", ""
}

// detailResult is the detail of a depends_on reason when a step no longer has the result that was cited.
const detailResult = "result_changed"

// A verdict is what follows from the supports of one holder.
type verdict struct {
	standing
	reasons []reason // there are some exactly where it has fallen
}

type reason struct {
	*ground
	cause, detail string
}

// judge derives the review of a holder from its supports: those without a group are all needed, and of the groups one whole one.
func judge(grounds []ground) verdict {
	v := verdict{standing: firm}
	var groups []string
	best := fallen
	weakest := map[string]standing{}
	var inGroups []reason
	for i := range grounds {
		g := &grounds[i]
		s, cause, detail := g.standing()
		if g.alternative == "" {
			v.standing = min(v.standing, s)
			if s == fallen {
				v.reasons = append(v.reasons, reason{g, cause, detail})
			}
			continue
		}
		if !slices.Contains(groups, g.alternative) {
			groups = append(groups, g.alternative)
			weakest[g.alternative] = firm
		}
		weakest[g.alternative] = min(weakest[g.alternative], s)
		if s == fallen {
			inGroups = append(inGroups, reason{g, cause, detail})
		}
	}
	for _, name := range groups {
		best = max(best, weakest[name])
	}
	if len(groups) > 0 {
		v.standing = min(v.standing, best)
		if best == fallen {
			v.reasons = append(v.reasons, inGroups...)
		}
	}
	return v
}

// touch reviews holders whose supports may stand otherwise than before. It returns how many decisions need a review now that did not before.
func touch(ctx context.Context, tx *db.Tx, holders []int64, by string) (flagged int, err error) {
	holders = slices.Clone(holders)
	slices.Sort(holders)
	holders = slices.Compact(holders)
	for _, id := range holders {
		if _, err := tx.Exec(ctx, `UPDATE holder SET pending = 1 WHERE id = ? AND live = 1 AND pending = 0`, id); err != nil {
			return flagged, err
		}
	}
	for _, id := range holders {
		below, err := pendingBelow(ctx, tx, id, nil)
		if err != nil {
			return flagged, err
		}
		if below != 0 { // the queue will come to it
			if err := markAbove(ctx, tx, id); err != nil {
				return flagged, err
			}
			continue
		}
		now, err := settle(ctx, tx, id, by)
		if err != nil {
			return flagged, err
		}
		if now {
			flagged++
		}
	}
	return flagged, nil
}

// markAbove makes everything that leans on a holder pending, through all levels, by one query. What is pending already is not gone
// through again, as all above it is pending too.
func markAbove(ctx context.Context, tx *db.Tx, holder int64) error {
	_, err := tx.Exec(ctx, `
		WITH RECURSIVE above (id) AS (
			SELECT s.holder_id FROM support s JOIN holder h ON h.id = s.holder_id
			WHERE s.target = ? AND s.live = 1 AND h.pending = 0 AND h.live = 1
			UNION
			SELECT s.holder_id FROM above CROSS JOIN support s ON s.target = above.id AND s.live = 1 JOIN holder h ON h.id = s.holder_id
			WHERE h.pending = 0 AND h.live = 1)
		UPDATE holder SET pending = 1 WHERE id IN (SELECT id FROM above)`, holder)
	if err != nil {
		return fmt.Errorf("mark what leans on %d: %w", holder, err)
	}
	return nil
}

// pendingBelow returns a pending holder that this one leans on directly, 0 if there is none; those in passed do not count.
func pendingBelow(ctx context.Context, tx *db.Tx, holder int64, passed map[int64]bool) (int64, error) {
	below, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT s.target FROM support s JOIN holder t ON t.id = s.target
		WHERE s.holder_id = ? AND s.live = 1 AND t.pending = 1 ORDER BY s.target`, holder)
	if err != nil {
		return 0, err
	}
	for _, id := range below {
		if !passed[id] && id != holder {
			return id, nil
		}
	}
	return 0, nil
}

// settle derives a holder's review anew, ends its being pending, and brings its reasons up to date. It reports whether a decision needs
// a review now and did not before.
func settle(ctx context.Context, tx *db.Tx, holder int64, by string) (flagged bool, err error) {
	type was struct {
		kind, review string
		live         bool
	}
	h, err := db.One(ctx, tx, func(r db.Row, h *was) error { return r.Scan(&h.kind, &h.review, &h.live) },
		`SELECT kind, review, live FROM holder WHERE id = ?`, holder)
	if err != nil {
		return false, fmt.Errorf("review of %d: %w", holder, err)
	}
	if !h.live {
		_, err := tx.Exec(ctx, `UPDATE holder SET pending = 0 WHERE id = ?`, holder)
		return false, err
	}
	all, err := grounds(ctx, tx, holder)
	if err != nil {
		return false, fmt.Errorf("review of %d: %w", holder, err)
	}
	v := judge(all)
	review := reviewOf[v.standing]
	if h.kind == kindDecision && (review == ReviewNeeded || h.review == ReviewNeeded) {
		if err := updateReasons(ctx, tx, holder, v.reasons, by); err != nil {
			return false, fmt.Errorf("reasons of %d: %w", holder, err)
		}
	}
	if _, err := tx.Exec(ctx, `UPDATE holder SET review = ?, pending = 0 WHERE id = ?`, review, holder); err != nil {
		return false, err
	}
	if review != h.review {
		if err := markAbove(ctx, tx, holder); err != nil {
			return false, err
		}
	}
	return h.kind == kindDecision && review == ReviewNeeded && h.review != ReviewNeeded, nil
}

// updateReasons makes the open reasons of a decision those given.
func updateReasons(ctx context.Context, tx *db.Tx, holder int64, reasons []reason, by string) error {
	type key struct {
		support int64
		cause   string
	}
	type openReason struct {
		id int64
		key
	}
	open, err := db.Query(ctx, tx, func(r db.Row, o *openReason) error { return r.Scan(&o.id, &o.support, &o.cause) },
		`SELECT id, support_id, cause FROM review_reason WHERE holder_id = ? AND closed_at = '' ORDER BY id`, holder)
	if err != nil {
		return err
	}
	seq, err := tx.Seq(ctx)
	if err != nil {
		return err
	}
	wanted := map[key]bool{}
	for _, r := range reasons {
		wanted[key{r.id, r.cause}] = true
	}
	for _, o := range open {
		if wanted[o.key] {
			continue
		}
		if _, err := tx.Exec(ctx, `UPDATE review_reason SET closed_by = ?, closed_seq = ?, closed_at = ? WHERE id = ?`, by, seq, tx.Stamp(), o.id); err != nil {
			return err
		}
	}
	for _, r := range reasons {
		_, err := tx.Exec(ctx, `
			INSERT INTO review_reason (holder_id, support_id, cause, detail, old_version, old_start, old_end, old_evidence,
				new_version, new_start, new_end, new_evidence, opened_by, opened_seq, opened_at, closed_by, closed_seq, closed_at)
			VALUES (?, ?, ?, ?, nullif(?, 0), ?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, '', 0, '')
			ON CONFLICT (holder_id, support_id, cause) WHERE closed_at = '' DO UPDATE SET detail = excluded.detail,
				new_version = excluded.new_version, new_start = excluded.new_start, new_end = excluded.new_end, new_evidence = excluded.new_evidence`,
			holder, r.id, r.cause, r.detail, r.oldVersion, r.oldStart, r.oldEnd, r.oldEvidence,
			r.newVersion, r.newStart, r.newEnd, r.newEvidence, by, seq, tx.Stamp())
		if err != nil {
			return err
		}
	}
	return nil
}

// advance settles up to limit pending holders, from the ground up: of one project, or of all where project is empty.
func advance(ctx context.Context, tx *db.Tx, project string, limit int) (settled, flagged int, err error) {
	for settled < limit {
		var next []int64
		if project == "" {
			next, err = db.Query(ctx, tx, db.Value[int64], `SELECT id FROM holder WHERE pending = 1 ORDER BY id LIMIT 1`)
		} else {
			next, err = db.Query(ctx, tx, db.Value[int64], `SELECT id FROM holder WHERE pending = 1 AND project = ? ORDER BY id LIMIT 1`, project)
		}
		if err != nil || len(next) == 0 {
			return settled, flagged, err
		}
		// What it leans on comes first. In a circle, which cannot arise, the way down ends at the first one met twice.
		id, passed := next[0], map[int64]bool{}
		for {
			passed[id] = true
			below, err := pendingBelow(ctx, tx, id, passed)
			if err != nil {
				return settled, flagged, err
			}
			if below == 0 {
				break
			}
			id = below
		}
		now, err := settle(ctx, tx, id, byUpstream)
		if err != nil {
			return settled, flagged, err
		}
		settled++
		if now {
			flagged++
		}
	}
	return settled, flagged, nil
}

// Drain settles every pending review, a batch of decisions a transaction, and returns how many it settled. The indexer calls it
// after changes; it may be cut short and called again.
func Drain(ctx context.Context, d *db.DB) (settled int, err error) {
	for {
		waiting := false
		err := d.View(ctx, func(tx *db.Tx) (err error) {
			waiting, err = db.One(ctx, tx, db.Value[bool], `SELECT EXISTS (SELECT 1 FROM holder WHERE pending = 1)`)
			return err
		})
		if err != nil || !waiting {
			return settled, err
		}
		n := 0
		err = d.Update(ctx, func(tx *db.Tx) (err error) {
			n, _, err = advance(ctx, tx, "", drainBatch)
			return err
		})
		settled += n
		if err != nil {
			return settled, err
		}
	}
}

// ContinueReviewParams are the parameters of [ContinueDecisionReview].
type ContinueReviewParams struct {
	Limit int `json:"limit"`
}

// A ReviewProgress is what [ContinueDecisionReview] did.
type ReviewProgress struct {
	Settled   int `json:"settled"`   // decisions and steps whose review was brought up to date
	Flagged   int `json:"flagged"`   // of them, decisions that need a review now and did not before
	Remaining int `json:"remaining"` // that still wait
}

// ContinueDecisionReview settles at most p.Limit of the project's decisions and steps that wait for a review, and tells how many still wait.
func ContinueDecisionReview(ctx context.Context, d *db.DB, who Identity, p ContinueReviewParams) (ReviewProgress, error) {
	var out ReviewProgress
	if err := who.check(); err != nil {
		return out, err
	}
	if err := checkRange("limit", p.Limit, 1, 100); err != nil {
		return out, err
	}
	err := d.Update(ctx, func(tx *db.Tx) (err error) {
		if out.Settled, out.Flagged, err = advance(ctx, tx, who.Project, p.Limit); err != nil {
			return err
		}
		out.Remaining, err = db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM holder WHERE pending = 1 AND project = ?`, who.Project)
		return err
	})
	return out, err
}
