package framework

import (
	"maps"
	"slices"
)

// Index groups items by keys that a function computes. The SDK keeps it up to date: each change of an item costs one
// call of the function. Make indexes in New, with IndexNodes, IndexPods, IndexPendingPods or IndexObjects.
type Index[K comparable, T any] struct {
	// check panics if the index may not be read in the current call.
	check  func()
	keys   func(T) []K
	byKey  map[K]map[uint32]T
	keysOf map[uint32][]K
}

// indexed is an index that receives the changes of items.
type indexed[T any] interface {
	set(id uint32, item T)
	remove(id uint32)
}

func newIndex[K comparable, T any](keys func(T) []K, check func()) *Index[K, T] {
	return &Index[K, T]{check: check, keys: keys, byKey: map[K]map[uint32]T{}, keysOf: map[uint32][]K{}}
}

// Get returns the items with a key, in the order of their ids.
func (i *Index[K, T]) Get(key K) []T {
	i.check()
	group := i.byKey[key]
	items := make([]T, 0, len(group))
	for _, id := range slices.Sorted(maps.Keys(group)) {
		items = append(items, group[id])
	}
	return items
}

// Len returns the number of items with a key.
func (i *Index[K, T]) Len(key K) int {
	i.check()
	return len(i.byKey[key])
}

func (i *Index[K, T]) set(id uint32, item T) {
	i.remove(id)
	keys := i.keys(item)
	if len(keys) == 0 {
		return
	}
	i.keysOf[id] = keys
	for _, key := range keys {
		group := i.byKey[key]
		if group == nil {
			group = map[uint32]T{}
			i.byKey[key] = group
		}
		group[id] = item
	}
}

func (i *Index[K, T]) remove(id uint32) {
	for _, key := range i.keysOf[id] {
		delete(i.byKey[key], id)
		if len(i.byKey[key]) == 0 {
			delete(i.byKey, key)
		}
	}
	delete(i.keysOf, id)
}

// IndexNodes makes an index over all nodes. The keys follow from the node's own facts, not from its pods.
func IndexNodes[K comparable](h *Handle, keys func(Node) []K) *Index[K, Node] {
	index := newIndex(keys, func() { h.checkNodes("Index.Get of nodes") })
	h.guest.cluster.indexes = append(h.guest.cluster.indexes, index)
	return index
}

// IndexPods makes an index over the pods on nodes, assumed pods included. Requires Reads.Resident.
func IndexPods[K comparable](h *Handle, keys func(*Pod) []K) *Index[K, *Pod] {
	index := newIndex(keys, func() { h.checkPods("Index.Get of pods on nodes") })
	h.guest.cluster.pods.indexes = append(h.guest.cluster.pods.indexes, index)
	return index
}

// IndexPendingPods makes an index over the pending pods. Requires Reads.Pending.
func IndexPendingPods[K comparable](h *Handle, keys func(*Pod) []K) *Index[K, *Pod] {
	index := newIndex(keys, func() { h.checkPending("Index.Get of pending pods") })
	h.guest.cluster.pending.indexes = append(h.guest.cluster.pending.indexes, index)
	return index
}

// IndexObjects makes an index over the objects of a kind. Requires the kind in Reads.Objects.
func IndexObjects[K comparable](h *Handle, apiVersion, kind string, keys func(*Object) []K) *Index[K, *Object] {
	index := newIndex(keys, func() { h.kind(apiVersion, kind, "Index.Get of objects") })
	of := kindIndex{ObjectKind{APIVersion: apiVersion, Name: kind}, index}
	h.guest.objects.indexes = append(h.guest.objects.indexes, of)
	return index
}
