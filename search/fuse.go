package search

// This file defines the fusion of both legs: how much being near counts beside the words, and when it does not count.

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"docket/db"
)

// nearEnough is how near a passage without any word of the query must be to be a hit of a hybrid search. What says the same in other
// words is nearer as a rule; of a small collection about something else, nothing is.
const nearEnough = .4

// fuse ranks passages by the words and the meaning of a query together:
//
//	score = bm25 / max bm25 + weight * max(0, (cos - median cos) / (max cos - median cos))
//
// The maxima and the median are those of the passages in scope. The weight is the store's model's. Ranks alone (RRF) would
// give a weak leg as much say as a strong one: measured, that lost up to 26 points of nDCG@10, and this never more than .001.
//
// The ranking is that of all passages, though each leg gives only its best: what is returned is as much of its beginning as no
// passage that neither leg gave could still come into. all says that it is the whole.
func (in *corpus) fuse(ctx context.Context, tx *db.Tx, p plan, lexical, semantic leg, near meaning) (list []ranked, all bool, err error) {
	most := 1.0
	if len(lexical.rows) > 0 {
		most = lexical.rows[0].score
	} else if lexical.more {
		most = lexical.rest
	}
	out := map[int64]*ranked{}
	for i, f := range lexical.rows {
		out[f.row] = &ranked{row: f.row, score: f.score / most, legs: Legs{Lexical: &LegHit{Rank: i + 1, Score: f.score}}}
	}
	var unscored bitmap // near, and not among the best of the other leg
	for i, f := range semantic.rows {
		if near.share(f.score) == 0 {
			break
		}
		if out[f.row] == nil {
			out[f.row] = &ranked{row: f.row}
			unscored.add(f.row)
		}
		out[f.row].legs.Semantic = &LegHit{Rank: i + 1, Score: f.score}
	}
	if lexical.more && unscored != nil {
		rows, err := in.scored(ctx, tx, p, len(p.terms), unscored.has, len(semantic.rows))
		if err != nil {
			return nil, false, err
		}
		for _, f := range rows {
			out[f.row].score = f.score / most
		}
	}
	list = make([]ranked, 0, len(out))
	for _, r := range out {
		c, ok := near.Cosine(r.row)
		if r.score == 0 && c < nearEnough {
			continue
		}
		if ok {
			r.score += near.weight * near.share(c)
		}
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b ranked) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.row, b.row)) })
	all = !lexical.more && !semantic.more
	if !all {
		unseen := 0.0
		if lexical.more {
			unseen += lexical.rest / most
		}
		if semantic.more {
			unseen += near.weight * near.share(semantic.rest)
		}
		sure, _ := slices.BinarySearchFunc(list, unseen, func(r ranked, score float64) int { return cmp.Compare(score, r.score) })
		list, all = list[:sure], unseen == 0
	}
	return list, all, settle(ctx, tx, list, func(r ranked) (int64, float64) { return r.row, r.score })
}

// nearest returns the n nearest passages.
func (m *meaning) nearest(n int) []found {
	var out []found
	for _, match := range m.Top(n) {
		out = append(out, found{match.Chunk, match.Cosine})
	}
	return out
}

// share is where a cosine lies between the median and the best, from 0 to 1.
func (m *meaning) share(cosine float64) float64 {
	if m.Max <= m.Median {
		return 0
	}
	return max(0, (cosine-m.Median)/(m.Max-m.Median))
}

var (
	quoted = regexp.MustCompile(`["“”][^"“”]+["“”]`)
	// What names a thing rather than describes one, as a word of a query.
	name = regexp.MustCompile(`^(` + strings.Join([]string{
		`(~|\.{0,2})/.+`, `[A-Za-z]:\\.+`, // /etc/hosts, ./run, ~/notes, C:\notes
		`[^/\\]+[/\\][^/\\]+[/\\].*`, `[^/\\]+[/\\].*\.\w+`, // a/b/c, src/main.go
		`\w+(_|::)\w+.*`,                                                               // parse_query, std::sort, evidence ids
		`[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}`, `[0-9a-f]*([0-9][a-f]|[a-f][0-9])[0-9a-f]*`, // a UUID, a hash
		`v[0-9]+(\.[0-9]+)+.*`, `[0-9]+\.[0-9]+\.[0-9]+.*`, // v1.2, 2026.4.10
	}, "|") + `)$`)
)

const shortHash = 7 // characters

// naming reports whether a query names something: in quotes, or by a path, an id or a version. What is like it is no answer then,
// and the words alone count.
func naming(query string) bool {
	if quoted.MatchString(query) {
		return true
	}
	for w := range strings.FieldsSeq(query) {
		if w = strings.Trim(w, "()[]{}<>,;:.!?'`"); len(w) >= 3 && name.MatchString(w) && (len(w) >= shortHash || strings.ContainsAny(w, `./\_:`)) {
			return true
		}
	}
	return false
}
