//go:build wasip1

package abi

import (
	"slices"
	"unsafe"

	"berth.dev/framework/contract"
)

// bytes returns a copy, because a plugin may keep the state of a reservation.
func bytes(l list) []byte { return slices.Clone(view[byte](l)) }

// reserved is the layout of a result of a reservation or of the status that rejects the node.
type reserved struct {
	rejected bool
	// The larger one of rawReservation and rawStatus.
	payload rawReservation
}

//go:wasmexport berth:scheduler/reserve@0.2.0#reserve
func reserve(
	id, time, seed uint64, signature, namespace, namespaceLength, name, nameLength, uid, uidLength uint32,
	node uint32,
) unsafe.Pointer {
	defer end()
	begin()
	reservation, rejected, err := guest.Reserve(
		cycle(id, time, seed, signature),
		identity(list{namespace, namespaceLength}, list{name, nameLength}, list{uid, uidLength}),
		node,
	)
	to := reserved{payload: lowerReservation(&reservation)}
	if rejected != nil {
		to.rejected = true
		*(*rawStatus)(unsafe.Pointer(&to.payload)) = lowerStatus(rejected)
	}
	return answer(to, err)
}

//go:wasmexport berth:scheduler/reserve@0.2.0#unreserve
func unreserve(
	id, time, seed uint64, signature, namespace, namespaceLength, name, nameLength, uid, uidLength uint32,
	node, nodeLength, state, stateLength, preBound uint32,
) unsafe.Pointer {
	defer end()
	begin()
	undone := guest.Unreserve(
		cycle(id, time, seed, signature),
		identity(list{namespace, namespaceLength}, list{name, nameLength}, list{uid, uidLength}),
		liftString(&list{node, nodeLength}),
		bytes(list{state, stateLength}),
		preBound != 0,
	)
	to := lowerUndone(&undone)
	return hand(unsafe.Pointer(&to))
}

//go:wasmexport berth:scheduler/permit@0.2.0#permit
func permit(
	id, time, seed uint64, signature, namespace, namespaceLength, name, nameLength, uid, uidLength uint32,
	node, nodeLength, state, stateLength uint32,
) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.Permit(
		cycle(id, time, seed, signature),
		identity(list{namespace, namespaceLength}, list{name, nameLength}, list{uid, uidLength}),
		liftString(&list{node, nodeLength}),
		bytes(list{state, stateLength}),
	)
	return answer(lowerVerdict(&to), err)
}

//go:wasmexport berth:scheduler/pre-bind@0.2.0#pre-bind
func preBind(
	id, time, seed uint64, signature, namespace, namespaceLength, name, nameLength, uid, uidLength uint32,
	node, nodeLength, state, stateLength uint32,
) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.PreBind(
		cycle(id, time, seed, signature),
		identity(list{namespace, namespaceLength}, list{name, nameLength}, list{uid, uidLength}),
		liftString(&list{node, nodeLength}),
		bytes(list{state, stateLength}),
	)
	return answer(lowerList(to, lowerIntent), err)
}

//go:wasmexport berth:scheduler/bind@0.2.0#bind
func bind(
	id, time, seed uint64, signature, namespace, namespaceLength, name, nameLength, uid, uidLength uint32,
	node, nodeLength, state, stateLength uint32,
) unsafe.Pointer {
	defer end()
	begin()
	to, err := guest.Bind(
		cycle(id, time, seed, signature),
		identity(list{namespace, namespaceLength}, list{name, nameLength}, list{uid, uidLength}),
		liftString(&list{node, nodeLength}),
		bytes(list{state, stateLength}),
	)
	return answer(lowerOption(to, lowerIntents), err)
}

//go:wasmexport berth:scheduler/post-bind@0.2.0#post-bind
func postBind(
	id, time, seed uint64, signature, namespace, namespaceLength, name, nameLength, uid, uidLength uint32,
	node, nodeLength, state, stateLength uint32,
) {
	defer end()
	begin()
	guest.PostBind(
		cycle(id, time, seed, signature),
		identity(list{namespace, namespaceLength}, list{name, nameLength}, list{uid, uidLength}),
		liftString(&list{node, nodeLength}),
		bytes(list{state, stateLength}),
	)
}

func lowerIntents(from *[]contract.Intent) list { return lowerList(*from, lowerIntent) }
