package framework

import (
	"context"

	"berth.dev/framework/contract"
)

// PreEnqueuePlugin decides whether a pod may enter the active queue.
type PreEnqueuePlugin interface {
	Plugin
	// PreEnqueue returns nil if the pod may enter the queue. A rejection makes the pod wait for an event of
	// EnqueueExtensions.
	PreEnqueue(ctx context.Context, pod *Pod) *Status
}

// QueueSortPlugin orders the active queue. A profile has at most one. It may read neither nodes, nor the pods on nodes,
// nor facts of the cluster.
type QueueSortPlugin interface {
	Plugin
	// SortKey returns the pod's position: the queue is in ascending order of keys, compared element by element. A key
	// has at most 64 elements.
	SortKey(ctx context.Context, pod *Pod, times QueueTimes) ([]int64, *Status)
}

// QueueTimes are the times of a pod in the queue, in milliseconds since 1970.
type QueueTimes = contract.QueueTimes

// SkipPlugin is implemented by a plugin that has nothing to do for some pods.
type SkipPlugin interface {
	Plugin
	// Skip returns true if the host need not call the plugin for pods that are equal to this one in the declared facts:
	// PreEnqueue admits them, PreFilter and PreScore skip, and Reserve, Permit, PreBind, Bind and PostBind do nothing.
	// Skip may read the pod, objects and facts of the cluster, but not nodes and their pods.
	Skip(ctx context.Context, pod *Pod) (bool, *Status)
}

// EnqueueExtensions is implemented by a plugin that knows which events may help pods that it rejected. For any other
// plugin, each change of a fact that the plugin reads counts as such an event.
type EnqueueExtensions interface {
	EventsToRegister(ctx context.Context) ([]ClusterEvent, error)
}

// EnqueueExtensionsWithHints is EnqueueExtensions for a plugin that also looks at each event.
type EnqueueExtensionsWithHints interface {
	EventsToRegister(ctx context.Context) ([]ClusterEventWithHint, error)
}

// ClusterEvent is a change in the cluster: a kind (`Node`, `Pod` for pods on nodes, `PendingPod` with Reads.Pending, or
// `group/version/Kind` of a kind in Reads.Objects, with `v1/Kind` for the core group) and the actions on its objects.
type ClusterEvent = contract.ClusterEvent

// ActionType is a set of actions on an object.
type ActionType = contract.EventActions

// Actions of a ClusterEvent.
const (
	Add                          = contract.EventActionsAdd
	Delete                       = contract.EventActionsDelete
	Update                       = contract.EventActionsUpdate
	UpdateNodeLabel              = contract.EventActionsUpdateLabels
	UpdateNodeTaint              = contract.EventActionsUpdateTaints
	UpdateNodeAllocatable        = contract.EventActionsUpdateAllocatable
	UpdateNodeCondition          = contract.EventActionsUpdateCondition
	UpdatePodLabel               = contract.EventActionsUpdateLabels
	UpdatePodScaleDown           = contract.EventActionsUpdateScaleDown
	UpdatePodToleration          = contract.EventActionsUpdateTolerations
	UpdatePodSchedulingGatesGone = contract.EventActionsUpdateGatesEliminated
)

// ClusterEventWithHint is an event with a function that decides for each rejected pod whether the event may help it.
type ClusterEventWithHint struct {
	Event ClusterEvent
	// QueueingHintFn decides. Without a function, each event queues the pod.
	QueueingHintFn QueueingHintFn
}

// QueueingHintFn decides whether an event may make a pod schedulable that the plugin rejected. After an error, the pod
// is queued.
type QueueingHintFn func(ctx context.Context, pod *Pod, event *Event) (QueueingHint, error)

// QueueingHint is the answer of a QueueingHintFn.
type QueueingHint = contract.Hint

const (
	// QueueSkip means that the event does not help the pod.
	QueueSkip = contract.HintSkip
	// Queue means that the pod may be schedulable now.
	Queue = contract.HintQueue
)

// Event is a change of a node, of a pod on a node, or of an object. Old is nil for a new object, New for a deleted one.
type Event struct {
	// Kind is `Node`, `Pod`, or `group/version/Kind`.
	Kind    string
	Actions ActionType
	// OldNode and NewNode have the facts of Reads.Node, apart from the uid, usage, images and used ports.
	OldNode, NewNode *Node
	// OldPod and NewPod have the facts of Reads.Pod.
	OldPod, NewPod *Pod
	// OldObject and NewObject have no uid.
	OldObject, NewObject *Object
}
