package cli

// This file defines what is given of a new decision, and what it rests on: the flags that record and supersede share.

import (
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
