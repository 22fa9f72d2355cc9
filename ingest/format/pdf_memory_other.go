//go:build !unix

package format

import "context"

// withOwnMemory leaves the reader's memory on the Go heap where there is no mmap.
func withOwnMemory(ctx context.Context, _ int64) context.Context { return ctx }
