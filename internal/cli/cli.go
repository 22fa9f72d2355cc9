// Package cli is the door for people: it reads arguments and settings, calls the packages below, and lays their answers out.
//
// It decides nothing about documents or decisions, so that a person and an agent get the same answer from the same function. It
// is the only package that reads the environment, and nothing in an indexed folder reaches its settings. The invariants: standard
// output carries the answer and nothing else; text of documents is shown with its control characters made visible; exit codes are
// 0 done, 1 failed, 2 usage, 3 database busy or newer.
package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"docket/db"
	"docket/trace"
)

// The exit codes. Scripts depend on them.
const (
	exitDone = iota
	exitFailed
	exitUsage
	exitBusy
)

// commands are all commands, in the order in which help lists them.
var commands []*command

func init() { // not in the declaration, since the help command reads the list
	commands = []*command{
		addCommand, removeCommand, syncCommand, watchCommand, statusCommand, searchCommand, showCommand, treeCommand, citeCommand, checkCommand,
		tasksCommand, tasksCreateCommand, decisionsCommand, decisionsSearchCommand, decisionsConflictsCommand,
		decisionsRecordCommand, decisionsSupersedeCommand, decisionsReaffirmCommand, decisionsRejectCommand, reviewCommand, impactCommand,
		backupCommand, restoreCommand, doctorCommand, repairCommand, forgetCommand,
		pruneCommand, serveCommand, installCommand, uninstallCommand, benchRetrievalCommand, benchReviewCommand, benchFormatsCommand, configCommand, versionCommand, helpCommand,
	}
}

// Main runs the command that args name and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 1 && args[0] == parseCommand {
		return parseForeign(stdin, stdout, stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // restores the default: a second signal ends the process

	c := &call{out: bufio.NewWriter(stdout), stdin: stdin, stdout: stdout, stderr: stderr, flags: map[string]string{}}
	err := c.dispatch(ctx, args)
	if ferr := c.out.Flush(); ferr != nil && err == nil {
		err = fmt.Errorf("write the answer: %w", ferr)
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	return c.report(err)
}

// A call is one run of one command.
type call struct {
	out            *bufio.Writer // the answer; written out when the command is done
	stdin          io.Reader
	stdout, stderr io.Writer

	json  bool
	flags map[string]string // settings given as flags, by their name
}

// dispatch finds the command and runs it.
func (c *call) dispatch(ctx context.Context, args []string) error {
	global := newFlags("docket")
	c.commonFlags(global)
	rest, help, err := leading(global, args)
	switch {
	case err != nil:
		return &usageError{err.Error(), "docket help"}
	case help || len(rest) == 0:
		c.overview()
		return nil
	}
	cmd, rest := lookup(rest)
	if cmd == nil {
		return &usageError{fmt.Sprintf("there is no command %q", rest[0]), "docket help"}
	}
	fs := newFlags(cmd.name)
	run := cmd.setup(fs)
	c.commonFlags(fs)
	c.settingFlags(fs, cmd.settings)
	words, help, err := interleaved(fs, rest)
	usage := "docket help " + cmd.name
	switch {
	case help:
		c.usage(cmd)
		return nil
	case err != nil:
		c.json = c.json || slices.Contains(rest, "--json")
		return &usageError{cmd.name + ": " + err.Error(), usage}
	case len(words) < cmd.min:
		return &usageError{cmd.name + " needs " + cmd.args, usage}
	case cmd.max >= 0 && len(words) > cmd.max:
		return &usageError{fmt.Sprintf("%s: %q is one argument too many", cmd.name, words[cmd.max]), usage}
	}
	return run(ctx, c, words)
}

// lookup finds the command that words begin with, one of two words before one of one, and returns the words after it.
func lookup(words []string) (*command, []string) {
	for n := min(2, len(words)); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		for _, cmd := range commands {
			if cmd.name == name {
				return cmd, words[n:]
			}
		}
	}
	return nil, words
}

// A usageError is a mistake in what was typed: exit code 2.
type usageError struct{ msg, see string } // see is the command whose help tells more, if any

func (e *usageError) Error() string { return e.msg }

// Hint says what to do next.
func (e *usageError) Hint() string {
	if e.see == "" {
		return ""
	}
	return "see `" + e.see + "`"
}

// A hintedError adds the next step to an error.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// Hint says what to do next.
func (e *hintedError) Hint() string { return e.hint }

// open opens the database that the settings name.
func (c *call) open(ctx context.Context) (Config, *db.DB, error) {
	cfg, err := c.config()
	if err != nil {
		return cfg, nil, err
	}
	d, err := db.Open(ctx, cfg.DB, db.Options{})
	return cfg, d, err
}

func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*badSettingsError](err); ok {
		return exitUsage
	}
	if refused, ok := errors.AsType[*trace.Error](err); ok && refused.Code == trace.CodeInvalid {
		return exitUsage
	}
	if _, ok := errors.AsType[*db.BusyError](err); ok {
		return exitBusy
	}
	if _, ok := errors.AsType[*db.NewerSchemaError](err); ok {
		return exitBusy
	}
	return exitFailed
}

// report tells the person what went wrong and what to do next, on stderr, and returns the exit code. With --json it is an object of JSON each.
func (c *call) report(err error) int {
	code := exitCode(err)
	if err == nil {
		return code
	}
	problems := slices.DeleteFunc(separate(err), func(err error) bool { return errors.Is(err, errFindings) })
	if c.json {
		enc := json.NewEncoder(c.stderr)
		enc.SetEscapeHTML(false)
		for _, err := range problems {
			_ = enc.Encode(struct { // stderr is the last place to complain to
				Error    string `json:"error"`
				Hint     string `json:"hint,omitempty"`
				ExitCode int    `json:"exit_code"`
			}{err.Error(), hintOf(err), code})
		}
		return code
	}
	lastHint := ""
	for _, err := range problems {
		if lastHint != "" && lastHint != hintOf(err) {
			p(c.stderr, "hint: %s\n", visible(lastHint))
		}
		lastHint = hintOf(err)
		p(c.stderr, "docket: %s\n", visible(err.Error()))
	}
	if lastHint != "" {
		p(c.stderr, "hint: %s\n", visible(lastHint))
	}
	return code
}

// separate takes joined errors apart, so that each is told with its own hint.
func separate(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	var text []string
	for _, e := range joined.Unwrap() {
		all, text = append(all, separate(e)...), append(text, e.Error())
	}
	if err.Error() != strings.Join(text, "\n") { // it has words of its own
		return []error{err}
	}
	return all
}

func hintOf(err error) string {
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		return h.Hint()
	}
	return ""
}

// errFindings ends a command that answered in full and found something amiss: exit code 1, and nothing more to say.
var errFindings = errors.New("see the answer")
