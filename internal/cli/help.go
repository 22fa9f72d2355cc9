package cli

// This file defines "docket help", and the texts that it and -h print.

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

const about = `docket keeps your documents, and the decisions taken on them, in one file, and serves them to agents over MCP.
Every answer traces to an exact passage.`

var helpCommand = &command{
	name: "help", args: "[COMMAND]", short: "show how a command is used",
	long: "Shows how a command is used. `docket COMMAND -h` does the same.",
	max:  2,
	setup: func(*flag.FlagSet) runner {
		return func(_ context.Context, c *call, args []string) error {
			if len(args) == 0 {
				c.overview()
				return nil
			}
			cmd, rest := lookup(args)
			if cmd == nil || len(rest) > 0 {
				return &usageError{fmt.Sprintf("there is no command %q", strings.Join(args, " ")), "docket help"}
			}
			c.usage(cmd)
			return nil
		}
	},
}

// overview lists the commands.
func (c *call) overview() {
	p(c.out, "%s\n\nusage: docket COMMAND [flags] [arguments]\n\n", about)
	for _, cmd := range commands {
		p(c.out, "  %-21s %s\n", cmd.name, cmd.short)
	}
	p(c.out, "\nEach command takes --db FILE and --json; `docket help COMMAND` says the rest.\n")
	p(c.out, "Exit codes: 0 done, 1 failed, 2 usage, 3 database busy or newer.\n")
}

// usage shows one command.
func (c *call) usage(cmd *command) {
	p(c.out, "usage: docket %s\n", strings.Join(slices.DeleteFunc([]string{cmd.name, "[flags]", cmd.args}, func(s string) bool { return s == "" }), " "))
	for para := range strings.SplitSeq(cmd.long, "\n\n") {
		p(c.out, "\n")
		fill(c.out, "", para)
	}
	p(c.out, "\nFlags:\n")
	cmd.flagSet().VisitAll(func(f *flag.Flag) {
		head, usage := flagWords(f)
		p(c.out, "  %s\n", head)
		fill(c.out, "      ", usage)
	})
	if len(cmd.examples) > 0 {
		p(c.out, "\nExamples:\n")
		for _, e := range cmd.examples {
			p(c.out, "  %s\n", e)
		}
	}
}

// flagSet returns the command's flags, to be shown and not to be read.
func (cmd *command) flagSet() *flag.FlagSet {
	fs := newFlags(cmd.name)
	cmd.setup(fs)
	c := &call{flags: map[string]string{}}
	c.commonFlags(fs)
	c.settingFlags(fs, cmd.settings)
	return fs
}

// flagWords returns a flag as it is typed, and what it does.
func flagWords(f *flag.Flag) (head, usage string) {
	arg, usage := flag.UnquoteUsage(f)
	head = "--" + f.Name
	if arg != "" {
		head += " " + arg
	}
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
		usage += " (default " + f.DefValue + ")"
	}
	return head, usage
}

// p prints to a writer that keeps its own error: a bufio.Writer, whose Flush is checked.
func p(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
