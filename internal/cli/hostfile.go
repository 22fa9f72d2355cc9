package cli

// This file defines how the settings file of a host is changed: in one step, with a copy of the old text beside it.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func backupOf(path string) string { return path + ".docket.bak" }

// editFile applies edit to the text of a file that other programs write too, "" where there is none. The new text replaces the
// old in one step, with the same mode, after a copy of the old was made beside it; a link stays a link.
func editFile(path string, dry bool, edit func(string) (string, error)) (before, after string, err error) {
	target, mode := path, fs.FileMode(0o600)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	} else if _, here := os.Lstat(path); here == nil {
		return "", "", fmt.Errorf("%s is a link that leads nowhere: %w", path, err)
	}
	read := func() (string, error) {
		text, err := os.ReadFile(target)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return string(text), nil
	}
	for range 5 {
		if before, err = read(); err != nil {
			return "", "", fmt.Errorf("read the host's settings: %w", err)
		}
		if after, err = edit(before); err != nil {
			return "", "", &hintedError{fmt.Errorf("%s is left as it is: %w", path, err), "`docket config print claude-code` prints the block to copy"}
		}
		if before == after || dry {
			return before, after, nil
		}
		if fi, err := os.Stat(target); err == nil {
			mode = fi.Mode().Perm()
		}
		if before != "" {
			if err := writeWhole(backupOf(path), before, mode, nil); err != nil {
				return "", "", fmt.Errorf("keep a copy of the host's settings: %w", err)
			}
		}
		err = writeWhole(target, after, mode, func() error { // the host writes this file too: it may have done so just now
			if now, err := read(); err != nil || now != before {
				return errors.Join(errChanged, err)
			}
			return nil
		})
		if !errors.Is(err, errChanged) {
			break
		}
	}
	if err != nil {
		return "", "", fmt.Errorf("write the host's settings: %w", err)
	}
	return before, after, nil
}

var errChanged = errors.New("another program keeps changing the file")

// writeWhole replaces the file at path by one with this text. last, if any, is asked right before.
func writeWhole(path, text string, mode fs.FileMode, last func() error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if last != nil {
		if err := last(); err != nil {
			return err
		}
	}
	return os.Rename(f.Name(), path)
}
