package cli

// This file defines "docket bench retrieval".

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"docket/db"
	"docket/ingest"
	"docket/search"
)

var benchRetrievalCommand = &command{
	name: "bench retrieval", args: "DIR", short: "measure how well search finds what is known to be relevant",
	long: `Measures each collection in DIR, or DIR itself: a folder with corpus.jsonl (_id, title, text), queries.jsonl (_id, text) and
qrels.tsv (query, document, grade). Its documents become files of a temporary folder, which are indexed and searched as any others.
A document's rank is that of its best passage.

Shown are, for each mode of search, the means over the queries that have a relevant document: nDCG of the first ten documents, recall of
the first hundred, and the reciprocal rank of the first relevant one.`,
	examples: []string{"docket bench retrieval ir --json"},
	min:      1, max: 1,
	setup: func(*flag.FlagSet) runner {
		return func(ctx context.Context, c *call, args []string) error {
			dirs, err := collectionsIn(args[0])
			if err != nil {
				return err
			}
			report := retrievalReport{Collections: map[string]modeScores{}}
			for i, dir := range dirs {
				name := filepath.Base(dir)
				scores, err := c.benchRetrieval(ctx, dir)
				if err != nil {
					return fmt.Errorf("collection %s: %w", name, err)
				}
				report.Collections[name] = scores
				if !c.json {
					if i == 0 {
						p(c.out, "%-20s %-9s %8s %11s %8s\n", "collection", "mode", "nDCG@10", "recall@100", "MRR")
					}
					for _, mode := range searchModes {
						s := scores[mode]
						p(c.out, "%-20s %-9s %8.4f %11.4f %8.4f\n", visible(name), mode, s.NDCG10, s.Recall100, s.MRR)
					}
				}
			}
			if c.json {
				return c.writeJSON(report)
			}
			return nil
		}
	},
}

var searchModes = []string{search.Lexical, search.Semantic, search.Hybrid}

// A retrievalReport is what bench retrieval measured. JSON sorts the names.
type retrievalReport struct {
	Collections map[string]modeScores `json:"collections"`
}

type modeScores map[string]*retrievalScore // by mode

// A retrievalScore is the mean over the queries of a collection.
type retrievalScore struct {
	NDCG10    float64 `json:"ndcg10"`
	Recall100 float64 `json:"recall100"`
	MRR       float64 `json:"mrr"`
}

// A collection is documents, queries, and which of the documents are relevant to each, by grade.
type collection struct {
	documents, queries []entry
	grades             map[string]map[string]int
}

// An entry is a document or a query.
type entry struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

const corpusFile = "corpus.jsonl"

// collectionsIn returns the folders with a collection: those in dir, or dir itself.
func collectionsIn(dir string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(dir, corpusFile)); err == nil {
		abs, err := filepath.Abs(dir)
		return []string{abs}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("bench retrieval: %w", err)
	}
	var out []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), corpusFile)); err == nil {
			out = append(out, filepath.Join(dir, e.Name()))
		} else if !errors.Is(err, fs.ErrNotExist) && e.IsDir() {
			return nil, fmt.Errorf("bench retrieval: %w", err)
		}
	}
	if len(out) == 0 {
		return nil, &hintedError{fmt.Errorf("bench retrieval: no collection in %s", dir), "name a folder with " + corpusFile + ", or one of such folders"}
	}
	return out, nil
}

func readCollection(dir string) (col collection, err error) {
	if col.documents, err = readEntries(filepath.Join(dir, corpusFile)); err != nil {
		return col, err
	}
	if col.queries, err = readEntries(filepath.Join(dir, "queries.jsonl")); err != nil {
		return col, err
	}
	b, err := os.ReadFile(filepath.Join(dir, "qrels.tsv"))
	if err != nil {
		return col, err
	}
	col.grades = map[string]map[string]int{}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) == 1 && f[0] == "" {
			continue
		}
		if len(f) != 3 {
			return col, fmt.Errorf("qrels.tsv: %q: want query, document and grade", line)
		}
		grade, err := strconv.Atoi(f[2])
		if err != nil {
			return col, fmt.Errorf("qrels.tsv: %q: %w", line, err)
		}
		if col.grades[f[0]] == nil {
			col.grades[f[0]] = map[string]int{}
		}
		col.grades[f[0]][f[1]] = grade
	}
	return col, nil
}

func readEntries(path string) (out []entry, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	for {
		var e entry
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s, entry %d: %w", filepath.Base(path), len(out)+1, err)
		}
		out = append(out, e)
	}
}

// benchRetrieval indexes one collection in a store of its own and asks its queries.
func (c *call) benchRetrieval(ctx context.Context, dir string) (_ modeScores, err error) {
	col, err := readCollection(dir)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "docket-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	folder := filepath.Join(tmp, "docs")
	ids, err := col.write(folder)
	if err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, filepath.Join(tmp, "docket.db"), db.Options{Create: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	root, err := ingest.AddRoot(ctx, d, folder, "docs")
	if err != nil {
		return nil, err
	}
	if _, err := c.sync(ctx, d, ingest.SyncRequest{Roots: []string{root.Name}}); err != nil {
		return nil, err
	}
	out := modeScores{}
	for _, mode := range searchModes {
		out[mode] = &retrievalScore{}
		asked := 0.0
		for _, q := range col.queries {
			relevant := relevantOf(col.grades[q.ID])
			if len(relevant) == 0 {
				continue
			}
			found, err := documentsFound(ctx, d, q.Text, mode)
			if err != nil {
				return nil, err
			}
			for i, key := range found {
				found[i] = ids[key]
			}
			out[mode].add(col.grades[q.ID], relevant, found)
			asked++
		}
		if asked == 0 {
			return nil, errors.New("no query has a relevant document")
		}
		out[mode].NDCG10, out[mode].Recall100, out[mode].MRR = out[mode].NDCG10/asked, out[mode].Recall100/asked, out[mode].MRR/asked
	}
	return out, nil
}

// write makes a file of each document, and returns the documents' ids by their keys.
func (col *collection) write(folder string) (ids map[string]string, err error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	ids = map[string]string{}
	for i, e := range col.documents {
		name, text := fmt.Sprintf("%07d.txt", i), e.Text
		if title := strings.Join(strings.Fields(e.Title), " "); title != "" {
			name, text = fmt.Sprintf("%07d.md", i), "# "+title+"\n\n"+e.Text
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text+"\n"), 0o600); err != nil {
			return nil, err
		}
		ids["docs/"+name] = e.ID
	}
	return ids, nil
}

// benchDepth is how many documents are looked at.
const benchDepth = 100

// documentsFound returns the keys of the first documents, by their best passages.
func documentsFound(ctx context.Context, d *db.DB, query, mode string) (keys []string, err error) {
	for limit := benchDepth; ; limit *= 4 {
		r, err := search.Evidence(ctx, d, search.Query{Text: query, Mode: mode, Limit: limit, SnippetChars: 1})
		if err != nil {
			return nil, err
		}
		keys = keys[:0]
		for _, h := range r.Hits {
			if len(keys) < benchDepth && !slices.Contains(keys, h.DocumentKey) {
				keys = append(keys, h.DocumentKey)
			}
		}
		if len(keys) == benchDepth || !r.Truncated {
			return keys, nil
		}
	}
}

// relevantOf returns the grades above 0, the best first.
func relevantOf(grades map[string]int) (out []int) {
	for _, g := range grades {
		if g > 0 {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return b - a })
	return out
}

// add adds what one query scored. relevant holds the grades of all that is relevant to it, the best first.
func (s *retrievalScore) add(grades map[string]int, relevant []int, found []string) {
	gain := func(i, grade int) float64 { return float64(grade) / math.Log2(float64(i+2)) }
	var got, best, hits float64
	for i, g := range relevant[:min(10, len(relevant))] {
		best += gain(i, g)
	}
	for i, id := range found {
		g := grades[id]
		if g <= 0 {
			continue
		}
		if i < 10 {
			got += gain(i, g)
		}
		if hits++; hits == 1 {
			s.MRR += 1 / float64(i+1)
		}
	}
	s.NDCG10 += got / best
	s.Recall100 += hits / float64(len(relevant))
}
