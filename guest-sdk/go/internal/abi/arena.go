package abi

import "unsafe"

const (
	firstBlock = 64 << 10
	// largestBlock is the size in bytes of the largest block that is kept for the next call. The size is enough for one
	// call in which the host sends a cluster, so that later calls rarely allocate.
	largestBlock = 1 << 20
)

// arena is the memory that the host writes a call's arguments into. The next call reuses it, so values that outlive
// the call are copied.
type arena struct {
	// block consists of words, for its alignment.
	block []uint64
	// used is the number of used bytes of block.
	used uint32
	// full holds earlier blocks of this call.
	full [][]uint64
}

func (a *arena) alloc(size, align uint32) unsafe.Pointer {
	at := (a.used + align - 1) &^ (align - 1)
	if uint64(at)+uint64(size) > uint64(len(a.block))*8 {
		a.grow(size)
		at = 0
	}
	a.used = at + size
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.block)), at)
}

func (a *arena) grow(atLeast uint32) {
	if a.block != nil {
		a.full = append(a.full, a.block)
	}
	bytes := min(max(uint32(len(a.block))*8*2, firstBlock), largestBlock)
	a.block = make([]uint64, (max(bytes, atLeast)+7)/8)
}

func (a *arena) reset() {
	a.full = nil
	a.used = 0
	if len(a.block)*8 > largestBlock {
		a.block = nil
	}
}
