package abi

import (
	"fmt"
	"testing"
	"unsafe"
)

func TestAllocationsAreAlignedAndDisjoint(t *testing.T) {
	var a arena
	type piece struct{ at, end uintptr }
	var pieces []piece
	for i := range uint32(10_000) {
		align := uint32(1) << (i % 4)
		size := i * 7 % 300
		if i == 5_000 {
			size = 3 << 20
		}
		at := uintptr(a.alloc(size, align))
		if at%uintptr(align) != 0 {
			t.Fatalf("%d bytes at %#x are not aligned to %d", size, at, align)
		}
		pieces = append(pieces, piece{at, at + uintptr(size)})
	}
	for i := 1; i < len(pieces); i++ {
		if one, two := pieces[i-1], pieces[i]; one.at < two.end && two.at < one.end {
			t.Fatalf("%+v and %+v overlap", one, two)
		}
	}
}

func TestTheNextCallUsesTheSameMemory(t *testing.T) {
	var a arena
	var blocks = map[unsafe.Pointer]bool{}
	for range 100 {
		for range 1000 {
			a.alloc(700, 8)
		}
		a.reset()
		blocks[unsafe.Pointer(unsafe.SliceData(a.block))] = true
	}
	if len(blocks) > 2 || len(a.block)*8 > largestBlock {
		t.Errorf("%d blocks, the last of %d bytes", len(blocks), len(a.block)*8)
	}
	a.alloc(10<<20, 8)
	a.reset()
	if len(a.block)*8 > largestBlock {
		t.Errorf("%d bytes remain", len(a.block)*8)
	}
}

func TestStringsAreStoredOnceAndBounded(t *testing.T) {
	shared := texts{}
	one, two := shared.keep(string([]byte("zone"))), shared.keep(string([]byte("zone")))
	if unsafe.StringData(one) != unsafe.StringData(two) {
		t.Error("equal strings are stored twice")
	}
	for i := range 3 * mostShared {
		shared.keep(fmt.Sprint(i))
	}
	if len(shared) > mostShared {
		t.Errorf("%d strings", len(shared))
	}
}
