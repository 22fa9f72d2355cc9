package trace_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp/cmpopts"

	"docket/db"
	"docket/db/dbtest"
	"docket/ingest"
	"docket/ingest/format"
	"docket/trace"
)

// A world is a store with one root, and a session that has fetched whatever it is asked about.
type world struct {
	testing.TB
	path string
	d    *db.DB
	root db.Root
	who  trace.Identity
	n    *int // requests
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	w := &world{TB: tb, path: filepath.Join(tb.TempDir(), "docket.db"), n: new(int)}
	w.d = dbtest.OpenAt(tb, w.path)
	w.root = db.Root{Name: "r", Path: "/r", State: db.RootOnline}
	w.update(func(tx *db.Tx) error { return tx.PutRoot(tb.Context(), &w.root) })
	w.who = trace.Identity{Project: "p", Agent: "a", Fetched: func(string) (bool, bool) { return true, false }}
	return w
}

func (w *world) update(fn func(*db.Tx) error) {
	w.Helper()
	if err := w.d.Update(w.Context(), fn); err != nil {
		w.Fatal(err)
	}
}

func (w *world) view(fn func(*db.Tx) error) {
	w.Helper()
	if err := w.d.View(w.Context(), fn); err != nil {
		w.Fatal(err)
	}
}

func (w *world) request() string {
	*w.n++
	return fmt.Sprintf("req-%d", *w.n)
}

// read parses a file as package ingest does.
func read(tb testing.TB, key, text string) (db.Version, string, []db.Section, []db.Chunk) {
	tb.Helper()
	doc, err := format.Parse(key, []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	var chunks []db.Chunk
	for _, c := range ingest.Chunks(doc) {
		row := db.Chunk{Section: c.Section, Kind: string(c.Kind), Part: c.Part, Page: c.Page, Start: c.Start, End: c.End, HeaderStart: c.HeaderStart, HeaderEnd: c.HeaderEnd}
		for _, s := range c.Spans {
			row.Spans = append(row.Spans, db.Span{Kind: string(s.Kind), Start: s.Start, End: s.End})
		}
		chunks = append(chunks, row)
	}
	v := db.Version{ContentHash: sha256.Sum256([]byte(text)), Kind: doc.Kind, Title: key, Parser: doc.Parser, Encoding: doc.Encoding, Chars: utf8.RuneCountInString(doc.Text)}
	return v, doc.Text, []db.Section{{Parent: -1, End: len(doc.Text)}}, chunks
}

// put makes text the current version of the document r/name.
func (w *world) put(name, text string) trace.Outcome {
	w.Helper()
	return w.putParsed(name, text, "")
}

// putParsed is put by another parser, which reads other text in the same bytes where it is not "".
func (w *world) putParsed(name, text, otherText string) (out trace.Outcome) {
	w.Helper()
	ctx := w.Context()
	v, parsed, sections, chunks := read(w, name, text)
	if otherText != "" {
		hash := v.ContentHash
		v, parsed, sections, chunks = read(w, name, otherText)
		v.ContentHash = hash
	}
	key := "r/" + name
	var doc db.Document
	w.view(func(tx *db.Tx) (err error) {
		doc, err = tx.Document(ctx, key)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		return err
	})
	a, err := trace.Align(ctx, w.d, trace.Change{Document: doc, New: v, NewText: parsed, NewChunks: chunks})
	if err != nil {
		w.Fatal(err)
	}
	w.update(func(tx *db.Tx) (err error) {
		if doc, err = tx.PutDocument(ctx, w.root.ID, key); err != nil {
			return err
		}
		old, err := tx.FindVersion(ctx, doc.ID, v.ContentHash, db.HashOf(parsed))
		switch {
		case errors.Is(err, db.ErrNotFound):
			if err := tx.PutVersion(ctx, doc, &v, parsed, sections, chunks); err != nil {
				return err
			}
		case err != nil:
			return err
		case old.Row == doc.Current:
			return trace.Readable(ctx, tx, doc.ID, "")
		default:
			v = old
			if chunks, err = tx.Chunks(ctx, v.Row); err != nil {
				return err
			}
		}
		if _, err := tx.Activate(ctx, doc.ID, v.Row); err != nil {
			return err
		}
		out, err = trace.Apply(ctx, tx, trace.Change{Document: doc, New: v, NewText: parsed, NewChunks: chunks}, a)
		return err
	})
	return out
}

// remove makes the document deleted.
func (w *world) remove(name string) (out trace.Outcome) {
	w.Helper()
	ctx := w.Context()
	w.update(func(tx *db.Tx) error {
		doc, err := tx.Document(ctx, "r/"+name)
		if err != nil {
			return err
		}
		if _, err := tx.Remove(ctx, doc.ID, 0); err != nil {
			return err
		}
		out, err = trace.Removed(ctx, tx, doc.ID)
		return err
	})
	return out
}

// move moves a whole file: the same bytes under a new name.
func (w *world) move(from, to string) (out trace.Outcome) {
	w.Helper()
	ctx := w.Context()
	w.update(func(tx *db.Tx) error {
		old, err := tx.Document(ctx, "r/"+from)
		if err != nil {
			return err
		}
		was, err := tx.Version(ctx, old.Current)
		if err != nil {
			return err
		}
		text, err := tx.Text(ctx, was.Row, 0, was.Bytes)
		if err != nil {
			return err
		}
		v, parsed, sections, chunks := read(w, to, text)
		v.ContentHash = was.ContentHash
		doc, err := tx.PutDocument(ctx, w.root.ID, "r/"+to)
		if err != nil {
			return err
		}
		if known, err := tx.FindVersion(ctx, doc.ID, v.ContentHash, db.HashOf(parsed)); err == nil {
			v = known
			if chunks, err = tx.Chunks(ctx, v.Row); err != nil {
				return err
			}
		} else if err := tx.PutVersion(ctx, doc, &v, parsed, sections, chunks); err != nil {
			return err
		}
		if _, err := tx.Activate(ctx, doc.ID, v.Row); err != nil {
			return err
		}
		change := trace.Change{Document: doc, New: v, NewText: parsed, NewChunks: chunks}
		if _, err := trace.Apply(ctx, tx, change, nil); err != nil {
			return err
		}
		if _, err := tx.Remove(ctx, old.ID, doc.ID); err != nil {
			return err
		}
		change.Document, change.MovedTo = old, doc
		out, err = trace.Apply(ctx, tx, change, nil)
		return err
	})
	return out
}

// evidence returns the id of the passage of the current version that holds words.
func (w *world) evidence(name, words string) string {
	w.Helper()
	id := ""
	w.eachChunk(name, func(c db.Chunk, text string) {
		if id == "" && strings.Contains(text, words) {
			id = c.ID()
		}
	})
	if id == "" {
		w.Fatalf("%s has no passage with %q", name, words)
	}
	return id
}

// span returns the id of exactly these words in the current version.
func (w *world) span(name, words string) string {
	w.Helper()
	id := ""
	w.eachChunk(name, func(c db.Chunk, text string) {
		if at := strings.Index(text, words); id == "" && at >= 0 {
			id = c.SpanID(c.Start+at, c.Start+at+len(words))
		}
	})
	if id == "" {
		w.Fatalf("%s has no passage with %q", name, words)
	}
	return id
}

func (w *world) eachChunk(name string, fn func(db.Chunk, string)) {
	w.Helper()
	ctx := w.Context()
	w.view(func(tx *db.Tx) error {
		doc, err := tx.Document(ctx, "r/"+name)
		if err != nil {
			return err
		}
		chunks, err := tx.Chunks(ctx, doc.Current)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			text, err := tx.Text(ctx, doc.Current, c.Start, c.End)
			if err != nil {
				return err
			}
			fn(c, text)
		}
		return nil
	})
}

func (w *world) task(name string) {
	w.Helper()
	if _, err := trace.CreateTask(w.Context(), w.d, w.who, trace.CreateTaskParams{TaskName: name, Goal: "goal of " + name, RequestID: w.request()}); err != nil {
		w.Fatal(err)
	}
}

func quoted(id, quote string) trace.Support {
	return trace.Support{Type: "evidence", EvidenceID: id, Quote: quote}
}

func onDecision(id string) trace.Support { return trace.Support{Type: "decision", DecisionID: id} }

func inGroup(s trace.Support, group string) trace.Support {
	s.Group = group
	return s
}

// tryDecide records a decision in task t.
func (w *world) tryDecide(choice string, supports ...trace.Support) (trace.DecisionReceipt, error) {
	return trace.RecordDecision(w.Context(), w.d, w.who, trace.RecordDecisionParams{
		TaskName: "t", ChoiceKey: choice, Conclusion: "we take " + choice, Rationale: "as it is written", Supports: supports, RequestID: w.request(),
	})
}

func (w *world) decide(choice string, supports ...trace.Support) string {
	w.Helper()
	r, err := w.tryDecide(choice, supports...)
	if err != nil {
		w.Fatal(err)
	}
	return r.DecisionID
}

func (w *world) decision(id string) trace.Decision {
	w.Helper()
	d, err := trace.GetDecision(w.Context(), w.d, w.who, trace.GetDecisionParams{DecisionID: id})
	if err != nil {
		w.Fatal(err)
	}
	return d
}

// wantReview checks a decision's review and the causes of its open reasons.
func (w *world) wantReview(id, review string, causes ...string) trace.Decision {
	w.Helper()
	d := w.decision(id)
	var got []string
	for _, r := range d.ReviewReasons {
		got = append(got, r.Cause)
	}
	if d.Review != review || fmt.Sprint(got) != fmt.Sprint(causes) {
		w.Errorf("decision on %s is %s %v, want %s %v", d.ChoiceKey, d.Review, got, review, causes)
	}
	return d
}

func (w *world) drain() {
	w.Helper()
	if _, err := trace.Drain(w.Context(), w.d); err != nil {
		w.Fatal(err)
	}
}

// wantSound checks the store and that every review follows from its supports.
func (w *world) wantSound() {
	w.Helper()
	problems, err := trace.Check(w.Context(), w.d, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, p := range problems {
		w.Errorf("%s: %s", p.Where, p.What)
	}
}

// wantCode checks that err is a refusal with this code, which says what to do next.
func wantCode(tb testing.TB, err error, code string) *trace.Error {
	tb.Helper()
	e, ok := errors.AsType[*trace.Error](err)
	if !ok || e.Code != code || e.Message == "" || e.NextAction == "" {
		tb.Errorf("got %v (%+v), want %s", err, e, code)
		return &trace.Error{}
	}
	return e
}

// cmpVisible compares what is shown.
var cmpVisible = cmpopts.IgnoreUnexported(trace.SupportView{})

// jsonOf is v as an answer would carry it.
func jsonOf(tb testing.TB, v any) string {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}
