-- The word index. Its rows are passages, by the row id of their chunk; a row is in word as long as its version is current, and in
-- word_history after that: scores must not depend on the past. Both keep no text: the store has it. So there is no 'rebuild'; what
-- is to be indexed anew is deleted and put in again. The tokenizer must be db.Tokenizer, and the words in it are those that
-- package search cuts a text into, which is how Chinese or identifiers are found.

CREATE VIRTUAL TABLE word USING fts5 (
  title,                                  -- of the document
  heading,                                -- headings above the passage, and the header of a table that is cut into pieces
  body,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE word_history USING fts5 (
  title, heading, body,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE word_term USING fts5vocab (word, row);

CREATE TABLE passage (                    -- what the word index knows of a chunk besides its words
  chunk_id    INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
  document_id INTEGER NOT NULL,           -- for scopes
  fold        INTEGER NOT NULL            -- of its text with case and white space folded: equal ones are shown once
) STRICT;

CREATE INDEX ledger_left ON ledger (root_id, state, no_text) WHERE state <> 'indexed'; -- every search counts what could not be read
