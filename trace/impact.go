package trace

// This file defines the impact: what rests on a document, a passage or a decision, to be asked before one touches it.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"docket/db"
)

// ImpactParams are the parameters of [Impact].
type ImpactParams struct {
	Target string `json:"target"` // a document key, an evidence id or a decision's id
	Offset int    `json:"offset"` // how many decisions and steps to pass over
	Limit  int    `json:"limit"`
}

// A Dependent is a decision or a step that rests on something.
type Dependent struct {
	Type        string   `json:"type"`  // decision or step
	Depth       int      `json:"depth"` // 1 for what rests on it directly
	DecisionID  string   `json:"decision_id,omitempty"`
	TaskName    string   `json:"task_name"`
	Name        string   `json:"name,omitempty"` // of a step
	ChoiceKey   string   `json:"choice_key,omitempty"`
	Conclusion  string   `json:"conclusion,omitempty"` // its beginning
	Review      string   `json:"review"`
	EvidenceIDs []string `json:"evidence_ids,omitempty"` // the passages by which it rests on a document, where it does directly
}

// An ImpactReport is what rests on a thing, nearest first.
type ImpactReport struct {
	Target     string      `json:"target"`
	Kind       string      `json:"kind"`      // document, evidence or decision
	Decisions  int         `json:"decisions"` // active ones in all
	Steps      int         `json:"steps"`
	Truncated  bool        `json:"truncated"`
	NextOffset int         `json:"next_offset,omitempty"`
	Dependents []Dependent `json:"dependents"`
}

// Impact returns what of the project rests on a document, a passage or a decision, directly and through other decisions.
func Impact(ctx context.Context, d *db.DB, who Identity, p ImpactParams) (ImpactReport, error) {
	out := ImpactReport{Target: p.Target, Dependents: []Dependent{}}
	if err := first(who.check(), checkRange("offset", p.Offset, 0, 1<<31), checkRange("limit", p.Limit, 1, 200)); err != nil {
		return out, err
	}
	if p.Target == "" {
		return out, invalid("target", "is empty", "send a document key, an evidence id or a decision's id")
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		direct, kind, err := direct(ctx, tx, who, p.Target)
		if err != nil {
			return err
		}
		out.Kind = kind
		levels, err := above(ctx, tx, direct)
		if err != nil {
			return err
		}
		for _, l := range levels {
			if l.kind == kindDecision {
				out.Decisions++
			} else {
				out.Steps++
			}
		}
		page := levels[min(p.Offset, len(levels)):]
		if len(page) > p.Limit {
			page, out.Truncated, out.NextOffset = page[:p.Limit], true, p.Offset+p.Limit
		}
		for _, l := range page {
			dep, err := db.One(ctx, tx, func(r db.Row, v *Dependent) error {
				return r.Scan(&v.Type, &v.DecisionID, &v.TaskName, &v.Name, &v.ChoiceKey, &v.Conclusion, &v.Review)
			}, `
				SELECT h.kind, coalesce(d.decision_id, ''), t.name, coalesce(p.name, ''), coalesce(d.choice_key, ''), coalesce(d.conclusion, ''), `+shownReview+`
				FROM holder h LEFT JOIN decision d ON d.id = h.id LEFT JOIN step p ON p.id = h.id JOIN task t ON t.id = coalesce(d.task_id, p.task_id)
				WHERE h.id = ?`, l.id)
			if err != nil {
				return fmt.Errorf("holder %d: %w", l.id, err)
			}
			dep.Depth, dep.Conclusion, dep.EvidenceIDs = l.depth, cut(dep.Conclusion, previewChars), direct[l.id]
			out.Dependents = append(out.Dependents, dep)
		}
		return nil
	})
	return out, err
}

// direct returns the live holders that rest directly on the target, each with the evidence ids by which it does.
func direct(ctx context.Context, tx *db.Tx, who Identity, target string) (map[int64][]string, string, error) {
	type leaner struct {
		id       int64
		evidence string
	}
	scan := func(r db.Row, l *leaner) error { return r.Scan(&l.id, &l.evidence) }
	var rows []leaner
	var err error
	kind := ""
	switch id, isEvidence := db.ParseEvidenceID(target); {
	case isEvidence:
		kind = typeEvidence
		c, start, end, err := tx.Evidence(ctx, id)
		var doc db.Document
		if err == nil {
			doc, err = documentOf(ctx, tx, c.VersionRow)
		}
		if errors.Is(err, db.ErrNotFound) || err == nil && !who.Scope.Match(doc.Key) {
			return nil, "", refuse(CodeNotFound, "check the id", "there is no evidence %s", target)
		}
		if err != nil {
			return nil, "", err
		}
		// A support is on the passage if it stands there now, or was cited there and has been carried on since.
		rows, err = db.Query(ctx, tx, scan, `
			SELECT s.holder_id, s.evidence FROM support s JOIN holder h ON h.id = s.holder_id
			WHERE s.version_id = ?1 AND s.start < ?3 AND s.end > ?2 AND s.live = 1 AND h.project = ?4
			UNION SELECT s.holder_id, s.evidence FROM support s JOIN holder h ON h.id = s.holder_id
				JOIN support_history y ON y.support_id = s.id AND y.what = 'recorded' AND y.new_version = ?1 AND y.new_start < ?3 AND y.new_end > ?2
			WHERE s.first_version = ?1 AND s.live = 1 AND h.project = ?4
			ORDER BY 1, 2`, c.VersionRow, start, end, who.Project)
		if err != nil {
			return nil, "", err
		}
	case uuid.Validate(target) == nil && len(target) == 36:
		kind = typeDecision
		t, err := mustFindDecision(ctx, tx, who.Project, target)
		if err != nil {
			return nil, "", err
		}
		rows, err = db.Query(ctx, tx, scan, `SELECT DISTINCT holder_id, '' FROM support WHERE target = ? AND live = 1 ORDER BY holder_id`, t.row)
		if err != nil {
			return nil, "", err
		}
	default:
		kind = "document"
		doc, err := tx.Document(ctx, target)
		if errors.Is(err, db.ErrNotFound) || err == nil && !who.Scope.Match(doc.Key) {
			return nil, "", refuse(CodeNotFound, "send a document key (ROOT/path), an evidence id or a decision's id", "there is no document %q", target)
		}
		if err != nil {
			return nil, "", err
		}
		rows, err = db.Query(ctx, tx, scan, `
			SELECT DISTINCT s.holder_id, s.evidence FROM support s JOIN holder h ON h.id = s.holder_id
			WHERE s.document_id = ? AND s.live = 1 AND s.type = 'evidence' AND h.project = ? ORDER BY s.holder_id, s.evidence`, doc.ID, who.Project)
		if err != nil {
			return nil, "", err
		}
	}
	out := map[int64][]string{}
	for _, r := range rows {
		if out[r.id] == nil {
			out[r.id] = []string{}
		}
		if r.evidence != "" {
			out[r.id] = append(out[r.id], r.evidence)
		}
	}
	return out, kind, err
}

func documentOf(ctx context.Context, tx *db.Tx, versionRow int64) (db.Document, error) {
	v, err := tx.Version(ctx, versionRow)
	if err != nil {
		return db.Document{}, err
	}
	return tx.DocumentByID(ctx, v.DocumentID)
}

// A level is a holder and how far above the target it stands.
type level struct {
	id    int64
	depth int
	kind  string
}

// above returns all live holders above the direct ones, and those, nearest first.
func above(ctx context.Context, tx *db.Tx, direct map[int64][]string) ([]level, error) {
	scan := func(r db.Row, l *level) error { return r.Scan(&l.id, &l.kind) }
	next := slices.Sorted(maps.Keys(direct))
	stmt := `SELECT h.id, h.kind FROM json_each(?) j CROSS JOIN holder h ON h.id = j.value WHERE h.live = 1 ORDER BY h.id`
	seen := map[int64]bool{}
	var out []level
	for depth := 1; len(next) > 0; depth++ {
		ids, err := json.Marshal(next)
		if err != nil {
			return nil, err
		}
		found, err := db.Query(ctx, tx, scan, stmt, string(ids))
		if err != nil {
			return nil, err
		}
		next = nil
		for _, l := range found {
			if !seen[l.id] {
				seen[l.id] = true
				l.depth = depth
				next, out = append(next, l.id), append(out, l)
			}
		}
		stmt = `
			SELECT DISTINCT h.id, h.kind FROM json_each(?) j CROSS JOIN support s ON s.target = j.value AND s.live = 1
			JOIN holder h ON h.id = s.holder_id WHERE h.live = 1 ORDER BY h.id`
	}
	return out, nil
}
