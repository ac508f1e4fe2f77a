// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// A node before or after the event. The host fills the fields that the plugin declared in
// `plugin.declaration.node`, as in `snapshot.node`. The flag for each field stands in brackets.
type EventNode struct {
	// [name]
	Name string
	// [labels]
	Labels []Label
	// [annotations]
	Annotations []Label
	// [taints]
	Taints []Taint
	// [unschedulable]
	Unschedulable bool
	// [allocatable]
	Allocatable Resources
	// [conditions]
	Conditions []Condition
	// [declared-features]
	DeclaredFeatures []string
	// [capacity]
	Capacity Resources
	// [info]
	Info Option[NodeInfo]
	// [fields]
	Fields string
}

type NodeChange struct {
	Before Option[EventNode]
	After  Option[EventNode]
}

// A pod that is on a node, or a pending pod. The ids are ids of pod signatures that the guest holds, with the fields that the plugin
// declared in `plugin.declaration.pod`.
type PodChange struct {
	Before Option[uint32]
	After  Option[uint32]
}

// The fields that the plugin reads, as JSON, in the form of `objects.object`.
type ObjectChange struct {
	Namespace string
	Name      string
	Before    Option[string]
	After     Option[string]
}

// The object of the event. `before` is `none` for a new object, `after` is `none` for a deleted object.
type Subject struct {
	// Tag says which of the fields counts.
	Tag    SubjectTag
	Node   *NodeChange
	Pod    *PodChange
	Object *ObjectChange
}

// SubjectTag is a case of Subject.
type SubjectTag uint8

const (
	SubjectTagNode SubjectTag = iota
	// A pod that is assigned to a node or assumed on a node, or a pending pod, as `event.kind` says. A pod that gets
	// a node is removed from the pending pods.
	SubjectTagPod
	// An object of any other kind.
	SubjectTagObject
)

type Event struct {
	// The kind: `Node`, `Pod`, `PendingPod`, or `group/version/Kind`.
	Kind    string
	Actions EventActions
	Subject Subject
}

type Hint uint8

const (
	HintSkip Hint = iota
	HintQueue
)
