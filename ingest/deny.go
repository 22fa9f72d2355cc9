package ingest

// This file defines what is left out without being asked: secrets, tools' own folders, dependencies, editors' temporary files.

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// The reasons for which things are left out by default.
const (
	reasonVCS     = "version control"
	reasonSecret  = "may hold secrets"
	reasonKey     = "holds a private key"
	reasonBrowser = "browser profile"
	reasonDeps    = "dependencies"
	reasonCache   = "cache"
	reasonHidden  = "hidden folder"
	reasonTool    = "a tool's settings"
	reasonTemp    = "temporary file of an editor or the system"
)

// Secrets and version control stay out whatever a folder says of itself. All else that is denied by default is taken again
// where a .docketignore says so with a `!` rule.
func firm(reason string) bool {
	return reason == reasonVCS || reason == reasonSecret || reason == reasonKey || reason == reasonBrowser
}

var deniedFolders = map[string]string{
	".git": reasonVCS, ".hg": reasonVCS, ".svn": reasonVCS, ".jj": reasonVCS, ".bzr": reasonVCS, "cvs": reasonVCS,
	".ssh": reasonSecret, ".gnupg": reasonSecret, ".aws": reasonSecret, ".kube": reasonSecret, ".azure": reasonSecret,
	".docker": reasonSecret, ".password-store": reasonSecret, "keychains": reasonSecret,
	".mozilla": reasonBrowser, ".thunderbird": reasonBrowser,
	"node_modules": reasonDeps, "bower_components": reasonDeps, "site-packages": reasonDeps, ".venv": reasonDeps, ".tox": reasonDeps,
	".nox": reasonDeps, "__pycache__": reasonCache,
}

// agentFolders are hidden folders in which people keep instructions and memory for their agents. Only prose is taken from them, as the
// same folders hold those tools' credentials and settings.
var agentFolders = map[string]bool{
	".claude": true, ".cursor": true, ".github": true, ".agents": true, ".codex": true, ".gemini": true, ".windsurf": true,
	".clinerules": true, ".junie": true, ".kiro": true, ".continue": true, ".roo": true,
}

var prose = map[string]bool{".md": true, ".mdc": true, ".mdx": true, ".markdown": true, ".txt": true, ".rst": true, ".org": true, ".adoc": true}

// A vendor folder, a virtual environment, a build folder can have any name; what it holds tells it apart.
var folderMarks = []struct{ name, why string }{
	{"key4.db", reasonBrowser}, {"cookies.sqlite", reasonBrowser}, {"Login Data", reasonBrowser}, {"pyvenv.cfg", reasonDeps},
}

const cacheTag = "CACHEDIR.TAG" // of bford.info/cachedir: Cargo's target, restic's, pip's and many other caches carry one

const cacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"

// denyFolder returns why a folder of this name is left out, or "".
func denyFolder(name string) string {
	low := strings.ToLower(name)
	if why := deniedFolders[low]; why != "" {
		return why
	}
	if strings.HasPrefix(name, ".") && !agentFolders[low] {
		return reasonHidden
	}
	return ""
}

// denyMarked returns why a folder that holds these names is left out, or "".
func denyMarked(folder string, names func(string) bool) string {
	for _, mark := range folderMarks {
		if names(mark.name) {
			return mark.why
		}
	}
	if path.Base(folder) == "vendor" && (names("modules.txt") || names("autoload.php")) {
		return reasonDeps
	}
	return ""
}

var (
	secretNames = []string{
		".env", ".env.*", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.keychain", "*.keychain-db",
		"id_rsa*", "id_ed25519*", "id_ecdsa*", "id_dsa*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials",
		".htpasswd", ".my.cnf", ".dockercfg", ".s3cfg", ".*_history", "credentials*", ".credentials*", "oauth_creds.json",
	}
	sampleNames = []string{".env.example", ".env.sample", ".env.template", ".env.dist"}
	tempNames   = []string{
		".~lock.*#", "~$*", "*.swp", "*.swo", "*.swx", ".#*", "#*#", "4913", "*~", "*___jb_tmp___", "*___jb_old___", ".goutputstream-*",
		"*.crdownload", "*.part", "*.partial", ".ds_store", "._*", "thumbs.db", "desktop.ini",
	}
)

// denyFile returns why a file of this name is left out, or "". agent says that it lies in an agent's folder.
func denyFile(name string, agent bool) string {
	low := strings.ToLower(name)
	isProse := prose[path.Ext(low)]
	switch {
	case matchAny(sampleNames, low):
	case strings.HasPrefix(low, "credentials") && isProse: // a text about credentials
	case matchAny(secretNames, low):
		return reasonSecret
	case low == ".git": // of a worktree or a submodule
		return reasonVCS
	case matchAny(tempNames, low):
		return reasonTemp
	case agent && !isProse:
		return reasonTool
	}
	return ""
}

func matchAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if wildmatch(p, name, false) {
			return true
		}
	}
	return false
}

// keyBlock finds the armour of a private key at the start of a line, or anywhere with a key's body behind it, as in a JSON string.
// A text that merely speaks of "-----BEGIN PRIVATE KEY-----" stays a text.
var keyBlock = regexp.MustCompile(`(?m)^[ \t>]*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|` +
	`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\[rn]|\s)*[A-Za-z0-9+/=]{24}`)

// holdsKey reports whether a text holds a private key.
func holdsKey(b []byte) bool {
	return bytes.Contains(b, []byte("PRIVATE KEY")) && keyBlock.Match(b)
}
