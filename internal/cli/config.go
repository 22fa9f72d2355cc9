package cli

// This file defines "docket config".

import (
	"context"
	"flag"
	"fmt"
	"strings"
)

var configCommand = &command{
	name: "config", args: "path | print [HOST]", short: "show the settings, or the block that connects an agent's host",
	long: `config path prints where the config file is looked for; it need not exist. It is TOML, and a key that docket does not know
is an error. Nothing inside an indexed folder is ever read as settings.

config print prints the settings in effect and where each comes from: a flag goes before the environment, that before the config
file, and that before the default. The config file uses the names of the environment.

config print HOST prints the block to copy into the settings of claude-code, claude-desktop, cursor or vscode.`,
	examples: []string{"docket config print", "docket config print vscode > .vscode/mcp.json", "docket config print cursor --scope notes/"},
	min:      1, max: 2, settings: serverSettings,
	setup: func(*flag.FlagSet) runner {
		return func(_ context.Context, c *call, args []string) error {
			switch {
			case args[0] == "path" && len(args) == 1:
				return c.configPath()
			case args[0] == "print" && len(args) == 1:
				return c.configPrint()
			case args[0] == "print":
				return c.configPrintHost(args[1])
			}
			return &usageError{fmt.Sprintf("config: it is path or print, not %q", strings.Join(args, " ")), "docket help config"}
		}
	},
}

func (c *call) configPath() error {
	path, err := configPath()
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(struct {
			Path string `json:"path"`
		}{path})
	}
	p(c.out, "%s\n", path)
	return nil
}

// A settingRow is one setting as `config print` shows it.
type settingRow struct {
	Name  string `json:"name"`
	Value any    `json:"value,omitempty"`
	From  string `json:"from"`
}

func (c *call) configPrint() error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	path, err := configPath()
	if err != nil {
		return err
	}
	if c.json {
		answer := struct {
			Path     string       `json:"path"`
			Settings []settingRow `json:"settings"`
		}{path, nil}
		for _, s := range settings {
			answer.Settings = append(answer.Settings, settingRow{s.name, s.value(&cfg).plain(), cfg.from(s.name)})
		}
		return c.writeJSON(answer)
	}
	p(c.out, "# The settings in effect. They can stand in %s.\n", path)
	for _, s := range settings {
		if text := tomlText(s.value(&cfg).plain()); text != "" {
			p(c.out, "%s = %s  # %s\n", s.name, text, cfg.from(s.name))
		} else {
			p(c.out, "# %s is not set\n", s.name)
		}
	}
	return nil
}

// configPrintHost prints the block alone, so that it can be sent to a file; where it belongs is said on standard error.
func (c *call) configPrintHost(name string) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	h, err := hostOf(name)
	if err != nil {
		return err
	}
	e, err := h.entry(cfg)
	if err != nil {
		return err
	}
	path, err := h.file()
	if err != nil {
		return err
	}
	if !c.json {
		_, _ = fmt.Fprintf(c.stderr, "This belongs in %s:\n", visible(path))
	}
	return c.writeJSON(h.block(e))
}

// tomlText returns a value as TOML. JSON's strings, numbers and truth values are TOML's.
func tomlText(value any) string {
	if value == nil {
		return ""
	}
	text, err := indentedJSON(value, "")
	if err != nil {
		panic(err) // a string, a number or a truth value
	}
	return text
}
