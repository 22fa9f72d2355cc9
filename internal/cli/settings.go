package cli

// This file defines the settings: one struct, read from the defaults, the config file, the environment and the flags, in that
// order, and checked once. The config file uses the names of the environment.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"docket/db"
)

// The settings that are told apart by name: every command has the one, and the other may be empty.
const (
	nameDB    = "DOCKET_DB"
	nameScope = "MCP_SCOPE_DOCUMENT_KEYS"
)

// Config holds every setting.
type Config struct {
	DB               string  `toml:"DOCKET_DB"`
	Scope            *string `toml:"MCP_SCOPE_DOCUMENT_KEYS"` // nil is every document, and "" is none
	Project          string  `toml:"MCP_PROJECT_ID"`
	Agent            string  `toml:"MCP_AGENT_ID"`
	ReadOnly         bool    `toml:"MCP_READ_ONLY"`
	AllowReject      bool    `toml:"MCP_ALLOW_REJECT"`
	MaxHits          int     `toml:"MCP_MAX_HITS"`
	MaxFetchIDs      int     `toml:"MCP_MAX_FETCH_IDS"`
	MaxFetchChars    int     `toml:"MCP_MAX_FETCH_CHARS"`
	MaxSnippetChars  int     `toml:"MCP_MAX_SNIPPET_CHARS"`
	MaxResponseChars int     `toml:"MCP_MAX_RESPONSE_CHARS"`
	DeadlineSeconds  int     `toml:"MCP_REQUEST_DEADLINE_SECONDS"`

	origin map[string]string // where each setting that is not a default comes from
}

// Where a setting comes from, besides the path of the config file.
const (
	fromDefault     = "default"
	fromEnvironment = "environment"
	fromFlag        = "flag --"
)

func defaults() Config {
	return Config{
		ReadOnly: true, MaxHits: 10, MaxFetchIDs: 20, MaxFetchChars: 4000, MaxSnippetChars: 240, MaxResponseChars: 60000,
		DeadlineSeconds: 30, origin: map[string]string{},
	}
}

// A setting is one value of Config with its names.
type setting struct {
	name  string // in the environment and in the config file
	flag  string
	usage string
	value func(*Config) settingValue
}

// serverSettings are those of a server, all but the database.
var serverSettings = []string{
	nameScope, "MCP_PROJECT_ID", "MCP_AGENT_ID", "MCP_READ_ONLY", "MCP_ALLOW_REJECT", "MCP_MAX_HITS", "MCP_MAX_FETCH_IDS",
	"MCP_MAX_FETCH_CHARS", "MCP_MAX_SNIPPET_CHARS", "MCP_MAX_RESPONSE_CHARS", "MCP_REQUEST_DEADLINE_SECONDS",
}

var readerSettings = []string{nameScope}

var settings = []setting{
	{nameDB, "db", "the database `FILE`; without it, the one in your data folder", func(c *Config) settingValue { return (*textValue)(&c.DB) }},
	{
		nameScope, "scope", "the documents that may be read: `PATTERNS` over document keys, separated by commas: a key, ROOT/ for all " +
			"below it, or a glob; unset is every document, and empty is none",
		func(c *Config) settingValue { return &scopeValue{&c.Scope} },
	},
	{"MCP_PROJECT_ID", "project", "the `NAME` of the project that tasks and decisions belong to", func(c *Config) settingValue { return (*textValue)(&c.Project) }},
	{"MCP_AGENT_ID", "agent", "the `NAME` that an agent writes under", func(c *Config) settingValue { return (*textValue)(&c.Agent) }},
	{"MCP_READ_ONLY", "read-only", "whether an agent may only read; --read-only=false turns the writing tools on", func(c *Config) settingValue { return (*boolValue)(&c.ReadOnly) }},
	{"MCP_ALLOW_REJECT", "allow-reject", "whether an agent that may write may also reject decisions", func(c *Config) settingValue { return (*boolValue)(&c.AllowReject) }},
	{"MCP_MAX_HITS", "max-hits", "the most hits in one answer, `N`", func(c *Config) settingValue { return (*numberValue)(&c.MaxHits) }},
	{"MCP_MAX_FETCH_IDS", "max-fetch-ids", "the most ids in one fetch, `N`", func(c *Config) settingValue { return (*numberValue)(&c.MaxFetchIDs) }},
	{"MCP_MAX_FETCH_CHARS", "max-fetch-chars", "the most characters of one fetched text, `N`", func(c *Config) settingValue { return (*numberValue)(&c.MaxFetchChars) }},
	{"MCP_MAX_SNIPPET_CHARS", "max-snippet-chars", "the most characters of one snippet, `N`", func(c *Config) settingValue { return (*numberValue)(&c.MaxSnippetChars) }},
	{"MCP_MAX_RESPONSE_CHARS", "max-response-chars", "the most characters of one answer to an agent, `N`", func(c *Config) settingValue { return (*numberValue)(&c.MaxResponseChars) }},
	{"MCP_REQUEST_DEADLINE_SECONDS", "deadline", "how many seconds one request of an agent may take, `N`", func(c *Config) settingValue { return (*numberValue)(&c.DeadlineSeconds) }},
}

func settingOf(name string) setting {
	for _, s := range settings {
		if s.name == name {
			return s
		}
	}
	panic("no setting " + name)
}

// A settingValue reads one setting from text, and gives it back as a string, a number or a truth value.
type settingValue interface {
	Set(text string) error
	plain() any // nil for a setting that is not set
}

type (
	textValue   string
	boolValue   bool
	numberValue int
	scopeValue  struct{ to **string }
)

func (v *textValue) Set(text string) error { *v = textValue(text); return nil }

func (v *textValue) plain() any {
	if *v == "" {
		return nil
	}
	return string(*v)
}

func (v *boolValue) Set(text string) error {
	b, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	*v = boolValue(b)
	return nil
}

func (v *boolValue) plain() any { return bool(*v) }

func (v *numberValue) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", text)
	}
	*v = numberValue(n)
	return nil
}

func (v *numberValue) plain() any { return int(*v) }

func (v *scopeValue) Set(text string) error { *v.to = &text; return nil }

func (v *scopeValue) plain() any {
	if *v.to == nil {
		return nil
	}
	return **v.to
}

// config reads the settings from everywhere they come from, and checks them.
func (c *call) config() (Config, error) {
	cfg := defaults()
	path, err := configPath()
	if err != nil {
		return cfg, err
	}
	if err := cfg.readFile(path); err != nil {
		return cfg, err
	}
	var errs []error
	set := func(s setting, text, from string) {
		if err := s.value(&cfg).Set(text); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", from, s.name, err))
		}
		cfg.origin[s.name] = from
	}
	for _, s := range settings {
		// Hosts pass variables that were never filled in: empty is not set, but for the scope, which fails closed.
		if text, ok := os.LookupEnv(s.name); ok && (text != "" || s.name == nameScope) {
			set(s, text, fromEnvironment)
		}
		if text, ok := c.flags[s.name]; ok {
			set(s, text, fromFlag+s.flag)
		}
	}
	if cfg.DB == "" {
		dir, err := dataDir()
		if err != nil {
			return cfg, err
		}
		cfg.DB = filepath.Join(dir, "docket.db")
	}
	if cfg.DB, err = filepath.Abs(cfg.DB); err != nil {
		return cfg, err
	}
	errs = append(errs, cfg.Validate())
	return cfg, badSettings(errs)
}

// readFile reads the config file, if there is one. A key that docket does not know is an error: it is a setting that was meant.
func (cfg *Config) readFile(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	dec := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(cfg); err != nil {
		if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
			var errs []error
			for _, e := range unknown.Errors {
				row, _ := e.Position()
				errs = append(errs, fmt.Errorf("%s:%d: docket has no setting %s", path, row, strings.Join(e.Key(), ".")))
			}
			return badSettings(errs)
		}
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, _ := bad.Position()
			return &badSettingsError{fmt.Errorf("%s:%d: %s", path, row, strings.TrimPrefix(bad.Error(), "toml: "))}
		}
		return &badSettingsError{fmt.Errorf("%s: %w", path, err)}
	}
	var named map[string]any // the strict pass said that all is well
	if err := toml.Unmarshal(text, &named); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name := range named {
		cfg.origin[strings.ToUpper(name)] = path
	}
	if cfg.DB != "" && !filepath.IsAbs(cfg.DB) { // relative to what? A host starts docket anywhere
		return &badSettingsError{fmt.Errorf("%s: %s: %q is not an absolute path", path, nameDB, cfg.DB)}
	}
	return nil
}

// from says where a setting comes from.
func (cfg Config) from(name string) string { return cmp.Or(cfg.origin[name], fromDefault) }

// Validate returns every problem of the settings, each naming its key.
func (cfg Config) Validate() error {
	var errs []error
	if cfg.Scope != nil {
		if _, err := db.ParseScope(*cfg.Scope); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", nameScope, err))
		}
	}
	for _, t := range []struct{ name, text string }{{"MCP_PROJECT_ID", cfg.Project}, {"MCP_AGENT_ID", cfg.Agent}} {
		if t.text != "" && strings.TrimSpace(t.text) == "" {
			errs = append(errs, fmt.Errorf("%s: it is blank", t.name))
		}
	}
	for _, n := range []struct {
		name     string
		n, limit int
	}{
		{"MCP_MAX_HITS", cfg.MaxHits, 1000},
		{"MCP_MAX_FETCH_IDS", cfg.MaxFetchIDs, 1000},
		{"MCP_MAX_FETCH_CHARS", cfg.MaxFetchChars, 1_000_000},
		{"MCP_MAX_SNIPPET_CHARS", cfg.MaxSnippetChars, 4000},
		{"MCP_MAX_RESPONSE_CHARS", cfg.MaxResponseChars, 10_000_000},
		{"MCP_REQUEST_DEADLINE_SECONDS", cfg.DeadlineSeconds, 3600},
	} {
		if n.n < 1 || n.n > n.limit {
			errs = append(errs, fmt.Errorf("%s: %d is not between 1 and %d", n.name, n.n, n.limit))
		}
	}
	return errors.Join(errs...)
}

// scope returns the documents that may be read.
func (cfg Config) scope() (db.Scope, error) {
	if cfg.Scope == nil {
		return db.Scope{}, nil
	}
	return db.ParseScope(*cfg.Scope)
}

// A badSettingsError is about settings that could not be read or are out of range: exit code 2.
type badSettingsError struct{ error }

func (e *badSettingsError) Unwrap() error { return e.error }

// Hint says what to do next.
func (e *badSettingsError) Hint() string {
	return "see `docket help config`, and `docket config path` for the file"
}

// badSettings makes each problem one of the settings.
func badSettings(errs []error) error {
	var out []error
	for _, err := range errs {
		if err == nil {
			continue
		}
		for _, one := range separate(err) {
			out = append(out, &badSettingsError{one})
		}
	}
	return errors.Join(out...)
}

// configPath returns the path of the config file, which need not exist.
func configPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find your config folder: %w", err)
	}
	return filepath.Join(dir, "docket", "config.toml"), nil
}

// dataDir returns the folder that holds the database unless a setting names another file.
func dataDir() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find your data folder: %w", err)
	}
	var dir string
	switch runtime.GOOS {
	case "darwin":
		dir = filepath.Join(home, "Library", "Application Support")
	case "windows":
		dir = cmp.Or(os.Getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local"))
	default:
		dir = filepath.Join(home, ".local", "share")
		if xdg := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(xdg) { // a relative one is to be ignored, says its specification
			dir = xdg
		}
	}
	return filepath.Join(dir, "docket"), nil
}
