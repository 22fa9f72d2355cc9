package ingest

// This file defines jobs: what is being done about a document's file, one row a key, kept alive by its lease.

import (
	"context"
	"time"

	"docket/db"
)

// The states of a job.
const (
	jobQueued  = "queued"
	jobRunning = "running"
	jobDone    = "done"
	jobFailed  = "failed"
)

// A lease outlives a slow file, and ends soon after its process was killed.
const (
	leaseTime  = 2 * time.Minute
	leaseRenew = leaseTime / 4
)

// A job is one row of the job table.
type job struct {
	ID, Status, Error  string
	Attempts           int
	QueuedAt           string
	StartedAt, LeaseAt string // "" for none
}

func lease(tx *db.Tx) string { return db.Stamp(tx.Now().Add(leaseTime)) }

func findJob(ctx context.Context, tx *db.Tx, key string) (job, error) {
	return db.One(ctx, tx, func(r db.Row, j *job) error {
		return r.Scan(&j.ID, &j.Status, &j.Error, &j.Attempts, &j.QueuedAt, &j.StartedAt, &j.LeaseAt)
	}, `SELECT job_id, status, error, attempts, queued_at, coalesce(started_at, ''), coalesce(lease_expires_at, '') FROM job WHERE key = ?`, key)
}

// queueJob says that the file of a key is going to be read.
func queueJob(ctx context.Context, tx *db.Tx, key string) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO job (key, job_id, status, error, attempts, queued_at, started_at, lease_expires_at) VALUES (?, ?, 'queued', '', 1, ?, NULL, ?)
		ON CONFLICT (key) DO UPDATE SET job_id = excluded.job_id, status = 'queued', error = '',
			attempts = CASE job.status WHEN 'done' THEN 1 ELSE job.attempts + 1 END,
			queued_at = excluded.queued_at, started_at = NULL, lease_expires_at = excluded.lease_expires_at`,
		key, tx.NewID(), tx.Stamp(), lease(tx))
	return err
}

// startJob says that the file is being read.
func startJob(ctx context.Context, tx *db.Tx, key string) error {
	_, err := tx.Exec(ctx, `UPDATE job SET status = 'running', started_at = ?, lease_expires_at = ? WHERE key = ? AND status = 'queued'`,
		tx.Stamp(), lease(tx), key)
	return err
}

// endJob says how it went: done without a problem, else failed.
func endJob(ctx context.Context, tx *db.Tx, key, problem string) error {
	status := jobDone
	if problem != "" {
		status = jobFailed
	}
	_, err := tx.Exec(ctx, `
		UPDATE job SET status = ?, error = ?, started_at = coalesce(started_at, ?), lease_expires_at = NULL
		WHERE key = ? AND status IN ('queued', 'running')`, status, problem, tx.Stamp(), key)
	return err
}

// renewJobs prolongs the leases of all open jobs: they are this process's, since it holds the lock.
func renewJobs(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, `UPDATE job SET lease_expires_at = ? WHERE status IN ('queued', 'running')`, lease(tx))
	return err
}

// failLostJobs ends what a process left open that died. The caller holds the lock, so nobody is at work on them.
func failLostJobs(ctx context.Context, l *lock) error {
	var open int
	err := l.d.View(ctx, func(tx *db.Tx) (err error) {
		open, err = db.One(ctx, tx, db.Value[int], `SELECT count(*) FROM job WHERE status IN ('queued', 'running')`)
		return err
	})
	if err != nil || open == 0 {
		return err
	}
	return l.update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `
			UPDATE job SET status = 'failed', error = 'docket ended before it was done', lease_expires_at = NULL
			WHERE status IN ('queued', 'running')`)
		return err
	})
}
