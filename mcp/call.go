package mcp

// This file defines how a request's work is run: a few at a time, within the deadline, and never taking the process with it.

import (
	"context"
	"runtime/debug"
	"time"
)

// maxCalls is how many requests are worked on at once; the rest wait.
const maxCalls = 8

// call runs work with a context that ends at the deadline, when the client cancels, or when the session ends. It returns then
// even if work does not: that keeps its place until it is done, so that deaf work cannot pile up.
func call[T any](ctx context.Context, s *Server, work func(context.Context) (T, error)) (T, error) {
	var zero T
	waiting := time.NewTimer(s.o.Deadline)
	defer waiting.Stop()
	select {
	case s.places <- struct{}{}:
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-s.stopping:
		return zero, errStopping
	case <-waiting.C:
		return zero, errCrowded
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.Deadline)
	defer cancel()
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if r := recover(); r != nil {
				s.log.Error("recovered from a panic", "panic", r, "stack", string(debug.Stack()))
				o = outcome{err: &panicError{r}}
			}
			<-s.places
			done <- o
		}()
		o.value, o.err = work(ctx)
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-s.stopping:
		return zero, errStopping
	}
}
