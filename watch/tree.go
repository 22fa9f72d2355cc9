package watch

// This file defines the watches on one root: fsnotify has no recursion, so every folder that is indexed gets one of its own.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// A tree watches the folders that it is told of, and tells what may have changed in them. Its events are hints: a path that is named
// may be unchanged, and only a scan finds what the system does not report (memory-mapped writes, other names of a file, other hosts).
type tree struct {
	root    string
	limit   int // of watches, 0 for what the system allows
	own     map[string]bool
	notify  *fsnotify.Watcher
	changed func(rel string, left bool)
	lost    func(error)

	mu       sync.Mutex
	children map[string]map[string]bool // watched folders, each with its watched subfolders
	unseen   map[string]bool            // folders without a watch
	why      error                      // the reason of the last of them

	over sync.WaitGroup
}

// errLimit is what a tree gets that may not have more watches, by its own limit.
var errLimit = errors.New("the limit of watches is reached")

// newTree returns a tree that watches nothing yet. Every changed path, relative with forward slashes and "" for the root, is handed to
// changed, with whether what had it left; lost is called when events may have been lost, and everything must be looked at. Both are called on goroutines of the
// tree's own, until it is closed. Nothing that happens to the files named in own is told.
func newTree(root string, limit int, own []string, changed func(rel string, left bool), lost func(error)) (*tree, error) {
	w, err := fsnotify.NewBufferedWatcher(4096)
	if err != nil {
		return nil, explain(err)
	}
	t := &tree{
		root: root, limit: limit, own: map[string]bool{}, notify: w, changed: changed, lost: lost,
		children: map[string]map[string]bool{}, unseen: map[string]bool{},
	}
	for _, path := range own {
		t.own[path] = true
	}
	// Errors are drained apart: one goroutine that drains both and changes watches can deadlock with fsnotify.
	t.over.Go(func() {
		for err := range w.Errors {
			lost(err)
		}
	})
	t.over.Go(t.run)
	return t, nil
}

// Close ends the watch; nothing is told after it.
func (t *tree) Close() error {
	err := t.notify.Close()
	t.over.Wait()
	return err
}

// blind returns how many folders are not watched, and why.
func (t *tree) blind() (folders int, why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.unseen) == 0 {
		return 0, nil
	}
	return len(t.unseen), t.why
}

// watched returns how many folders are.
func (t *tree) watched() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.children)
}

func (t *tree) run() {
	for e := range t.notify.Events {
		if t.own[e.Name] {
			continue
		}
		rel, err := filepath.Rel(t.root, e.Name)
		if err != nil {
			continue
		}
		if rel = filepath.ToSlash(rel); rel == "." {
			rel = ""
		}
		if e.Op == fsnotify.Write && t.has(rel) {
			continue // Windows says so of a folder when something in it changed, which is told by itself
		}
		if e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
			t.drop(rel) // watches below a moved folder would go on to report the old name
		}
		t.changed(rel, e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename))
	}
}

func (t *tree) has(rel string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.children[rel]
	return ok
}

// add watches a folder, if it is not watched yet. It is called before the folder is listed, so that nothing that comes in between is
// missed. A folder that can't be watched is noted; one that is gone again is not.
func (t *tree) add(rel string) {
	if t.has(rel) {
		return
	}
	full := filepath.Join(t.root, filepath.FromSlash(rel))
	err := errLimit
	if t.limit == 0 || t.watched() < t.limit {
		err = t.notify.Add(full)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err == nil:
		delete(t.unseen, rel)
		t.link(rel)
	case !errors.Is(err, fs.ErrNotExist):
		t.unseen[rel], t.why = true, explain(err)
	}
}

// keep ends the watches on all folders that a whole look did not come by.
func (t *tree) keep(visited map[string]bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for rel := range t.children {
		if !visited[rel] {
			t.dropAll(rel)
		}
	}
	for rel := range t.unseen {
		if !visited[rel] {
			delete(t.unseen, rel)
		}
	}
}

func (t *tree) link(rel string) {
	if t.children[rel] == nil {
		t.children[rel] = map[string]bool{}
	}
	if rel == "" {
		return
	}
	parent := rel[:max(0, strings.LastIndexByte(rel, '/'))]
	if t.children[parent] != nil {
		t.children[parent][rel] = true
	}
}

// drop forgets a folder that left or is new, and ends all watches below it.
func (t *tree) drop(rel string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if rel != "" {
		t.dropAll(rel)
	}
}

func (t *tree) dropAll(rel string) {
	below, ok := t.children[rel]
	if !ok {
		return
	}
	for child := range below {
		t.dropAll(child)
	}
	delete(t.children, rel)
	if parent, ok := t.children[rel[:max(0, strings.LastIndexByte(rel, '/'))]]; ok {
		delete(parent, rel)
	}
	_ = t.notify.Remove(filepath.Join(t.root, filepath.FromSlash(rel))) // the system has often removed it already
}

// explain names the limit that was hit: the system's own words speak of disk space and open files.
func explain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("no inotify watch is left%s", limit("max_user_watches"))
	case errors.Is(err, syscall.EMFILE):
		return fmt.Errorf("no inotify instance is left%s", limit("max_user_instances"))
	}
	return err
}

func limit(name string) string {
	b, err := os.ReadFile("/proc/sys/fs/inotify/" + name)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (fs.inotify.%s is %s; raise it with sysctl)", name, strings.TrimSpace(string(b)))
}
