package ingest

// This file defines what the store says of a source, of a root and of all of them.

import (
	"context"
	"errors"
	"strings"
	"time"

	"docket/db"
	"docket/search"
)

// The states of a source.
const (
	SourceCurrent = "current"
	SourcePending = "pending"
	SourceFailed  = "failed"
	SourceDeleted = "deleted"
	SourceUnknown = "unknown"
)

// A Source is the state of one document key: of its committed version, and of the latest job on its file.
type Source struct {
	DocumentKey    string              `json:"document_key"`
	State          string              `json:"state"`
	ContentHash    string              `json:"content_hash,omitempty"`
	ActivationSeq  int64               `json:"activation_seq,omitempty"`
	VersionID      string              `json:"version_id,omitempty"`
	JobID          string              `json:"job_id,omitempty"`
	JobStatus      string              `json:"job_status,omitempty"`
	LeaseExpiresAt string              `json:"lease_expires_at,omitempty"`
	JobAgeSeconds  *int64              `json:"job_age_seconds,omitempty"`
	JobError       string              `json:"job_error,omitempty"`
	Indexes        []search.Population `json:"indexes"`
	Ledger         *File               `json:"ledger,omitempty"`
}

// A File is a ledger row as people see it.
type File struct {
	Path   string `json:"path"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	Parser string `json:"parser,omitempty"`
	Size   int64  `json:"size"`
	Parts  int    `json:"parts,omitempty"`   // pages
	NoText int    `json:"no_text,omitempty"` // pages without text
	At     string `json:"at"`
}

func fileOf(f db.FileRow) File {
	return File{Path: f.Path, State: f.State, Reason: f.Reason, Parser: f.Parser, Size: f.Size, Parts: f.Parts, NoText: f.NoText, At: f.At}
}

// SourceStatus tells the state of a document key. Of what may be true at once the first holds: `pending`, a job is alive; `failed`, the
// last job's lease ran out; `current`, the committed version is complete; `deleted`, the last change removed the source; `unknown`.
func SourceStatus(ctx context.Context, d *db.DB, key string) (Source, error) {
	s := Source{DocumentKey: key, State: SourceUnknown, Indexes: []search.Population{}}
	err := d.View(ctx, func(tx *db.Tx) error {
		doc, err := tx.Document(ctx, key)
		known := err == nil
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		if known {
			s.DocumentKey = doc.Key
			if err := s.committed(ctx, tx, doc); err != nil {
				return err
			}
		}
		if err := s.ledger(ctx, tx); err != nil {
			return err
		}
		j, err := findJob(ctx, tx, s.DocumentKey)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		s.job(j, tx.Now())
		return nil
	})
	return s, err
}

// committed fills in what the document's own rows say.
func (s *Source) committed(ctx context.Context, tx *db.Tx, doc db.Document) (err error) {
	if s.ActivationSeq, err = tx.LastChange(ctx, doc.ID); err != nil {
		return err
	}
	if doc.Current == 0 {
		if s.ActivationSeq != 0 {
			s.State = SourceDeleted
		}
		return nil
	}
	v, err := tx.Version(ctx, doc.Current)
	if err != nil {
		return err
	}
	s.State, s.VersionID, s.ContentHash = SourceCurrent, v.ID, v.ContentHash.String()
	s.Indexes, err = search.Populations(ctx, tx, v.Row)
	return err
}

func (s *Source) ledger(ctx context.Context, tx *db.Tx) error {
	name, path, ok := strings.Cut(s.DocumentKey, "/")
	if !ok {
		return nil
	}
	root, err := tx.Root(ctx, name)
	if err == nil {
		var f db.FileRow
		if f, err = tx.File(ctx, root.ID, path); err == nil {
			file := fileOf(f)
			s.Ledger = &file
		}
	}
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

func (s *Source) job(j job, now time.Time) {
	s.JobID, s.JobStatus, s.JobError, s.LeaseExpiresAt = j.ID, j.Status, j.Error, j.LeaseAt
	since := j.QueuedAt
	if j.StartedAt != "" {
		since = j.StartedAt
	}
	if at, err := time.Parse(time.RFC3339, since); err == nil {
		age := max(0, int64(now.Sub(at)/time.Second))
		s.JobAgeSeconds = &age
	}
	if j.Status != jobQueued && j.Status != jobRunning {
		return
	}
	if until, err := time.Parse(time.RFC3339, j.LeaseAt); err == nil && now.Before(until) {
		s.State = SourcePending
	} else {
		s.State = SourceFailed
	}
}

// A StatusReport is what the store holds, by root.
type StatusReport struct {
	Roots []RootStatus `json:"roots"`
}

// A RootStatus sums up one root's ledger. Files counts what was seen but for the folders left out; the states add up to it.
type RootStatus struct {
	Root              string `json:"root"`
	Path              string `json:"path"`
	State             string `json:"state"`
	Reason            string `json:"reason,omitempty"`
	Documents         int    `json:"documents"` // that can be searched
	Files             int    `json:"files"`
	Indexed           int    `json:"indexed"`
	Partly            int    `json:"partly"`
	NoText            int    `json:"no_text"`
	Skipped           int    `json:"skipped"`
	Failed            int    `json:"failed"`
	Pending           int    `json:"pending"`
	FoldersLeftOut    int    `json:"folders_left_out"`
	PagesWithoutText  int    `json:"pages_without_text"`
	NotIndexedInFull  []File `json:"not_indexed_in_full"` // every file and folder that is not `indexed`, and why
	LastActivationSeq int64  `json:"last_activation_seq"`
}

// Status sums the ledger up.
func Status(ctx context.Context, d *db.DB) (StatusReport, error) {
	report := StatusReport{Roots: []RootStatus{}}
	err := d.View(ctx, func(tx *db.Tx) error {
		roots, err := tx.Roots(ctx)
		if err != nil {
			return err
		}
		seq, err := tx.Seq(ctx)
		if err != nil {
			return err
		}
		for _, r := range roots {
			s := RootStatus{Root: r.Name, Path: r.Path, State: r.State, Reason: r.Reason, NotIndexedInFull: []File{}, LastActivationSeq: seq}
			docs, err := tx.Documents(ctx, r.ID)
			if err != nil {
				return err
			}
			s.Documents = len(docs)
			files, err := tx.Files(ctx, r.ID)
			if err != nil {
				return err
			}
			for _, f := range files {
				s.add(f)
			}
			report.Roots = append(report.Roots, s)
		}
		return nil
	})
	return report, err
}

func (s *RootStatus) add(f db.FileRow) {
	s.PagesWithoutText += f.NoText
	if f.State != db.FileIndexed {
		s.NotIndexedInFull = append(s.NotIndexedInFull, fileOf(f))
	}
	folder := strings.HasSuffix(f.Path, "/")
	if folder && f.State == db.FileSkipped {
		s.FoldersLeftOut++
		return
	}
	s.Files++
	switch f.State {
	case db.FileIndexed:
		s.Indexed++
	case db.FilePartly:
		s.Partly++
	case db.FileNoText:
		s.NoText++
	case db.FileSkipped:
		s.Skipped++
	case db.FileFailed:
		s.Failed++
	case db.FilePending:
		s.Pending++
	}
}
