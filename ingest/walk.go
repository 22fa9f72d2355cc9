package ingest

// This file defines the walk: everything a root holds, and for all that is not to be read the reason.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"docket/db"
)

const (
	maxDepth       = 200
	maxIgnoreBytes = 1 << 20
	reasonStore    = "the store itself"
	reasonTwice    = "the same folder as "
)

// A leftError is why a file or a folder is not read.
type leftError struct {
	state, reason string
	policy        bool   // on purpose: a document that once stood there goes. Else it stays as it was until it can be read again
	parser        string // that was at it
}

func (e *leftError) Error() string { return e.reason }

// A found file is to be read, or is known already.
type found struct {
	path string
	stat stat
}

// A left thing is not read. A folder's path ends in a slash, and stands for everything below it.
type left struct {
	path string
	leftError
}

// A listing is what a walk saw, in the order of names within each folder.
type listing struct {
	files []found
	left  []left
}

// walker walks one root. Every folder is opened from its parent, so that nothing is reached through a link.
type walker struct {
	t       *tree
	out     listing
	visited map[[2]int64]string // folders by device and inode: mounts can show one twice, or inside itself
	scope   *scope              // what is looked at; folders on the way to it are passed through
	visit   func(dir string)
	seen    func(files int)
}

// walk lists the scope, and calls visit with each folder before it is listed. Its error means that the root itself could not be listed; a folder below that could not is a row.
func (t *tree) walk(ctx context.Context, in *scope, visit func(dir string), seen func(files int)) (listing, error) {
	w := &walker{t: t, visited: map[[2]int64]string{}, scope: in, visit: visit, seen: seen}
	err := w.folder(ctx, t.root, "", nil, false)
	return w.out, err
}

// folder lists one folder. dir is its path with a slash at the end, rules are those that hold in it, outermost first.
func (w *walker) folder(ctx context.Context, at *os.Root, dir string, rules []ignoreRules, agent bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.visit(dir)
	names, err := list(at)
	if err != nil {
		return err
	}
	has := func(name string) bool { _, ok := slices.BinarySearch(names, name); return ok }
	if dir != "" {
		why := denyMarked(strings.TrimSuffix(dir, "/"), has)
		if why == "" && has(cacheTag) {
			if b, err := w.small(at, cacheTag, 4096); err == nil && strings.HasPrefix(string(b), cacheSignature) {
				why = reasonCache
			}
		}
		if why != "" && (firm(why) || !readmitted(rules, dir)) {
			w.leave(dir, db.FileSkipped, why, true)
			return nil
		}
	}
	for _, name := range ignoreFiles {
		if !has(name) {
			continue
		}
		b, err := w.small(at, name, maxIgnoreBytes)
		_, odd := errors.AsType[*leftError](err) // a link, a folder: git does not read it either
		if odd || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil { // what it would leave out must not be read by mistake
			return &leftError{reason: name + " cannot be read: " + reason(err)}
		}
		rules = append(slices.Clip(rules), parseIgnore(name, dir, b))
	}
	for _, name := range names {
		if err := w.entry(ctx, at, dir, name, rules, agent); err != nil {
			return err
		}
	}
	return nil
}

// list returns the names in a folder, sorted.
func list(at *os.Root) ([]string, error) {
	f, err := at.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

// small reads a file of the walk's own interest.
func (w *walker) small(at *os.Root, name string, limit int64) ([]byte, error) {
	f, fi, err := w.t.openFile(at, name)
	if err != nil {
		return nil, err
	}
	if fi.Size() > limit {
		return nil, errors.Join(fmt.Errorf("it is larger than %d bytes", limit), f.Close())
	}
	b := make([]byte, fi.Size())
	n, err := readFull(f, b)
	return b[:n], errors.Join(err, f.Close())
}

func (w *walker) leave(path, state, why string, policy bool) {
	w.out.left = append(w.out.left, left{path, leftError{state: state, reason: why, policy: policy}})
}

// entry deals with one name in a folder. Only the end of the context is an error.
func (w *walker) entry(ctx context.Context, at *os.Root, dir, name string, rules []ignoreRules, agent bool) error {
	path := dir + name
	inside := w.scope.holds(path)
	if !inside && !w.scope.leadsTo(path) {
		return nil
	}
	if !utf8.ValidString(name) {
		// The ledger's texts are UTF-8, so the row shows the name with its bytes escaped.
		w.leave(dir+strings.Trim(strconv.Quote(name), `"`), db.FileSkipped, "its name is not UTF-8", true)
		return nil
	}
	fi, err := at.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // gone since the folder was listed
		return nil
	case err != nil:
		w.leave(path, db.FileFailed, reason(err), false)
		return nil
	case fi.IsDir():
		return w.descend(ctx, at, dir, fi, rules, agent)
	case !inside: // nothing of the scope can be below a file
		return nil
	case w.t.own(fi):
		w.leave(path, db.FileSkipped, reasonStore, true)
		return nil
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		w.leave(path, db.FileSkipped, w.link(path), true)
		return nil
	}
	if why := unreadableKind(fi.Mode()); why != "" {
		w.leave(path, db.FileSkipped, why, true)
		return nil
	}
	if why := leftOut(rules, path, name, false, denyFile(name, agent)); why != "" {
		w.leave(path, db.FileSkipped, why, true)
		return nil
	}
	w.out.files = append(w.out.files, found{path, statOf(fi)})
	w.seen(len(w.out.files))
	return nil
}

// link tells where a link points; it is followed in no case.
func (w *walker) link(path string) string {
	_, err := w.t.root.Stat(path)
	switch {
	case err == nil:
		return "link: what it points to is in the folder itself"
	case errors.Is(err, fs.ErrNotExist):
		return "link: it points to nothing"
	}
	return "link: it leaves the folder"
}

func (w *walker) descend(ctx context.Context, at *os.Root, dir string, fi os.FileInfo, rules []ignoreRules, agent bool) error {
	name := fi.Name()
	path := dir + name + "/"
	if why := leftOut(rules, dir+name, name, true, denyFolder(name)); why != "" {
		w.leave(path, db.FileSkipped, why, true)
		return nil
	}
	if strings.Count(path, "/") > maxDepth {
		w.leave(path, db.FileSkipped, fmt.Sprintf("deeper than %d folders", maxDepth), false)
		return nil
	}
	if s := statOf(fi); s.inode != 0 {
		id := [2]int64{s.device, s.inode}
		if first, twice := w.visited[id]; twice {
			w.leave(path, db.FileSkipped, reasonTwice+first, true)
			return nil
		}
		w.visited[id] = path
	}
	sub, err := openFolder(at, name)
	if err == nil {
		before := len(w.out.files)
		kept := len(w.out.left)
		err = w.folder(ctx, sub, path, rules, agent || agentFolders[strings.ToLower(name)])
		_ = sub.Close() // it was only read
		if err != nil && ctx.Err() == nil {
			w.out.files, w.out.left = w.out.files[:before], w.out.left[:kept]
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		w.leave(path, db.FileFailed, "the folder cannot be read: "+reason(err), false)
	}
	return nil
}

// leftOut returns why a path is left out, by the ignore files (innermost first) or by default, or "".
func leftOut(rules []ignoreRules, path, name string, folder bool, denied string) string {
	if denied != "" && firm(denied) {
		return denied
	}
	for i := len(rules) - 1; i >= 0; i-- {
		r, ok := rules[i].match(path, name, folder)
		if !ok {
			continue
		}
		if !r.negated {
			return "ignored by " + rules[i].base + rules[i].file
		}
		if rules[i].file == ".docketignore" {
			return ""
		}
		break
	}
	return denied
}

// readmitted reports whether a .docketignore takes a folder back that is left out by default.
func readmitted(rules []ignoreRules, dir string) bool {
	path := strings.TrimSuffix(dir, "/")
	_, name := split(path)
	return leftOut(rules, path, name, true, reasonHidden) == ""
}
