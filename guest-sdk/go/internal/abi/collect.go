//go:build wasip1

package abi

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Go's garbage collector runs concurrently with the program, but between two calls of a component nothing runs. A
// collection would then start and rarely finish, and memory would grow to a multiple of what is used. So the SDK runs
// whole collections at the end of calls.

const (
	// beyond is a constant part of the limit, in bytes: a collection runs when the heap exceeds 1.5 times the bytes
	// that the last collection left, plus beyond.
	beyond = 4 << 20
	// emergency is the heap size in bytes at which the collector starts by itself, inside a call that allocates this
	// much.
	emergency = 160 << 20
	// looks is the number of urgent calls after which one call checks the heap's size.
	looks = 16
)

var (
	heap  = []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	live  uint64
	calls int
)

func init() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(emergency)
}

// collect runs the collector if the heap has grown. Urgent calls have little time, so they check rarely and allow
// twice the limit.
func collect(urgent bool) {
	calls++
	if urgent && calls%looks != 0 {
		return
	}
	limit := live + live/2 + beyond
	if urgent {
		limit *= 2
	}
	if heapSize() > limit {
		runtime.GC()
		live = heapSize()
	}
}

func heapSize() uint64 {
	metrics.Read(heap)
	return heap[0].Value.Uint64()
}
