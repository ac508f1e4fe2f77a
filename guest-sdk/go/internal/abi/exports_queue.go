//go:build wasip1

package abi

import (
	"unsafe"

	"berth.dev/framework/contract"
)

//go:wasmexport berth:scheduler/skip@0.2.0#skip
func skip(signature uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.Skip(signature)
	return answer(to, err)
}

//go:wasmexport berth:scheduler/pre-enqueue@0.2.0#pre-enqueue
func preEnqueue(signature uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.PreEnqueue(signature)
	return answer(lowerOption(to, lowerStatus), err)
}

//go:wasmexport berth:scheduler/queue-sort@0.2.0#sort-key
func sortKey(signature uint32, firstQueued, queued uint64) unsafe.Pointer {
	defer end()
	begin()
	times := contract.QueueTimes{FirstQueued: int64(firstQueued), Queued: int64(queued)}
	to, err := guest.SortKey(signature, times)
	return answer(lowerView(to), err)
}

//go:wasmexport berth:scheduler/queueing-hint@0.2.0#hints
func hints(arguments unsafe.Pointer) unsafe.Pointer {
	defer end()
	begin()
	from := (*struct {
		event      rawEvent
		signatures list
	})(arguments)
	event := liftEvent(&from.event)
	to, err := guest.Hints(&event, view[uint32](from.signatures))
	return answer(lowerView(to), err)
}
