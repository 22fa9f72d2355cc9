package bench

// This file defines how review is measured: edits of known effect, played on copies of real files, and what docket flags after each.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"docket/db"
	"docket/ingest"
	"docket/ingest/format"
	"docket/trace"
)

const (
	maxFiles = 300
	maxSize  = 48 << 10 // bytes of a file that is taken
	minSize  = 40
	perRound = 40 // edits between two syncs
	tries    = 60 // files and citations tried for one edit
	notes    = 8  // copies of [Minutes] that are edited too, since many folders lack what it has
)

// ReviewRequest says what [Review] is to do.
type ReviewRequest struct {
	Folder   string
	Edits    int // at least so many
	Seed     uint64
	Progress func(done int) // may be nil
}

// A ReviewReport is what [Review] found. Recall is the share of changed citations that were flagged, precision the share of the flagged
// that had changed.
type ReviewReport struct {
	Folder      string         `json:"folder"`
	Seed        uint64         `json:"seed"`
	Files       int            `json:"files"` // that are edited: copies of the folder's, and some made notes
	LeftOut     []ReasonCount  `json:"left_out"`
	Edits       int            `json:"edits"`
	Changed     int            `json:"changed"` // citations that an edit changed
	Found       int            `json:"found"`   // of these, flagged
	FalseFlags  int            `json:"false_flags"`
	Recall      float64        `json:"recall"`
	Precision   float64        `json:"precision"`
	WholeFile   WholeFile      `json:"whole_file"` // what a tool would have flagged that compares files as wholes
	Restored    int            `json:"restored"`   // citations whose file came back as it was
	NotRestored int            `json:"not_restored"`
	Kinds       []KindReport   `json:"kinds"`
	Wrong       []WrongVerdict `json:"wrong"` // every miss, every false flag, and every flag that stayed
}

// WholeFile is the baseline: a decision is flagged when the bytes of its file are other ones, or are nowhere. A renamed file is forgiven.
type WholeFile struct {
	Flagged   int     `json:"flagged"`
	Recall    float64 `json:"recall"`
	Precision float64 `json:"precision"`
}

// A KindReport is what came of one kind of edit.
type KindReport struct {
	Edit      string `json:"edit"`
	Changes   bool   `json:"changes"` // what is cited
	Edits     int    `json:"edits"`
	Flagged   int    `json:"flagged"`
	WholeFile int    `json:"whole_file"` // flagged by the baseline
}

// ReasonCount is how many files were left out for one reason.
type ReasonCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// A WrongVerdict is one edit after which a decision stood otherwise than it should.
type WrongVerdict struct {
	Wrong  string   `json:"wrong"` // missed, false flag, or not restored
	Edit   string   `json:"edit"`
	File   string   `json:"file"`
	Line   int      `json:"line"` // of what is cited
	Cited  string   `json:"cited"`
	Quote  string   `json:"quote,omitempty"`
	Old    string   `json:"old"` // what the edit replaced
	New    string   `json:"new"` // by this
	Review string   `json:"review"`
	Causes []string `json:"causes,omitempty"`
}

// Review copies text files of a folder, makes edits of known effect on the copies, and reports which were flagged. It does not write
// to the folder.
func Review(ctx context.Context, req ReviewRequest) (report ReviewReport, err error) {
	dir, err := os.MkdirTemp("", "docket-bench-")
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := &review{req: req, rng: rand.New(rand.NewPCG(req.Seed, 1)), root: filepath.Join(dir, "files")}
	r.report = ReviewReport{Folder: req.Folder, Seed: req.Seed, LeftOut: []ReasonCount{}, Wrong: []WrongVerdict{}}
	if err := r.copyFiles(); err != nil {
		return r.report, err
	}
	if r.d, err = db.Open(ctx, filepath.Join(dir, "docket.db"), db.Options{Create: true}); err != nil {
		return r.report, err
	}
	defer func() { err = errors.Join(err, r.d.Close()) }()
	if err := r.begin(ctx); err != nil {
		return r.report, err
	}
	for r.report.Edits < req.Edits {
		if err := r.round(ctx); err != nil {
			return r.report, err
		}
		if req.Progress != nil {
			req.Progress(r.report.Edits)
		}
	}
	r.report.sum()
	return r.report, nil
}

type review struct {
	req    ReviewRequest
	rng    *rand.Rand
	root   string // of the copies
	d      *db.DB
	who    trace.Identity
	docs   []*Document
	turn   int // of the kinds
	report ReviewReport
}

// copyFiles copies files that docket reads as they stand, in a random order until there are enough.
func (r *review) copyFiles() error {
	var names []string
	err := filepath.WalkDir(r.req.Folder, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			if p == r.req.Folder {
				return err
			}
			r.leaveOut("it cannot be read")
			return nil
		}
		if e.IsDir() {
			if p != r.req.Folder && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, p)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", r.req.Folder, err)
	}
	r.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	seen := map[[32]byte]bool{}
	taken := 0
	for i, p := range names {
		if taken == maxFiles {
			r.report.LeftOut = append(r.report.LeftOut, ReasonCount{fmt.Sprintf("there are %d already", maxFiles), len(names) - i})
			break
		}
		b, why := readPlain(p)
		if hash := sha256.Sum256(b); why == "" && seen[hash] {
			why = "it is a copy of another"
		} else {
			seen[hash] = true
		}
		if why != "" {
			r.leaveOut(why)
			continue
		}
		rel, err := filepath.Rel(r.req.Folder, p)
		if err != nil {
			return err
		}
		if err := r.write(filepath.ToSlash(rel), b); err != nil {
			return err
		}
		taken++
	}
	for i := range notes {
		if err := r.write(noteName(i), []byte(strings.Replace(Minutes, "# Minutes", fmt.Sprint("# Minutes ", i), 1))); err != nil {
			return err
		}
	}
	return nil
}

// noteName is the name of one of the made notes.
func noteName(i int) string { return fmt.Sprintf("docket-bench-minutes-%d.md", i) }

// readPlain returns a file whose text is its bytes, or why it is left out.
func readPlain(p string) (b []byte, why string) {
	fi, err := os.Stat(p)
	switch {
	case err != nil:
		return nil, "it cannot be read"
	case fi.Size() > maxSize:
		return nil, fmt.Sprintf("it is larger than %d KB", maxSize>>10)
	case fi.Size() < minSize:
		return nil, "it is nearly empty"
	}
	if b, err = os.ReadFile(p); err != nil {
		return nil, "it cannot be read"
	}
	switch kind := format.Detect(p, b); {
	case !slices.Contains([]string{"markdown", "text", "csv", "tsv", "code"}, kind):
		return nil, "it is no text file"
	case !utf8.Valid(b) || strings.ContainsAny(string(b), "\r\ufeff"):
		return nil, "its text is not its bytes"
	}
	return b, ""
}

func (r *review) leaveOut(why string) {
	i := slices.IndexFunc(r.report.LeftOut, func(c ReasonCount) bool { return c.Reason == why })
	if i < 0 {
		i, r.report.LeftOut = len(r.report.LeftOut), append(r.report.LeftOut, ReasonCount{Reason: why})
	}
	r.report.LeftOut[i].Count++
}

func (r *review) file(name string) string { return filepath.Join(r.root, filepath.FromSlash(name)) }

func (r *review) write(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(r.file(name)), 0o700); err != nil {
		return err
	}
	return os.WriteFile(r.file(name), b, 0o600)
}

const rootName, taskName = "bench", "bench"

// begin indexes the copies and learns how they are cut.
func (r *review) begin(ctx context.Context) error {
	if _, err := ingest.AddRoot(ctx, r.d, r.root, rootName); err != nil {
		return err
	}
	if err := r.sync(ctx); err != nil {
		return err
	}
	err := r.d.View(ctx, func(tx *db.Tx) error {
		root, err := tx.Root(ctx, rootName)
		if err != nil {
			return err
		}
		docs, err := tx.Documents(ctx, root.ID)
		if err != nil {
			return err
		}
		files, err := tx.Files(ctx, root.ID)
		if err != nil {
			return err
		}
		for range len(files) - len(docs) {
			r.leaveOut("docket does not index it")
		}
		for _, doc := range docs {
			v, err := tx.Version(ctx, doc.Current)
			if err != nil {
				return err
			}
			d := &Document{Path: strings.TrimPrefix(doc.Key, rootName+"/"), Kind: v.Kind}
			if d.Text, err = tx.Text(ctx, v.Row, 0, v.Bytes); err != nil {
				return err
			}
			if d.Chunks, err = tx.Chunks(ctx, v.Row); err != nil {
				return err
			}
			switch b, err := os.ReadFile(r.file(d.Path)); {
			case err != nil:
				return err
			case string(b) != d.Text:
				r.leaveOut("its text is not its bytes")
			default:
				r.docs = append(r.docs, d)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.report.Files = len(r.docs)
	for _, e := range Edits() {
		r.report.Kinds = append(r.report.Kinds, KindReport{Edit: e.Name, Changes: e.Changes})
	}
	r.who = trace.Identity{Project: "bench", Agent: "bench", Person: true, Fetched: func(string) (bool, bool) { return true, false }}
	_, err = trace.CreateTask(ctx, r.d, r.who, trace.CreateTaskParams{TaskName: taskName, Goal: "measure review"})
	return err
}

func (r *review) sync(ctx context.Context) error {
	_, err := ingest.Sync(ctx, r.d, ingest.SyncRequest{AllowRemovals: true})
	return err
}

// A trial is one edit of one file.
type trial struct {
	kind     int
	doc      *Document
	cited    Citation
	out      Outcome
	decision string
}

// round decides on what several files say, edits each, looks at what was flagged, puts the files back, and looks again.
func (r *review) round(ctx context.Context) error {
	trials := r.plan()
	if len(trials) == 0 {
		return fmt.Errorf("%s: none of its files can be edited in a known way", r.req.Folder)
	}
	for i := range trials {
		t := &trials[i]
		rec, err := trace.RecordDecision(ctx, r.d, r.who, trace.RecordDecisionParams{
			TaskName: taskName, ChoiceKey: fmt.Sprint("edit ", r.report.Edits+i), Conclusion: "It is so.", Rationale: "It is written.",
			Supports:    []trace.Support{{Type: "evidence", EvidenceID: t.cited.EvidenceID(), Quote: t.cited.Quote}},
			Assumptions: []string{}, OpenQuestions: []string{},
		})
		if err != nil {
			return fmt.Errorf("decide on %s: %w", t.doc.Path, err)
		}
		t.decision = rec.DecisionID
	}
	for i := range trials {
		if err := r.edit(&trials[i]); err != nil {
			return err
		}
	}
	if err := r.sync(ctx); err != nil {
		return err
	}
	for i := range trials {
		if err := r.judge(ctx, &trials[i]); err != nil {
			return err
		}
	}
	for i := range trials {
		if err := r.restore(&trials[i]); err != nil {
			return err
		}
	}
	if err := r.sync(ctx); err != nil {
		return err
	}
	for i := range trials {
		if err := r.judgeRestored(ctx, &trials[i]); err != nil {
			return err
		}
	}
	return nil
}

// plan chooses the edits of a round, each of another file, all kinds in turn.
func (r *review) plan() (trials []trial) {
	kinds := Edits()
	used := map[*Document]bool{}
	for range max(perRound, len(kinds)) {
		k := r.turn % len(kinds)
		r.turn++
		for range tries {
			if len(used) == len(r.docs) {
				return trials
			}
			d := r.docs[r.rng.IntN(len(r.docs))]
			if r.rng.IntN(5) == 0 {
				name := noteName(r.rng.IntN(notes))
				d = r.docs[max(0, slices.IndexFunc(r.docs, func(d *Document) bool { return d.Path == name }))]
			}
			if used[d] {
				continue
			}
			c, ok := Cite(r.rng, d)
			if !ok {
				continue
			}
			out, ok := kinds[k].Apply(r.rng, d, c)
			if !ok {
				continue
			}
			used[d] = true
			trials = append(trials, trial{kind: k, doc: d, cited: c, out: out})
			break
		}
	}
	return trials
}

func (r *review) edit(t *trial) error {
	if t.out.Gone || t.out.Path != t.doc.Path {
		if err := os.MkdirAll(filepath.Dir(r.file(t.out.Path)), 0o700); err != nil {
			return err
		}
		if t.out.Gone {
			return os.Remove(r.file(t.doc.Path))
		}
		return os.Rename(r.file(t.doc.Path), r.file(t.out.Path))
	}
	return r.write(t.out.Path, t.out.Data)
}

func (r *review) restore(t *trial) error {
	if t.out.Path != t.doc.Path {
		return os.Rename(r.file(t.out.Path), r.file(t.doc.Path))
	}
	return r.write(t.doc.Path, []byte(t.doc.Text))
}

// judge compares what docket says of an edit with what was done.
func (r *review) judge(ctx context.Context, t *trial) error {
	dec, err := trace.GetDecision(ctx, r.d, r.who, trace.GetDecisionParams{DecisionID: t.decision})
	if err != nil {
		return err
	}
	rep, kind := &r.report, &r.report.Kinds[t.kind]
	rep.Edits++
	kind.Edits++
	flagged := dec.Review == trace.ReviewNeeded
	if flagged {
		kind.Flagged++
	}
	if t.out.Gone || string(t.out.Data) != t.doc.Text {
		kind.WholeFile++
	}
	switch {
	case kind.Changes && !flagged:
		r.wrong("missed", t, dec)
	case !kind.Changes && dec.Review != trace.ReviewCurrent: // unknown is no answer either
		rep.FalseFlags++
		r.wrong("false flag", t, dec)
	}
	return nil
}

// judgeRestored checks that a file that came back as it was clears what was flagged, and takes the decision out of force.
func (r *review) judgeRestored(ctx context.Context, t *trial) error {
	dec, err := trace.GetDecision(ctx, r.d, r.who, trace.GetDecisionParams{DecisionID: t.decision})
	if err != nil {
		return err
	}
	r.report.Restored++
	if dec.Review != trace.ReviewCurrent {
		r.report.NotRestored++
		r.wrong("not restored", t, dec)
	}
	_, err = trace.RejectDecision(ctx, r.d, r.who, trace.RejectDecisionParams{DecisionID: t.decision, Reason: "It was only a trial."})
	return err
}

func (r *review) wrong(what string, t *trial, dec trace.Decision) {
	w := WrongVerdict{
		Wrong: what, Edit: r.report.Kinds[t.kind].Edit, File: t.doc.Path, Line: 1 + strings.Count(t.doc.Text[:t.cited.Start], "\n"),
		Cited: shorten(t.cited.Text(t.doc)), Quote: t.cited.Quote, Review: dec.Review,
	}
	for _, reason := range dec.ReviewReasons {
		w.Causes = append(w.Causes, reason.Cause)
	}
	w.Old, w.New = difference(t.doc.Text, string(t.out.Data))
	if w.Old, w.New = shorten(w.Old), shorten(w.New); t.out.Path != t.doc.Path {
		w.New = t.out.Path
	}
	r.report.Wrong = append(r.report.Wrong, w)
}

// difference returns what is left of two texts without the lines that they begin and end with alike.
func difference(a, b string) (string, string) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return strings.Join(x, ""), strings.Join(y, "")
}

// shorten keeps the start of a long text.
func shorten(s string) string {
	const most = 600
	if len(s) <= most {
		return s
	}
	n := most
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// sum fills in what follows from the counts by kind.
func (r *ReviewReport) sum() {
	for _, k := range r.Kinds {
		r.WholeFile.Flagged += k.WholeFile
		if k.Changes {
			r.Changed += k.Edits
			r.Found += k.Flagged
		}
	}
	r.Recall, r.Precision = share(r.Found, r.Changed), share(r.Found, r.Found+r.FalseFlags)
	r.WholeFile.Recall, r.WholeFile.Precision = 1, share(r.Changed, r.WholeFile.Flagged) // every change is one of the file
}

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}
