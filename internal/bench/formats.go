package bench

// This file defines how formats are scored: each file's text, as the index holds it, against what it should be.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"docket/db"
	"docket/ingest"
	"docket/ingest/format"
)

// A FormatsReport is how well files are read. MeanF1 is the mean over the files that have an expected text, those that were not read
// among them, with 0.
type FormatsReport struct {
	Files      []FileScore      `json:"files"`
	MeanF1     float64          `json:"mean_f1"`
	Kinds      []KindScore      `json:"kinds"`
	Unexpected []UnexpectedFile `json:"without_expected"`
	Missing    []string         `json:"expected_without_file"`
}

// A FileScore is the score of one file.
type FileScore struct {
	File   string  `json:"file"`
	Kind   string  `json:"kind"`
	F1     float64 `json:"f1"`
	State  string  `json:"state"`
	Reason string  `json:"reason,omitempty"` // why it was not read, or only in part
}

// A KindScore is the mean over the files of one kind.
type KindScore struct {
	Kind   string  `json:"kind"`
	Files  int     `json:"files"`
	MeanF1 float64 `json:"mean_f1"`
}

// An UnexpectedFile has no expected text, so it has no score.
type UnexpectedFile struct {
	File   string `json:"file"`
	Kind   string `json:"kind"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// Formats indexes dir/files into a throw-away store and scores each text against dir/expected/FILE.txt.
func Formats(ctx context.Context, dir string, foreign ingest.ForeignParser) (report FormatsReport, err error) {
	report = FormatsReport{Files: []FileScore{}, Kinds: []KindScore{}, Unexpected: []UnexpectedFile{}, Missing: []string{}}
	expected, err := expectedTexts(filepath.Join(dir, "expected"))
	if err != nil {
		return report, err
	}
	if len(expected) == 0 {
		return report, fmt.Errorf("%s: there is no text in expected/ to score against", dir)
	}
	temp, err := os.MkdirTemp("", "docket-bench-")
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	d, err := db.Open(ctx, filepath.Join(temp, "docket.db"), db.Options{Create: true})
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if _, err := ingest.AddRoot(ctx, d, filepath.Join(dir, "files"), rootName); err != nil {
		return report, err
	}
	if _, err := ingest.Sync(ctx, d, ingest.SyncRequest{Foreign: foreign}); err != nil {
		return report, err
	}
	err = d.View(ctx, func(tx *db.Tx) error {
		root, err := tx.Root(ctx, rootName)
		if err != nil {
			return err
		}
		files, err := tx.Files(ctx, root.ID)
		if err != nil {
			return err
		}
		for _, f := range files {
			if strings.HasSuffix(f.Path, "/") {
				continue
			}
			if err := report.score(ctx, tx, f, expected); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return report, err
	}
	for name := range expected {
		report.Missing = append(report.Missing, name)
	}
	slices.Sort(report.Missing)
	report.sum()
	return report, nil
}

// expectedTexts returns the expected texts by the file that each is of.
func expectedTexts(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name, ok := strings.CutSuffix(filepath.ToSlash(rel), ".txt")
		if !ok {
			return nil
		}
		text, err := os.ReadFile(p)
		out[name] = string(text)
		return err
	})
	return out, err
}

// score adds one file, and takes its text out of those that are expected.
func (r *FormatsReport) score(ctx context.Context, tx *db.Tx, f db.FileRow, expected map[string]string) error {
	kind, _, _ := strings.Cut(f.Parser, "/")
	kind = cmp.Or(kind, strings.TrimPrefix(path.Ext(f.Path), "."), "unknown")
	want, ok := expected[f.Path]
	if !ok {
		r.Unexpected = append(r.Unexpected, UnexpectedFile{f.Path, kind, f.State, f.Reason})
		return nil
	}
	delete(expected, f.Path)
	s := FileScore{File: f.Path, Kind: kind, State: f.State, Reason: f.Reason}
	doc, err := tx.Document(ctx, rootName+"/"+f.Path)
	switch {
	case errors.Is(err, db.ErrNotFound) || err == nil && doc.Current == 0:
		s.Reason = cmp.Or(s.Reason, "it was not read")
	case err != nil:
		return err
	default:
		v, err := tx.Version(ctx, doc.Current)
		if err != nil {
			return err
		}
		text, err := tx.Text(ctx, v.Row, 0, v.Bytes)
		if err != nil {
			return err
		}
		s.Kind, s.F1 = v.Kind, format.F1(text, want)
	}
	r.Files = append(r.Files, s)
	return nil
}

// sum fills in the means.
func (r *FormatsReport) sum() {
	total := 0.0
	for _, f := range r.Files {
		i, ok := slices.BinarySearchFunc(r.Kinds, f.Kind, func(k KindScore, kind string) int { return strings.Compare(k.Kind, kind) })
		if !ok {
			r.Kinds = slices.Insert(r.Kinds, i, KindScore{Kind: f.Kind})
		}
		k := &r.Kinds[i]
		k.MeanF1 = (k.MeanF1*float64(k.Files) + f.F1) / float64(k.Files+1)
		k.Files++
		total += f.F1
	}
	if len(r.Files) > 0 {
		r.MeanF1 = total / float64(len(r.Files))
	}
}
