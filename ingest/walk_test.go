package ingest_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Cases 111 and 164: what is left out without being asked, and that each such thing is a row with its reason.
func TestDefaultDenials(t *testing.T) {
	w := newWorld(t)
	want := map[string]string{}
	for path, state := range map[string]string{
		"a.md": "indexed", ".hidden.md": "indexed", ".cursorrules": "indexed", "CLAUDE.md": "indexed", "AGENTS.md": "indexed",
		"credentials-policy.md": "indexed", "src/target.md": "indexed", "vendor/notes.md": "indexed", "environment.md": "indexed",

		".cursor/rules/style.mdc": "indexed", ".claude/memory/MEMORY.md": "indexed", ".github/copilot-instructions.md": "indexed",
		".claude/settings.json": "skipped: a tool's settings", ".github/workflows/ci.yml": "skipped: a tool's settings",
		".claude/.credentials.json": "skipped: may hold secrets", ".codex/auth.json": "skipped: a tool's settings",

		".env": "skipped: may hold secrets", ".env.local": "skipped: may hold secrets", ".env.example": "indexed",
		"tls/server.pem": "skipped: may hold secrets", "tls/server.KEY": "skipped: may hold secrets", "id_rsa": "skipped: may hold secrets",
		"id_ed25519.pub": "skipped: may hold secrets", "pass.kdbx": "skipped: may hold secrets", ".netrc": "skipped: may hold secrets",
		"credentials.json": "skipped: may hold secrets", ".bash_history": "skipped: may hold secrets",

		"a.md~": "skipped: temporary file of an editor or the system", ".a.md.swp": "skipped: temporary file of an editor or the system",
		"~$report.docx": "skipped: temporary file of an editor or the system", ".~lock.a.odt#": "skipped: temporary file of an editor or the system",
		".#a.md": "skipped: temporary file of an editor or the system", "#a.md#": "skipped: temporary file of an editor or the system",
		"4913": "skipped: temporary file of an editor or the system", "x.crdownload": "skipped: temporary file of an editor or the system",
		".DS_Store": "skipped: temporary file of an editor or the system", "a___jb_tmp___": "skipped: temporary file of an editor or the system",
	} {
		w.write(path, note)
		want[path] = state
	}
	for folder, why := range map[string]string{
		".git": "version control", "sub/.git": "version control", ".hg": "version control", ".ssh": "may hold secrets", ".aws": "may hold secrets",
		".gnupg": "may hold secrets", ".kube": "may hold secrets", "node_modules": "dependencies", "sub/node_modules": "dependencies",
		".venv": "dependencies", "__pycache__": "cache", ".idea": "hidden folder", ".mozilla": "browser profile",
	} {
		w.write(folder+"/deep/down/x.md", note, folder+"/y.md", note)
		want[folder+"/"] = "skipped: " + why
	}
	// What a folder holds tells it, not its name.
	w.write("env/pyvenv.cfg", "", "env/x.md", note, "build/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n", "build/x.md", note,
		"go/vendor/modules.txt", "", "go/vendor/x.md", note, "Profile 1/Login Data", "", "Profile 1/x.md", note)
	want["env/"], want["build/"], want["go/vendor/"], want["Profile 1/"] =
		"skipped: dependencies", "skipped: cache", "skipped: dependencies", "skipped: browser profile"
	w.write("worktree/.git", "gitdir: ../.git/worktrees/x\n")
	want["worktree/.git"] = "skipped: version control"
	w.add("docs")
	w.sync()
	w.wantLedger(want)
}

// A key is refused by what a file holds, whatever its name; a text that speaks of keys is a text.
func TestPrivateKeys(t *testing.T) {
	body := strings.Repeat("MIIEpAIBAAKCAQEA", 8)
	tests := map[string]struct{ text, want string }{
		"key.txt":     {"-----BEGIN RSA PRIVATE KEY-----\n" + body + "\n-----END RSA PRIVATE KEY-----\n", "skipped: holds a private key"},
		"pgp.md":      {"Mine:\n\n    -----BEGIN PGP PRIVATE KEY BLOCK-----\n\nx\n", "skipped: holds a private key"},
		"quoted.md":   {"> -----BEGIN OPENSSH PRIVATE KEY-----\r\n> b3Bl\r\n", "skipped: holds a private key"},
		"account.jsn": {`{"private_key": "-----BEGIN PRIVATE KEY-----\n` + body + `\n"}`, "skipped: holds a private key"},
		"about.md":    {"A key starts with `-----BEGIN PRIVATE KEY-----` and a body.\n", "indexed"},
		"public.md":   {"-----BEGIN PUBLIC KEY-----\n" + body + "\n", "indexed"},
		"utf16.txt":   {"\xff\xfe" + utf16le("-----BEGIN EC PRIVATE KEY-----\n"+body+"\n"), "skipped: holds a private key"},
	}
	w := newWorld(t)
	want := map[string]string{}
	for name, tt := range tests {
		w.write(name, tt.text)
		want[name] = tt.want
	}
	w.add("docs")
	w.sync()
	w.wantLedger(want)

	// A document that gets a key into it goes, instead of staying as it was.
	w.write("about.md", tests["key.txt"].text)
	if got := w.sync(); got.Removed != 1 {
		t.Errorf("a document that became a key: %+v", got)
	}
	if n := w.documents(); n != 1 {
		t.Errorf("%d live documents, want 1", n)
	}
}

func utf16le(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.Write([]byte{c, 0})
	}
	return b.String()
}

// A .docketignore has the last word in its folder, and takes back what is left out by default, but never secrets.
func TestDocketIgnore(t *testing.T) {
	w := newWorld(t)
	w.write(".gitignore", "/drafts/\n*.log\n", ".docketignore", "!drafts/\n!node_modules/\n!.env\n!.obsidian/\n!env/\n/private/\n",
		"drafts/a.md", note, "x.log", note, "node_modules/a.md", note, ".env", "A=1\n", ".obsidian/a.md", note, "private/a.md", note,
		"env/pyvenv.cfg", "home = x\n", "sub/.gitignore", "!*.log\n/only.md\n", "sub/x.log", note, "sub/only.md", note, "sub/deep/only.md", note)
	w.add("docs")
	w.sync()
	w.wantLedger(map[string]string{
		".gitignore": "indexed", ".docketignore": "indexed", "sub/.gitignore": "indexed",
		"drafts/a.md": "indexed", "x.log": "skipped: ignored by .gitignore", "node_modules/a.md": "indexed", ".env": "skipped: may hold secrets",
		".obsidian/a.md": "indexed", "private/": "skipped: ignored by .docketignore", "env/pyvenv.cfg": "indexed", "sub/x.log": "indexed",
		"sub/only.md": "skipped: ignored by sub/.gitignore", "sub/deep/only.md": "indexed",
	})
	// New rules take effect on what was indexed before.
	w.write("sub/.gitignore", "deep/\n")
	w.sync()
	if got := w.ledger()["sub/deep/"]; got != "skipped: ignored by sub/.gitignore" || w.ledger()["sub/deep/only.md"] != "" {
		t.Errorf("sub/deep/ is %q after it was ignored: %v", got, w.ledger())
	}
}

// Cases 99, 100 and 101: each real file once, in bounded time, and nothing outside.
func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	w := newWorld(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("# Outside\n\nThe hidden sentence.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.write("a.md", note, "sub/deep/b.md", note+"More.\n")
	links := map[string]struct{ to, want string }{
		"dot":             {".", "in the folder itself"},
		"up":              {"..", "it leaves the folder"},
		"sub/ancestor":    {"..", "in the folder itself"},
		"sub/deep/loop":   {"../../sub", "in the folder itself"},
		"copy.md":         {"a.md", "in the folder itself"},
		"passwd":          {"/etc/passwd", "it leaves the folder"},
		"out.md":          {outside, "it leaves the folder"},
		"outdir":          {filepath.Dir(outside), "it leaves the folder"},
		"self":            {"self", "it leaves the folder"},
		"broken.md":       {"nowhere.md", "it points to nothing"},
		"sub/back.md":     {"../a.md", "in the folder itself"},
		"sub/sideways.md": {"../../../../../../../../etc/passwd", "it leaves the folder"},
	}
	want := map[string]string{"a.md": "indexed", "sub/deep/b.md": "indexed"}
	for path, l := range links {
		if err := os.Symlink(l.to, filepath.Join(w.dir, path)); err != nil {
			t.Fatal(err)
		}
		want[path] = "skipped: link: " + l.want
		if strings.HasPrefix(l.want, "in ") {
			want[path] = "skipped: link: what it points to is " + l.want
		}
	}
	w.add("docs")
	w.sync()
	w.wantLedger(want)
	if n := w.documents(); n != 2 {
		t.Errorf("%d documents, want 2", n)
	}
	// A file that becomes a link is not the document any more.
	w.remove("a.md")
	if err := os.Symlink(outside, filepath.Join(w.dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	w.sync()
	if n := w.documents(); n != 1 {
		t.Errorf("%d documents after one became a link, want 1", n)
	}
	// So is a folder, and what was below it.
	if err := os.Rename(filepath.Join(w.dir, "sub"), filepath.Join(filepath.Dir(outside), "sub")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(outside), "sub"), filepath.Join(w.dir, "sub")); err != nil {
		t.Fatal(err)
	}
	w.sync()
	if n := w.documents(); n != 0 {
		t.Errorf("%d documents after their folder became a link, want 0", n)
	}
}

// Cases 102 and 103: keys are exact paths. On a disk that folds case the two are one file.
func TestNamesAlike(t *testing.T) {
	w := newWorld(t)
	names := []string{"README.md", "readme.md", "a b.md", "a_b.md", "a-b.md", "a%b.md", "a*b.md", "é.md", "e\u0301.md", "new\nline.md", "-dash.md", "'q'.md"}
	if runtime.GOOS == "windows" {
		names = []string{"README.md", "a b.md", "a_b.md", "a-b.md", "a%b.md"}
	}
	for i, name := range names {
		w.write(name, fmt.Sprintf("# N\n\nText %d.\n", i))
	}
	on, err := os.ReadDir(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	w.add("docs")
	if got := w.sync(); got.Indexed != len(on) || w.documents() != len(on) {
		t.Errorf("%d documents of %d files: %+v", w.documents(), len(on), got)
	}
}

func TestOddThings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such files there")
	}
	w := newWorld(t)
	w.write("a.md", note, "bad\xffname.md", note, "baddir\xfe/x.md", note)
	mkfifo(t, filepath.Join(w.dir, "pipe.md"))
	l, err := net.Listen("unix", filepath.Join(w.dir, "s.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	long := strings.Repeat("d/", 150)
	w.write(long+"x.md", note)
	name := strings.Repeat("n", 200) + "/"
	deep := strings.Repeat(name, 30) // 6,000 bytes: longer than any path can be
	at, err := os.OpenRoot(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		if err := at.Mkdir(name[:200], 0o755); err != nil {
			t.Fatal(err)
		}
		sub, err := at.OpenRoot(name[:200])
		if err != nil {
			t.Fatal(err)
		}
		_ = at.Close()
		at = sub
	}
	if err := at.WriteFile("x.md", []byte(note), 0o644); err != nil {
		t.Fatal(err)
	}
	_ = at.Close()
	w.add("docs")
	w.sync()
	w.wantLedger(map[string]string{
		"a.md": "indexed", `bad\xffname.md`: "skipped: its name is not UTF-8", `baddir\xfe`: "skipped: its name is not UTF-8",
		"pipe.md": "skipped: named pipe", "s.md": "skipped: socket", long + "x.md": "indexed", deep + "x.md": "indexed",
	})
}

// The store may lie in a folder that it indexes: its files are known by what they are, under whatever name, and never opened.
// Case 87: what docket itself writes is no change.
func TestStoreInsideRoot(t *testing.T) {
	w := newWorld(t)
	w.path = filepath.Join(w.dir, "sub", "store.md")
	if err := w.d.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.write("a.md", note)
	if err := os.Link(w.path, filepath.Join(w.dir, "other.md")); err != nil {
		t.Fatal(err)
	}
	w.add("docs")
	w.sync()
	got := w.ledger()
	for path, state := range map[string]string{
		"a.md": "indexed", "other.md": "skipped: the store itself", "sub/store.md": "skipped: the store itself",
		"sub/store.md-wal": "skipped: the store itself", "sub/store.md-shm": "skipped: the store itself", "sub/store.md.lock": "skipped: the store itself",
	} {
		if got[path] != state {
			t.Errorf("%s: %q, want %q", path, got[path], state)
		}
	}
	if r := w.sync(); r.Read != 0 || r.Indexed != 0 {
		t.Errorf("second sync: %+v", r)
	}
}
