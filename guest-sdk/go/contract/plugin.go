// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// Who the plugin is, whatever its arguments.
type Description struct {
	// The name that profiles, events and messages use, in Kubernetes' style: `NodeAffinity`.
	// 1 to 63 letters, digits, `-`, `_` and `.`.
	Name string
	// The plugin's own version, for people.
	Version string
}

// A change in the cluster that may make a pod schedulable which this plugin rejected.
type ClusterEvent struct {
	// A kind: `Node`, `Pod`, `PersistentVolumeClaim`, or `group/version/Kind` for any other.
	Kind    string
	Actions EventActions
}

// What the plugin reads and what its answers depend on. It may differ with the arguments.
type Declaration struct {
	// Facts of the pod to be placed.
	PodFacts PodFacts
	// Facts of nodes, kept up to date through `snapshot`.
	NodeFacts NodeFacts
	// Facts of the pods on nodes, where node-facts has `pods`.
	ResidentPodFacts PodFacts
	ClusterFacts     ClusterFacts
	// Of pre-filter and filter.
	FilterScope Scope
	// Of pre-score and score.
	ScoreScope    Scope
	Normalization Normalization
	// Events after which a rejected pod is worth another try. Empty: any change of the facts declared above.
	RetryOn []ClusterEvent
}
