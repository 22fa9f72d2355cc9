-- Vectors. Each generation is one model's vectors of all current passages, in a vec0 table of its own that is made when the generation
-- begins: vec_g<id> (chunk_id integer primary key, e int8[width], b bit[width]). A generation that is still being built stands beside
-- the one that answers until it is complete. Nothing in these tables is dropped because of what a program finds when it opens them.

CREATE TABLE vector_generation (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  state      TEXT NOT NULL UNIQUE CHECK (state IN ('serving', 'building')),
  model      TEXT NOT NULL,               -- queries are embedded by it, and by nothing else
  dim        INTEGER NOT NULL,            -- values of a vector
  width      INTEGER NOT NULL,            -- values of a row: dim, filled up with zeros to a multiple of 8
  weight     REAL NOT NULL,               -- what a similarity counts beside a lexical score
  changes    INTEGER NOT NULL,            -- of its rows so far, and the id of the last: who holds a copy notices by them
  change     TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE vector_none (                -- passages in which the model knows no word: they have no row, and none is missing
  generation INTEGER NOT NULL REFERENCES vector_generation (id) ON DELETE CASCADE,
  chunk_id   INTEGER NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
  PRIMARY KEY (generation, chunk_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX vector_none_chunk ON vector_none (chunk_id);

CREATE TABLE vector_history (             -- the rows of passages that are no longer current
  chunk_id INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
  model    TEXT NOT NULL,
  e        BLOB NOT NULL
) STRICT;
