-- What was decided and why. Tasks, events, decisions, what was done to them, and the supports they were given are never derived:
-- nothing alters or deletes them, and hashes beside them show damage. A step is what it was last set to. Where a support stands now,
-- reviews and reasons are derived from all that and from the documents, and can be made anew.

CREATE TABLE task (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  project    TEXT NOT NULL,
  name       TEXT NOT NULL,
  goal       TEXT NOT NULL,
  agent      TEXT NOT NULL,               -- who created it
  created_at TEXT NOT NULL,
  hash       BLOB NOT NULL,               -- SHA-256 of the record, for doctor
  UNIQUE (project, name)
) STRICT;

CREATE TABLE event (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id    INTEGER NOT NULL REFERENCES task (id),
  seq        INTEGER NOT NULL,            -- from 1, without gaps
  kind       TEXT NOT NULL CHECK (kind IN ('message', 'tool_call', 'tool_result', 'note')),
  role       TEXT NOT NULL,
  name       TEXT NOT NULL,
  preview    TEXT NOT NULL,
  body       BLOB NOT NULL,               -- the text as stored, UTF-8
  chars      INTEGER NOT NULL,            -- of the full text, as the next two are
  full_hash  BLOB NOT NULL,
  truncated  INTEGER NOT NULL,            -- 1: the body is not all of it
  agent      TEXT NOT NULL,
  created_at TEXT NOT NULL,
  hash       BLOB NOT NULL,
  UNIQUE (task_id, seq)
) STRICT;

CREATE TABLE holder (                     -- what supports belong to: a decision or a step, under the same id
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  kind    TEXT NOT NULL CHECK (kind IN ('decision', 'step')),
  live    INTEGER NOT NULL,               -- 0 once the decision is superseded or rejected
  review  TEXT NOT NULL CHECK (review IN ('current', 'needs_review', 'unknown')), -- as last settled
  pending INTEGER NOT NULL                -- 1: something below it has changed since, so it shows as unknown
) STRICT;
CREATE INDEX holder_pending ON holder (id) WHERE pending = 1;
CREATE INDEX holder_pending_of ON holder (project, id) WHERE pending = 1;
CREATE INDEX holder_flagged ON holder (project) WHERE live = 1 AND kind = 'decision' AND review <> 'current';

CREATE TABLE step (
  id         INTEGER PRIMARY KEY REFERENCES holder (id),
  task_id    INTEGER NOT NULL REFERENCES task (id),
  name       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('not_started', 'in_progress', 'completed', 'failed', 'unknown')),
  kind       TEXT NOT NULL CHECK (kind IN ('read', 'analysis', 'other')),
  basis      TEXT NOT NULL CHECK (basis IN ('independent', 'supported', 'unknown')),
  result_seq INTEGER NOT NULL,            -- an event of the task, 0 without
  agent      TEXT NOT NULL,               -- who set it last
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (task_id, name)
) STRICT;

CREATE TABLE decision (
  id             INTEGER PRIMARY KEY REFERENCES holder (id),
  decision_id    TEXT NOT NULL UNIQUE,    -- a UUID
  project        TEXT NOT NULL,
  task_id        INTEGER NOT NULL REFERENCES task (id),
  choice_key     TEXT NOT NULL,
  choice         TEXT NOT NULL,           -- the key without what does not tell two choices apart
  conclusion     TEXT NOT NULL,
  rationale      TEXT NOT NULL,
  assumptions    TEXT NOT NULL,           -- JSON lists
  open_questions TEXT NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'rejected')),
  supersedes     INTEGER REFERENCES decision (id),
  superseded_by  INTEGER REFERENCES decision (id),
  agent          TEXT NOT NULL,
  created_at     TEXT NOT NULL,
  hash           BLOB NOT NULL            -- of what was recorded, its supports included
) STRICT;
CREATE UNIQUE INDEX decision_choice ON decision (task_id, choice) WHERE status = 'active';
CREATE INDEX decision_conflict ON decision (project, choice) WHERE status = 'active';
CREATE INDEX decision_task ON decision (task_id, id);

CREATE TABLE decision_act (               -- what was done to a decision after it was recorded, and why
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  decision_id INTEGER NOT NULL REFERENCES decision (id),
  what        TEXT NOT NULL CHECK (what IN ('superseded', 'reaffirmed', 'rejected')),
  explanation TEXT NOT NULL,
  agent       TEXT NOT NULL,
  at          TEXT NOT NULL,
  hash        BLOB NOT NULL
) STRICT;
CREATE INDEX decision_act_of ON decision_act (decision_id, id);

CREATE TABLE support (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  holder_id      INTEGER NOT NULL REFERENCES holder (id),
  ordinal        INTEGER NOT NULL,
  origin         TEXT NOT NULL CHECK (origin IN ('original', 'refreshed')),
  type           TEXT NOT NULL CHECK (type IN ('evidence', 'decision', 'step', 'event')),
  alternative    TEXT NOT NULL,           -- its group: the holder stands while one whole group stands; '' is always needed
  live           INTEGER NOT NULL,        -- 0 once its holder is over, or it was answered or replaced

  -- evidence: what was cited
  quote          TEXT NOT NULL,
  quote_hash     BLOB NOT NULL,           -- its SHA-256, empty without a quote; stays when the words are forgotten
  first_evidence TEXT NOT NULL,
  first_version  INTEGER REFERENCES version (id),
  -- evidence: where it was last seen to stand, a run of whole spans
  document_id    INTEGER REFERENCES document (id),
  version_id     INTEGER REFERENCES version (id),
  start          INTEGER NOT NULL,        -- bytes in that version's text
  end            INTEGER NOT NULL,
  evidence       TEXT NOT NULL,           -- the id of that place
  words          BLOB NOT NULL,           -- SHA-256 of its text with white space folded, for doctor
  state          TEXT NOT NULL CHECK (state IN ('current', 'changed', 'removed', 'answered', 'replaced')),
  cause          TEXT NOT NULL CHECK (cause IN ('', 'source_changed', 'source_removed', 'extraction_changed')),
  -- evidence: what stands in its place while it is flagged
  new_version    INTEGER,
  new_start      INTEGER NOT NULL,
  new_end        INTEGER NOT NULL,
  new_evidence   TEXT NOT NULL,

  target         INTEGER REFERENCES holder (id), -- the decision or step
  event_id       INTEGER REFERENCES event (id),  -- the event; for a step, the result it had
  UNIQUE (holder_id, ordinal)
) STRICT;
CREATE INDEX support_live ON support (document_id, version_id) WHERE live = 1 AND type = 'evidence';
CREATE INDEX support_target ON support (target) WHERE live = 1 AND target IS NOT NULL;
CREATE INDEX support_version ON support (version_id) WHERE version_id IS NOT NULL;
CREATE INDEX support_first ON support (first_version) WHERE first_version IS NOT NULL;
CREATE INDEX support_event ON support (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX support_all_of_document ON support (document_id) WHERE document_id IS NOT NULL;

CREATE TABLE support_history (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  support_id   INTEGER NOT NULL REFERENCES support (id),
  what         TEXT NOT NULL CHECK (what IN ('recorded', 'carried', 'moved', 'restored', 'flagged', 'removed', 'answered', 'replaced')),
  cause        TEXT NOT NULL,
  old_version  INTEGER,                   -- versions may have been pruned, so these are no foreign keys
  old_start    INTEGER NOT NULL,
  old_end      INTEGER NOT NULL,
  old_evidence TEXT NOT NULL,
  new_version  INTEGER,
  new_start    INTEGER NOT NULL,
  new_end      INTEGER NOT NULL,
  new_evidence TEXT NOT NULL,
  seq          INTEGER NOT NULL,          -- the store's newest activation then
  at           TEXT NOT NULL
) STRICT;
CREATE INDEX support_history_of ON support_history (support_id, what, id);

CREATE TABLE review_reason (              -- why a decision needs, or needed, a review
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  holder_id    INTEGER NOT NULL REFERENCES holder (id),
  support_id   INTEGER NOT NULL REFERENCES support (id),
  cause        TEXT NOT NULL CHECK (cause IN ('source_changed', 'source_removed', 'extraction_changed', 'depends_on')),
  detail       TEXT NOT NULL,             -- for depends_on: what the other one is
  old_version  INTEGER,
  old_start    INTEGER NOT NULL,
  old_end      INTEGER NOT NULL,
  old_evidence TEXT NOT NULL,
  new_version  INTEGER,
  new_start    INTEGER NOT NULL,
  new_end      INTEGER NOT NULL,
  new_evidence TEXT NOT NULL,
  opened_by    TEXT NOT NULL,
  opened_seq   INTEGER NOT NULL,
  opened_at    TEXT NOT NULL,
  closed_by    TEXT NOT NULL,
  closed_seq   INTEGER NOT NULL,
  closed_at    TEXT NOT NULL              -- '' while it is open
) STRICT;
CREATE UNIQUE INDEX review_reason_open ON review_reason (holder_id, support_id, cause) WHERE closed_at = '';
CREATE INDEX review_reason_of ON review_reason (holder_id, id);
CREATE INDEX review_reason_support ON review_reason (support_id);
CREATE INDEX review_reason_old ON review_reason (old_version) WHERE old_version IS NOT NULL;
CREATE INDEX review_reason_new ON review_reason (new_version) WHERE new_version IS NOT NULL;

CREATE TABLE unreadable (                 -- documents that cannot be looked at just now; offline roots are known by their state
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  cause       TEXT NOT NULL CHECK (cause IN ('failed', 'pending', 'missing')),
  at          TEXT NOT NULL,
  PRIMARY KEY (document_id, cause)
) STRICT, WITHOUT ROWID;

CREATE TABLE request (                    -- a retry of a write gets the saved answer
  project    TEXT NOT NULL,
  agent      TEXT NOT NULL,
  tool       TEXT NOT NULL,
  request_id TEXT NOT NULL,
  arguments  BLOB NOT NULL,               -- their SHA-256
  result     BLOB NOT NULL,               -- JSON
  at         TEXT NOT NULL,
  PRIMARY KEY (project, agent, tool, request_id)
) STRICT;

CREATE VIRTUAL TABLE decision_words USING fts5 (choice, conclusion, rationale, content = '', contentless_delete = 1, tokenize = 'porter unicode61');
