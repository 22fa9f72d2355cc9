package trace

// This file defines what a change of a document means to the supports that lean on it: the entry for package ingest.

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"docket/db"
)

// A Change is a document that gets another current version. For [Align] the new version need not be stored yet: its hashes, its
// text and the ranges and spans of its chunks are enough. For [Apply] its row and its chunks' ids must be filled in.
type Change struct {
	Document  db.Document // with its id; not stored yet (id 0) means that nothing can lean on it
	New       db.Version
	NewText   string
	NewChunks []db.Chunk
	MovedTo   db.Document // set when the whole file moved: New is this document's version then, and Document is the old key
}

// An Alignment is where every live support of a document stands in its new version, computed before the transaction that
// activates it. It holds no resources.
type Alignment struct {
	newText db.Hash
	found   map[anchor]relocation
}

// An anchor is where a support was last seen to stand: a run of whole spans in a version.
type anchor struct {
	version    int64 // 0 once it was forgotten
	start, end int
}

// A relocation is what became of an anchor's text in the new version.
type relocation struct {
	stands     bool
	moved      bool
	start, end int // where it stands, or else what is proposed instead; both 0 for nothing
}

// An Outcome counts what a change did to supports and to what they belong to.
type Outcome struct {
	Carried   int // supports whose text still stands where it stood, or stands elsewhere in the new version
	Restored  int // flagged supports whose text is back
	Flagged   int // supports that lost their text by this change
	Decisions int // decisions that need a review now and did not before
}

// leaning is a live support on a document.
type leaning struct {
	id, holder int64
	anchor
	evidence   string
	state      string
	cause      string
	newVersion int64 // of what is proposed in its place
}

func leaningOn(ctx context.Context, tx *db.Tx, documentID int64) ([]leaning, error) {
	return db.Query(ctx, tx, func(r db.Row, l *leaning) error {
		return r.Scan(&l.id, &l.holder, &l.version, &l.start, &l.end, &l.evidence, &l.state, &l.cause, &l.newVersion)
	}, `
		SELECT id, holder_id, coalesce(version_id, 0), start, end, evidence, state, cause, coalesce(new_version, 0)
		FROM support WHERE document_id = ? AND live = 1 AND type = 'evidence' ORDER BY id`, documentID)
}

// Align finds, outside any transaction, where the live supports of c.Document stand in c.New. It costs one query where there are
// none, and returns nil then.
func Align(ctx context.Context, d *db.DB, c Change) (*Alignment, error) {
	if c.Document.ID == 0 {
		return nil, nil
	}
	var a *Alignment
	err := d.View(ctx, func(tx *db.Tx) error {
		supports, err := leaningOn(ctx, tx, c.Document.ID)
		if err != nil || len(supports) == 0 {
			return err
		}
		a = &Alignment{newText: db.HashOf(c.NewText), found: map[anchor]relocation{}}
		return a.add(ctx, tx, c, supports)
	})
	if err != nil {
		return nil, fmt.Errorf("align %s: %w", c.Document.Key, err)
	}
	return a, nil
}

// add relocates the anchors of supports that are not known yet: each old version is compared with the new one once.
func (a *Alignment) add(ctx context.Context, tx *db.Tx, c Change, supports []leaning) error {
	byVersion := map[int64][]anchor{}
	var versions []int64
	seen := map[anchor]bool{}
	for _, s := range supports {
		if _, ok := a.found[s.anchor]; ok || seen[s.anchor] {
			continue
		}
		seen[s.anchor] = true
		if byVersion[s.version] == nil {
			versions = append(versions, s.version)
		}
		byVersion[s.version] = append(byVersion[s.version], s.anchor)
	}
	var atoms []atom // of the new version, once they are needed
	for _, row := range versions {
		if err := ctx.Err(); err != nil {
			return err
		}
		if row == 0 { // what was cited was forgotten, and never stands again
			continue
		}
		v, err := tx.Version(ctx, row)
		if err != nil {
			return err
		}
		if v.TextHash == a.newText {
			for _, at := range byVersion[row] {
				a.found[at] = relocation{stands: true, start: at.start, end: at.end}
			}
			continue
		}
		oldText, err := tx.Text(ctx, row, 0, v.Bytes)
		if err != nil {
			return err
		}
		oldChunks, err := tx.Chunks(ctx, row)
		if err != nil {
			return err
		}
		if atoms == nil {
			atoms = atomsOf(c.New.Kind, c.NewText, c.NewChunks)
		}
		p := pair(atomsOf(v.Kind, oldText, oldChunks), atoms)
		for _, at := range byVersion[row] {
			a.found[at] = p.relocate(oldText, c.NewText, at)
		}
	}
	return nil
}

func (p *pairing) relocate(oldText, newText string, at anchor) relocation {
	r := runOf(p.old, at.start, at.end)
	if r.len() == 0 {
		return relocation{}
	}
	f := p.find(r)
	where := f.run
	if !f.ok {
		var ok bool
		if where, ok = p.propose(oldText, newText, r); !ok {
			return relocation{}
		}
	}
	return relocation{stands: f.ok, moved: f.moved, start: p.new[where.first].start, end: p.new[where.last-1].end}
}

// Apply carries or flags every live support of the document, inside the transaction that activates c.New, after [db.Tx.Activate].
// a may be nil, or out of date: Apply checks that every support there is was aligned, and aligns what was not.
// With c.MovedTo the supports move to the other document's ids, unflagged where their text is the same; call it once the new
// document is active, before or after [db.Tx.Remove] of the old one, and do not call [Removed] for it.
func Apply(ctx context.Context, tx *db.Tx, c Change, a *Alignment) (Outcome, error) {
	var out Outcome
	if c.Document.ID == 0 {
		return out, nil
	}
	ended, err := tx.Exec(ctx, `DELETE FROM unreadable WHERE document_id IN (?, ?)`, c.Document.ID, c.MovedTo.ID)
	if err != nil {
		return out, err
	}
	supports, err := leaningOn(ctx, tx, c.Document.ID)
	if err != nil || len(supports) == 0 {
		return out, err
	}
	if hash := db.HashOf(c.NewText); a == nil || a.newText != hash {
		a = &Alignment{newText: hash, found: map[anchor]relocation{}}
	}
	if err := a.add(ctx, tx, c, supports); err != nil {
		return out, fmt.Errorf("align %s: %w", c.Document.Key, err)
	}
	doc := c.Document.ID
	if c.MovedTo.ID != 0 {
		doc = c.MovedTo.ID
	}
	w, err := newPlacer(ctx, tx, c, doc)
	if err != nil {
		return out, err
	}
	w.always = ended > 0 || c.MovedTo.ID != 0
	for _, s := range supports {
		if err := w.place(ctx, s, a.found[s.anchor], &out); err != nil {
			return out, fmt.Errorf("support %d on %s: %w", s.id, c.Document.Key, err)
		}
	}
	if err := w.flush(ctx); err != nil {
		return out, fmt.Errorf("carry what leans on %s: %w", c.Document.Key, err)
	}
	by := byActivation
	if c.MovedTo.ID != 0 {
		by = byMove
	}
	out.Decisions, err = touch(ctx, tx, w.holders, by)
	return out, err
}

// A placer writes down what became of supports.
type placer struct {
	tx     *db.Tx
	c      Change
	doc    int64
	seq    int64
	hashes map[int64]db.Hash // content hashes of old versions
	always bool              // the document itself can be looked at again

	standing [][]any               // supports whose text stands: id, what history says, start, end, evidence id, hash of the words
	words    map[relocation][]byte // hashes of the words at places
	holders  []int64               // whose supports may stand otherwise than before
}

func newPlacer(ctx context.Context, tx *db.Tx, c Change, doc int64) (*placer, error) {
	seq, err := tx.Seq(ctx)
	return &placer{tx: tx, c: c, doc: doc, seq: seq, hashes: map[int64]db.Hash{}, words: map[relocation][]byte{}}, err
}

func (w *placer) wordsOf(r relocation) []byte {
	if w.words[r] == nil {
		w.words[r] = wordsHash(w.c.NewText[r.start:r.end])
	}
	return w.words[r]
}

// flush writes down the supports whose text stands, many at a time: every save of a document that is cited a lot comes to this.
func (w *placer) flush(ctx context.Context) error {
	const fields = `CAST(value ->> 0 AS INTEGER) AS id, value ->> 1 AS what, CAST(value ->> 2 AS INTEGER) AS start, CAST(value ->> 3 AS INTEGER) AS end,
		value ->> 4 AS evidence, unhex(value ->> 5) AS words FROM json_each(?)`
	for batch := range slices.Chunk(w.standing, 500) {
		rows, err := json.Marshal(batch)
		if err != nil {
			return err
		}
		if _, err := w.tx.Exec(ctx, `
			INSERT INTO support_history (support_id, what, cause, old_version, old_start, old_end, old_evidence,
				new_version, new_start, new_end, new_evidence, seq, at)
			SELECT s.id, j.what, '', s.version_id, s.start, s.end, s.evidence, ?, j.start, j.end, j.evidence, ?, ?
			FROM (SELECT `+fields+`) j CROSS JOIN support s ON s.id = j.id`,
			w.c.New.Row, w.seq, w.tx.Stamp(), string(rows)); err != nil {
			return fmt.Errorf("history of supports: %w", err)
		}
		if _, err := w.tx.Exec(ctx, `
			UPDATE support SET document_id = ?, version_id = ?, start = j.start, end = j.end, evidence = j.evidence, words = j.words,
				state = 'current', cause = '', new_version = NULL, new_start = 0, new_end = 0, new_evidence = ''
			FROM (SELECT `+fields+`) j WHERE support.id = j.id`,
			w.doc, w.c.New.Row, string(rows)); err != nil {
			return fmt.Errorf("supports: %w", err)
		}
	}
	return nil
}

func (w *placer) place(ctx context.Context, s leaning, r relocation, out *Outcome) error {
	if w.always || r.stands && s.state != stateCurrent {
		w.holders = append(w.holders, s.holder)
	}
	if r.stands {
		evidence := evidenceAt(w.c.NewChunks, r.start, r.end, s.evidence)
		what := historyCarried
		switch {
		case s.state != stateCurrent:
			what = historyRestored
			out.Restored++
		case s.version == w.c.New.Row:
			return nil
		case r.moved || w.c.MovedTo.ID != 0:
			what = historyMoved
			out.Carried++
		default:
			out.Carried++
		}
		w.standing = append(w.standing, []any{s.id, what, r.start, r.end, evidence, hex.EncodeToString(w.wordsOf(r))})
		return nil
	}
	cause, err := w.cause(ctx, s.version)
	if err != nil {
		return err
	}
	if s.state != stateChanged || s.cause != cause || s.newVersion != w.c.New.Row {
		w.holders = append(w.holders, s.holder)
	}
	evidence := ""
	if r.end > 0 {
		evidence = evidenceAt(w.c.NewChunks, r.start, r.end, s.evidence)
	}
	if _, err := w.tx.Exec(ctx, `
		UPDATE support SET document_id = ?, state = 'changed', cause = ?, new_version = ?, new_start = ?, new_end = ?, new_evidence = ? WHERE id = ?`,
		w.doc, cause, w.c.New.Row, r.start, r.end, evidence, s.id); err != nil {
		return err
	}
	if s.state == stateChanged && s.cause == cause {
		return nil // flagged already, and still; the proposal is the newest
	}
	out.Flagged++
	return w.history(ctx, s, historyFlagged, cause, w.c.New.Row, r.start, r.end, evidence)
}

// cause tells whether the file changed, or only what the parser read in it.
func (w *placer) cause(ctx context.Context, version int64) (string, error) {
	hash, ok := w.hashes[version]
	if !ok && version != 0 {
		v, err := w.tx.Version(ctx, version)
		if err != nil {
			return "", err
		}
		hash = v.ContentHash
		w.hashes[version] = hash
	}
	if hash == w.c.New.ContentHash {
		return CauseExtraction, nil
	}
	return CauseChanged, nil
}

func (w *placer) history(ctx context.Context, s leaning, what, cause string, version int64, start, end int, evidence string) error {
	return addHistory(ctx, w.tx, history{
		support: s.id, what: what, cause: cause, seq: w.seq,
		oldVersion: s.version, oldStart: s.start, oldEnd: s.end, oldEvidence: s.evidence,
		newVersion: version, newStart: start, newEnd: end, newEvidence: evidence,
	})
}

// evidenceAt returns the id of a place: of the passage that holds most of it, or of its part of that passage if the support cited a part.
func evidenceAt(chunks []db.Chunk, start, end int, was string) string {
	best, most := -1, 0
	i, _ := slices.BinarySearchFunc(chunks, start, func(c db.Chunk, at int) int { return c.End - at })
	for ; i < len(chunks) && chunks[i].Start < end; i++ {
		if n := min(end, chunks[i].End) - max(start, chunks[i].Start); n > most {
			best, most = i, n
		}
	}
	if best < 0 {
		return ""
	}
	c := &chunks[best]
	if id, ok := db.ParseEvidenceID(was); ok && id.IsSpan() {
		return c.SpanID(max(start, c.Start), min(end, c.End))
	}
	return c.ID()
}

// Removed flags every live support of a document that is gone for good: the grace period is over. Call it after [db.Tx.Remove].
func Removed(ctx context.Context, tx *db.Tx, documentID int64) (Outcome, error) {
	var out Outcome
	if _, err := tx.Exec(ctx, `DELETE FROM unreadable WHERE document_id = ?`, documentID); err != nil {
		return out, err
	}
	supports, err := leaningOn(ctx, tx, documentID)
	if err != nil || len(supports) == 0 {
		return out, err
	}
	w, err := newPlacer(ctx, tx, Change{}, documentID)
	if err != nil {
		return out, err
	}
	for _, s := range supports {
		w.holders = append(w.holders, s.holder)
		if s.state == stateRemoved {
			continue
		}
		if _, err := tx.Exec(ctx, `
			UPDATE support SET state = 'removed', cause = 'source_removed', new_version = NULL, new_start = 0, new_end = 0, new_evidence = ''
			WHERE id = ?`, s.id); err != nil {
			return out, fmt.Errorf("support %d: %w", s.id, err)
		}
		if err := w.history(ctx, s, historyRemoved, CauseRemoved, 0, 0, 0, ""); err != nil {
			return out, err
		}
		out.Flagged++
	}
	out.Decisions, err = touch(ctx, tx, w.holders, byRemoval)
	return out, err
}

// The causes for which a document cannot be looked at.
const (
	ParseFailed = "failed"  // its bytes changed and could not be read as text
	Pending     = "pending" // its bytes changed and were not read yet
	Missing     = "missing" // it is not at its place, and the grace period runs
)

// Unreadable records that a document cannot be looked at, for one of the causes above: what rests on it becomes unknown. It may
// be called again. An activation ([Apply]) and a removal ([Removed]) end every cause by themselves.
func Unreadable(ctx context.Context, tx *db.Tx, documentID int64, cause string) error {
	n, err := tx.Exec(ctx, `INSERT INTO unreadable (document_id, cause, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, documentID, cause, tx.Stamp())
	if err != nil {
		return fmt.Errorf("document %d is unreadable: %w", documentID, err)
	}
	if n == 0 {
		return nil
	}
	return touchDocument(ctx, tx, documentID, byUnreadable)
}

// Readable ends one cause, or all of them where cause is empty: the document was looked at, and its current version is what stands
// on the disk.
func Readable(ctx context.Context, tx *db.Tx, documentID int64, cause string) error {
	n, err := tx.Exec(ctx, `DELETE FROM unreadable WHERE document_id = ? AND (cause = ? OR ? = '')`, documentID, cause, cause)
	if err != nil {
		return fmt.Errorf("document %d is readable: %w", documentID, err)
	}
	if n == 0 {
		return nil
	}
	return touchDocument(ctx, tx, documentID, byReadable)
}

func touchDocument(ctx context.Context, tx *db.Tx, documentID int64, by string) error {
	holders, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT DISTINCT holder_id FROM support WHERE document_id = ? AND live = 1 AND type = 'evidence' ORDER BY holder_id`, documentID)
	if err != nil {
		return err
	}
	_, err = touch(ctx, tx, holders, by)
	return err
}

// RootChanged is called after [db.Tx.SetRootState]: what rests on documents of an offline root is unknown until it is online again.
func RootChanged(ctx context.Context, tx *db.Tx, rootID int64) error {
	holders, err := db.Query(ctx, tx, db.Value[int64], `
		SELECT DISTINCT s.holder_id FROM document d CROSS JOIN support s ON s.document_id = d.id AND s.live = 1 AND s.type = 'evidence'
		WHERE d.root_id = ? ORDER BY s.holder_id`, rootID)
	if err != nil {
		return err
	}
	_, err = touch(ctx, tx, holders, byReadable)
	return err
}

// LeansOn reports whether a decision or a step leans on a version, now or in its history. Such a version is not pruned.
func LeansOn(ctx context.Context, tx *db.Tx, versionRow int64) (bool, error) {
	return db.One(ctx, tx, db.Value[bool], `
		SELECT EXISTS (SELECT 1 FROM support WHERE version_id = ?1) OR EXISTS (SELECT 1 FROM support WHERE first_version = ?1)
			OR EXISTS (SELECT 1 FROM review_reason WHERE old_version = ?1) OR EXISTS (SELECT 1 FROM review_reason WHERE new_version = ?1)`, versionRow)
}

// Forget removes a document's words from every support and reason, and every reference to it, before it is deleted for good. The
// supports of decisions stay as records that there was something; those that are live are flagged as [Removed] flags them, for ever.
func Forget(ctx context.Context, tx *db.Tx, documentID int64) error {
	if _, err := Removed(ctx, tx, documentID); err != nil {
		return err
	}
	for _, stmt := range []string{
		`UPDATE review_reason SET old_version = NULL, new_version = NULL WHERE support_id IN (SELECT id FROM support WHERE document_id = ?1)`,
		`UPDATE support SET quote = '', version_id = NULL, first_version = NULL, new_version = NULL WHERE document_id = ?1`,
		`UPDATE support SET version_id = NULL WHERE version_id IN (SELECT id FROM version WHERE document_id = ?1)`,
		`UPDATE support SET quote = '', first_version = NULL WHERE first_version IN (SELECT id FROM version WHERE document_id = ?1)`,
		`UPDATE review_reason SET old_version = NULL WHERE old_version IN (SELECT id FROM version WHERE document_id = ?1)`,
		`UPDATE review_reason SET new_version = NULL WHERE new_version IN (SELECT id FROM version WHERE document_id = ?1)`,
		`UPDATE support SET document_id = NULL WHERE document_id = ?1`,
	} {
		if _, err := tx.Exec(ctx, stmt, documentID); err != nil {
			return fmt.Errorf("forget document %d in decisions: %w", documentID, err)
		}
	}
	return nil
}
