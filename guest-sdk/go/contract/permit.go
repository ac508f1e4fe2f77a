// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

type Decision struct {
	// Tag says which of the fields counts.
	Tag  DecisionTag
	Deny *Status
	Wait uint64
}

// DecisionTag is a case of Decision.
type DecisionTag uint8

const (
	DecisionTagApprove DecisionTag = iota
	DecisionTagDeny
	// The pod waits for at most this many milliseconds, and for at most 15 minutes. The host denies the pod after
	// that time.
	DecisionTagWait
)

type Verdict struct {
	Decision Decision
	// What happens to other pods.
	Pods PodActions
}
