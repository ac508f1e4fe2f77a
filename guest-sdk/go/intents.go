package framework

import "berth.dev/framework/contract"

// Intent is a change of the cluster that the host executes, if it is granted.
type Intent = contract.Intent

// ObjectReference names an object. The uid, if given, is a precondition.
type ObjectReference = contract.ObjectReference

// ObjectPatch is a patch of an object or of one of its subresources.
type ObjectPatch = contract.Patch

// ObjectWait is a condition on an object, as a CEL expression over `object`, with a timeout in milliseconds.
type ObjectWait = contract.Wait

const (
	// MergePatch is the type of a JSON merge patch.
	MergePatch = contract.PatchTypeMerge
	// StrategicMergePatch is the type of a strategic merge patch, which custom resources do not support.
	StrategicMergePatch = contract.PatchTypeStrategicMerge
)

// PatchIntent patches an object.
func PatchIntent(patch ObjectPatch) Intent {
	return Intent{Tag: contract.IntentTagPatch, Patch: &patch}
}

// WaitIntent waits until an object meets a condition.
func WaitIntent(wait ObjectWait) Intent {
	return Intent{Tag: contract.IntentTagWaitUntil, WaitUntil: &wait}
}

// EvictIntent evicts a pod. The message is that of the pod's condition DisruptionTarget.
func EvictIntent(pod ObjectReference, message string) Intent {
	return Intent{Tag: contract.IntentTagEvict, Evict: referenced(pod, message)}
}

// AssumeIntent shows an object to all plugins with a JSON merge patch applied, before the API server has this version.
func AssumeIntent(object ObjectReference, mergePatch string) Intent {
	return Intent{Tag: contract.IntentTagAssume, Assume: referenced(object, mergePatch)}
}

// CreateIntent creates an object. fields is JSON with the object's fields beyond kind and names.
func CreateIntent(object ObjectReference, fields string) Intent {
	return Intent{Tag: contract.IntentTagCreate, Create: referenced(object, fields)}
}

// DeleteIntent deletes an object.
func DeleteIntent(object ObjectReference) Intent {
	return Intent{Tag: contract.IntentTagDelete, Delete: &object}
}

func referenced(object ObjectReference, text string) contract.Pair[ObjectReference, string] {
	return contract.Pair[ObjectReference, string]{First: object, Second: text}
}
