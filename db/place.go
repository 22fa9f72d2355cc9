package db

// This file defines what can be told of a store's file and of its place without opening it.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// bigWAL is a WAL that somebody keeps from being emptied: it should not grow beyond a few MB.
const bigWAL = 64 << 20

// A Place is what is seen of a store's file without opening it.
type Place struct {
	Path     string    `json:"path"` // with links resolved
	Size     int64     `json:"size"`
	WAL      int64     `json:"wal"`      // bytes in the WAL beside it
	Sidecars []string  `json:"sidecars"` // SQLite's files beside it
	Warnings []Problem `json:"warnings"` // what may do harm one day, though the file is sound
}

// PlaceOf looks at the file at path and at what surrounds it: who else may read it, folders that are synced or on a network, other names
// of the same file, a WAL that grows. It opens nothing.
func PlaceOf(path string) (Place, error) {
	p := Place{Path: path, Sidecars: []string{}, Warnings: []Problem{}}
	fi, err := os.Stat(path)
	if err != nil {
		return p, fmt.Errorf("look at %s: %w", path, err)
	}
	if p.Path, err = filepath.Abs(path); err == nil {
		p.Path, err = filepath.EvalSymlinks(p.Path)
	}
	if err != nil {
		return p, fmt.Errorf("look at %s: %w", path, err)
	}
	p.Size = fi.Size()
	for _, s := range sidecars {
		side, err := os.Stat(p.Path + s)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return p, fmt.Errorf("look at %s: %w", path, err)
		}
		p.Sidecars = append(p.Sidecars, p.Path+s)
		if s == "-wal" {
			p.WAL = side.Size()
		}
	}
	warn := func(where, format string, args ...any) {
		p.Warnings = append(p.Warnings, Problem{where, fmt.Sprintf(format, args...)})
	}
	if p.WAL > bigWAL {
		warn("wal", "it has grown to %d MB: a process that does not end its reading keeps it from being emptied; start your agents' servers again", p.WAL>>20)
	}
	if open := othersMay(fi); open != "" {
		warn("permissions", "other users of this computer may %s it; `chmod 600 %s`", open, p.Path)
	}
	if name := syncedBy(p.Path); name != "" {
		warn("folder", "it lies in a folder that %s copies while docket writes, which can damage it; move it, and back it up with `docket backup`", name)
	}
	if kind := networkOf(p.Path); kind != "" {
		warn("file system", "it lies on %s, where several processes cannot share it safely; move it to this computer's own disk", kind)
	}
	if n := links(fi); n > 1 {
		warn("links", "the same file has %d names; a store that is opened by two of them is damaged, so remove all names but one", n)
	}
	return p, nil
}

// syncedBy returns the program that a folder is copied by, as far as its path tells, or "".
func syncedBy(path string) string {
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		low := strings.ToLower(part)
		for _, s := range []struct{ prefix, name string }{
			{"dropbox", "Dropbox"},
			{"onedrive", "OneDrive"},
			{"google drive", "Google Drive"},
			{"googledrive", "Google Drive"},
			{"icloud", "iCloud"},
			{"com~apple~clouddocs", "iCloud"},
			{"mobile documents", "iCloud"},
			{"cloudstorage", "a cloud service"},
			{"nextcloud", "Nextcloud"},
			{"owncloud", "ownCloud"},
			{"pclouddrive", "pCloud"},
		} {
			if rest, ok := strings.CutPrefix(low, s.prefix); ok && (rest == "" || strings.ContainsAny(rest[:1], " -_(.~")) {
				return s.name
			}
		}
	}
	return ""
}
