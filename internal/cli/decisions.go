package cli

// This file defines "docket decisions", and how decisions, their supports and their reasons are laid out.

import (
	"context"
	"flag"

	"github.com/google/uuid"

	"docket/db"
	"docket/trace"
)

var decisionsCommand = &command{
	name: "decisions", args: "TASK | ID", short: "list the decisions of a task, or show one",
	long: `Lists all decisions of a task, those out of force too. With the id of a decision, shows what it rests on, and why it needs a
review if it does; --history shows what became of each support.`,
	examples: []string{"docket decisions --project thesis 'choose a method'", "docket decisions --project thesis 7d444840-9dc0-41d1-b245-5ffdce74fad2 --history"},
	min:      1, max: 1, settings: traceSettings,
	setup: func(fs *flag.FlagSet) runner {
		history := fs.Bool("history", false, "for an id: what became of each support")
		return func(ctx context.Context, c *call, args []string) error {
			return c.withTrace(ctx, nil, func(d *db.DB, who trace.Identity) error {
				switch {
				case uuid.Validate(args[0]) != nil:
					return c.listDecisions(ctx, d, who, args[0])
				case *history:
					return c.history(ctx, d, who, args[0])
				}
				v, err := trace.GetDecision(ctx, d, who, trace.GetDecisionParams{DecisionID: args[0]})
				if err != nil {
					return err
				}
				if c.json {
					return c.writeJSON(v)
				}
				c.printDecision(v)
				return nil
			})
		}
	},
}

func (c *call) listDecisions(ctx context.Context, d *db.DB, who trace.Identity, task string) error {
	all := trace.DecisionPage{Decisions: []trace.DecisionSummary{}}
	for after := ""; ; after = all.NextAfter {
		page, err := trace.ListDecisions(ctx, d, who, trace.ListDecisionsParams{TaskName: task, After: after, Limit: 100})
		if err != nil {
			return err
		}
		all.TaskName, all.Decisions, all.NextAfter = page.TaskName, append(all.Decisions, page.Decisions...), page.NextAfter
		if page.NextAfter == "" {
			break
		}
	}
	if c.json {
		return c.writeJSON(all)
	}
	if len(all.Decisions) == 0 {
		p(c.out, "The task %q has no decision yet.\n", visible(all.TaskName))
	}
	for _, v := range all.Decisions {
		c.printSummary(v)
	}
	return nil
}

func (c *call) history(ctx context.Context, d *db.DB, who trace.Identity, id string) error {
	all := trace.SupportHistory{DecisionID: id, Acts: []trace.DecisionAct{}, Supports: []trace.SupportTimeline{}}
	for after, more := -1, true; more; {
		page, err := trace.ListSupportHistory(ctx, d, who, trace.ListSupportHistoryParams{DecisionID: id, AfterOrdinal: after, Limit: 100})
		if err != nil {
			return err
		}
		if after == -1 {
			all.Acts = page.Acts
		}
		all.Supports = append(all.Supports, page.Supports...)
		if more = page.NextAfterOrdinal != nil; more {
			after = *page.NextAfterOrdinal
		}
	}
	if c.json {
		return c.writeJSON(all)
	}
	p(c.out, "%s\n", id)
	for _, a := range all.Acts {
		p(c.out, "   %s by %s, %s\n", a.What, visible(a.AgentID), a.At)
		fill(c.out, "      ", a.Explanation)
	}
	for _, s := range all.Supports {
		p(c.out, "\n")
		c.printSupport(s.SupportView)
		for _, ch := range s.Changes {
			p(c.out, "      %s  %s", ch.At, ch.What)
			if ch.Cause != "" {
				p(c.out, ": %s", words(ch.Cause))
			}
			p(c.out, "\n")
		}
		c.printDifference(s.OldText, s.NewText, s.Diff)
	}
	return nil
}

// printSummary lays out a decision in a list.
func (c *call) printSummary(v trace.DecisionSummary) {
	p(c.out, "%s  %s", v.DecisionID, v.Status)
	if v.Review != "" {
		p(c.out, ", %s", words(v.Review))
	}
	p(c.out, "\n")
	fill(c.out, "   ", v.ChoiceKey+": "+v.Conclusion)
	p(c.out, "   task %s, by %s, %s\n", visible(v.TaskName), visible(v.AgentID), v.CreatedAt)
}

func (c *call) printDecision(v trace.Decision) {
	c.printSummary(trace.DecisionSummary{
		DecisionID: v.DecisionID, TaskName: v.TaskName, ChoiceKey: v.ChoiceKey, Conclusion: v.Conclusion, Status: v.Status, Review: v.Review,
		AgentID: v.AgentID, CreatedAt: v.CreatedAt,
	})
	if v.Supersedes != "" {
		p(c.out, "   supersedes %s\n", v.Supersedes)
	}
	if v.SupersededBy != "" {
		p(c.out, "   superseded by %s\n", v.SupersededBy)
	}
	if v.Explanation != "" {
		fill(c.out, "   ", v.Explanation)
	}
	p(c.out, "\nRationale\n")
	fill(c.out, "   ", v.Rationale)
	for i, text := range v.Assumptions {
		heading(c, i, "Assumptions")
		fill(c.out, "   ", text)
	}
	for i, text := range v.OpenQuestions {
		heading(c, i, "Open questions")
		fill(c.out, "   ", text)
	}
	for i, s := range v.Supports {
		heading(c, i, "Rests on")
		c.printSupport(s)
	}
	if v.MoreSupports > 0 {
		p(c.out, "   and %d more; --history has them\n", v.MoreSupports)
	}
	for i, r := range v.ReviewReasons {
		heading(c, i, "To review")
		c.printReason(r)
	}
	if v.MoreReasons > 0 {
		p(c.out, "   and %s more\n", plural(v.MoreReasons, "reason", "reasons"))
	}
}

func (c *call) printSupport(s trace.SupportView) {
	p(c.out, "   %d. ", s.Ordinal)
	switch {
	case s.TextWithheld:
		p(c.out, "%s, outside the scope", s.Type)
	case s.EvidenceID != "":
		p(c.out, "%s  %s", visible(s.DocumentKey), s.EvidenceID)
	case s.DecisionID != "":
		p(c.out, "decision %s", s.DecisionID)
	case s.Name != "":
		p(c.out, "step %s of %s", visible(s.Name), visible(s.TaskName))
	default:
		p(c.out, "event %d of %s", s.Seq, visible(s.TaskName))
	}
	p(c.out, "  %s", words(s.State))
	if s.Group != "" {
		p(c.out, "  (group %s)", visible(s.Group))
	}
	p(c.out, "\n")
	if s.Quote != "" {
		fill(c.out, "      ", "“"+s.Quote+"”")
	}
}

// printReason lays out why a decision needs a review, with what changed.
func (c *call) printReason(r trace.ReasonView) {
	p(c.out, "   %s", words(r.Cause))
	switch {
	case r.DocumentKey != "":
		p(c.out, ": %s", visible(r.DocumentKey))
	case r.DecisionID != "":
		p(c.out, ": decision %s", r.DecisionID)
	case r.Name != "":
		p(c.out, ": step %s of %s", visible(r.Name), visible(r.TaskName))
	}
	if r.Detail != "" {
		p(c.out, ", %s", words(r.Detail))
	}
	p(c.out, "\n")
	c.printDifference(r.OldText, r.NewText, r.Diff)
	if r.ProposedEvidenceID != "" {
		p(c.out, "      look at %s\n", r.ProposedEvidenceID)
	}
}

func (c *call) printDifference(old, text, diff string) {
	switch {
	case diff != "":
		fill(c.out, "      ", diff)
	case old != "":
		fill(c.out, "      was: ", old)
		if text != "" {
			fill(c.out, "      now: ", text)
		}
	}
}
