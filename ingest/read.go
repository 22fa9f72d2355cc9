package ingest

// This file defines how a file is read: beneath its root, never through a link, and only as a whole.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"docket/db"
)

const (
	maxFileBytes = 64 << 20
	sniffOver    = 256 << 10 // a file larger than this is first looked at, in case it is one of a kind that is not read
	sniffBytes   = 64 << 10
	// racyWindow is how long after a change a file may change again without its stat saying so, on the coarsest clock of a file system.
	racyWindow = 2 * time.Second
	readTries  = 3
)

// errMoving is returned for a file that never held still while it was read.
var errMoving = errors.New("it kept changing while it was read")

// A stat is what tells that a file has not changed. Where the system gives no inode or time of change they are 0, as they were.
type stat struct{ size, mtimeNS, ctimeNS, inode, device int64 }

func plainStat(fi os.FileInfo) stat { return stat{size: fi.Size(), mtimeNS: fi.ModTime().UnixNano()} }

func rowStat(f db.FileRow) stat { return stat{f.Size, f.MtimeNS, f.CtimeNS, f.Inode, f.Device} }

func (s stat) setRow(f *db.FileRow) {
	f.Size, f.MtimeNS, f.CtimeNS, f.Inode, f.Device = s.size, s.mtimeNS, s.ctimeNS, s.inode, s.device
}

// A tree opens files beneath one root. Folders on the way to the last file stay open, so that files of one folder cost one open each.
type tree struct {
	root *os.Root
	own  func(os.FileInfo) bool // the store's own files

	sniff func(name string, head []byte) error // why a file that begins so is not read, or nil

	names []string // of the open folders
	open  []*os.Root
}

func openTree(d *db.DB, path string, sniff func(name string, head []byte) error) (*tree, error) {
	// The folder was added under its real path. Where a link has come into that path, as a checkout can put one there, it leads to
	// what nobody added. Case does not count, as some systems give it as it was typed.
	if real, err := filepath.EvalSymlinks(path); err != nil {
		return nil, err
	} else if !strings.EqualFold(real, path) {
		return nil, fmt.Errorf("a link stands in its place, to %s", real)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &tree{root: root, own: ownFiles(d), sniff: sniff}, nil
}

// ownFiles returns a test for the store's files. Only names like the store's are looked at twice: asking of every file would cost more than reading it.
func ownFiles(d *db.DB) func(os.FileInfo) bool {
	bases := []string{filepath.Base(d.Path())}
	if real, err := filepath.EvalSymlinks(d.Path()); err == nil {
		bases = append(bases, filepath.Base(real))
	}
	self, err := os.Stat(d.Path())
	return func(fi os.FileInfo) bool {
		if err == nil && os.SameFile(self, fi) {
			return true
		}
		return slices.ContainsFunc(bases, func(b string) bool { return strings.HasPrefix(fi.Name(), b) }) && d.IsFile(fi)
	}
}

func (t *tree) close() {
	t.closeFrom(0)
	_ = t.root.Close()
}

func (t *tree) closeFrom(n int) {
	for _, r := range slices.Backward(t.open[n:]) {
		_ = r.Close()
	}
	t.names, t.open = t.names[:n], t.open[:n]
}

// folder returns the folder of a slash path, opened name by name: no link on the way is followed, and no path is too long.
func (t *tree) folder(dir string) (*os.Root, error) {
	var names []string
	if dir != "" {
		names = strings.Split(strings.TrimSuffix(dir, "/"), "/")
	}
	n := 0
	for n < len(names) && n < len(t.names) && names[n] == t.names[n] {
		n++
	}
	t.closeFrom(n)
	at := t.root
	if n > 0 {
		at = t.open[n-1]
	}
	for _, name := range names[n:] {
		sub, err := openFolder(at, name)
		if err != nil {
			return nil, err
		}
		t.names, t.open = append(t.names, name), append(t.open, sub)
		at = sub
	}
	return at, nil
}

// openFolder opens one folder in another, and makes sure that it is the one that lstat saw.
func openFolder(at *os.Root, name string) (*os.Root, error) {
	fi, err := at.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return nil, fmt.Errorf("%s: %w", name, syscall.ENOTDIR)
	}
	sub, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if got, err := sub.Stat("."); err != nil || !os.SameFile(fi, got) {
		return nil, errors.Join(fmt.Errorf("%s: it was replaced while it was opened", name), err, sub.Close())
	}
	return sub, nil
}

// split cuts a slash path into its folder, with the slash, and its name.
func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i+1], path[i+1:]
}

func (t *tree) lstat(path string) (os.FileInfo, error) {
	dir, name := split(path)
	at, err := t.folder(dir)
	if err != nil {
		return nil, err
	}
	return at.Lstat(name)
}

// A content is what was read of a file, and the stat that it had before and after.
type content struct {
	data []byte
	hash db.Hash
	stat stat
	at   time.Time // when the reading began
}

// read reads a file as a whole. A file that changes meanwhile is read again, and in the end refused with errMoving.
func (t *tree) read(ctx context.Context, d *db.DB, path string) (content, error) {
	dir, name := split(path)
	at, err := t.folder(dir)
	if err != nil {
		return content{}, err
	}
	for range readTries {
		if err := ctx.Err(); err != nil {
			return content{}, err
		}
		c := content{at: d.Now()}
		same, err := t.readOnce(at, name, &c)
		if err != nil || same {
			return c, err
		}
	}
	return content{}, errMoving
}

func (t *tree) readOnce(at *os.Root, name string, c *content) (same bool, err error) {
	f, before, err := t.openFile(at, name)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c.stat = statOf(before)
	if before.Size() > maxFileBytes {
		return false, &leftError{state: db.FileSkipped, reason: tooLarge(before.Size())}
	}
	if before.Size() > sniffOver {
		head := make([]byte, sniffBytes)
		n, err := f.ReadAt(head, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if err := t.sniff(name, head[:n]); err != nil {
			return false, err
		}
	}
	c.data = make([]byte, before.Size()+1) // the byte more shows a file that grew
	n, err := io.ReadFull(f, c.data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	c.data = c.data[:n]
	c.hash = db.HashOf(c.data)
	after, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := at.Lstat(name)
	if err != nil {
		return false, err
	}
	return int64(n) == c.stat.size && statOf(after) == c.stat && statOf(named) == c.stat && os.SameFile(after, named), nil
}

// openFile opens a regular file that is not the store's, and makes sure that it is the one that lstat saw.
func (t *tree) openFile(at *os.Root, name string) (*os.File, os.FileInfo, error) {
	fi, err := at.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if why := unreadableKind(fi.Mode()); why != "" {
		return nil, nil, &leftError{state: db.FileSkipped, reason: why, policy: true}
	}
	if t.own(fi) {
		return nil, nil, &leftError{state: db.FileSkipped, reason: reasonStore, policy: true}
	}
	f, err := at.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	got, err := f.Stat()
	if err == nil && (!got.Mode().IsRegular() || !os.SameFile(fi, got)) {
		err = errMoving
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, got, nil
}

func tooLarge(size int64) string {
	return fmt.Sprintf("larger than %d MB (%d MB)", maxFileBytes>>20, (size+1<<20-1)>>20)
}

// unreadableKind returns why something that is no regular file is not read, or "".
func unreadableKind(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return ""
	case m&fs.ModeSymlink != 0:
		return "link"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	case m.IsDir():
		return "folder"
	}
	return "not a regular file"
}

// racy reports whether a file that was read at that instant could have changed afterwards without its stat telling. before is its
// ledger row: a file from the future by our clock is trusted once it was read twice, a window apart, with the same result.
func (c content) racy(before db.FileRow) bool {
	age := c.at.Sub(time.Unix(0, max(c.stat.mtimeNS, c.stat.ctimeNS)))
	if age >= 0 {
		return age < racyWindow
	}
	last, err := time.Parse(time.RFC3339, before.At)
	return err != nil || rowStat(before) != c.stat || before.Hash != c.hash || c.at.Sub(last) < racyWindow
}

// reason says in the words of the ledger what an error was about: without the operation and the path, which the row has.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return err.Error()
}
