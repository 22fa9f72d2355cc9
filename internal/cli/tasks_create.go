package cli

// This file defines "docket tasks create".

import (
	"context"
	"flag"

	"docket/db"
	"docket/trace"
)

var tasksCreateCommand = &command{
	name: "tasks create", args: "NAME GOAL", short: "begin a task",
	long:     `Begins a task with a goal. Decisions and events belong to a task.`,
	examples: []string{"docket tasks create --project thesis 'choose a method' 'Decide how the interviews are coded.'"},
	min:      2, max: 2, settings: traceSettings,
	setup: func(*flag.FlagSet) runner {
		return func(ctx context.Context, c *call, args []string) error {
			return c.withTrace(ctx, nil, func(d *db.DB, who trace.Identity) error {
				t, err := trace.CreateTask(ctx, d, who, trace.CreateTaskParams{TaskName: args[0], Goal: args[1]})
				if err != nil {
					return err
				}
				if c.json {
					return c.writeJSON(t)
				}
				p(c.out, "The task %q is there, by %s.\n", visible(t.TaskName), visible(t.AgentID))
				return nil
			})
		}
	},
}
