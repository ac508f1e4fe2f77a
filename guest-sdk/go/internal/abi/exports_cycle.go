//go:build wasip1

package abi

import (
	"unsafe"

	"berth.dev/framework/contract"
)

//go:wasmexport berth:scheduler/pre-filter@0.2.0#pre-filter
func preFilter(id, time, seed uint64, signature uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.PreFilter(cycle(id, time, seed, signature))
	return answer(lowerPreFilterResult(&to), err)
}

//go:wasmexport berth:scheduler/filter@0.2.0#filter
func filter(id, time, seed uint64, signature, nodes, count uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.Filter(cycle(id, time, seed, signature), view[uint32](list{nodes, count}))
	return answer(lowerVerdicts(&to), err)
}

//go:wasmexport berth:scheduler/post-filter@0.2.0#post-filter
func postFilter(
	id, time, seed uint64, signature, namespace, namespaceLength, name, nameLength, uid, uidLength uint32,
	nodes, count, codes, codesCount, leavingPods, leavingCount uint32,
) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.PostFilter(
		cycle(id, time, seed, signature),
		identity(list{namespace, namespaceLength}, list{name, nameLength}, list{uid, uidLength}),
		view[uint32](list{nodes, count}),
		view[contract.Code](list{codes, codesCount}),
		view[uint32](list{leavingPods, leavingCount}),
	)
	return answer(lowerPostFilterResult(&to), err)
}

//go:wasmexport berth:scheduler/pre-score@0.2.0#pre-score
func preScore(id, time, seed uint64, signature, nodes, count uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.PreScore(cycle(id, time, seed, signature), view[uint32](list{nodes, count}))
	return answer(to, err)
}

//go:wasmexport berth:scheduler/score@0.2.0#score
func score(id, time, seed uint64, signature, nodes, count uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.Score(cycle(id, time, seed, signature), view[uint32](list{nodes, count}))
	return answer(lowerView(to), err)
}

//go:wasmexport berth:scheduler/normalize@0.2.0#normalize
func normalize(id, time, seed uint64, signature, nodes, count, scores, scoresCount uint32) unsafe.Pointer {
	defer end()
	begin()
	raw := view[int64](list{scores, scoresCount})
	to, err := guest.Normalize(cycle(id, time, seed, signature), view[uint32](list{nodes, count}), raw)
	return answer(lowerView(to), err)
}

func cycle(id, time, seed uint64, signature uint32) contract.Cycle {
	return contract.Cycle{ID: id, Time: int64(time), Seed: seed, Signature: signature}
}

func identity(namespace, name, uid list) contract.PodIdentity {
	return contract.PodIdentity{Namespace: liftString(&namespace), Name: liftString(&name), UID: liftString(&uid)}
}
