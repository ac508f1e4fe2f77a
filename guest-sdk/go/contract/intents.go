// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

type ObjectReference struct {
	APIVersion string
	Kind       string
	Namespace  string
	Name       string
	UID        string
}

type PatchType uint8

const (
	PatchTypeMerge PatchType = iota
	// A strategic merge patch, which knows the keys of lists: `{"status": {"reservedFor": [{"uid": …, "$patch":
	// "delete"}]}}`. Kubernetes' built-in kinds support this type, custom resources don't.
	PatchTypeStrategicMerge
)

type Patch struct {
	Object ObjectReference
	// A subresource such as `status`; empty for the object itself. The host sends the subresource `binding` of
	// a pod as a creation, not as a patch. `patch` then holds the fields of the Binding beyond the pod's names:
	// `{"target": {"kind": "Node", "name": …}}`.
	Subresource string
	// The patch, in the format that `patch-type` names. The object's uid, if given, is a precondition.
	Patch     string
	PatchType PatchType
}

type Wait struct {
	Object ObjectReference
	// A CEL expression over `object`, at most 1024 bytes. `object` is null if the object does not exist. True
	// completes the wait. A string fails the wait with that reason. Any other result, including an error such
	// as a missing field, continues the wait. If the reference has a uid, an object with another uid never
	// completes the wait.
	Until     string
	TimeoutMs uint64
}

type Intent struct {
	// Tag says which of the fields counts.
	Tag       IntentTag
	Patch     *Patch
	WaitUntil *Wait
	Evict     Pair[ObjectReference, string]
	Assume    Pair[ObjectReference, string]
	Create    Pair[ObjectReference, string]
	Delete    *ObjectReference
}

// IntentTag is a case of Intent.
type IntentTag uint8

const (
	IntentTagPatch IntentTag = iota
	IntentTagWaitUntil
	// Evict this pod to make room. The string is the message of its condition DisruptionTarget.
	IntentTagEvict
	// Assume this version of the object. The string is a JSON merge patch on the present object. All plugins
	// see the patched object, marked as assumed, until the informer delivers a newer version or the reservation
	// ends.
	IntentTagAssume
	// Create this object. The string is JSON with the object's fields beyond kind and names. The object gets
	// the name of the reference, so that later intents, and the intents that undo this one, can name the
	// object. The intent fails if an object with this name exists. Set the status with a later patch, because
	// the API server drops the status on creation.
	IntentTagCreate
	// Delete this object. The intent succeeds if the object does not exist, or has another uid than the
	// reference.
	IntentTagDelete
)
