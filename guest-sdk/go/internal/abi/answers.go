package abi

import "unsafe"

// leaving keeps the memory of the last answer alive until the next call: the host reads the answer after the export
// has returned.
var leaving []unsafe.Pointer

func lowerView[T any](from []T) list {
	if len(from) == 0 {
		// The pointer of an empty list must be aligned. It is not dereferenced.
		return list{at: 8}
	}
	at := unsafe.Pointer(unsafe.SliceData(from))
	leaving = append(leaving, at)
	return list{address(at), uint32(len(from))}
}

func lowerString(from *string) list {
	return lowerView(unsafe.Slice(unsafe.StringData(*from), len(*from)))
}

func lowerList[T, R any](from []T, lower func(*T) R) list {
	to := make([]R, len(from))
	for i := range from {
		to[i] = lower(&from[i])
	}
	return lowerView(to)
}

// result is the layout of a result whose error is a string. The error is at the payload's offset.
type result[R any] struct {
	failed  uint32
	payload R
	// Needed if R is smaller than the error's string.
	_ [2]uint32
}

// answer makes a result that the host can read, and keeps its memory alive.
func answer[R any](payload R, err error) unsafe.Pointer {
	to := &result[R]{payload: payload}
	if err != nil {
		message := err.Error()
		to.failed = 1
		*(*list)(unsafe.Pointer(&to.payload)) = lowerString(&message)
	}
	return hand(unsafe.Pointer(to))
}

func hand(at unsafe.Pointer) unsafe.Pointer {
	leaving = append(leaving, at)
	return at
}
