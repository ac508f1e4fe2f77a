package testing

import (
	"slices"

	"berth.dev/framework/contract"
)

// ObjectWrapper builds an object of a kind in Reads.Objects.
type ObjectWrapper struct {
	apiVersion, kind string
	facts            contract.Object
	fields           any
}

// MakeObject returns an object without namespace, name and fields: MakeObject("v1", "Service").
func MakeObject(apiVersion, kind string) *ObjectWrapper {
	return &ObjectWrapper{apiVersion: apiVersion, kind: kind, fields: map[string]any{}}
}

// Namespace sets `metadata.namespace`.
func (o *ObjectWrapper) Namespace(namespace string) *ObjectWrapper {
	o.facts.Namespace = namespace
	return o
}

// Name sets `metadata.name`.
func (o *ObjectWrapper) Name(name string) *ObjectWrapper {
	o.facts.Name = name
	return o
}

// UID sets `metadata.uid`.
func (o *ObjectWrapper) UID(uid string) *ObjectWrapper {
	o.facts.UID = uid
	return o
}

// Assumed marks the object as assumed by a reservation.
func (o *ObjectWrapper) Assumed() *ObjectWrapper {
	o.facts.Assumed = true
	return o
}

// Fields sets the object's fields, as JSON in the structure of the object: `{"spec": {"selector": {"app": "web"}}}`.
// The plugin receives the declared ones. Fields panics if the JSON is invalid.
func (o *ObjectWrapper) Fields(object string) *ObjectWrapper {
	o.fields = parse(object)
	return o
}

// pruned returns the declared fields as JSON.
func (o *ObjectWrapper) pruned(declared []string) string {
	if text := prune(o.fields, declared); text != "" {
		return text
	}
	return "{}"
}

// SetObject adds an object, or replaces the object of this kind, namespace and name. The test fails if the plugin does
// not read the kind.
func (h *Host) SetObject(object *ObjectWrapper) {
	h.t.Helper()
	kind := h.objectKind(object)
	id := h.objectID(object)
	if id < 0 {
		id = len(h.objects)
		h.objects = append(h.objects, nil)
	}
	h.objects[id] = object
	facts := object.facts
	facts.ID, facts.Kind, facts.Fields = uint32(id), uint32(kind), object.pruned(h.kinds[kind].Fields)
	h.guest.ApplyObject(&contract.ObjectsChange{Tag: contract.ObjectsChangeTagObject, Object: &facts})
}

// RemoveObject removes the object of the same kind, namespace and name. The test fails if there is none.
func (h *Host) RemoveObject(object *ObjectWrapper) {
	h.t.Helper()
	id := h.objectID(object)
	if id < 0 {
		h.t.Fatalf("the test host has no %s %q", object.kind, object.facts.Name)
	}
	h.objects[id] = nil
	h.guest.ApplyObject(&contract.ObjectsChange{Tag: contract.ObjectsChangeTagObjectRemoved, ObjectRemoved: uint32(id)})
}

func (h *Host) objectID(object *ObjectWrapper) int {
	return slices.IndexFunc(h.objects, func(known *ObjectWrapper) bool {
		return known != nil && known.apiVersion == object.apiVersion && known.kind == object.kind &&
			known.facts.Namespace == object.facts.Namespace && known.facts.Name == object.facts.Name
	})
}

func (h *Host) objectKind(object *ObjectWrapper) int {
	h.t.Helper()
	kind := slices.IndexFunc(h.kinds, func(known contract.Kind) bool {
		return known.APIVersion == object.apiVersion && known.Name == object.kind
	})
	if kind < 0 {
		h.t.Fatalf("the plugin does not read %s %s: add the kind to Reads.Objects", object.apiVersion, object.kind)
	}
	return kind
}
