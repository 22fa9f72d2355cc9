package ingest

// This file defines how a folder becomes a root, and how it stops being one.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"docket/db"
	"docket/trace"
)

// A RootError is returned for a folder or a name that cannot become a root.
type RootError struct {
	Path    string // the folder, or the root's name where there is no folder
	Problem string
	Advice  string
}

func (e *RootError) Error() string { return e.Path + ": " + e.Problem }

// Hint says what to do next.
func (e *RootError) Hint() string { return e.Advice }

// AddRoot makes the folder at path a root. Without a name it takes the folder's own, made safe and unique. A folder that is a root
// already is returned as it is; a name that was removed before comes back, and its documents with the next [Sync]. The
// error is a [RootError] where the folder cannot be read, stands inside a root or around one, or the name is another folder's.
func AddRoot(ctx context.Context, d *db.DB, path, name string) (db.Root, error) {
	given := path
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return db.Root{}, &RootError{given, "cannot be read: " + reason(err), "name a folder that exists"}
	}
	fi, err := readable(path)
	if err != nil {
		return db.Root{}, &RootError{given, "cannot be read: " + reason(err), "name a folder that you can list"}
	}
	if !utf8.ValidString(path) {
		return db.Root{}, &RootError{strconv.Quote(given), "its path is not UTF-8", "rename the folder"}
	}
	if name != "" {
		if name = norm.NFC.String(name); name != safeName(name) {
			return db.Root{}, &RootError{strconv.Quote(name), "this cannot be a name", "use letters, digits, spaces, - and _, and at most 100 bytes"}
		}
	}
	r := db.Root{Name: name, Path: path, State: db.RootOnline, Device: statOf(fi).device}
	err = d.Update(ctx, func(tx *db.Tx) error { return addRoot(ctx, tx, &r, fi) })
	return r, err
}

// readable returns the stat of a folder that can be listed.
func readable(path string) (os.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return nil, errors.New("it is not a folder")
	}
	if _, err := f.ReadDir(1); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return fi, nil
}

func addRoot(ctx context.Context, tx *db.Tx, r *db.Root, fi os.FileInfo) error {
	roots, err := tx.Roots(ctx)
	if err != nil {
		return err
	}
	for _, old := range roots {
		switch {
		case old.Path == r.Path || isSame(old.Path, fi):
			if r.Name != "" && r.Name != old.Name {
				return &RootError{r.Path, "this folder was already added, as " + old.Name, "remove it first to give it another name"}
			}
			*r = old
			return nil
		case within(old.Path, r.Path):
			return &RootError{r.Path, "it stands inside " + old.Path + ", which was added as " + old.Name, "its files are indexed already"}
		case within(r.Path, old.Path):
			return &RootError{r.Path, "the folder " + old.Path + " inside it was added as " + old.Name, "run `docket remove " + old.Name + "` first"}
		}
	}
	taken := func(name string) (bool, error) {
		old, err := tx.Root(ctx, name)
		if errors.Is(err, db.ErrNotFound) {
			return false, nil
		}
		return err == nil && old.State != db.RootRemoved, err
	}
	if r.Name != "" {
		used, err := taken(r.Name)
		if err != nil {
			return err
		}
		if used {
			return &RootError{r.Path, "the name " + r.Name + " is another folder's", "give another with --name"}
		}
		return tx.PutRoot(ctx, r)
	}
	base := safeName(norm.NFC.String(filepath.Base(r.Path)))
	r.Name = base
	for n := 2; ; n++ {
		used, err := taken(r.Name)
		if err != nil {
			return err
		}
		if !used {
			return tx.PutRoot(ctx, r)
		}
		r.Name = fmt.Sprintf("%s-%d", base, n)
	}
}

// safeName replaces what would make a key or a scope pattern ambiguous.
func safeName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || !unicode.IsPrint(r) || r == utf8.RuneError || strings.ContainsRune(`/\,*?[]:"<>|`, r) {
			return '-'
		}
		return r
	}, s)
	for len(s) > 100 {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	if s = strings.Trim(s, " ."); s == "" || strings.Trim(s, "-") == "" {
		return "root"
	}
	return s
}

// within reports whether path lies below folder, whatever its spelling: by name, or because one of its parents is that very folder.
func within(folder, path string) bool {
	if rel, err := filepath.Rel(folder, path); err == nil && rel != "." && filepath.IsLocal(rel) {
		return true
	}
	fi, err := os.Stat(folder)
	if err != nil {
		return false
	}
	for up := filepath.Dir(path); ; up = filepath.Dir(up) {
		if isSame(up, fi) {
			return true
		}
		if up == filepath.Dir(up) {
			return false
		}
	}
}

func isSame(path string, fi os.FileInfo) bool {
	other, err := os.Stat(path)
	return err == nil && os.SameFile(other, fi)
}

// RemoveRoot takes a root out: its documents become deleted, and leave every answer. Their text stays, for decisions that rest on it,
// until [Prune]. It returns how many documents that were. A later [AddRoot] of the same name brings them back.
func RemoveRoot(ctx context.Context, d *db.DB, name string) (int, error) {
	l, err := acquire(ctx, d, nil, nil)
	if err != nil {
		return 0, err
	}
	n, err := removeRoot(ctx, d, l, norm.NFC.String(name))
	return n, errors.Join(err, l.Release())
}

func removeRoot(ctx context.Context, d *db.DB, l *lock, name string) (n int, err error) {
	var r db.Root
	var docs []db.Document
	err = d.View(ctx, func(tx *db.Tx) (err error) {
		if r, err = tx.Root(ctx, name); err == nil {
			docs, err = tx.Documents(ctx, r.ID)
		}
		return err
	})
	if errors.Is(err, db.ErrNotFound) || err == nil && r.State == db.RootRemoved {
		return 0, &RootError{name, "there is no folder of that name", "`docket status` lists them"}
	}
	if err != nil {
		return 0, err
	}
	// Whole documents go, a few at a time, so that others can write in between; the root itself goes with the last.
	for len(docs) > 0 {
		batch := docs[:min(len(docs), batchDocuments)]
		docs = docs[len(batch):]
		err := l.update(ctx, func(tx *db.Tx) error {
			if err := removeDocuments(ctx, tx, batch); err != nil {
				return err
			}
			for _, doc := range batch {
				if err := tx.DeleteFile(ctx, r.ID, strings.TrimPrefix(doc.Key, r.Name+"/")); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		n += len(batch)
	}
	return n, l.update(ctx, func(tx *db.Tx) error {
		files, err := tx.Files(ctx, r.ID)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := tx.DeleteFile(ctx, r.ID, f.Path); err != nil {
				return err
			}
		}
		if err := tx.SetRootState(ctx, r.ID, db.RootRemoved, "", r.Device); err != nil {
			return err
		}
		return trace.RootChanged(ctx, tx, r.ID)
	})
}
