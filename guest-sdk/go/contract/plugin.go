// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// The plugin's identity. It does not depend on the arguments.
type Description struct {
	// The name that profiles, events and messages use, in Kubernetes' style: `NodeAffinity`. 1 to 63 letters,
	// digits, `-`, `_` and `.`.
	Name string
	// The plugin's own version, for display.
	Version string
}

// A kind of change in the cluster that may make a pod schedulable that this plugin rejected.
type ClusterEvent struct {
	// The kind: `Node`, `Pod`, `PersistentVolumeClaim`, or `group/version/Kind` for any other kind.
	Kind    string
	Actions EventActions
}

// The facts that the plugin reads and the scope of its answers. The declaration may depend on the arguments.
type Declaration struct {
	// Facts of the pod to schedule.
	PodFacts PodFacts
	// Facts of nodes. The host keeps the guest up to date through `snapshot`.
	NodeFacts NodeFacts
	// Facts of the pods on nodes. Used if `node-facts` contains `pods`.
	ResidentPodFacts PodFacts
	ClusterFacts     ClusterFacts
	// The scope of pre-filter and filter.
	FilterScope Scope
	// The scope of pre-score and score.
	ScoreScope    Scope
	Normalization Normalization
	// Events after which the host retries a pod that this plugin rejected. If the list is empty, these changes
	// cause a retry: any object of `objects.kinds`; and a declared node fact for filter-scope node, or any node
	// fact for another filter-scope. In both cases, a change of the rejected pod's own declared facts, except
	// nominated-node, causes a retry as well.
	RetryOn []ClusterEvent
}
