package trace

// This file defines the alignment of two versions: where each piece of the old one stands in the new one, if it does.

import "strings"

// movedChars is how long a text must be to be recognised away from its place.
const movedChars = 40

// A pairing aligns the atoms of an old version with those of a new one.
//
// What is unique in both versions is anchored first, the heaviest chain of it that keeps its order; between two anchors Myers'
// algorithm decides. Repeated text can then often be aligned in more than one way; early and late are the two extremes, and where
// they disagree a match proves nothing by itself.
type pairing struct {
	old, new    []atom
	early, late []int // for each old atom the new one, or -1
	moved       []int // the same for text recognised away from its place
	places      map[atomHash]*places

	words  [][]string // of the new atoms, as far as they were asked for
	budget int        // how many atoms may still be looked at for proposals
}

// places are where a text stands in the two versions; of more than one the first is kept.
type places struct {
	id             int
	inOld, inNew   int
	atOld, atNew   int
	frontA, frontB int // how often in front matter
	frontAt        int // where in the new one's
}

func pair(old, new []atom) *pairing {
	p := &pairing{
		old: old, new: new, early: none(len(old)), late: none(len(old)), moved: none(len(old)), places: map[atomHash]*places{},
		words: make([][]string, len(new)), budget: pairBudget,
	}
	for i, a := range old {
		w := p.at(a.hash)
		if w.inOld++; w.inOld == 1 {
			w.atOld = i
		}
		if a.front {
			w.frontA++
		}
	}
	for j, a := range new {
		w := p.at(a.hash)
		if w.inNew++; w.inNew == 1 {
			w.atNew = j
		}
		if a.front {
			w.frontB, w.frontAt = w.frontB+1, j
		}
	}
	p.alignInOrder()
	p.alignMoved()
	return p
}

func none(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = -1
	}
	return out
}

func (p *pairing) at(h atomHash) *places {
	w := p.places[h]
	if w == nil {
		w = &places{id: len(p.places)}
		p.places[h] = w
	}
	return w
}

// unique reports whether the text of old atom i stands once in each version.
func (p *pairing) unique(i int) bool {
	w := p.places[p.old[i].hash]
	return w.inOld == 1 && w.inNew == 1
}

func (p *pairing) alignInOrder() {
	var anchors []match
	for i := range p.old {
		if p.unique(i) {
			anchors = append(anchors, match{i, p.places[p.old[i].hash].atNew})
		}
	}
	// Long texts weigh more: where two cross, the short one is the one that has moved.
	anchors = heaviest(anchors, len(p.new), func(m match) int { return 1 + min(p.old[m.A].chars, 200) })
	i, j := 0, 0
	for _, m := range append(anchors, match{len(p.old), len(p.new)}) {
		p.alignGap(i, m.A, j, m.B)
		if m.A < len(p.old) {
			p.early[m.A], p.late[m.A] = m.B, m.B
		}
		i, j = m.A+1, m.B+1
	}
}

// alignGap aligns old[a:b] with new[c:d], which hold no anchor.
func (p *pairing) alignGap(a, b, c, d int) {
	if a == b || c == d {
		return
	}
	inOld, inNew := map[atomHash]bool{}, map[atomHash]bool{}
	for _, x := range p.old[a:b] {
		inOld[x.hash] = true
	}
	var from, to, as, bs []int // what stands on one side only cannot match, and would only cost time
	for j := c; j < d; j++ {
		h := p.new[j].hash
		inNew[h] = true
		if inOld[h] {
			to, bs = append(to, j), append(bs, p.places[h].id)
		}
	}
	for i := a; i < b; i++ {
		if h := p.old[i].hash; inNew[h] {
			from, as = append(from, i), append(as, p.places[h].id)
		}
	}
	for _, m := range diff(as, bs) {
		p.early[from[m.A]] = to[m.B]
	}
	for _, m := range diffLate(as, bs) {
		p.late[from[m.A]] = to[m.B]
	}
}

// sure reports whether old atom i is aligned, and in one way only.
func (p *pairing) sure(i int) bool { return p.early[i] >= 0 && p.early[i] == p.late[i] }

// alignMoved recognises text that stands elsewhere: long and unique, and then whatever still stands beside it as it did.
func (p *pairing) alignMoved() {
	taken := make([]bool, len(p.new))
	for i := range p.old {
		if p.sure(i) {
			taken[p.early[i]] = true
		}
	}
	for i, a := range p.old {
		if p.sure(i) || p.moved[i] >= 0 || a.row || a.chars < movedChars || !p.unique(i) {
			continue
		}
		j := p.places[a.hash].atNew
		for _, step := range []int{-1, 1} {
			x, y := i, j
			for x >= 0 && x < len(p.old) && y >= 0 && y < len(p.new) && p.old[x].hash == p.new[y].hash && !p.sure(x) && !taken[y] {
				p.moved[x] = y
				x, y = x+step, y+step
			}
		}
	}
}

// A finding is where a run stands in the new version.
type finding struct {
	run
	ok    bool
	moved bool
}

// find returns where the old atoms of r stand in the new version: whole, side by side and with nothing put between them.
func (p *pairing) find(r run) finding {
	if r.len() == 0 {
		return finding{}
	}
	early, late := p.together(p.early, r), p.together(p.late, r)
	if early >= 0 && early == late {
		return finding{run: run{early, early + r.len()}, ok: true}
	}
	for _, at := range []int{early, late} {
		if at >= 0 && p.vouched(r, at) {
			return finding{run: run{at, at + r.len()}, ok: true}
		}
	}
	if at := p.together(p.moved, r); at >= 0 {
		return finding{run: run{at, at + r.len()}, ok: true, moved: true}
	}
	if at := p.inFront(r); at >= 0 {
		return finding{run: run{at, at + r.len()}, ok: true}
	}
	if at := p.elsewhere(r); at >= 0 {
		return finding{run: run{at, at + r.len()}, ok: true, moved: true}
	}
	return finding{}
}

// together returns where to sends the run, if it sends it there in one piece, else -1.
func (p *pairing) together(to []int, r run) int {
	at := to[r.first]
	for i := r.first; i < r.last; i++ {
		if to[i] < 0 || to[i] != at+i-r.first {
			return -1
		}
	}
	return at
}

// vouched reports whether something certain says that the run, which could be aligned in several ways, stands at: a piece of itself,
// or the piece before it. The piece behind it does not count: "Approved." speaks of what it follows.
func (p *pairing) vouched(r run, at int) bool {
	for i := r.first; i < r.last; i++ {
		if p.sure(i) && p.early[i] == at+i-r.first {
			return true
		}
	}
	return r.first > 0 && p.sure(r.first-1) && p.early[r.first-1] == at-1
}

// inFront returns where a run of front matter stands when its lines may have changed places among themselves.
func (p *pairing) inFront(r run) int {
	low, high := len(p.new), -1
	for i := r.first; i < r.last; i++ {
		w := p.places[p.old[i].hash]
		if !p.old[i].front || w.frontA != 1 || w.frontB != 1 {
			return -1
		}
		low, high = min(low, w.frontAt), max(high, w.frontAt)
	}
	if high-low+1 != r.len() {
		return -1
	}
	return low
}

// elsewhere returns where a run stands that is long and unique only as a whole.
func (p *pairing) elsewhere(r run) int {
	chars := 0
	for i := r.first; i < r.last; i++ {
		if p.old[i].row {
			return -1
		}
		chars += p.old[i].chars
	}
	if chars < movedChars {
		return -1
	}
	words := p.old[r.first:r.last]
	if inOld, _ := occurrences(p.old, words); inOld != 1 {
		return -1
	}
	if inNew, at := occurrences(p.new, words); inNew == 1 {
		return at
	}
	return -1
}

// occurrences returns how often the words stand in atoms side by side, and where first.
func occurrences(atoms, words []atom) (n, first int) {
	first = -1
	for i := 0; i+len(words) <= len(atoms); i++ {
		k := 0
		for k < len(words) && atoms[i+k].hash == words[k].hash {
			k++
		}
		if k == len(words) {
			if n++; n == 1 {
				first = i
			}
		}
	}
	return n, first
}

// How many atoms are looked at for one proposal, and for all of two versions, and how alike two texts must be to be taken for each other
// when they stand apart.
const (
	proposalAtoms = 2000
	pairBudget    = 200_000
	shortRun      = 5
	alike         = 0.5
)

// propose returns what a reader should look at instead of a run that is not found: what stands where it stood, or else the
// passage most like it among those that are new. ok is false where the text is gone without a trace.
func (p *pairing) propose(oldText, newText string, r run) (_ run, ok bool) {
	m := matcher{p, newText, map[string]int{}, 0, min(proposalAtoms, p.budget)}
	before := m.left
	defer func() { p.budget -= before - m.left }()
	for _, w := range wordsOf(text(oldText, p.old, r)) {
		m.words[w]++
		m.total++
	}
	if place := p.gap(r); place.len() > 0 {
		best, score := m.mostAlike(place, r.len())
		if place.len() <= 2*r.len()+2 && score < alike {
			return place, true // something else was put in its place
		}
		if score > 0 {
			return best, true
		}
	}
	known := make([]bool, len(p.new))
	for i := range p.old {
		for _, to := range []int{p.early[i], p.moved[i]} {
			if to >= 0 {
				known[to] = true
			}
		}
	}
	best, score := run{}, 0.0
	for first := 0; first < len(p.new); first++ {
		if known[first] {
			continue
		}
		last := first
		for last < len(p.new) && !known[last] {
			last++
		}
		if found, s := m.mostAlike(run{first, last}, r.len()); s > score {
			best, score = found, s
		}
		first = last
	}
	return best, score >= alike
}

// A matcher looks for the new passage that is most like an old one.
type matcher struct {
	*pairing
	newText string
	words   map[string]int // of the old passage, with how often it has them
	total   int
	left    int // atoms that may still be looked at
}

// mostAlike returns the range within r whose words are most like the old passage's, by Dice's coefficient. Of a short passage, of n
// atoms, every range of up to twice as many is tried; of a long one those that have as many.
func (m *matcher) mostAlike(r run, n int) (run, float64) {
	best, score := run{}, 0.0
	last := min(r.last, r.first+m.left)
	m.left -= max(last-r.first, 0)
	seen, common, total := map[string]int{}, 0, m.total
	put := func(j int) {
		for _, w := range m.wordsAt(j) {
			if seen[w]++; seen[w] <= m.words[w] {
				common++
			}
			total++
		}
	}
	look := func(i, j int) {
		if s := 2 * float64(common) / float64(max(total, 1)); s > score {
			best, score = run{i, j}, s
		}
	}
	if n > shortRun {
		for j := r.first; j < last; j++ {
			put(j)
			if i := j - n; i >= r.first { // leaves the window
				for _, w := range m.wordsAt(i) {
					if seen[w]--; seen[w] < m.words[w] {
						common--
					}
					total--
				}
			}
			look(max(r.first, j+1-n), j+1)
		}
		return best, score
	}
	for i := r.first; i < last; i++ {
		clear(seen)
		common, total = 0, m.total
		for j := i; j < min(last, i+2*n+2); j++ {
			put(j)
			look(i, j+1)
		}
	}
	return best, score
}

// wordsAt returns the words of a new atom.
func (m *matcher) wordsAt(j int) []string {
	if m.pairing.words[j] == nil {
		m.pairing.words[j] = wordsOf(text(m.newText, m.new, run{j, j + 1}))
	}
	return m.pairing.words[j]
}

// gap returns the new atoms between those to which the neighbours of r are aligned.
func (p *pairing) gap(r run) run {
	g := run{0, len(p.new)}
	for i := r.first - 1; i >= 0; i-- {
		if p.sure(i) {
			g.first = p.early[i] + 1
			break
		}
	}
	for i := r.last; i < len(p.old); i++ {
		if p.sure(i) {
			g.last = p.early[i]
			break
		}
	}
	return run{g.first, max(g.first, g.last)}
}

func text(whole string, atoms []atom, r run) string {
	if r.len() == 0 {
		return ""
	}
	return whole[atoms[r.first].start:atoms[r.last-1].end]
}

func wordsOf(s string) []string { return strings.Fields(strings.ToLower(s)) }
