package cli

// This file defines what changes decisions: "docket decisions record", "supersede", "reaffirm" and "reject".

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"docket/db"
	"docket/trace"
)

// restsOn explains the flag by which supports are given.
const restsOn = `Each --on names one thing that it rests on: a passage by its id, or ID=WORDS for words in it that matter; a decision by its id;
event:N or step:NAME of the same task. At least one passage or event is needed.`

var decisionsRecordCommand = &command{
	name: "decisions record", short: "record a decision and what it rests on",
	long: "Records a decision. " + restsOn,
	examples: []string{
		"docket decisions record --project thesis --task 'choose a method' --choice coding-scheme --conclusion 'Code by hand.' \\",
		"    --rationale 'The pilot shows that the tool misses irony.' --on 'c_abcdefghijklmnopqrstuvwxyz=misses irony'",
	},
	settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		task := fs.String("task", "", "the `NAME` of the task")
		choice := fs.String("choice", "", "what is chosen between: a short `KEY`, the same for the same choice in every task")
		b := bodyFlags(fs)
		return func(ctx context.Context, c *call, _ []string) error {
			supports, err := b.supports(*task)
			if err != nil {
				return err
			}
			return c.withTrace(ctx, evidenceOf(supports), func(d *db.DB, who trace.Identity) error {
				r, err := trace.RecordDecision(ctx, d, who, trace.RecordDecisionParams{
					TaskName: *task, ChoiceKey: *choice, Conclusion: b.conclusion, Rationale: b.rationale, Supports: supports,
					Assumptions: b.assumptions, OpenQuestions: b.questions,
				})
				if err != nil {
					return err
				}
				return c.wrote(ctx, d, "Recorded", r)
			})
		}
	},
}

var decisionsSupersedeCommand = &command{
	name: "decisions supersede", args: "ID", short: "put a new decision in the place of one",
	long:     "Puts a new decision of the same task and choice in the place of one in force; the old one is kept, and what rests on it is to be reviewed. " + restsOn,
	examples: []string{"docket decisions supersede ID --project thesis --conclusion ... --rationale ... --why 'The tool was mended.' --on c_abcdefghijklmnopqrstuvwxyz"},
	min:      1, max: 1, settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		why := fs.String("why", "", "`TEXT`: why the old one no longer holds")
		b := bodyFlags(fs)
		return func(ctx context.Context, c *call, args []string) error {
			// Events and steps are those of the old decision's task, which only the database knows.
			named, err := b.supports("")
			if err != nil {
				return err
			}
			return c.withTrace(ctx, evidenceOf(named), func(d *db.DB, who trace.Identity) error {
				old, err := trace.GetDecision(ctx, d, who, trace.GetDecisionParams{DecisionID: args[0]})
				if err != nil {
					return err
				}
				supports, err := b.supports(old.TaskName)
				if err != nil {
					return err
				}
				r, err := trace.SupersedeDecision(ctx, d, who, trace.SupersedeDecisionParams{
					DecisionID: args[0], Conclusion: b.conclusion, Rationale: b.rationale, Explanation: *why, Supports: supports,
					Assumptions: b.assumptions, OpenQuestions: b.questions,
				})
				if err != nil {
					return err
				}
				return c.wrote(ctx, d, "Recorded", r)
			})
		}
	},
}

var decisionsReaffirmCommand = &command{
	name: "decisions reaffirm", args: "ID", short: "say that a decision still holds, on evidence as it is now",
	long: `Says that a decision in force still holds. Each --on names a passage of a document as it is now; a document that changed is
answered by a passage of that document, one that is gone by any.`,
	examples: []string{"docket decisions reaffirm ID --project thesis --why 'Only the date changed.' --on c_abcdefghijklmnopqrstuvwxyz"},
	min:      1, max: 1, settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		why := fs.String("why", "", "`TEXT`: why it still holds")
		var on []string
		fs.Func("on", "the `ID` of a passage; may be given several times", collect(&on))
		return func(ctx context.Context, c *call, args []string) error {
			return c.withTrace(ctx, on, func(d *db.DB, who trace.Identity) error {
				r, err := trace.ReaffirmDecision(ctx, d, who, trace.ReaffirmDecisionParams{DecisionID: args[0], EvidenceIDs: on, Explanation: *why})
				if err != nil {
					return err
				}
				return c.wrote(ctx, d, "Reaffirmed", r)
			})
		}
	},
}

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

// A body is what is given of a new decision.
type body struct {
	conclusion, rationale      string
	on, assumptions, questions []string
}

func bodyFlags(fs *flag.FlagSet) *body {
	b := &body{assumptions: []string{}, questions: []string{}}
	fs.StringVar(&b.conclusion, "conclusion", "", "`TEXT`: what is decided")
	fs.StringVar(&b.rationale, "rationale", "", "`TEXT`: why")
	fs.Func("on", "`THING` that it rests on; may be given several times", collect(&b.on))
	fs.Func("assume", "`TEXT` of an assumption; may be given several times", collect(&b.assumptions))
	fs.Func("question", "`TEXT` of a question that stays open; may be given several times", collect(&b.questions))
	return b
}

func collect(to *[]string) func(string) error {
	return func(s string) error { *to = append(*to, s); return nil }
}

// supports reads what --on named.
func (b *body) supports(task string) ([]trace.Support, error) {
	var out []trace.Support
	for _, on := range b.on {
		kind, rest, _ := strings.Cut(on, ":")
		id, quote, _ := strings.Cut(on, "=")
		switch _, isEvidence := db.ParseEvidenceID(id); {
		case isEvidence:
			out = append(out, trace.Support{Type: "evidence", EvidenceID: id, Quote: quote})
		case uuid.Validate(on) == nil:
			out = append(out, trace.Support{Type: "decision", DecisionID: on})
		case kind == "step" && rest != "":
			out = append(out, trace.Support{Type: "step", TaskName: task, Name: rest})
		case kind == "event":
			seq, err := strconv.Atoi(rest)
			if err != nil {
				return nil, &usageError{fmt.Sprintf("--on %q: an event has a number", on), "docket help decisions record"}
			}
			out = append(out, trace.Support{Type: "event", TaskName: task, Seq: seq})
		default:
			return nil, &usageError{fmt.Sprintf("--on %q is no passage, decision, event or step", on), "docket help decisions record"}
		}
	}
	return out, nil
}

func evidenceOf(supports []trace.Support) (ids []string) {
	for _, s := range supports {
		if s.EvidenceID != "" {
			ids = append(ids, s.EvidenceID)
		}
	}
	return ids
}
