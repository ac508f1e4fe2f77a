// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// An object, reduced to the declared fields.
type Object struct {
	ID uint32
	// The index of the object's kind in the result of `kinds`.
	Kind uint32
	// `metadata.namespace`; empty for a cluster-scoped kind.
	Namespace string
	// `metadata.name`.
	Name string
	// `metadata.uid`.
	UID string
	// The declared fields as JSON in the structure of the object: `{"spec":{"selector":{"app":"web"}}}`; `{}`
	// if the object has none of them. The limit is 1 MiB: a larger object comes without fields.
	Fields string
	// True if a reservation assumes this version of the object and the API server does not have it yet.
	Assumed bool
}

// A change of an object.
type ObjectsChange struct {
	// Tag says which of the fields counts.
	Tag           ObjectsChangeTag
	Object        *Object
	ObjectRemoved uint32
}

// ObjectsChangeTag is a case of ObjectsChange.
type ObjectsChangeTag uint8

const (
	// A new or changed object, in full, in its present version.
	ObjectsChangeTagObject ObjectsChangeTag = iota
	// The object is deleted, and its id is free.
	ObjectsChangeTagObjectRemoved
)

// A kind, and the fields that the plugin reads of its objects.
type Kind struct {
	// The API version: `v1`, `apps/v1`, `storage.k8s.io/v1`.
	APIVersion string
	// The kind: `Service`.
	Name string
	// Paths of fields, for example `spec.selector` or `spec.containers.image`. A path includes all fields below
	// it and passes through lists. Quote a key that contains dots: `metadata.annotations["example.com/pool"]`.
	// If the list is empty, the plugin reads names alone.
	Fields []string
}
