package cli

// This file defines "docket uninstall".

import (
	"context"
	"flag"
)

var uninstallCommand = &command{
	name: "uninstall", args: "claude-code", short: "take docket out of an agent's host again",
	long: `Takes docket's entry out of the settings of Claude Code and leaves every other byte as it is. The file as it was is kept
beside it as .claude.json.docket.bak. Your database stays.`,
	examples: []string{"docket uninstall claude-code"},
	min:      1, max: 1,
	setup: func(fs *flag.FlagSet) runner {
		dry := fs.Bool("dry-run", false, "show what would change, and change nothing")
		return func(_ context.Context, c *call, args []string) error {
			h, err := installable(args[0])
			if err != nil {
				return err
			}
			return c.uninstall(h, *dry)
		}
	},
}

func (c *call) uninstall(h host, dry bool) error {
	path, err := h.file()
	if err != nil {
		return err
	}
	old := ""
	before, after, err := editFile(path, dry, func(text string) (string, error) {
		if old, err = entryOf(text, h.key, serverName); err != nil {
			return "", err
		}
		out, _, err := deleteEntry(text, h.key, serverName)
		return out, err
	})
	if err != nil {
		return err
	}
	done := installation{Host: h.name, File: path, DryRun: dry, Changed: before != after}
	if done.Changed && !dry {
		done.Backup = backupOf(path)
	}
	if c.json {
		return c.writeJSON(done)
	}
	if !done.Changed {
		p(c.out, "%s has no entry of docket.\n", visible(path))
		return nil
	}
	c.entryDiff(path, true, old, "")
	if dry {
		p(c.out, "Nothing was written: this was a dry run.\n")
		return nil
	}
	p(c.out, "Wrote %s; as it was: %s\n", visible(path), visible(done.Backup))
	return nil
}
