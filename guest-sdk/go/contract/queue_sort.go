// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// Times in milliseconds since 1970.
type QueueTimes struct {
	// The time when the scheduler first saw the pod.
	FirstQueued int64
	// The start of the pod's present wait: `first-queued`, later the end of the pod's last attempt.
	Queued int64
}
