// Package watch is the door for folders: it notices that something changed below the roots and has package ingest look there.
//
// It owns the election of the one process that indexes a store, the watches of the system, polling where there are none, and the
// decision when a change has settled. It never reads a document and never writes to the store itself; what it is told by the
// system is a hint, and only what ingest finds counts.
//
// The invariants: one process at a time indexes; whatever the hints, a whole look at low rate makes the index equal to the folders;
// a document that is not at its place is missing first, and removed once the grace period is over; a root that cannot be read loses
// nothing.
package watch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"docket/db"
	"docket/ingest"
)

const (
	// lookEvery is how often it is looked whether somebody else leads, which roots there are, and whether they are still there.
	lookEvery = 2 * time.Second
	// gracePeriod is how long a document may be missing before it is removed.
	gracePeriod = 30 * time.Second
)

// Options say how a store's folders are watched.
type Options struct {
	Command bool                 // this is `docket watch`: watchers within servers give way to it
	Poll    bool                 // trust no reports of the system
	Version string               // of the program
	Foreign ingest.ForeignParser // as in [ingest.SyncRequest]
	Log     *slog.Logger

	grace      time.Duration          // 0 stands for gracePeriod
	maxWatches int                    // 0 stands for what the system allows
	hear       func(rel string) error // what a test lets happen to a report: an error loses it
}

// Run watches the store's folders until ctx is done, or waits as long as another process does. Of several processes on one store the
// first leads, but a `docket watch` takes the lead from a server. When the leader ends or stands still another follows within seconds.
// Its error is one of the store; whatever befalls a folder or a file is in the store's own rows.
func Run(ctx context.Context, d *db.DB, o Options) error {
	if o.grace == 0 {
		o.grace = gracePeriod
	}
	e := election{
		d: d, o: o, log: o.Log, leads: ingest.NewWatch(d, ingest.IndexerLease, o.Version), commands: ingest.NewWatch(d, ingest.WatchLease, o.Version),
	}
	defer e.close()
	for look := time.NewTimer(0); ; look.Reset(lookEvery) {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
		err := e.stand(ctx)
		_, replaced := errors.AsType[*db.ReplacedError](err)
		switch {
		case ctx.Err() != nil:
			return nil
		case replaced:
			return err
		case err == nil:
			e.trouble = ""
		case err.Error() != e.trouble: // said once, and tried again and again: a folder that cannot be written may be so for good
			e.trouble = err.Error()
			o.Log.Warn("watching folders", keyError, err)
		}
	}
}

// The keys of the log.
const (
	keyError  = "error"
	keyRoot   = "root"
	keyPID    = "pid"
	keyReason = "reason"
	keyWhole  = "whole"
	keyPaths  = "paths"
)

// An election decides which process indexes.
type election struct {
	d        *db.DB
	o        Options
	log      *slog.Logger
	leads    *ingest.Watch
	commands *ingest.Watch
	command  *ingest.Lease // what a `docket watch` holds, from when on it may stand
	told     int           // the process that this one was last said to wait for
	trouble  string        // what went wrong the last time
}

// mayStand reports whether this process may lead now.
func (e *election) mayStand(ctx context.Context) (bool, error) {
	if !e.o.Command {
		alive, err := e.commands.Alive()
		return !alive, err
	}
	if e.command != nil && !e.command.Held() {
		err := e.command.Release()
		e.command = nil
		return false, err
	}
	if e.command == nil {
		var err error
		if e.command, err = e.commands.Try(ctx); err != nil {
			return false, err
		}
	}
	return e.command != nil, nil
}

// stand leads if nobody else does, for as long as it may.
func (e *election) stand(ctx context.Context) error {
	may, err := e.mayStand(ctx)
	if err != nil || !may {
		return err
	}
	lease, err := e.leads.Try(ctx)
	if err != nil {
		return err
	}
	if lease == nil {
		if b, held, err := ingest.ReadBeat(e.d, ingest.IndexerLease); err == nil && held && b.PID != e.told {
			e.log.Info("another docket indexes; waiting", keyPID, b.PID)
			e.told = b.PID
		}
		return nil
	}
	e.told = 0
	e.log.Info("indexing the store's folders")
	inOffice, resign := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer resign()
		e.untilReplaced(inOffice, lease)
	}()
	err = newIndexer(e.d, e.o, lease).run(inOffice)
	resign()
	<-done
	if ctx.Err() == nil {
		e.log.Info("another docket takes over indexing")
	}
	return errors.Join(err, lease.Release())
}

// untilReplaced returns when the lease was taken away, or when this process has to give way.
func (e *election) untilReplaced(ctx context.Context, lease *ingest.Lease) {
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if !lease.Held() {
			return
		}
		if may, err := e.mayStand(ctx); err == nil && !may {
			return
		}
	}
}

func (e *election) close() {
	if e.command != nil {
		_ = e.command.Release() // it was only a lock
	}
}
