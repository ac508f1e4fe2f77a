//go:build wasip1

package abi

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Go's collector works beside the program, and here there is no beside: between two calls nothing runs. Left to itself it begins and
// hardly ever ends, and memory grows to many times of what is used. So it runs as a whole, at the end of calls.

const (
	// beyond what was left after the last collection, and half as much again, there is garbage worth collecting.
	beyond = 4 << 20
	// emergency is where the collector starts by itself, inside a call that allocates as much as that.
	emergency = 160 << 20
	// looks is how many calls apart the heap is looked at.
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

// collect runs the collector where the heap has grown. Urgent are calls with little time, which leave it to others while they can.
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
