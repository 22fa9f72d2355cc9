//go:build unix

package format

// This file defines where a PDF reader's memory lies: in a mapping reserved at its limit, which grows in place and is given back whole.
// On the Go heap each growth would copy it all and leave the old copy behind; a bomb that fills 256 MB took 1 GB so.

import (
	"context"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

func withOwnMemory(ctx context.Context, limit int64) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		buf, err := syscall.Mmap(-1, 0, int(min(most, uint64(limit))), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return &mapping{} // every growth fails, and the document with it
		}
		return &mapping{buf: buf}
	}))
}

type mapping struct{ buf []byte }

func (m *mapping) Reallocate(size uint64) []byte {
	if size > uint64(len(m.buf)) {
		return nil
	}
	return m.buf[:size]
}

func (m *mapping) Free() {
	if m.buf != nil {
		_ = syscall.Munmap(m.buf)
		m.buf = nil
	}
}
