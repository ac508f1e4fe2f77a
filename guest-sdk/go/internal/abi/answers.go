package abi

import "unsafe"

// leaving holds what the last answer points to, until the next call: the host reads it after the export has returned.
var leaving []unsafe.Pointer

func lowerView[T any](from []T) list {
	if len(from) == 0 {
		// A pointer of an empty list has to be aligned, nothing else.
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

// result is the layout of a result whose error is a text: all that cross here are aligned to four bytes.
type result[R any] struct {
	failed  uint32
	payload R
	// Where R is smaller than the error's text.
	_ [2]uint32
}

// answer puts a result where the host reads it.
func answer[R any](payload R, err error) unsafe.Pointer {
	to := &result[R]{payload: payload}
	if err != nil {
		message := err.Error()
		failure := &result[list]{failed: 1, payload: lowerString(&message)}
		return hand(unsafe.Pointer(failure))
	}
	return hand(unsafe.Pointer(to))
}

func hand(at unsafe.Pointer) unsafe.Pointer {
	leaving = append(leaving, at)
	return at
}
