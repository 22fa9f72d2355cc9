//go:build cgo

package vector_test

import (
	"database/sql"
	"testing"

	vec "github.com/asg017/sqlite-vec-go-bindings/cgo" // sqlite-vec 0.1.6 in C
	_ "github.com/mattn/go-sqlite3"

	"docket/search/vector"
)

// inC is the reference build.
type inC struct{ *sql.DB }

func TestSameNeighboursInC(t *testing.T) {
	vec.Auto()
	t.Cleanup(vec.Cancel)
	sameNeighbours(t, func(t *testing.T, path string) engine {
		c, err := sql.Open("sqlite3", "file:"+path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
		return inC{c}
	})
}

func (c inC) knn(t *testing.T, stmt string, v []byte, k int) (out []vector.Match) {
	t.Helper()
	rows, err := c.Query(stmt, v, k)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	for rows.Next() {
		var m vector.Match
		if err := rows.Scan(&m.Chunk, &m.Cosine); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
