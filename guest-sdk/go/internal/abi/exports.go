//go:build wasip1

package abi

import (
	"unsafe"

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

// endApply finishes a call of an apply function, which has time for a garbage collection.
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

//go:wasmexport berth:scheduler/plugin@0.2.0#describe
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

//go:wasmexport berth:scheduler/plugin@0.2.0#configure
func configure(at, length uint32) unsafe.Pointer {
	defer end()
	begin()
	declaration, err := guest.Configure(liftString(&list{at, length}))
	return answer(lowerDeclaration(&declaration), err)
}

//go:wasmexport berth:scheduler/plugin@0.2.0#add-signature
func addSignature(arguments unsafe.Pointer) {
	defer end()
	from := (*struct {
		id  uint32
		pod rawPod
	})(arguments)
	pod := liftPod(&from.pod)
	guest.AddSignature(from.id, &pod)
}

//go:wasmexport berth:scheduler/plugin@0.2.0#remove-signatures
func removeSignatures(at, length uint32) {
	defer end()
	guest.RemoveSignatures(view[uint32](list{at, length}))
}

//go:wasmexport berth:scheduler/snapshot@0.2.0#apply
func apply(at, length uint32) {
	defer endApply()
	changes := view[rawChange](list{at, length})
	for i := range changes {
		change := liftChange(&changes[i])
		guest.Apply(&change)
	}
}

//go:wasmexport berth:scheduler/objects@0.2.0#kinds
func kinds() unsafe.Pointer {
	defer end()
	begin()
	to := lowerList(guest.Kinds(), lowerKind)
	return hand(unsafe.Pointer(&to))
}

//go:wasmexport berth:scheduler/objects@0.2.0#apply
func applyObjects(at, length uint32) {
	defer endApply()
	changes := view[rawObjectsChange](list{at, length})
	for i := range changes {
		change := liftObjectsChange(&changes[i])
		guest.ApplyObject(&change)
	}
}
