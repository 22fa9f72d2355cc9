package cli

// This file defines what a command is, and how its flags are read: before, between and after the other arguments.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// A command is one word after `docket`.
type command struct {
	name     string
	args     string // what follows it, as usage shows it
	short    string // one line for the list
	long     string // paragraphs for its help
	examples []string
	min, max int      // how many arguments; max -1 for any number
	settings []string // the settings that are flags here
	setup    func(*flag.FlagSet) runner
}

// A runner runs a command once its flags are read.
type runner func(ctx context.Context, c *call, args []string) error

func newFlags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// commonFlags adds the flags that every command has; they may also stand before the command.
func (c *call) commonFlags(fs *flag.FlagSet) {
	c.settingFlags(fs, []string{nameDB})
	fs.BoolVar(&c.json, "json", c.json, "answer in JSON; errors are a JSON object on stderr then")
}

// settingFlags adds the flags of settings. What is given is kept as text, and read with the other sources of settings.
func (c *call) settingFlags(fs *flag.FlagSet, names []string) {
	for _, name := range names {
		s := settingOf(name)
		var scratch Config
		v := s.value(&scratch)
		keep := func(text string) error {
			if text == "" && s.name != nameScope { // a variable of the shell that was never set, and not the default
				return errors.New("it is empty")
			}
			if err := v.Set(text); err != nil {
				return err
			}
			c.flags[s.name] = text
			return nil
		}
		usage, preset := s.usage, defaults()
		if d := s.value(&preset).plain(); d != nil {
			usage += fmt.Sprintf(" (default %v)", d)
		}
		if _, ok := v.(*boolValue); ok {
			fs.BoolFunc(s.flag, usage, keep)
		} else {
			fs.Func(s.flag, usage, keep)
		}
	}
}

// leading reads the flags in front of the command; rest begins with the command.
func leading(fs *flag.FlagSet, args []string) (rest []string, help bool, err error) {
	err = fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil, true, nil
	}
	return fs.Args(), false, flagError(err)
}

// interleaved reads flags wherever they stand. After `--` everything is an argument.
func interleaved(fs *flag.FlagSet, args []string) (words []string, help bool, err error) {
	for len(args) > 0 {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, true, nil
		} else if err != nil {
			return nil, false, flagError(err)
		}
		rest := fs.Args()
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			return append(words, rest...), false, nil
		}
		if len(rest) == 0 {
			break
		}
		words, args = append(words, rest[0]), rest[1:]
	}
	return words, false, nil
}

// flagError puts the words of package flag into ours.
func flagError(err error) error {
	if err == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		return fmt.Errorf("there is no flag --%s here (put -- before words that begin with a dash)", strings.TrimPrefix(name, "-"))
	}
	return err
}
