package cli

// This file defines "docket watch", and the watcher within "docket serve".

import (
	"context"
	"errors"
	"flag"
	"log/slog"

	"docket/db"
	"docket/watch"
)

var watchCommand = &command{
	name: "watch", short: "keep the index equal to the folders, until you stop it",
	long: `Watches the folders, and reads what is new or changed as soon as it has settled, about a second after it was saved. What is gone
leaves the index half a minute later, unless it is back by then or stands elsewhere. A decision that rests on a changed passage is
flagged at once.

You need not start this while an agent uses docket: the servers watch by themselves, one of them for all. A ` + "`docket watch`" + ` takes
over from them, and only one of several works. docket add, sync and remove may be used meanwhile; they wait until the pass that
is under way is done. What happens is logged on standard error, and docket status tells whether a watcher runs.`,
	examples: []string{"docket watch", "docket watch --poll"},
	setup: func(fs *flag.FlagSet) runner {
		poll := fs.Bool("poll", false, "look at the folders again and again, and trust no reports of the system")
		return func(ctx context.Context, c *call, _ []string) (err error) {
			_, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			return c.watch(ctx, d, watch.Options{Command: true, Poll: *poll})
		}
	},
}

// watch runs a watcher until ctx is done.
func (c *call) watch(ctx context.Context, d *db.DB, o watch.Options) (err error) {
	w, err := c.worker()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	o.Version, o.Foreign = Version, w.Parse
	if o.Log == nil {
		o.Log = c.logger()
	}
	return watch.Run(ctx, d, o)
}

// watchBeside runs a watcher beside a server. The function it returns ends the watcher and waits for it.
func (c *call) watchBeside(ctx context.Context, d *db.DB, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.watch(ctx, d, watch.Options{Log: log}); err != nil { // a server goes on to answer from what is indexed
			log.Error("the folders are not watched", "error", err)
		}
	}()
	return func() { cancel(); <-done }
}
