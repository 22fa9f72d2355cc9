package cli

// This file defines "docket bench review".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"docket/db"
	"docket/ingest"
	"docket/ingest/format"
	"docket/trace"
)

var benchReviewCommand = &command{
	name: "bench review", args: "FOLDER", short: "measure how exactly review finds what an edit changed",
	long: `Copies the text files of FOLDER to a temporary folder, records decisions that cite sentences, list items, table rows and lines of code in
them, and makes random edits whose effect on each citation is known. After every edit the folder is synced, and the decisions that were
flagged are compared with those whose cited text the edit changed; then the file is put back, which must clear them all.

Shown are the recall and the precision of the flags, for each kind of edit and in all, and beside them what a tool that compares the
hashes of whole files would have flagged.`,
	examples: []string{"docket bench review ~/notes", "docket bench review docs --edits 200 --json"},
	min:      1, max: 1,
	setup: func(fs *flag.FlagSet) runner {
		edits := fs.Int("edits", 2000, "how many edits, `N`")
		seed := fs.Uint64("seed", 1, "the same `N` gives the same edits")
		return func(ctx context.Context, c *call, args []string) error {
			report, err := benchReview(ctx, args[0], *edits, *seed)
			if err != nil {
				return fmt.Errorf("bench review: %w", err)
			}
			if c.json {
				return c.writeJSON(report)
			}
			p(c.out, "%d files (%d left out), %d citations, %d edits\n\n", report.Files, report.LeftOut, report.Citations, report.Total.Edits)
			p(c.out, "%-36s %6s %8s %8s %8s %7s %10s\n", "edit", "edits", "judged", "changed", "flagged", "recall", "precision")
			for _, k := range append(report.Kinds, report.Total) {
				p(c.out, "%-36s %6d %8d %8d %8d %6.2f%% %9.2f%%\n", k.Name, k.Edits, k.Judged, k.Changed, k.Flagged, 100*k.Recall, 100*k.Precision)
			}
			p(c.out, "\nnot cleared when the file was put back: %d\n", report.NotRestored)
			p(c.out, "a tool that compares whole files would have flagged %d: precision %.2f%%\n", report.WholeFile.Flagged, 100*report.WholeFile.Precision)
			return nil
		}
	},
}

// A reviewReport is what bench review measured.
type reviewReport struct {
	Files       int         `json:"files"`
	LeftOut     int         `json:"left_out"` // files that are no plain text, or too large
	Citations   int         `json:"citations"`
	NotRestored int         `json:"not_restored"`
	Total       editScore   `json:"total"`
	WholeFile   editScore   `json:"whole_file"`
	Kinds       []editScore `json:"kinds"`
}

// An editScore compares flags with what an edit did, over all citations of the edited files.
type editScore struct {
	Name      string  `json:"name"`
	Edits     int     `json:"edits"`
	Judged    int     `json:"judged"`
	Changed   int     `json:"changed"`
	Flagged   int     `json:"flagged"`
	Right     int     `json:"flagged_rightly"`
	Recall    float64 `json:"recall"`
	Precision float64 `json:"precision"`
}

func (s *editScore) add(changed, flagged bool) {
	s.Judged++
	if changed {
		s.Changed++
	}
	if flagged {
		s.Flagged++
	}
	if changed && flagged {
		s.Right++
	}
}

// finish computes the shares; of nothing they are whole.
func (s *editScore) finish() {
	s.Recall, s.Precision = 1, 1
	if s.Changed > 0 {
		s.Recall = float64(s.Right) / float64(s.Changed)
	}
	if s.Flagged > 0 {
		s.Precision = float64(s.Right) / float64(s.Flagged)
	}
}

// What is measured on: larger files only cost time.
const (
	reviewFiles     = 150
	reviewFileBytes = 60_000
	reviewCitations = 8 // of each file
)

// A citedFile is a file with the decisions that cite it.
type citedFile struct {
	path  string
	text  string
	kind  string
	spans []citedSpan // all of them, in order
	cited []citation
}

// A citedSpan is a span of a file, with the header of its table.
type citedSpan struct {
	format.Span
	chunk                  int
	headerStart, headerEnd int
}

// A citation is a decision on a run of spans.
type citation struct {
	decision    string
	first, last int // of the file's spans, both included
}

func benchReview(ctx context.Context, from string, edits int, seed uint64) (report reviewReport, err error) {
	dir, err := os.MkdirTemp("", "docket-bench-")
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder := filepath.Join(dir, "files")
	files, leftOut, err := copyTexts(from, folder)
	if err != nil {
		return report, err
	}
	if len(files) == 0 {
		return report, fmt.Errorf("no text file in %s", from)
	}
	// The clock runs ahead of the disk's, so that no file is taken for one that may still be changing.
	ahead := time.Hour
	d, err := db.Open(ctx, filepath.Join(dir, "docket.db"), db.Options{Create: true, Now: func() time.Time { return time.Now().Add(ahead) }})
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if _, err := ingest.AddRoot(ctx, d, folder, "files"); err != nil {
		return report, err
	}
	sync := func() error {
		ahead += time.Minute
		_, err := ingest.Sync(ctx, d, ingest.SyncRequest{AllowRemovals: true})
		return err
	}
	if err := sync(); err != nil {
		return report, err
	}
	b := reviewBench{ctx: ctx, d: d, rng: rand.New(rand.NewPCG(seed, 0)), kinds: map[string]*editScore{},
		who: trace.Identity{Project: "bench", Agent: "bench", Person: true, Fetched: func(string) (bool, bool) { return true, false }}}
	report.LeftOut = leftOut
	for i := range files {
		f := &files[i]
		if err := b.cite(f); err != nil {
			return report, fmt.Errorf("%s: %w", f.path, err)
		}
		if len(f.cited) > 0 {
			report.Files++
			report.Citations += len(f.cited)
		}
	}
	files = slices.DeleteFunc(files, func(f citedFile) bool { return len(f.cited) == 0 })
	if len(files) == 0 {
		return report, fmt.Errorf("nothing to cite in %s", from)
	}
	for tries := 0; b.total.Edits < edits && tries < 20*edits; tries++ {
		f := &files[b.rng.IntN(len(files))]
		e, ok := b.edit(f)
		if !ok {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, f.path), []byte(e.after), 0o600); err != nil {
			return report, err
		}
		if err := sync(); err != nil {
			return report, err
		}
		if err := b.judge(f, e); err != nil {
			return report, err
		}
		if err := os.WriteFile(filepath.Join(folder, f.path), []byte(f.text), 0o600); err != nil {
			return report, err
		}
		if err := sync(); err != nil {
			return report, err
		}
		left, err := b.flagged(f)
		if err != nil {
			return report, err
		}
		report.NotRestored += len(left)
	}
	for _, e := range textEdits {
		if k := b.kinds[e.name]; k != nil {
			k.finish()
			report.Kinds = append(report.Kinds, *k)
		}
	}
	b.total.Name, b.whole.Name = "all", "whole files"
	b.total.finish()
	b.whole.finish()
	report.Total, report.WholeFile = b.total, b.whole
	return report, nil
}

// copyTexts copies the files that are plain text, by name.
func copyTexts(from, to string) (files []citedFile, leftOut int, err error) {
	err = filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && strings.HasPrefix(e.Name(), ".") && path != from {
			return fs.SkipDir
		}
		if !e.Type().IsRegular() || len(files) == reviewFiles {
			return nil
		}
		name := e.Name()
		fi, err := e.Info()
		if err != nil {
			return err
		}
		if fi.Size() == 0 || fi.Size() > reviewFileBytes || strings.HasPrefix(name, ".") {
			leftOut++
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc, err := format.Parse(name, text)
		if err != nil || doc.Text != string(text) || strings.Contains(doc.Text, "\r") {
			leftOut++
			return nil //nolint:nilerr // what cannot be parsed cannot be cited
		}
		f := citedFile{path: fmt.Sprintf("%03d-%s", len(files), name), text: doc.Text, kind: doc.Kind}
		for i, c := range ingest.Chunks(doc) {
			for _, s := range c.Spans {
				f.spans = append(f.spans, citedSpan{s, i, c.HeaderStart, c.HeaderEnd})
			}
		}
		files = append(files, f)
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, f.path), text, 0o600)
	})
	return files, leftOut, err
}

// A reviewBench makes edits and judges them.
type reviewBench struct {
	ctx   context.Context
	d     *db.DB
	who   trace.Identity
	rng   *rand.Rand
	total editScore
	whole editScore
	kinds map[string]*editScore
}

// cite records decisions on runs of one to three spans of the file.
func (b *reviewBench) cite(f *citedFile) error {
	if len(f.spans) == 0 {
		return nil
	}
	var chunks []db.Chunk
	err := b.d.View(b.ctx, func(tx *db.Tx) error {
		doc, err := tx.Document(b.ctx, "files/"+f.path)
		if errors.Is(err, db.ErrNotFound) || err == nil && doc.Current == 0 {
			return nil // it was left out by the rules for folders
		}
		if err != nil {
			return err
		}
		chunks, err = tx.Chunks(b.ctx, doc.Current)
		return err
	})
	if err != nil || len(chunks) == 0 {
		return err
	}
	if _, err := trace.CreateTask(b.ctx, b.d, b.who, trace.CreateTaskParams{TaskName: f.path, Goal: "measure"}); err != nil {
		return err
	}
	for n := range min(reviewCitations, len(f.spans)) {
		first := b.rng.IntN(len(f.spans))
		last := min(first+b.rng.IntN(3), len(f.spans)-1)
		for f.spans[last].chunk != f.spans[first].chunk {
			last--
		}
		id := chunks[f.spans[first].chunk].SpanID(f.spans[first].Start, f.spans[last].End)
		r, err := trace.RecordDecision(b.ctx, b.d, b.who, trace.RecordDecisionParams{TaskName: f.path, ChoiceKey: fmt.Sprint("citation ", n), Conclusion: "so it is",
			Rationale: "it is written", Supports: []trace.Support{{Type: "evidence", EvidenceID: id}}})
		if err != nil {
			return err
		}
		f.cited = append(f.cited, citation{r.DecisionID, first, last})
	}
	return nil
}

// flagged returns the decisions on the file that are not current.
func (b *reviewBench) flagged(f *citedFile) (map[string]bool, error) {
	l, err := trace.ListDecisionsForReview(b.ctx, b.d, b.who, trace.ListReviewParams{TaskName: f.path, Limit: 100})
	out := map[string]bool{}
	for _, d := range l.Decisions {
		out[d.DecisionID] = true
	}
	return out, err
}

// A textEdit is one edit of a file: bytes from to to were replaced, which changes what they say, or else only how it is laid out.
type textEdit struct {
	name     string
	from, to int
	after    string
	layout   bool
}

// judge compares the flags with what the edit did to each citation.
func (b *reviewBench) judge(f *citedFile, e textEdit) error {
	flags, err := b.flagged(f)
	if err != nil {
		return err
	}
	k := b.kinds[e.name]
	if k == nil {
		k = &editScore{Name: e.name}
		b.kinds[e.name] = k
	}
	for _, s := range []*editScore{k, &b.total, &b.whole} {
		s.Edits++
	}
	for _, c := range f.cited {
		changed, clear := f.changes(c, e)
		if !clear {
			continue
		}
		k.add(changed, flags[c.decision])
		b.total.add(changed, flags[c.decision])
		b.whole.add(changed, true)
	}
	return nil
}

// changes reports whether the edit changes what is cited. clear is false where nobody could say: of two pieces that read alike and
// stand side by side one was deleted.
func (f *citedFile) changes(c citation, e textEdit) (changed, clear bool) {
	first, last := f.spans[c.first], f.spans[c.last]
	touches := func(start, end int) bool {
		if e.from == e.to {
			return start < e.from && e.from < end
		}
		return e.from < end && e.to > start
	}
	if e.layout {
		return false, true
	}
	changed = touches(first.Start, last.End)
	for _, s := range f.spans[c.first : c.last+1] {
		changed = changed || s.Kind == format.Row && s.headerEnd > s.headerStart && touches(s.headerStart, s.headerEnd)
	}
	if deleted := strings.TrimSpace(f.text[e.from:e.to]); deleted != "" && len(e.after) < len(f.text) {
		alike := strings.HasPrefix(strings.TrimSpace(f.text[e.to:]), deleted) || strings.HasSuffix(strings.TrimSpace(f.text[:e.from]), deleted)
		return changed, !alike
	}
	return changed, true
}

var longWord = regexp.MustCompile(`[\p{L}\p{N}]{2,}`)

// textEdits are the kinds of edits. They get the file, a citation and a span of it, and return what is replaced by what.
var textEdits = []struct {
	name   string
	layout bool
	make   func(b *reviewBench, f *citedFile, c citation, other citedSpan) (from, to int, with string, ok bool)
}{
	{"change a word that is cited", false, func(b *reviewBench, f *citedFile, c citation, _ citedSpan) (int, int, string, bool) {
		return b.changeWord(f, f.spans[c.first].Start, f.spans[c.last].End)
	}},
	{"change any word", false, func(b *reviewBench, f *citedFile, _ citation, s citedSpan) (int, int, string, bool) {
		return b.changeWord(f, s.Start, s.End)
	}},
	{"delete what is cited", false, func(_ *reviewBench, f *citedFile, c citation, _ citedSpan) (int, int, string, bool) {
		from, to := f.spans[c.first].Start, f.spans[c.last].End
		if f.spans[c.first].Kind != format.Sentence { // with its line: an empty one would part what stands around it
			from = strings.LastIndexByte(f.text[:from], '\n') + 1
			if n := strings.IndexByte(f.text[to:], '\n'); n >= 0 {
				to += n + 1
			}
		}
		return from, to, "", true
	}},
	{"delete any sentence", false, func(_ *reviewBench, _ *citedFile, _ citation, s citedSpan) (int, int, string, bool) {
		return s.Start, s.End, "", s.Kind == format.Sentence
	}},
	{"put a sentence into what is cited", false, func(_ *reviewBench, f *citedFile, c citation, _ citedSpan) (int, int, string, bool) {
		at := f.spans[c.first].End
		return at, at, " Something new was said here.", c.last > c.first && f.spans[c.first].Kind == format.Sentence && f.spans[c.first+1].Kind == format.Sentence
	}},
	{"put in a paragraph", false, func(b *reviewBench, f *citedFile, _ citation, _ citedSpan) (int, int, string, bool) {
		at, ok := b.paragraph(f)
		return at, at, "Something entirely new was put in here.\n\n", ok
	}},
	{"put in a sentence that stands elsewhere too", false, func(b *reviewBench, f *citedFile, _ citation, s citedSpan) (int, int, string, bool) {
		at, ok := b.paragraph(f)
		return at, at, f.text[s.Start:s.End] + "\n\n", ok && s.Kind == format.Sentence
	}},
	{"CRLF line ends", true, func(_ *reviewBench, f *citedFile, _ citation, _ citedSpan) (int, int, string, bool) {
		return 0, len(f.text), strings.ReplaceAll(f.text, "\n", "\r\n"), true
	}},
	{"trailing space", true, func(_ *reviewBench, f *citedFile, _ citation, _ citedSpan) (int, int, string, bool) {
		return 0, len(f.text), strings.ReplaceAll(f.text, "\n", " \n"), true
	}},
	{"more blank lines", true, func(_ *reviewBench, f *citedFile, _ citation, _ citedSpan) (int, int, string, bool) {
		return 0, len(f.text), strings.ReplaceAll(f.text, "\n\n", "\n\n\n"), true
	}},
	{"put in a preface", false, func(_ *reviewBench, f *citedFile, _ citation, _ citedSpan) (int, int, string, bool) {
		return 0, 0, "Hello there.\n\n", f.kind != "csv" && f.kind != "tsv" && !strings.HasPrefix(f.text, "---")
	}},
	{"put in an appendix", false, func(_ *reviewBench, f *citedFile, _ citation, _ citedSpan) (int, int, string, bool) {
		return len(f.text), len(f.text), "\n\nGood bye then.\n", f.kind != "csv" && f.kind != "tsv"
	}},
}

// edit makes a random edit; ok is false where that kind makes no sense here.
func (b *reviewBench) edit(f *citedFile) (textEdit, bool) {
	kind := textEdits[b.rng.IntN(len(textEdits))]
	from, to, with, ok := kind.make(b, f, f.cited[b.rng.IntN(len(f.cited))], f.spans[b.rng.IntN(len(f.spans))])
	if !ok {
		return textEdit{}, false
	}
	e := textEdit{kind.name, from, to, f.text[:from] + with + f.text[to:], kind.layout}
	return e, e.after != f.text && strings.TrimSpace(e.after) != ""
}

func (b *reviewBench) changeWord(f *citedFile, start, end int) (from, to int, with string, ok bool) {
	words := longWord.FindAllStringIndex(f.text[start:end], -1)
	if len(words) == 0 {
		return 0, 0, "", false
	}
	w := words[b.rng.IntN(len(words))]
	from, to = start+w[0], start+w[1]
	return from, to, f.text[from:to] + "qx", true
}

// paragraph picks a place where a line begins behind a blank one.
func (b *reviewBench) paragraph(f *citedFile) (int, bool) {
	var places []int
	for i := 2; i < len(f.text); i++ {
		if f.text[i-1] == '\n' && f.text[i-2] == '\n' {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return 0, false
	}
	return places[b.rng.IntN(len(places))], true
}
