package cli

// This file defines the hosts: the programs that start `docket serve`, and the block by which each is told to.

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// serverName is what docket is called in a host's settings. Hosts put it before the names of tools, so it is short.
const serverName = "docket"

// A host is a program that starts servers.
type host struct {
	name string
	key  string                 // the object that holds the servers
	typ  string                 // "stdio" where the host wants to be told
	file func() (string, error) // where its settings are
}

var hosts = []host{
	{"claude-code", "mcpServers", "stdio", func() (string, error) {
		if dir := os.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
			return filepath.Join(dir, ".claude.json"), nil
		}
		return inHome(".claude.json")
	}},
	{"claude-desktop", "mcpServers", "", func() (string, error) {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "Claude", "claude_desktop_config.json"), err
	}},
	{"cursor", "mcpServers", "", func() (string, error) { return inHome(".cursor", "mcp.json") }},
	{"vscode", "servers", "stdio", func() (string, error) { return filepath.Join(".vscode", "mcp.json"), nil }},
}

func inHome(elem ...string) (string, error) {
	home, err := os.UserHomeDir()
	return filepath.Join(append([]string{home}, elem...)...), err
}

func hostOf(name string) (host, error) {
	var names []string
	for _, h := range hosts {
		if h.name == name {
			return h, nil
		}
		names = append(names, h.name)
	}
	return host{}, &usageError{fmt.Sprintf("there is no host %q; docket knows %s", name, strings.Join(names, ", ")), "docket help config"}
}

// A serverEntry is how a host is told to start a server.
type serverEntry struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// entry returns the command that starts this docket on the database and with the settings in effect. A host passes on few
// variables, so that what came from the environment or from a flag is written out; what stands in the config file stays there.
func (h host) entry(cfg Config) (serverEntry, error) {
	exe, err := os.Executable()
	if err != nil {
		return serverEntry{}, fmt.Errorf("find the path of docket: %w", err)
	}
	if vanishes(exe) {
		return serverEntry{}, &vanishingError{exe}
	}
	e := serverEntry{Type: h.typ, Command: exe, Args: []string{"serve", "--db", cfg.DB}}
	for _, name := range serverSettings {
		from := cfg.from(name)
		if from != fromEnvironment && !strings.HasPrefix(from, fromFlag) {
			continue
		}
		s := settingOf(name)
		value := s.value(&cfg).plain()
		if value == nil {
			continue
		}
		e.Args = append(e.Args, fmt.Sprintf("--%s=%v", s.flag, value))
	}
	// Without it the server would look for the config file elsewhere, and miss the scope that may stand there.
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		e.Env = map[string]string{"XDG_CONFIG_HOME": dir}
	}
	return e, nil
}

// block returns what is to stand in the host's settings.
func (h host) block(e serverEntry) map[string]map[string]serverEntry {
	return map[string]map[string]serverEntry{h.key: {serverName: e}}
}

var cached = regexp.MustCompile(`^[0-9a-f]{64}-d$`)

// vanishes reports whether exe is a program that `go run` made: it lies in a folder that is emptied when the program ends, or
// in Go's build cache, which is emptied now and then.
func vanishes(exe string) bool {
	for elem := range strings.SplitSeq(filepath.ToSlash(exe), "/") {
		if strings.HasPrefix(elem, "go-build") || cached.MatchString(elem) {
			return true
		}
	}
	return false
}

// A vanishingError refuses to tell a host about a program that `go run` made.
type vanishingError struct{ exe string }

func (e *vanishingError) Error() string {
	return e.exe + " was made by `go run` and will vanish, so a host could not start it"
}

// Hint says what to do next.
func (e *vanishingError) Hint() string {
	return "build docket first: `go build -o docket .`, then run ./docket"
}
