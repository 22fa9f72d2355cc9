package cli

// This file defines "docket tasks".

import (
	"context"
	"flag"

	"docket/db"
	"docket/trace"
)

var tasksCommand = &command{
	name: "tasks", args: "[NAME]", short: "list the tasks of a project, or show where one stands",
	long: `Lists the tasks of the project. With a name, shows where that task stands: its goal, the steps that are open, the decisions in
force with their review state, open questions, and what happened last.`,
	examples: []string{"docket tasks --project thesis", "docket tasks --project thesis 'choose a method'"},
	max:      1, settings: traceSettings,
	setup: func(*flag.FlagSet) runner {
		return func(ctx context.Context, c *call, args []string) error {
			return c.withTrace(ctx, nil, func(d *db.DB, who trace.Identity) error {
				if len(args) == 1 {
					return c.task(ctx, d, who, args[0])
				}
				tasks, err := trace.ListTasks(ctx, d, who)
				if err != nil {
					return err
				}
				if c.json {
					return c.writeJSON(struct {
						Tasks []trace.TaskSummary `json:"tasks"`
					}{tasks})
				}
				if len(tasks) == 0 {
					p(c.out, "The project %q has no task yet.\n", who.Project)
				}
				for _, t := range tasks {
					p(c.out, "%s\n", visible(t.TaskName))
					fill(c.out, "   ", t.Goal)
					p(c.out, "   %s, %s in force, %d to review\n", plural(t.Events, "event", "events"), plural(t.Decisions, "decision", "decisions"), t.ToReview)
				}
				return nil
			})
		}
	},
}

func (c *call) task(ctx context.Context, d *db.DB, who trace.Identity, name string) error {
	t, err := trace.GetTask(ctx, d, who, trace.GetTaskParams{TaskName: name})
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(t)
	}
	p(c.out, "%s\n", visible(t.TaskName))
	fill(c.out, "   ", t.Goal)
	s := t.Steps
	p(c.out, "   %s, %s in force, %d to review\n", plural(t.Events, "event", "events"), plural(t.Decisions, "decision", "decisions"), t.ToReview)
	p(c.out, "   steps: %d not started, %d in progress, %d completed, %d failed, %d unknown\n", s.NotStarted, s.InProgress, s.Completed, s.Failed, s.Unknown)
	for i, v := range t.OpenSteps {
		heading(c, i, "Open steps")
		p(c.out, "   %s: %s\n", visible(v.Name), words(v.State))
	}
	for i, v := range t.ActiveDecisions {
		heading(c, i, "Decisions in force")
		p(c.out, "   %s  %s\n", v.DecisionID, words(v.Review))
		fill(c.out, "      ", v.ChoiceKey+": "+v.Conclusion)
	}
	for i, v := range t.OpenQuestions {
		heading(c, i, "Open questions")
		fill(c.out, "   ", v.Question)
	}
	for i, v := range t.LastEvents {
		heading(c, i, "Last events")
		p(c.out, "   %d  %s  %s\n", v.Seq, v.CreatedAt, words(v.Kind))
		fill(c.out, "      ", v.Preview)
	}
	if t.Truncated {
		p(c.out, "\nNot everything is shown.\n")
	}
	return nil
}

// heading is printed before the first of several.
func heading(c *call, i int, text string) {
	if i == 0 {
		p(c.out, "\n%s\n", text)
	}
}
