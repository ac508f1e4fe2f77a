// Package abi is the boundary of the component: the canonical ABI's memory layout, and the exports and imports that
// use it.
//
// layout.go has each type's layout and is generated from wit/. A pointer in it is a 32-bit address; Go's own pointers
// have 64 bits.
package abi

import "unsafe"

// list is the layout of a list and of a string.
type list struct{ at, length uint32 }

// option is the layout of an option.
type option[R any] struct {
	some  bool
	value R
}

func pointer(address uint32) unsafe.Pointer { return unsafe.Add(nil, address) }

func address(pointer unsafe.Pointer) uint32 { return uint32(uintptr(pointer)) }

// The arguments of the current call, and the strings shared from earlier calls.
var (
	arrived arena
	shared  = texts{}
)

// view returns a list without copying it. Valid during the call.
func view[T any](l list) []T {
	if l.length == 0 {
		return nil
	}
	return unsafe.Slice((*T)(pointer(l.at)), l.length)
}

func liftString(from *list) string {
	if from.length == 0 {
		return ""
	}
	return shared.keep(unsafe.String((*byte)(pointer(from.at)), from.length))
}

func liftList[R, T any](from list, lift func(*R) T) []T {
	raw := view[R](from)
	if len(raw) == 0 {
		return nil
	}
	to := make([]T, len(raw))
	for i := range raw {
		to[i] = lift(&raw[i])
	}
	return to
}
