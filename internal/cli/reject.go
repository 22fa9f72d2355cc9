package cli

// This file defines "docket decisions reject".

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"strings"

	"docket/db"
	"docket/trace"
)

var decisionsRejectCommand = &command{
	name: "decisions reject", args: "ID", short: "take a decision out of force with nothing in its place",
	long: `Takes a decision out of force with nothing in its place. It is kept, and what rests on it is to be reviewed. This cannot be undone,
so docket asks before it does it, and only a person at a terminal can answer.`,
	examples: []string{"docket decisions reject ID --project thesis --why 'The task was given up.'"},
	min:      1, max: 1, settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		why := fs.String("why", "", "`TEXT`: why it is rejected")
		return func(ctx context.Context, c *call, args []string) error {
			return c.withTrace(ctx, nil, func(d *db.DB, who trace.Identity) error {
				v, err := trace.GetDecision(ctx, d, who, trace.GetDecisionParams{DecisionID: args[0]})
				if err != nil {
					return err
				}
				if err := c.confirm(ctx, v.ChoiceKey+": "+v.Conclusion, "reject"); err != nil {
					return err
				}
				r, err := trace.RejectDecision(ctx, d, who, trace.RejectDecisionParams{DecisionID: args[0], Reason: *why})
				if err != nil {
					return err
				}
				return c.wrote(ctx, d, "Rejected", r)
			})
		}
	},
}

// confirm asks a person at a terminal to type the word.
func (c *call) confirm(ctx context.Context, what, word string) error {
	if !isTerminal(c.stdin) {
		return &usageError{msg: "only a person at a terminal can " + word + " it: the answer must be typed"}
	}
	fill(c.stderr, "", what)
	p(c.stderr, "Type %q to go on: ", word)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(c.stdin).ReadString('\n') // what was typed before an end counts
		answer <- strings.TrimSpace(line)
	}()
	select {
	case got := <-answer:
		if got != word {
			return errors.New("not confirmed; nothing was changed")
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
