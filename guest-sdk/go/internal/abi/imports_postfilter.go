//go:build wasip1

package abi

import (
	"errors"
	"runtime"
	"unsafe"

	"berth.dev/framework/contract"
)

// A component has these imports only if its plugin calls the functions below: the linker drops the others. Only a
// component that exports `post-filter` may have them.

//go:wasmimport berth:scheduler/what-if@0.2.0 ask
func ask(id, time, seed uint64, signature uint32, cases unsafe.Pointer, count uint32, to unsafe.Pointer)

//go:wasmimport berth:scheduler/extenders@0.2.0 process-preemption
func processPreemption(id, time, seed uint64, signature uint32, from unsafe.Pointer, count uint32, to unsafe.Pointer)

// Ask asks the host what-if questions.
func Ask(cycle contract.Cycle, cases []contract.WhatIfCase) contract.Verdicts {
	from := lowerList(cases, lowerWhatIfCase)
	to := new(rawVerdicts)
	ask(cycle.ID, uint64(cycle.Time), cycle.Seed, cycle.Signature, pointer(from.at), from.length, unsafe.Pointer(to))
	runtime.KeepAlive(to)
	return liftVerdicts(to)
}

// ProcessPreemption passes candidates to the host's extenders.
func ProcessPreemption(cycle contract.Cycle, candidates []contract.Candidate) ([]contract.Candidate, error) {
	from, to := lowerList(candidates, lowerCandidate), new(result[list])
	at, time := pointer(from.at), uint64(cycle.Time)
	processPreemption(cycle.ID, time, cycle.Seed, cycle.Signature, at, from.length, unsafe.Pointer(to))
	runtime.KeepAlive(to)
	if to.failed&0xff != 0 {
		return nil, errors.New(liftString(&to.payload))
	}
	return liftList(to.payload, liftCandidate), nil
}
