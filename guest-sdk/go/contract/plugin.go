// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// The plugin's identity. It does not depend on the arguments.
type Description struct {
	// The name that profiles, events and messages use, in Kubernetes' style: `NodeAffinity`. 1 to 63 letters,
	// digits, `-`, `_` and `.`.
	Name string
	// The plugin's own version, for display.
	Version string
	// A JSON Schema of the arguments, at most 256 KiB. The host checks the arguments before `configure`, and names
	// the path of a wrong one. References may stay inside the schema only. `none`: the plugin checks its arguments
	// alone.
	Arguments Option[string]
}

// A kind of change in the cluster that may make a pod schedulable that this plugin rejected.
type ClusterEvent struct {
	// The kind: `Node`, `Pod` for pods on nodes, `PendingPod` if the plugin reads pending pods, or the name of a
	// kind in `objects.kinds`, alone (`PersistentVolumeClaim`) or with its API version
	// (`storage.k8s.io/v1/StorageClass`). The host refuses a plugin that names another kind.
	Kind string
	// What happens to the object. The host refuses a plugin that names no action, or an action that objects of the
	// kind don't have.
	Actions EventActions
}

// The facts that the plugin reads and the scope of its answers. The declaration may depend on the arguments.
type Declaration struct {
	// What the plugin reads of the pod to schedule. Defines the pod signatures.
	Pod PodReads
	// What the plugin reads of nodes. The host keeps the guest up to date through `snapshot`.
	Node NodeReads
	// What the plugin reads of the pods on nodes. `none`: the host does not send these pods.
	ResidentPods Option[PodReads]
	// What the plugin reads of pending pods: the pods of this scheduler's profiles that have no node. A change of
	// a pending pod invalidates all cached answers of the plugin. `none`: the host does not send these pods.
	PendingPods Option[PodReads]
	// Aggregates over the cluster.
	ClusterFacts ClusterFacts
	// True if the plugin reads `cycle.time`. Otherwise, the time is 0.
	ReadsTime bool
	// The scope of pre-filter and filter.
	FilterScope Scope
	// The scope of pre-score and score.
	ScoreScope    Scope
	Normalization Normalization
	// Events after which the host retries a pod that this plugin rejected. If the list is empty, these changes
	// cause a retry: any object of `objects.kinds`; a pending pod, if the plugin reads pending pods; and a
	// declared node fact for filter-scope node, or any node fact for another filter-scope. In both cases, a change
	// of the rejected pod's own declared fields, except nominated-node, causes a retry as well.
	RetryOn []ClusterEvent
}
