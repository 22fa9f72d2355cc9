-- Which holder of a lease may write. Each lock that a process holds on a file beside the store has an epoch here; whoever takes the
-- lock from a process that does not move raises it, and every transaction of the old holder finds out.

CREATE TABLE lease (
  name  TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
