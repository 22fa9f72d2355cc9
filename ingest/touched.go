package ingest

// This file defines the partial sync: of a root, only the paths that something happened to are looked at.

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"docket/db"
	"docket/trace"
)

// A scope is the part of a root that a partial sync looks at: some paths, each with all below it. A nil one is the whole root.
type scope struct {
	paths []string // sorted, and none below another
	set   map[string]bool
}

// newScope returns the scope of the paths that were touched, or nil where one of them concerns the whole root. A file that has a say
// over its folder stands for the folder.
func newScope(touched []string) *scope {
	s := &scope{set: map[string]bool{}}
	for _, path := range touched {
		path = strings.Trim(path, "/")
		for {
			dir, name := split(path)
			if !rules(dir, name) && utf8.ValidString(path) {
				break
			}
			path = strings.TrimSuffix(dir, "/")
		}
		if path == "" {
			return nil
		}
		s.set[path] = true
	}
	for path := range s.set {
		if dir, _ := split(path); dir == "" || !s.holds(strings.TrimSuffix(dir, "/")) {
			s.paths = append(s.paths, path)
		}
	}
	slices.Sort(s.paths)
	return s
}

// rules reports whether what is in the folder beside it may count or not for a file of this name.
func rules(dir, name string) bool {
	if name == "" {
		return false
	}
	one := func(n string) bool { return n == name }
	return slices.Contains(ignoreFiles, name) || name == cacheTag || denyMarked(strings.TrimSuffix(dir, "/"), one) != ""
}

// holds reports whether a path is in the scope.
func (s *scope) holds(path string) bool {
	if s == nil {
		return true
	}
	for path = strings.TrimSuffix(path, "/"); path != ""; {
		if s.set[path] {
			return true
		}
		dir, _ := split(path)
		path = strings.TrimSuffix(dir, "/")
	}
	return false
}

// leadsTo reports whether something below a folder is in the scope.
func (s *scope) leadsTo(dir string) bool {
	i, _ := slices.BinarySearch(s.paths, dir+"/")
	return i < len(s.paths) && strings.HasPrefix(s.paths[i], dir+"/")
}

// loadScope reads what the store knows of the scope. whole is true where that is not enough: what was left out with its folder, or is
// one folder with another, can only be judged with all that is around it.
func (s *rootSync) loadScope(ctx context.Context, tx *db.Tx) (files []db.FileRow, docs []db.Document, whole bool, err error) {
	asked := map[string]bool{}
	for _, path := range s.scope.paths {
		for dir, _ := split(path); dir != "" && !asked[dir]; dir, _ = split(strings.TrimSuffix(dir, "/")) {
			asked[dir] = true
			if _, err := tx.File(ctx, s.root.ID, dir); err == nil {
				return nil, nil, true, nil
			} else if !errors.Is(err, db.ErrNotFound) {
				return nil, nil, false, err
			}
		}
		f, err := tx.FilesAt(ctx, s.root.ID, path)
		if err != nil {
			return nil, nil, false, err
		}
		if slices.ContainsFunc(f, func(f db.FileRow) bool { return strings.HasPrefix(f.Reason, reasonTwice) }) {
			return nil, nil, true, nil
		}
		d, err := tx.DocumentsAt(ctx, s.root.Name+"/"+path)
		if err != nil {
			return nil, nil, false, err
		}
		files, docs = append(files, f...), append(docs, d...)
	}
	s.total, err = tx.CountDocuments(ctx, s.root.ID)
	return files, docs, false, err
}

// planAbsent notes the documents outside the scope that have been missing for some time, and still are: their bytes may turn up in it,
// and their grace period may be over.
func (s *rootSync) planAbsent(t *tree, l listing) {
	for _, a := range s.missing {
		path := s.path(a.Document.Key)
		if _, planned := s.docs[path]; !planned && s.absent(t, l, path) {
			s.gone = append(s.gone, goneDocument{doc: a.Document, path: path})
		}
	}
}

// since returns when a document was first found missing.
func (s *rootSync) since(doc db.Document) (a trace.Absence, ok bool) {
	i, ok := slices.BinarySearchFunc(s.missing, doc.Key, func(a trace.Absence, key string) int { return strings.Compare(a.Document.Key, key) })
	if ok {
		a = s.missing[i]
	}
	return a, ok
}
