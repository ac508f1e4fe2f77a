//go:build wasip1

package abi

import (
	"unsafe"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/component"
)

var guest component.Guest

// begin starts a call that returns a value. The host has already read the answer of the previous call.
func begin() {
	clear(leaving)
	leaving = leaving[:0]
}

// end finishes each call except apply, also after a panic.
func end() {
	if problem := recover(); problem != nil {
		trap(problem)
	}
	arrived.reset()
	collect(true)
}

// endApply finishes a call of apply, which has time for a garbage collection.
func endApply() {
	if problem := recover(); problem != nil {
		trap(problem)
	}
	arrived.reset()
	collect(false)
}

//go:wasmexport cabi_realloc
func cabiRealloc(old unsafe.Pointer, oldSize, align, size uint32) unsafe.Pointer {
	at := arrived.alloc(size, align)
	if oldSize > 0 {
		copy(unsafe.Slice((*byte)(at), size), unsafe.Slice((*byte)(old), oldSize))
	}
	return at
}

//go:wasmexport berth:scheduler/plugin@0.1.0#describe
func describe() unsafe.Pointer {
	defer end()
	begin()
	if component.Registered == nil {
		panic("no plugin is registered: call framework.Register in the program's init")
	}
	guest = component.Registered.New()
	description := guest.Describe()
	to := lowerDescription(&description)
	return hand(unsafe.Pointer(&to))
}

//go:wasmexport berth:scheduler/plugin@0.1.0#configure
func configure(at, length uint32) unsafe.Pointer {
	defer end()
	begin()
	declaration, err := guest.Configure(liftString(&list{at, length}))
	return answer(lowerDeclaration(&declaration), err)
}

//go:wasmexport berth:scheduler/plugin@0.1.0#hold-template
func holdTemplate(arguments unsafe.Pointer) {
	defer end()
	from := (*struct {
		id  uint32
		pod rawPod
	})(arguments)
	pod := liftPod(&from.pod)
	guest.HoldTemplate(from.id, &pod)
}

//go:wasmexport berth:scheduler/plugin@0.1.0#forget-templates
func forgetTemplates(at, length uint32) {
	defer end()
	guest.ForgetTemplates(view[uint32](list{at, length}))
}

//go:wasmexport berth:scheduler/snapshot@0.1.0#apply
func apply(at, length uint32) {
	defer endApply()
	changes := view[rawChange](list{at, length})
	for i := range changes {
		change := liftChange(&changes[i])
		guest.Apply(&change)
	}
}

//go:wasmexport berth:scheduler/pre-filter@0.1.0#pre-filter
func preFilter(id, time, seed uint64, template uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.PreFilter(cycle(id, time, seed, template))
	return answer(lowerPreFilterResult(&to), err)
}

//go:wasmexport berth:scheduler/filter@0.1.0#filter
func filter(id, time, seed uint64, template, nodes, count uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.Filter(cycle(id, time, seed, template), view[uint32](list{nodes, count}))
	return answer(lowerVerdicts(&to), err)
}

//go:wasmexport berth:scheduler/pre-score@0.1.0#pre-score
func preScore(id, time, seed uint64, template, nodes, count uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.PreScore(cycle(id, time, seed, template), view[uint32](list{nodes, count}))
	return answer(to, err)
}

//go:wasmexport berth:scheduler/score@0.1.0#score
func score(id, time, seed uint64, template, nodes, count uint32) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.Score(cycle(id, time, seed, template), view[uint32](list{nodes, count}))
	return answer(lowerView(to), err)
}

//go:wasmexport berth:scheduler/normalize@0.1.0#normalize
func normalize(id, time, seed uint64, template, nodes, count, scores, scoresCount uint32) unsafe.Pointer {
	defer end()
	begin()
	raw := view[int64](list{scores, scoresCount})
	to, err := guest.Normalize(cycle(id, time, seed, template), view[uint32](list{nodes, count}), raw)
	return answer(lowerView(to), err)
}

func cycle(id, time, seed uint64, template uint32) contract.Cycle {
	return contract.Cycle{ID: id, Time: int64(time), Seed: seed, Template: template}
}
