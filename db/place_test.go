package db_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"docket/db"
	"docket/db/dbtest"
)

// Cases 135, 136: what will do harm one day is said before it does.
func TestPlaceOf(t *testing.T) {
	sparse := func(t *testing.T, path string, size int64) {
		t.Helper()
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, folder string
		spoil        func(t *testing.T, path string)
		unix         bool
		want         string // a word of the only warning, "" for none
	}{
		{"a good place", "data", nil, false, ""},
		{"a name that only begins alike", "dropboxes", nil, false, ""},
		{"Dropbox", "Dropbox (Work)/x", nil, false, "Dropbox"},
		{"OneDrive", "OneDrive - Company/x", nil, false, "OneDrive"},
		{"iCloud", "Library/Mobile Documents/com~apple~CloudDocs", nil, false, "iCloud"},
		{"Google Drive", "Google Drive", nil, false, "Google Drive"},
		{"macOS's folder of clouds", "Library/CloudStorage/Box-Box", nil, false, "cloud"},
		{"others may read", "data", func(t *testing.T, path string) { _ = os.Chmod(path, 0o644) }, true, "read it"},
		{"others may write", "data", func(t *testing.T, path string) { _ = os.Chmod(path, 0o660) }, true, "write it"},
		{"a second name", "data", func(t *testing.T, path string) { _ = os.Link(path, path+".bak") }, true, "2 names"},
		{"a WAL that grew", "data", func(t *testing.T, path string) { sparse(t, path+"-wal", 65<<20) }, false, "65 MB"},
		{"a WAL as it should be", "data", func(t *testing.T, path string) { sparse(t, path+"-wal", 4<<20) }, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.unix && runtime.GOOS == "windows" {
				t.Skip("Windows has other means")
			}
			path := filepath.Join(t.TempDir(), filepath.FromSlash(tt.folder), "docket.db")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			sparse(t, path, 4096)
			if tt.spoil != nil {
				tt.spoil(t, path)
			}
			got, err := db.PlaceOf(path)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want == "" && len(got.Warnings) > 0:
				t.Errorf("warned of %v", got.Warnings)
			case tt.want != "" && (len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0].What, tt.want)):
				t.Errorf("warned of %v, want %q", got.Warnings, tt.want)
			}
		})
	}
	if _, err := db.PlaceOf(filepath.Join(t.TempDir(), "none.db")); err == nil {
		t.Error("a file that is not there has a place")
	}
}

func TestFacts(t *testing.T) {
	d := dbtest.Open(t)
	f, err := d.Facts(t.Context())
	if err != nil || f.Schema != db.SchemaVersion() || f.ApplicationID != "0x646f636b" || f.JournalMode != "wal" || f.Pages == 0 {
		t.Errorf("%+v, %v", f, err)
	}
}
