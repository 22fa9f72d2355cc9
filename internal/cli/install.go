package cli

// This file defines "docket install".

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
)

var installCommand = &command{
	name: "install", args: "claude-code", short: "tell an agent's host how to start docket",
	long: `Enters docket in the settings of Claude Code, ~/.claude.json (or the one in CLAUDE_CONFIG_DIR), for all your projects. Only
docket's own entry is touched, every other byte stays; the file as it was is kept beside it as .claude.json.docket.bak. Then the
very command that was written is started and asked for its tools and for a search; if that fails, the file gets its old text back.

The flags that are given are written into the entry, and so are settings from the environment, since hosts pass few variables
on. Settings from the config file stay there.

For other hosts, ` + "`docket config print HOST`" + ` prints the block to copy.`,
	examples: []string{"docket install claude-code --dry-run", "docket install claude-code --scope notes/ --project thesis --agent claude"},
	min:      1, max: 1, settings: serverSettings,
	setup: func(fs *flag.FlagSet) runner {
		dry := fs.Bool("dry-run", false, "show what would change, and change nothing")
		return func(ctx context.Context, c *call, args []string) error {
			h, err := installable(args[0])
			if err != nil {
				return err
			}
			return c.install(ctx, h, *dry)
		}
	},
}

// installable returns the host if docket edits its settings.
func installable(name string) (host, error) {
	h, err := hostOf(name)
	if err == nil && h.name != "claude-code" {
		err = &usageError{fmt.Sprintf("docket does not edit the settings of %s; `docket config print %s` prints the block to copy", name, name), ""}
	}
	return h, err
}

// An installation is what install and uninstall did.
type installation struct {
	Host    string       `json:"host"`
	File    string       `json:"file"`
	Changed bool         `json:"changed"`
	DryRun  bool         `json:"dry_run"`
	Backup  string       `json:"backup,omitempty"`
	Entry   *serverEntry `json:"entry,omitempty"`
	Test    *testReport  `json:"test,omitempty"`
}

func (c *call) install(ctx context.Context, h host, dry bool) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	if o, err := cfg.server(); err != nil {
		return err
	} else if o.Text, o.Log = "note", c.logger(); o.Validate() != nil {
		return &usageError{msg: o.Validate().Error()}
	}
	e, err := h.entry(cfg)
	if err != nil {
		return err
	}
	path, err := h.file()
	if err != nil {
		return err
	}
	done := installation{Host: h.name, File: path, DryRun: dry, Entry: &e}
	var before, after, old string
	edit := func(text string) (string, error) {
		if old, err = entryOf(text, h.key, serverName); err != nil {
			return "", err
		}
		if sameEntry(old, e) {
			return text, nil
		}
		return setEntry(text, h.key, serverName, e)
	}
	if before, after, err = editFile(path, dry, edit); err != nil {
		return err
	}
	done.Changed = before != after
	if done.Changed && before != "" && !dry {
		done.Backup = backupOf(path)
	}
	text, err := indentedJSON(e, "")
	if err != nil {
		return err
	}
	if !c.json {
		c.entryDiff(path, done.Changed, old, text)
	}
	if dry {
		if c.json {
			return c.writeJSON(done)
		}
		p(c.out, "Nothing was written: this was a dry run.\n")
		return nil
	}
	report, err := c.testEntry(ctx, path, h)
	if err != nil {
		return c.undo(path, before, after, err)
	}
	done.Test = &report
	if c.json {
		return c.writeJSON(done)
	}
	if done.Changed {
		p(c.out, "Wrote %s", visible(path))
		if done.Backup != "" {
			p(c.out, "; as it was: %s", visible(done.Backup))
		}
		p(c.out, "\n")
	}
	p(c.out, "Tested the command: %s, and search_evidence answers %s.\n", plural(report.Tools, "tool", "tools"), report.Search)
	p(c.out, "Start Claude Code anew, and /mcp lists docket.\n")
	return nil
}

// entryDiff shows what changes of docket's entry. The rest of the file does not change, and may hold secrets.
func (c *call) entryDiff(path string, changed bool, old, text string) {
	if !changed {
		p(c.out, "%s has this entry already.\n", visible(path))
		return
	}
	p(c.out, "%s, the entry of docket:\n", visible(path))
	var laid bytes.Buffer
	if json.Indent(&laid, []byte(old), "", "  ") == nil {
		old = laid.String()
	}
	for _, side := range []struct{ sign, text string }{{"-", old}, {"+", text}} {
		for line := range strings.Lines(side.text) {
			p(c.out, "%s %s\n", side.sign, visible(strings.TrimRight(line, "\r\n")))
		}
	}
}

// sameEntry reports whether text is the entry e, however it is laid out.
func sameEntry(text string, e serverEntry) bool {
	want, err := json.Marshal(e)
	if err != nil || text == "" {
		return false
	}
	var a, b any
	return json.Unmarshal([]byte(text), &a) == nil && json.Unmarshal(want, &b) == nil && equalJSON(a, b)
}

func equalJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// undo gives the file its text back when the entry does not work.
func (c *call) undo(path, before, after string, cause error) error {
	cause = fmt.Errorf("the command that was written does not work: %w", cause)
	if before == after {
		return cause
	}
	_, _, err := editFile(path, false, func(text string) (string, error) {
		if text != after {
			return "", errors.New("it has changed since")
		}
		return before, nil
	})
	if err != nil {
		return errors.Join(cause, fmt.Errorf("its old text could not be put back: %w", err))
	}
	return &hintedError{cause, path + " has its old text again"}
}
