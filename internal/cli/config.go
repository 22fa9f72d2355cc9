package cli

// This file defines "docket config".

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
)

var configCommand = &command{
	name: "config", args: "path | print", short: "show the settings and where they come from",
	min: 1, max: 2, settings: serverSettings,
	setup: func(*flag.FlagSet) runner {
		return func(_ context.Context, c *call, args []string) error {
			switch {
			case args[0] == "path" && len(args) == 1:
				return c.configPath()
			case args[0] == "print" && len(args) == 1:
				return c.configPrint()
			}
			return &usageError{fmt.Sprintf("config: it is path or print, not %q", args[0]), "docket help config"}
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

// tomlText returns a value as TOML. JSON's strings, numbers and truth values are TOML's.
func tomlText(value any) string {
	if value == nil {
		return ""
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // a string, a number or a truth value
	}
	return strings.TrimSpace(b.String())
}
