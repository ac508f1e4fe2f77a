// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

type Nomination struct {
	// The node that the host nominates for the pod.
	Node uint32
	// Pods to evict. Each pod occurs once.
	Evict []uint32
	// The message of the evicted pods' condition DisruptionTarget. Its reason is PreemptionByScheduler.
	Reason string
	// Further changes to the cluster, as in `failure.intents`.
	Intents []Intent
	// What happens to other pods.
	Pods PodActions
}

type Failure struct {
	// Reasons for the pod's message.
	Reasons []string
	// True if the host should clear the pod's nominated node.
	Clear bool
	// Changes to the cluster after which the pod may fit: patches, creations and deletions. The host executes
	// them in this order, continues after a failure, and does not wait for the result.
	Intents []Intent
	// What happens to other pods.
	Pods PodActions
}

type PostFilterResult struct {
	// Tag says which of the fields counts.
	Tag           PostFilterResultTag
	Nominate      *Nomination
	Unschedulable *Failure
}

// PostFilterResultTag is a case of PostFilterResult.
type PostFilterResultTag uint8

const (
	PostFilterResultTagNominate PostFilterResultTag = iota
	PostFilterResultTagUnschedulable
)
