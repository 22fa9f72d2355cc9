package ingest_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"docket/ingest"
)

// Cases 59, 126: damage that SQLite's integrity check calls "ok" or cannot see is found, whichever index it is in.
func TestCheckFindsDamageInIndexes(t *testing.T) {
	for _, tt := range []struct{ name, stmt, want string }{
		{"nothing", `SELECT 1`, ""},
		{"a word row is gone", `DELETE FROM word_docsize WHERE id = (SELECT min(id) FROM word_docsize)`, "words"},
		{"postings of words", `UPDATE word_data SET block = zeroblob(length(block)) WHERE id = (SELECT max(id) FROM word_data)`, "words"},
		{"the list of passages", `DELETE FROM passage WHERE chunk_id = (SELECT min(chunk_id) FROM passage)`, "words"},
		{"a current passage counted as old", `INSERT INTO word_history (rowid, title, heading, body) SELECT id, '', '', 'x' FROM word_docsize LIMIT 1`, "words of old versions"},
		{"an old passage is not in history", `DELETE FROM word_history_docsize`, "words of old versions"},
		{"postings of history", `DELETE FROM word_history_data WHERE id > 10`, "file"},
		{"a vector is not where it is listed", `UPDATE vec_g1_rowids SET chunk_offset = chunk_offset + 7`, "vectors"},
		{"a text", `UPDATE text_piece SET data = CAST('X' || substr(data, 2) AS BLOB)`, "version"},
		{"a word of a decision's index", `DELETE FROM decision_words_data`, "file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			w := newWorld(t)
			w.write("a.md", "# Lease\n\nSmall pets are allowed in the house.\n", "b.md", "# Garden\n\nThe fence was painted green.\n")
			w.add("docs")
			w.sync()
			w.write("a.md", "# Lease\n\nNo pets are allowed in the house any more.\n")
			w.sync()
			if err := w.d.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := sql.Open("sqlite", "file:"+w.path)
			if err != nil {
				t.Fatal(err)
			}
			n, err := r.Exec(tt.stmt)
			if err != nil {
				t.Fatal(err)
			}
			if changed, _ := n.RowsAffected(); changed == 0 && tt.name != "nothing" && !strings.HasPrefix(tt.name, "a word of") {
				t.Fatal("the damage was not done")
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			w.open()
			found, err := ingest.Check(ctx, w.d, true)
			if err != nil {
				t.Fatal(err)
			}
			where := fmt.Sprint(found)
			if tt.name != "nothing" && len(found) == 0 || !strings.Contains(where, tt.want) || tt.name == "nothing" && len(found) > 0 {
				t.Errorf("found %v, want something at %q", found, tt.want)
			}
		})
	}
}
