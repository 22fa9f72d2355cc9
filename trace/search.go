package trace

// This file defines search_decisions: precedents, by the words of their choice, conclusion and rationale.

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"docket/db"
)

// SearchDecisionsParams are the parameters of [SearchDecisions].
type SearchDecisionsParams struct {
	Query string `json:"query"`
	Limit int    `json:"limit"`
}

// A Precedent is an active decision that was found. One that is not current cannot be relied on.
type Precedent struct {
	DecisionSummary
	Score float64 `json:"score"` // comparable within one answer only
}

// Precedents are the decisions that were found, best first.
type Precedents struct {
	Status    string      `json:"status"` // ok or no_matches
	Truncated bool        `json:"truncated"`
	Decisions []Precedent `json:"decisions"`
}

// maxSearchTerms bounds the terms of a query that count.
const maxSearchTerms = 64

// SearchDecisions finds active decisions of the project, whatever their review state, which is shown. Those with all the words come
// first, then those with some; nothing in a query is syntax.
func SearchDecisions(ctx context.Context, d *db.DB, who Identity, p SearchDecisionsParams) (Precedents, error) {
	out := Precedents{Status: "no_matches", Decisions: []Precedent{}}
	if err := who.check(); err != nil {
		return out, err
	}
	if n := chars(p.Query); n < 1 || n > 1000 {
		return out, invalid("query", fmt.Sprintf("has %d characters", n), "send 1 to 1000 characters")
	}
	if p.Limit < 1 {
		return out, invalid("limit", fmt.Sprintf("is %d", p.Limit), "send at least 1")
	}
	terms := searchTerms(p.Query)
	if len(terms) == 0 {
		return out, nil
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		seen := map[string]bool{}
		for _, joint := range []string{" AND ", " OR "} {
			found, err := db.Query(ctx, tx, func(r db.Row, v *Precedent) error {
				s := &v.DecisionSummary
				return r.Scan(&s.DecisionID, &s.TaskName, &s.ChoiceKey, &s.Conclusion, &s.Status, &s.Review, &s.Supersedes, &s.SupersededBy, &s.AgentID, &s.CreatedAt, &v.Score)
			}, `
				SELECT `+summaryColumns+`, -bm25(decision_words, 4.0, 2.0, 1.0) AS score
				FROM decision_words w JOIN decision d ON d.id = w.rowid JOIN holder h ON h.id = d.id JOIN task t ON t.id = d.task_id
				WHERE decision_words MATCH ? AND d.project = ? AND d.status = 'active' ORDER BY score DESC, d.id LIMIT ?`,
				strings.Join(terms, joint), who.Project, p.Limit+1)
			if err != nil {
				return fmt.Errorf("search decisions: %w", err)
			}
			for _, v := range found {
				if seen[v.DecisionID] {
					continue
				}
				seen[v.DecisionID] = true
				out.Decisions = append(out.Decisions, v)
			}
			if len(out.Decisions) > p.Limit || len(terms) == 1 {
				break
			}
		}
		if len(out.Decisions) > p.Limit {
			out.Decisions, out.Truncated = out.Decisions[:p.Limit], true
		}
		if len(out.Decisions) > 0 {
			out.Status = "ok"
		}
		return nil
	})
	return out, err
}

// indexDecision makes an active decision findable.
func indexDecision(ctx context.Context, tx *db.Tx, row int64, choice, conclusion, rationale string) error {
	_, err := tx.Exec(ctx, `INSERT INTO decision_words (rowid, choice, conclusion, rationale) VALUES (?, ?, ?, ?)`,
		row, strings.Join(searchWords(choice), " "), strings.Join(searchWords(conclusion), " "), strings.Join(searchWords(rationale), " "))
	if err != nil {
		return fmt.Errorf("words of decision %d: %w", row, err)
	}
	return nil
}

// searchTerms quotes the words of a query for FTS5, each once.
func searchTerms(query string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range searchWords(query) {
		if !seen[w] && len(out) < maxSearchTerms {
			seen[w] = true
			out = append(out, `"`+w+`"`)
		}
	}
	return out
}

// searchWords cuts a text into words. FTS5 finds none within a run of Chinese or Japanese, so such runs become pairs of characters.
func searchWords(s string) []string {
	wide := func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}
	var out []string
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		var plain []rune
		flush := func() {
			if len(plain) > 0 {
				out = append(out, string(plain))
				plain = plain[:0]
			}
		}
		runes := []rune(f)
		for i, r := range runes {
			if !wide(r) {
				plain = append(plain, r)
				continue
			}
			flush()
			if i+1 < len(runes) && wide(runes[i+1]) {
				out = append(out, string(runes[i:i+2]))
			} else if i == 0 || !wide(runes[i-1]) {
				out = append(out, string(r))
			}
		}
		flush()
	}
	return out
}
