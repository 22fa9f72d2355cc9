-- What everything else rests on: folders, documents, their versions, the pieces of each version, and the ledger of files.
-- Only current versions are searched; a superseded one stays while something leans on it, and for a while besides.

CREATE TABLE root (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  name     TEXT NOT NULL UNIQUE,
  path     TEXT NOT NULL,                 -- absolute, links resolved
  state    TEXT NOT NULL CHECK (state IN ('online', 'offline', 'removed')),
  reason   TEXT NOT NULL DEFAULT '',      -- why it is offline
  device   INTEGER NOT NULL DEFAULT 0,    -- what it stood on when it was last read
  added_at TEXT NOT NULL
) STRICT;

CREATE TABLE document (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  root_id         INTEGER NOT NULL REFERENCES root (id),
  key             TEXT NOT NULL UNIQUE,   -- ROOT/relative/path in the disk's spelling
  key_nfc         TEXT NOT NULL,          -- the same in NFC, for look-ups
  current_version INTEGER REFERENCES version (id), -- NULL once the document is deleted
  moved_to        INTEGER REFERENCES document (id) -- where the same bytes went when the file moved
) STRICT;
CREATE INDEX document_nfc ON document (key_nfc);
CREATE INDEX document_root ON document (root_id);
CREATE INDEX document_moved ON document (moved_to) WHERE moved_to IS NOT NULL;
CREATE INDEX document_current ON document (current_version) WHERE current_version IS NOT NULL;

CREATE TABLE version (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  version_id     TEXT NOT NULL UNIQUE,    -- v_ and 26 characters
  document_id    INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  content_hash   BLOB NOT NULL,           -- SHA-256 of the file's bytes
  text_hash      BLOB NOT NULL,           -- SHA-256 of the extracted text
  kind           TEXT NOT NULL,
  title          TEXT NOT NULL,
  parser         TEXT NOT NULL,
  encoding       TEXT NOT NULL,
  bytes          INTEGER NOT NULL,        -- length of the text
  chars          INTEGER NOT NULL,
  pages          INTEGER NOT NULL,
  no_text        TEXT NOT NULL,           -- JSON list of the pages without text
  notes          TEXT NOT NULL,           -- JSON list of what could not be read in full
  activation_seq INTEGER NOT NULL,        -- its latest activation
  created_at     TEXT NOT NULL,
  UNIQUE (document_id, content_hash, text_hash)
) STRICT;
CREATE INDEX version_content ON version (content_hash);

CREATE TABLE text_piece (                 -- a version's text, in pieces of 64 KiB
  version_id INTEGER NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  ord        INTEGER NOT NULL,
  data       BLOB NOT NULL,
  PRIMARY KEY (version_id, ord)
) STRICT;

CREATE TABLE section (
  version_id INTEGER NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  ord        INTEGER NOT NULL,            -- 0 is the document itself
  parent     INTEGER NOT NULL,            -- -1 for the document
  level      INTEGER NOT NULL,
  path       TEXT NOT NULL,               -- JSON list of headings, outermost first
  symbol     TEXT NOT NULL,
  start      INTEGER NOT NULL,            -- bytes in the text
  end        INTEGER NOT NULL,
  PRIMARY KEY (version_id, ord)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunk (
  id           INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: word and vector rows hang on it
  evidence     TEXT NOT NULL UNIQUE,      -- the 26 characters after c_
  version_id   INTEGER NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  ord          INTEGER NOT NULL,          -- reading order
  section      INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  part         INTEGER NOT NULL,          -- 1 for a piece of a block that was too long
  page         INTEGER NOT NULL,
  start        INTEGER NOT NULL,          -- bytes in the text
  end          INTEGER NOT NULL,
  char_start   INTEGER NOT NULL,
  char_end     INTEGER NOT NULL,
  line_start   INTEGER NOT NULL,
  line_end     INTEGER NOT NULL,
  header_start INTEGER NOT NULL,          -- a table piece's header row, both 0 without
  header_end   INTEGER NOT NULL,
  spans        BLOB NOT NULL,             -- kind, gap and length of each, as bytes and varints
  hash         BLOB NOT NULL,             -- SHA-256 of the passage, for doctor
  UNIQUE (version_id, ord)
) STRICT;

CREATE TABLE activation (                 -- the change log: readers follow it
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id INTEGER NOT NULL,
  version_id  INTEGER,                    -- NULL for a removal
  at          TEXT NOT NULL
) STRICT;
CREATE INDEX activation_document ON activation (document_id, seq);

CREATE TABLE ledger (
  root_id  INTEGER NOT NULL REFERENCES root (id) ON DELETE CASCADE,
  path     TEXT NOT NULL,                 -- relative, forward slashes, the disk's bytes
  state    TEXT NOT NULL CHECK (state IN ('indexed', 'partly', 'no_text', 'skipped', 'failed', 'pending')),
  reason   TEXT NOT NULL,
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode    INTEGER NOT NULL,
  device   INTEGER NOT NULL,
  racy     INTEGER NOT NULL,              -- 1: changed so shortly before it was read that it must be read again
  hash     BLOB,                          -- SHA-256 of the bytes that were read
  parser   TEXT NOT NULL,
  parts    INTEGER NOT NULL,              -- pages
  no_text  INTEGER NOT NULL,              -- pages without text
  at       TEXT NOT NULL,                 -- when this row last changed
  PRIMARY KEY (root_id, path)
) STRICT, WITHOUT ROWID;
