// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// A node on which the pod would fit after the eviction of some pods.
type Candidate struct {
	Node uint32
	// Pods of this node to evict, the most important first. Each pod occurs once.
	Victims []uint32
	// The number of victims that a PodDisruptionBudget protects.
	Violations int64
}
