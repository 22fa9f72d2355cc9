-- What is being done about a document's file right now, or was done last: one row a key. A job that is neither done nor failed is
-- alive as long as its lease is; the process that indexes renews it, and nobody else touches it.

CREATE TABLE job (
  key              TEXT PRIMARY KEY,      -- the document's
  job_id           TEXT NOT NULL,
  status           TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
  error            TEXT NOT NULL,
  attempts         INTEGER NOT NULL,      -- since it was last done
  queued_at        TEXT NOT NULL,
  started_at       TEXT,                  -- NULL while it is queued
  lease_expires_at TEXT                   -- NULL once it is over
) STRICT, WITHOUT ROWID;
CREATE INDEX job_open ON job (status) WHERE status IN ('queued', 'running');
