package trace

// This file defines supports: what a decision or a step rests on.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"docket/db"
)

// The types of supports.
const (
	typeEvidence = "evidence"
	typeDecision = "decision"
	typeStep     = "step"
	typeEvent    = "event"
)

// The states of a support. All but evidence is current until it is answered or replaced; what it leans on is asked each time.
const (
	stateCurrent  = "current"
	stateChanged  = "changed"  // its text does not stand in the current version
	stateRemoved  = "removed"  // its document is gone
	stateAnswered = "answered" // it had fallen, and the decision was reaffirmed without it
	stateReplaced = "replaced" // a later one stands for it
)

const (
	originOriginal  = "original"
	originRefreshed = "refreshed"

	kindDecision = "decision"
	kindStep     = "step"
)

// What a row of the support history tells.
const (
	historyRecorded = "recorded"
	historyCarried  = "carried"  // its text stands in the new version
	historyMoved    = "moved"    // its text stands elsewhere in the new version, or the whole file has moved
	historyRestored = "restored" // it had fallen, and its text is back
	historyFlagged  = "flagged"
	historyRemoved  = "removed"
	historyAnswered = "answered"
	historyReplaced = "replaced"
)

// A Support is one thing that a decision or step rests on, as it is given. Type says which other fields count.
type Support struct {
	Type       string `json:"type"`                  // evidence, decision, step or event
	EvidenceID string `json:"evidence_id,omitempty"` // for evidence
	Quote      string `json:"quote,omitempty"`       // for evidence: the words in it that matter, all of it where there are none
	DecisionID string `json:"decision_id,omitempty"` // for a decision
	TaskName   string `json:"task_name,omitempty"`   // for a step or an event
	Name       string `json:"name,omitempty"`        // for a step
	Seq        int    `json:"seq,omitempty"`         // for an event
	Group      string `json:"group,omitempty"`       // supports of one group together are an alternative to those of another
}

const (
	maxSupports = 20
	maxQuote    = 4000
	maxGroup    = 64
)

// checkSupports refuses supports whose form is wrong, without looking at the store.
func checkSupports(supports []Support, least int) error {
	if n := len(supports); n < least || n > maxSupports {
		return invalid("supports", fmt.Sprintf("has %d items", n), fmt.Sprintf("send %d to %d", least, maxSupports))
	}
	for i, s := range supports {
		name := fmt.Sprintf("supports[%d]", i)
		if err := checkOneOf(name+".type", s.Type, typeEvidence, typeDecision, typeStep, typeEvent); err != nil {
			return err
		}
		if err := checkTexts(bound{name + ".quote", s.Quote, 0, maxQuote}, bound{name + ".group", s.Group, 0, maxGroup}); err != nil {
			return err
		}
		if s.Quote != "" && strings.TrimSpace(s.Quote) == "" {
			return invalid(name+".quote", "is blank", "leave it out to cite the whole passage")
		}
		want := Support{Type: s.Type, Group: s.Group}
		var missing bool
		switch s.Type {
		case typeEvidence:
			want.EvidenceID, want.Quote, missing = s.EvidenceID, s.Quote, s.EvidenceID == ""
		case typeDecision:
			want.DecisionID, missing = s.DecisionID, s.DecisionID == ""
		case typeStep:
			want.TaskName, want.Name, missing = s.TaskName, s.Name, s.TaskName == "" || s.Name == ""
		case typeEvent:
			want.TaskName, want.Seq, missing = s.TaskName, s.Seq, s.TaskName == "" || s.Seq < 1
		}
		if missing || want != s {
			return invalid(name, "does not have the fields of its type", map[string]string{
				typeEvidence: `send {"type":"evidence","evidence_id":…} with an optional quote and group`,
				typeDecision: `send {"type":"decision","decision_id":…} with an optional group`,
				typeStep:     `send {"type":"step","task_name":…,"name":…} with an optional group`,
				typeEvent:    `send {"type":"event","task_name":…,"seq":…} with seq from 1 and an optional group`,
			}[s.Type])
		}
	}
	return nil
}

// A resolved support is ready to be stored.
type resolved struct {
	Support
	document, version int64
	start, end        int
	words             []byte
	target, event     int64
}

// resolver looks supports up. It collects what is wrong with evidence, so that one answer names all that must be fetched.
type resolver struct {
	tx         *db.Tx
	who        Identity
	notFetched []string
	partial    []string
	outdated   []string
}

// resolve looks up every support for a holder (0 for one that is not stored yet), and refuses what cannot be rested on.
func resolve(ctx context.Context, tx *db.Tx, who Identity, supports []Support, holder int64) ([]resolved, error) {
	r := resolver{tx: tx, who: who}
	out := make([]resolved, 0, len(supports))
	for i, s := range supports {
		var (
			found resolved
			err   error
		)
		switch s.Type {
		case typeEvidence:
			found, err = r.evidence(ctx, s)
		case typeDecision:
			found, err = r.decision(ctx, s)
		case typeStep:
			found, err = r.step(ctx, s)
		case typeEvent:
			found, err = r.event(ctx, s)
		}
		if err != nil {
			return nil, err
		}
		if found.target != 0 && holder != 0 {
			if err := refuseCycle(ctx, tx, found.target, holder, fmt.Sprintf("supports[%d]", i)); err != nil {
				return nil, err
			}
		}
		out = append(out, found)
	}
	return out, r.refusal()
}

// refusal is the error that names every evidence id that cannot be cited yet.
func (r *resolver) refusal() error {
	switch {
	case len(r.notFetched) > 0:
		return refuse(CodeNotFetched, "call fetch_evidence for "+list(r.notFetched)+", then send this again",
			"not fetched in this session: %s", list(r.notFetched))
	case len(r.partial) > 0:
		return refuse(CodePartial, "call fetch_evidence for "+list(r.partial)+" with a larger max_chars, or for their spans, then send this again",
			"fetched only in part in this session: %s", list(r.partial))
	case len(r.outdated) > 0:
		return refuse(CodeNotCurrent, "fetch them once more: current_evidence_id names the passage that replaced each",
			"of a version that is no longer current: %s", list(r.outdated))
	}
	return nil
}

func noSupport(format string, args ...any) error {
	return refuse(CodeSupportNotFound, "send the id of something that exists and that you have read", format, args...)
}

func (r *resolver) evidence(ctx context.Context, s Support) (resolved, error) {
	out := resolved{Support: s}
	id, ok := db.ParseEvidenceID(s.EvidenceID)
	if !ok {
		return out, noSupport("%q is not an evidence id", s.EvidenceID)
	}
	c, start, end, err := r.tx.Evidence(ctx, id)
	if errors.Is(err, db.ErrNotFound) {
		return out, noSupport("there is no evidence %s", s.EvidenceID)
	}
	if err != nil {
		return out, fmt.Errorf("evidence %s: %w", s.EvidenceID, err)
	}
	v, err := r.tx.Version(ctx, c.VersionRow)
	if err != nil {
		return out, err
	}
	doc, err := r.tx.DocumentByID(ctx, v.DocumentID)
	if err != nil {
		return out, err
	}
	if !r.who.Scope.Match(doc.Key) { // as if it did not exist
		return out, noSupport("there is no evidence %s", s.EvidenceID)
	}
	complete, partial := false, false
	if r.who.Fetched != nil {
		if complete, partial = r.who.Fetched(s.EvidenceID); !complete && id.IsSpan() {
			whole, _ := r.who.Fetched(c.ID()) // who has read the passage has read its part
			complete = whole
		}
	}
	switch {
	case !complete && !partial:
		r.notFetched = append(r.notFetched, s.EvidenceID)
		return out, nil
	case !complete:
		r.partial = append(r.partial, s.EvidenceID)
		return out, nil
	case doc.Current != c.VersionRow:
		r.outdated = append(r.outdated, s.EvidenceID)
		return out, nil
	}
	if s.Quote != "" {
		text, err := r.tx.Text(ctx, c.VersionRow, start, end)
		if err != nil {
			return out, err
		}
		from, to, ok := findQuote(text, s.Quote)
		if !ok {
			return out, refuse(CodeQuoteNotFound, "quote the text word for word, or leave the quote out",
				"the quote %q does not stand in %s", cut(s.Quote, 80), s.EvidenceID)
		}
		start, end = start+from, start+to
	}
	out.document, out.version = doc.ID, c.VersionRow
	out.start, out.end = anchorOf(&c, start, end)
	words, err := r.tx.Text(ctx, c.VersionRow, out.start, out.end)
	out.words = wordsHash(words)
	return out, err
}

func (r *resolver) decision(ctx context.Context, s Support) (resolved, error) {
	out := resolved{Support: s}
	if err := checkDecisionID("decision_id", s.DecisionID); err != nil {
		return out, noSupport("%q is not a decision's id", s.DecisionID)
	}
	t, err := findDecision(ctx, r.tx, r.who.Project, s.DecisionID)
	if errors.Is(err, db.ErrNotFound) {
		return out, noSupport("there is no decision %s in project %s", s.DecisionID, r.who.Project)
	}
	if err != nil {
		return out, err
	}
	out.target = t.row
	switch {
	case t.status != StatusActive:
		return out, refuse(CodeSupportUnreliable, "rest on the decision that is in force instead, or on evidence", "decision %s is %s", s.DecisionID, t.status)
	case t.review != ReviewCurrent:
		return out, refuse(CodeSupportUnreliable, "review it first, with list_decisions_for_review and reaffirm_decision or supersede_decision",
			"the review of decision %s is %s, so nothing can be rested on it", s.DecisionID, t.review)
	}
	return out, nil
}

func (r *resolver) step(ctx context.Context, s Support) (resolved, error) {
	out := resolved{Support: s}
	t, err := findStep(ctx, r.tx, r.who.Project, s.TaskName, s.Name)
	if errors.Is(err, db.ErrNotFound) {
		return out, noSupport("there is no step %q of task %q in project %s", s.Name, s.TaskName, r.who.Project)
	}
	if err != nil {
		return out, err
	}
	out.target, out.event = t.row, t.event
	switch {
	case t.state != StepCompleted:
		return out, refuse(CodeSupportUnreliable, "complete it first", "step %q of task %q is %s", s.Name, s.TaskName, t.state)
	case t.review != ReviewCurrent:
		return out, refuse(CodeSupportUnreliable, "do the step again on current evidence", "the review of step %q of task %q is %s", s.Name, s.TaskName, t.review)
	}
	return out, nil
}

func (r *resolver) event(ctx context.Context, s Support) (resolved, error) {
	out := resolved{Support: s}
	id, err := db.One(ctx, r.tx, db.Value[int64], `
		SELECT e.id FROM event e JOIN task t ON t.id = e.task_id WHERE t.project = ? AND t.name = ? AND e.seq = ?`, r.who.Project, s.TaskName, s.Seq)
	if errors.Is(err, db.ErrNotFound) {
		return out, noSupport("there is no event %d of task %q in project %s", s.Seq, s.TaskName, r.who.Project)
	}
	out.event = id
	return out, err
}

// refuseCycle refuses a support on target for a holder on which target itself leans.
func refuseCycle(ctx context.Context, tx *db.Tx, target, holder int64, name string) error {
	circle, err := db.One(ctx, tx, db.Value[bool], `
		WITH RECURSIVE below (id) AS (
			SELECT ?1 UNION SELECT s.target FROM below CROSS JOIN support s ON s.holder_id = below.id AND s.live = 1 AND s.target IS NOT NULL)
		SELECT EXISTS (SELECT 1 FROM below WHERE id = ?2)`, target, holder)
	if err != nil {
		return err
	}
	if circle {
		return refuse(CodeSupportCycle, "rest on evidence instead", "%s rests on what it would be a support of", name)
	}
	return nil
}

// addSupports stores resolved supports of a holder, behind those that it has.
func addSupports(ctx context.Context, tx *db.Tx, holder int64, origin string, supports []resolved) error {
	next, err := db.One(ctx, tx, db.Value[int], `SELECT coalesce(max(ordinal) + 1, 0) FROM support WHERE holder_id = ?`, holder)
	if err != nil {
		return err
	}
	seq, err := tx.Seq(ctx)
	if err != nil {
		return err
	}
	for i, s := range supports {
		quoteHash := []byte{}
		if s.Quote != "" {
			h := db.HashOf(s.Quote)
			quoteHash = h[:]
		}
		id, err := tx.Insert(ctx, `
			INSERT INTO support (holder_id, ordinal, origin, type, alternative, live, quote, quote_hash, first_evidence, first_version,
				document_id, version_id, start, end, evidence, words, state, cause, new_version, new_start, new_end, new_evidence, target, event_id)
			VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, nullif(?, 0), nullif(?, 0), nullif(?, 0), ?, ?, ?, ?, 'current', '', NULL, 0, 0, '', nullif(?, 0), nullif(?, 0))`,
			holder, next+i, origin, s.Type, s.Group, s.Quote, quoteHash, s.EvidenceID, s.version,
			s.document, s.version, s.start, s.end, s.EvidenceID, append([]byte{}, s.words...), s.target, s.event)
		if err != nil {
			return fmt.Errorf("support %d: %w", next+i, err)
		}
		h := history{support: id, what: historyRecorded, seq: seq, newVersion: s.version, newStart: s.start, newEnd: s.end, newEvidence: s.EvidenceID}
		if err := addHistory(ctx, tx, h); err != nil {
			return err
		}
	}
	return nil
}

// retire ends supports that others stand for now.
func retire(ctx context.Context, tx *db.Tx, ids []int64, state string) error {
	seq, err := tx.Seq(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		var h history
		h, err := db.One(ctx, tx, func(r db.Row, h *history) error {
			return r.Scan(&h.cause, &h.oldVersion, &h.oldStart, &h.oldEnd, &h.oldEvidence)
		}, `UPDATE support SET live = 0, state = ? WHERE id = ? RETURNING cause, coalesce(version_id, 0), start, end, evidence`, state, id)
		if err != nil {
			return fmt.Errorf("support %d: %w", id, err)
		}
		h.support, h.what, h.seq = id, state, seq
		if err := addHistory(ctx, tx, h); err != nil {
			return err
		}
	}
	return nil
}

// A history is one row of the support history.
type history struct {
	support          int64
	what, cause      string
	oldVersion       int64
	oldStart, oldEnd int
	oldEvidence      string
	newVersion       int64
	newStart, newEnd int
	newEvidence      string
	seq              int64
}

func addHistory(ctx context.Context, tx *db.Tx, h history) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO support_history (support_id, what, cause, old_version, old_start, old_end, old_evidence,
			new_version, new_start, new_end, new_evidence, seq, at)
		VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?)`,
		h.support, h.what, h.cause, h.oldVersion, h.oldStart, h.oldEnd, h.oldEvidence,
		h.newVersion, h.newStart, h.newEnd, h.newEvidence, h.seq, tx.Stamp())
	if err != nil {
		return fmt.Errorf("history of support %d: %w", h.support, err)
	}
	return nil
}

// chars counts code points.
func chars(s string) int { return utf8.RuneCountInString(s) }
