package ingest

// This file defines the pipeline of a sync: one goroutine reads, two parse, one writes, in the order of the walk.

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"docket/db"
)

const (
	parsers     = 2
	maxInFlight = 32 << 20 // bytes of files that were read and are not written yet; a larger file goes alone
	batchTime   = 50 * time.Millisecond
)

// process reads, parses and writes the tasks. Its error is one that would befall every file; what befalls one is in its row.
func (s *rootSync) process(ctx context.Context, t *tree, tasks []*task) (err error) {
	if len(tasks) == 0 {
		return nil
	}
	s.step(func(p *Progress) { p.Stage, p.Done, p.Files = StageIndexing, 0, len(tasks) })
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	order := make(chan *task, 2*batchDocuments) // to the writer
	work := make(chan *task)                    // to the parsers
	written := make(chan int64, len(tasks))     // bytes back from the writer

	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(order)
		defer close(work)
		s.feed(ctx, t, tasks, order, work, written)
	})
	for range parsers {
		wg.Go(func() {
			for t := range work {
				s.understand(ctx, t)
				close(t.done)
			}
		})
	}
	err = s.drain(ctx, order, written)
	stop(err)
	for range order { // lets the reader go
	}
	wg.Wait()
	return err
}

// feed reads the files in order and hands them on, as long as not too much is under way.
func (s *rootSync) feed(ctx context.Context, t *tree, tasks []*task, order, work chan<- *task, written <-chan int64) {
	var inFlight int64
	for i, k := range tasks {
		tasks[i] = nil // the writer is the last to hold it
		for inFlight > 0 && inFlight+k.found.stat.size > maxInFlight {
			select {
			case n := <-written:
				inFlight -= n
			case <-ctx.Done():
				return
			}
		}
		for more := true; more; {
			select {
			case n := <-written:
				inFlight -= n
			default:
				more = false
			}
		}
		s.fetch(ctx, t, k)
		inFlight += int64(len(k.read.data))
		select {
		case order <- k:
		case <-ctx.Done():
			return
		}
		if k.problem != nil || k.same {
			close(k.done)
			continue
		}
		select {
		case work <- k:
		case <-ctx.Done():
			return
		}
	}
}

// fetch reads one file and tells whether its bytes are those that were read before.
func (s *rootSync) fetch(ctx context.Context, t *tree, k *task) {
	if k.found.stat.size > maxFileBytes {
		k.problem = &leftError{state: db.FileSkipped, reason: tooLarge(k.found.stat.size)}
		return
	}
	var err error
	k.read, err = t.read(ctx, s.d, k.path)
	if err != nil {
		k.read.data, k.read.hash = nil, db.Hash{}
		switch le := (*leftError)(nil); {
		case errors.As(err, &le):
			k.problem = le
		case errors.Is(err, errMoving):
			k.problem = &leftError{state: db.FilePending, reason: errMoving.Error()}
		default:
			k.problem = &leftError{state: db.FileFailed, reason: reason(err)}
		}
		return
	}
	k.same = !s.rebuild && k.before.Hash == k.read.hash && s.settled(k.before, k.doc)
}

// understand parses one file.
func (s *rootSync) understand(ctx context.Context, k *task) {
	var err error
	if k.parsed, err = s.parsers.parse(ctx, k.path, k.read); err == nil {
		return
	}
	if le, ok := errors.AsType[*leftError](err); ok {
		k.problem = le
		return
	}
	k.problem = &leftError{state: db.FileFailed, reason: err.Error()}
}

// A writer gathers parsed tasks and writes several documents in one transaction.
type writer struct {
	*rootSync
	batch   []*task
	size    int // bytes of text in it
	renewed time.Time
	written chan<- int64
}

// drain writes what comes out of the parsers. Documents that are ready do not wait for one that takes long.
func (s *rootSync) drain(ctx context.Context, order <-chan *task, written chan<- int64) error {
	w := writer{rootSync: s, renewed: s.d.Now(), written: written}
	soon := time.NewTicker(batchTime)
	defer soon.Stop()
	for {
		var k *task
		select {
		case k = <-order:
		case <-soon.C:
			if err := w.flush(ctx, nil); err != nil {
				return err
			}
			continue
		case <-ctx.Done():
			return ctx.Err()
		}
		if k == nil {
			return w.flush(ctx, nil)
		}
		for done := false; !done; {
			select {
			case <-k.done:
				done = true
			case <-soon.C:
				if err := w.flush(ctx, k); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		w.batch, w.size = append(w.batch, k), w.size+len(k.parsed.text)
		if len(w.batch) >= batchDocuments || w.size >= batchBytes {
			if err := w.flush(ctx, nil); err != nil {
				return err
			}
		}
	}
}

// flush writes the batch, and keeps the jobs' leases alive. slow is a task that is being parsed for some time now.
func (w *writer) flush(ctx context.Context, slow *task) error {
	starts := slow != nil && slow.queued && !slow.running
	renews := w.d.Now().Sub(w.renewed) >= leaseRenew
	if starts || renews {
		err := w.lock.update(ctx, func(tx *db.Tx) error {
			if starts {
				if err := startJob(ctx, tx, slow.key); err != nil {
					return err
				}
			}
			return renewJobs(ctx, tx)
		})
		if err != nil {
			return err
		}
		w.renewed = w.d.Now()
		if starts {
			slow.running = true
		}
	}
	if len(w.batch) == 0 {
		return nil
	}
	err := w.writeBatch(ctx, w.batch)
	for _, k := range w.batch {
		w.written <- int64(len(k.read.data))
		w.told(k)
		k.read.data, k.parsed = nil, parsed{}
	}
	w.batch, w.size = nil, 0
	return err
}

// writeBatch writes the tasks in one transaction. If that fails they are tried one by one, so that the one which cannot be written
// becomes a row and stops no other.
func (s *rootSync) writeBatch(ctx context.Context, batch []*task) error {
	for _, k := range batch {
		s.findMoved(k)
		if err := k.align(ctx, s.d); err != nil {
			return err
		}
	}
	err := s.lock.update(ctx, func(tx *db.Tx) error {
		s.words = nil
		for _, k := range batch {
			if err := s.write(ctx, tx, k); err != nil {
				return err
			}
		}
		for _, w := range s.words {
			if err := w(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		for _, k := range batch {
			s.account(k)
		}
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if lost(err) {
		return err
	}
	if len(batch) > 1 {
		for _, k := range batch {
			if err := s.writeBatch(ctx, []*task{k}); err != nil {
				return err
			}
		}
		return nil
	}
	k := batch[0]
	if k.problem != nil || k.same { // nothing about the file can be at fault
		return err
	}
	k.problem = &leftError{state: db.FileFailed, reason: err.Error(), parser: k.parsed.version.Parser}
	if again := s.writeBatch(ctx, batch); again != nil {
		return errors.Join(err, again)
	}
	return nil
}

// findMoved pairs a new document with one that is gone and had the same bytes: the one whose path is most like it.
func (s *rootSync) findMoved(k *task) {
	if k.problem != nil {
		if k.movedFrom != nil { // it could not be written after all
			k.movedFrom.taken, k.movedFrom = false, nil
		}
		return
	}
	if k.same || k.doc.Current != 0 || k.movedFrom != nil || k.read.stat.size == 0 {
		return
	}
	best, like := -1, -1
	for i, g := range s.gone {
		if n := commonTail(g.path, k.path); !g.taken && g.hash == k.read.hash && n > like {
			best, like = i, n
		}
	}
	if best >= 0 {
		k.movedFrom = &s.gone[best]
		k.movedFrom.taken = true
	}
}

// commonTail counts the names that two paths have in common at their end.
func commonTail(a, b string) (n int) {
	for a != "" && b != "" {
		da, na := split(strings.TrimSuffix(a, "/"))
		dbs, nb := split(strings.TrimSuffix(b, "/"))
		if na != nb {
			return n
		}
		a, b, n = da, dbs, n+1
	}
	return n
}

// account puts a written task into the report.
func (s *rootSync) account(k *task) {
	s.count(k.state, k.reason, k.path, !k.changed)
	if k.read.stat != (stat{}) {
		s.report.Read++
		s.report.Bytes += k.read.stat.size
	}
	if k.read.stat != (stat{}) && k.read.racy(k.before) || k.reason == errMoving.Error() {
		s.report.Again = append(s.report.Again, k.path)
	}
	if k.movedFrom != nil {
		s.report.Moved++
	}
	if k.changed {
		s.rebuilt[k.doc.ID] = true
	}
	if k.removed {
		s.report.Removed++
	}
}

func (s *rootSync) told(k *task) {
	s.step(func(p *Progress) { p.Done, p.Bytes = p.Done+1, p.Bytes+k.read.stat.size })
}
