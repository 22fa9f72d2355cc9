package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A link to a file that is not there is somebody's, and on a disk that is not mounted perhaps: it stays, and is told.
func TestEditFileKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "settings.json")
	if err := os.Symlink("elsewhere.json", link); err != nil {
		t.Skip("no links here:", err)
	}
	edit := func(before string) (string, error) { return before + "x", nil }
	if _, _, err := editFile(link, false, edit); err == nil {
		t.Error("a link to nothing was written")
	}
	if to, err := os.Readlink(link); err != nil || to != "elsewhere.json" {
		t.Errorf("the link is %q now, %v", to, err)
	}
	real := filepath.Join(dir, "elsewhere.json")
	if err := os.WriteFile(real, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, after, err := editFile(link, false, edit); err != nil || after != "ax" {
		t.Errorf("edited to %q, %v", after, err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Error("the link became a file")
	}
	if b, err := os.ReadFile(real); err != nil || string(b) != "ax" {
		t.Errorf("the file holds %q, %v", b, err)
	}
}
