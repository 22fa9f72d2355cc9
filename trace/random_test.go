package trace_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/db"
	"docket/trace"
)

// A model is what a world should be, kept in the plainest way: every review is computed from the ground each time it is asked for.
type model struct {
	docs      []*modelDoc
	holders   []*modelHolder // decisions and steps, in order
	offline   bool
	sentences int
}

type modelDoc struct {
	name       string
	sentences  []string // nil once it is removed
	past       []string // sentences it once had
	unreadable map[string]bool
	crlf       bool
}

type modelHolder struct {
	id       string // of a decision
	name     string // of a step
	status   string // of a decision
	state    string // of a step
	result   int    // of a step
	supports []*modelSupport
}

type modelSupport struct {
	ordinal  int
	group    string
	live     bool
	fresh    bool
	doc      *modelDoc // or
	sentence string
	target   *modelHolder // or neither, for an event
	result   int          // of a step, when it was cited
}

func (h *modelHolder) over() bool { return h.id != "" && h.status != "active" }

// stands computes a support: 2 stands, 1 nobody knows, 0 has fallen for a cause.
func (m *model) stands(s *modelSupport) (int, string) {
	switch {
	case s.doc != nil && s.doc.sentences == nil:
		return 0, "source_removed"
	case s.doc != nil && !slices.Contains(s.doc.sentences, s.sentence):
		return 0, "source_changed"
	case s.doc != nil && (m.offline || len(s.doc.unreadable) > 0):
		return 1, ""
	case s.target != nil && (s.target.over() || s.target.name != "" && (s.target.state != "completed" || s.target.result != s.result)):
		return 0, "depends_on"
	case s.target != nil:
		if n, _ := m.review(s.target); n < 2 {
			return n, map[int]string{0: "depends_on", 1: ""}[n]
		}
	}
	return 2, ""
}

// review computes a holder: how it stands, and the reasons why it does not.
func (m *model) review(h *modelHolder) (int, []string) {
	all, anyGroup := 2, -1
	byGroup := map[string]int{}
	var reasons, inGroups []string
	for _, s := range h.supports {
		if !s.live {
			continue
		}
		n, cause := m.stands(s)
		text := fmt.Sprintf("%d %s", s.ordinal, cause)
		if s.group == "" {
			all = min(all, n)
			if n == 0 {
				reasons = append(reasons, text)
			}
			continue
		}
		if was, ok := byGroup[s.group]; !ok || n < was {
			byGroup[s.group] = n
		}
		if n == 0 {
			inGroups = append(inGroups, text)
		}
	}
	for _, n := range byGroup {
		anyGroup = max(anyGroup, n)
	}
	if anyGroup >= 0 {
		all = min(all, anyGroup)
	}
	if anyGroup == 0 {
		reasons = append(reasons, inGroups...)
	}
	slices.Sort(reasons)
	return all, reasons
}

// A run drives a world and its model side by side.
type run struct {
	*world
	*model
	rng *rand.Rand
	seq int
}

func (r *run) pick(n int) int { return r.rng.IntN(n) }

func (r *run) newSentence() string {
	r.sentences++
	return fmt.Sprintf("Sentence number %d says something that no other sentence says.", r.sentences)
}

func (r *run) write(d *modelDoc) {
	text := strings.Join(d.sentences, "\n\n") + "\n"
	if d.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	d.unreadable = map[string]bool{}
	r.put(d.name, text)
}

func (r *run) edit() {
	d := r.docs[r.pick(len(r.docs))]
	if d.sentences == nil { // it comes back, whole or not
		d.sentences = []string{r.newSentence()}
		for _, s := range d.past {
			if r.pick(2) == 0 && !slices.Contains(d.sentences, s) {
				d.sentences = append(d.sentences, s)
			}
		}
		r.write(d)
		return
	}
	for range 1 + r.pick(3) {
		i := r.pick(len(d.sentences))
		switch r.pick(7) {
		case 0, 1:
			d.past = append(d.past, d.sentences[i])
			d.sentences[i] = r.newSentence()
		case 2:
			if len(d.sentences) > 2 {
				d.past = append(d.past, d.sentences[i])
				d.sentences = slices.Delete(d.sentences, i, i+1)
			}
		case 3:
			d.sentences = slices.Insert(d.sentences, i, r.newSentence())
		case 4:
			r.rng.Shuffle(len(d.sentences), func(a, b int) { d.sentences[a], d.sentences[b] = d.sentences[b], d.sentences[a] })
		case 5:
			d.crlf = !d.crlf
		case 6:
			if len(d.past) > 0 {
				if s := d.past[r.pick(len(d.past))]; !slices.Contains(d.sentences, s) {
					d.sentences = slices.Insert(d.sentences, i, s)
				}
			}
		}
	}
	r.write(d)
}

// supportsFor makes up supports; not all of them need be acceptable.
func (r *run) supportsFor(withEvent bool) ([]trace.Support, []*modelSupport) {
	var given []trace.Support
	var want []*modelSupport
	groups := []string{"", "", "", "one", "two"}
	if withEvent && r.pick(3) == 0 {
		given, want = append(given, trace.Support{Type: "event", TaskName: "t", Seq: 1}), append(want, &modelSupport{})
	}
	docs := r.liveDocs()
	for len(docs) > 0 && (len(given) == 0 || r.pick(2) == 0) && len(given) < 5 {
		d := docs[r.pick(len(docs))]
		s := d.sentences[r.pick(len(d.sentences))]
		g := groups[r.pick(len(groups))]
		given = append(given, inGroup(quoted(r.evidence(d.name, s), s), g))
		want = append(want, &modelSupport{doc: d, sentence: s, group: g})
	}
	for len(r.holders) > 0 && r.pick(3) > 0 && len(given) < 8 {
		h := r.holders[r.pick(len(r.holders))]
		g := groups[r.pick(len(groups))]
		if h.id != "" {
			given = append(given, inGroup(onDecision(h.id), g))
		} else {
			given = append(given, inGroup(trace.Support{Type: "step", TaskName: "t", Name: h.name}, g))
		}
		want = append(want, &modelSupport{target: h, group: g, result: h.result})
	}
	return given, want
}

func (h *modelHolder) add(fresh bool, supports ...*modelSupport) {
	for _, s := range supports {
		s.ordinal, s.live, s.fresh = len(h.supports), true, fresh
		h.supports = append(h.supports, s)
	}
}

func (r *run) liveDocs() []*modelDoc {
	var out []*modelDoc
	for _, d := range r.docs {
		if d.sentences != nil {
			out = append(out, d)
		}
	}
	return out
}

func (r *run) record() {
	given, want := r.supportsFor(true)
	if len(given) == 0 {
		return
	}
	got, err := r.tryDecide(r.request(), given...)
	if err != nil {
		r.refused(err)
		return
	}
	h := &modelHolder{id: got.DecisionID, status: "active"}
	h.add(false, want...)
	r.holders = append(r.holders, h)
}

// refused accepts that something cannot be rested on, and nothing else.
func (r *run) refused(err error) {
	r.Helper()
	if e, ok := err.(*trace.Error); !ok || e.Code != "support_not_reliable" && e.Code != "support_cycle" && e.Code != "evidence_required" {
		r.Fatal(err)
	}
}

func (r *run) active() *modelHolder {
	var out []*modelHolder
	for _, h := range r.holders {
		if h.id != "" && !h.over() {
			out = append(out, h)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out[r.pick(len(out))]
}

func (r *run) supersede() {
	old := r.active()
	given, want := r.supportsFor(true)
	if old == nil || len(given) == 0 {
		return
	}
	got, err := trace.SupersedeDecision(r.Context(), r.d, r.who, trace.SupersedeDecisionParams{
		DecisionID: old.id, Conclusion: "now this", Rationale: "so it is",
		Explanation: "it changed", Supports: given, RequestID: r.request(),
	})
	if err != nil {
		r.refused(err)
		return
	}
	old.status = "superseded"
	h := &modelHolder{id: got.DecisionID, status: "active"}
	h.add(false, want...)
	r.holders = append(r.holders, h)
}

func (r *run) reject() {
	old := r.active()
	if old == nil {
		return
	}
	if _, err := trace.RejectDecision(r.Context(), r.d, r.who, trace.RejectDecisionParams{DecisionID: old.id, Reason: "no good", RequestID: r.request()}); err != nil {
		r.Fatal(err)
	}
	old.status = "rejected"
}

func (r *run) reaffirm() {
	h, docs := r.active(), r.liveDocs()
	if h == nil || len(docs) == 0 {
		return
	}
	type pickedSentence struct {
		doc      *modelDoc
		sentence string
	}
	var picked []pickedSentence
	var ids []string
	for range 1 + r.pick(3) {
		d := docs[r.pick(len(docs))]
		p := pickedSentence{d, d.sentences[r.pick(len(d.sentences))]}
		ids = append(ids, r.span(p.doc.name, p.sentence)) // an id that is sent twice counts once
		if !slices.Contains(picked, p) {
			picked = append(picked, p)
		}
	}
	if _, err := trace.ReaffirmDecision(r.Context(), r.d, r.who, trace.ReaffirmDecisionParams{DecisionID: h.id, EvidenceIDs: ids, Explanation: "it holds", RequestID: r.request()}); err != nil {
		r.Fatal(err)
	}
	groups := make([][]string, len(picked))
	join := func(i int, g string) {
		if !slices.Contains(groups[i], g) {
			groups[i] = append(groups[i], g)
		}
	}
	for _, s := range h.supports {
		if !s.live {
			continue
		}
		n, cause := r.stands(s)
		changed := s.target != nil && (s.target.over() || s.target.name != "" && (s.target.state != "completed" || s.target.result != s.result))
		for i, p := range picked {
			if n == 0 && (cause == "source_removed" || changed || cause == "source_changed" && s.doc == p.doc) {
				s.live = false
				join(i, s.group)
			} else if n > 0 && s.fresh && s.live && s.doc == p.doc && s.sentence == p.sentence {
				s.live = false
				join(i, s.group)
			}
		}
	}
	for i, p := range picked {
		if len(groups[i]) == 0 {
			groups[i] = []string{""}
		}
		for _, g := range groups[i] {
			h.add(true, &modelSupport{doc: p.doc, sentence: p.sentence, group: g})
		}
	}
}

func (r *run) step() {
	given, want := r.supportsFor(false)
	name := fmt.Sprintf("step %d", r.pick(4))
	e, err := trace.RecordEvent(r.Context(), r.d, r.who, trace.RecordEventParams{TaskName: "t", Kind: "note", Payload: "done", RequestID: r.request()})
	if err != nil {
		r.Fatal(err)
	}
	state := []string{"completed", "completed", "completed", "failed"}[r.pick(4)]
	if _, err := trace.SetStep(r.Context(), r.d, r.who, trace.SetStepParams{TaskName: "t", Name: name, State: state, ResultEventSeq: e.Seq, Supports: given, RequestID: r.request()}); err != nil {
		r.refused(err)
		return
	}
	i := slices.IndexFunc(r.holders, func(h *modelHolder) bool { return h.name == name })
	if i < 0 {
		i = len(r.holders)
		r.holders = append(r.holders, &modelHolder{name: name})
	}
	h := r.holders[i]
	for _, s := range h.supports {
		s.live = false
	}
	h.state, h.result = state, e.Seq
	h.add(false, want...)
}

func (r *run) hide() {
	ctx := r.Context()
	if r.pick(4) == 0 {
		r.offline = !r.offline
		state := db.RootOnline
		if r.offline {
			state = db.RootOffline
		}
		r.update(func(tx *db.Tx) error {
			if err := tx.SetRootState(ctx, r.root.ID, state, "", 0); err != nil {
				return err
			}
			return trace.RootChanged(ctx, tx, r.root.ID)
		})
		return
	}
	docs := r.liveDocs()
	if len(docs) == 0 {
		return
	}
	d := docs[r.pick(len(docs))]
	cause := []string{trace.ParseFailed, trace.Pending, trace.Missing}[r.pick(3)]
	hide := r.pick(3) == 0
	if hide {
		d.unreadable[cause] = true
	} else {
		delete(d.unreadable, cause)
	}
	r.update(func(tx *db.Tx) error {
		doc, err := tx.Document(ctx, "r/"+d.name)
		if err != nil {
			return err
		}
		if hide {
			return trace.Unreadable(ctx, tx, doc.ID, cause)
		}
		return trace.Readable(ctx, tx, doc.ID, cause)
	})
}

func (r *run) removeOne() {
	if docs := r.liveDocs(); len(docs) > 1 {
		d := docs[r.pick(len(docs))]
		r.remove(d.name)
		d.past, d.sentences, d.unreadable = append(d.past, d.sentences...), nil, map[string]bool{}
	}
}

func (r *run) moveOne() {
	docs := r.liveDocs()
	d := docs[r.pick(len(docs))]
	r.seq++
	to := fmt.Sprintf("moved-%d.txt", r.seq)
	r.world.move(d.name, to)
	d.name, d.unreadable = to, map[string]bool{}
}

// compare holds the store against the model: what is settled is right, and what is not settled shows as unknown.
func (r *run) compare() {
	r.Helper()
	type state struct {
		id, review string
		pending    bool
	}
	got, open := map[string]state{}, map[string][]string{}
	r.view(func(tx *db.Tx) error {
		rows, err := db.Query(r.Context(), tx, func(row db.Row, s *state) error { return row.Scan(&s.id, &s.review, &s.pending) }, `
			SELECT coalesce(d.decision_id, p.name), h.review, h.pending FROM holder h LEFT JOIN decision d ON d.id = h.id LEFT JOIN step p ON p.id = h.id`)
		if err != nil {
			return err
		}
		for _, s := range rows {
			got[s.id] = s
		}
		type openReason struct{ id, text string }
		reasons, err := db.Query(r.Context(), tx, func(row db.Row, o *openReason) error { return row.Scan(&o.id, &o.text) }, `
			SELECT d.decision_id, s.ordinal || ' ' || y.cause FROM review_reason y JOIN decision d ON d.id = y.holder_id JOIN support s ON s.id = y.support_id
			WHERE y.closed_at = '' ORDER BY 1, 2`)
		for _, o := range reasons {
			open[o.id] = append(open[o.id], o.text)
		}
		return err
	})
	looked := r.pick(len(r.holders) + 1)
	for i, h := range r.holders {
		if h.over() {
			if len(open[h.id]) > 0 {
				r.Errorf("%s is over, and has reasons %v", h.id, open[h.id])
			}
			continue
		}
		n, reasons := r.review(h)
		want := map[int]string{0: "needs_review", 1: "unknown", 2: "current"}[n]
		s := got[h.id+h.name]
		if s.pending {
			want = "unknown"
		} else if s.review != want {
			r.Errorf("%s is %s, want %s %v", h.id+h.name, s.review, want, reasons)
		}
		if h.id != "" && !s.pending {
			slices.Sort(open[h.id])
			if diff := cmp.Diff(reasons, open[h.id]); diff != "" {
				r.Errorf("reasons of %s (-want +got):\n%s", h.id, diff)
			}
		}
		if h.id != "" && i == looked {
			if d := r.decision(h.id); d.Review != want || !s.pending && len(d.ReviewReasons) != len(reasons) {
				r.Errorf("%s shows %s with %d reasons, want %s %v", h.id, d.Review, len(d.ReviewReasons), want, reasons)
			}
		}
	}
}

// Random histories: after every step, what is stored is what follows from scratch, whatever the order of changes and the size of drains.
func TestRandomHistories(t *testing.T) {
	seeds := 12
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := &run{world: newWorld(t), model: &model{}, rng: rand.New(rand.NewPCG(uint64(seed), 7))}
			r.task("t")
			if _, err := trace.RecordEvent(t.Context(), r.d, r.who, trace.RecordEventParams{TaskName: "t", Kind: "note", Payload: "begin", RequestID: r.request()}); err != nil {
				t.Fatal(err)
			}
			for i := range 4 {
				d := &modelDoc{name: fmt.Sprintf("d%d.txt", i)}
				for range 2 + r.pick(4) {
					d.sentences = append(d.sentences, r.newSentence())
				}
				r.docs = append(r.docs, d)
				r.write(d)
			}
			for i := range 70 {
				steps := []func(){r.edit, r.edit, r.edit, r.removeOne, r.moveOne, r.hide, r.record, r.record, r.record, r.record, r.supersede, r.reaffirm, r.reaffirm, r.reject, r.step}
				steps[r.pick(len(steps))]()
				if i < 6 { // something to work on
					r.record()
				}
				r.compare()
				switch r.pick(3) {
				case 0:
					r.drain()
				case 1:
					if _, err := trace.ContinueDecisionReview(t.Context(), r.d, r.who, trace.ContinueReviewParams{Limit: 1 + r.pick(4)}); err != nil {
						t.Fatal(err)
					}
				}
				r.compare()
				if t.Failed() {
					t.Fatalf("after step %d", i)
				}
			}
			r.drain()
			r.compare()
			r.wantSound()
			if err := trace.Rebuild(t.Context(), r.d); err != nil { // and made anew it is the same
				t.Fatal(err)
			}
			r.drain()
			r.compare()
		})
	}
}
