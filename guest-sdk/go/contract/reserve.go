// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

type Reservation struct {
	// State that the host keeps and passes to permit, pre-bind, unreserve and post-bind. The limit is 1 MiB.
	State []uint8
	// Assumed objects: only `assume` is allowed. Return other intents from pre-bind.
	Intents []Intent
}

type Undone struct {
	// The intents that undo those of pre-bind: patches, creations and deletions. The host executes them after all
	// intents of pre-bind have ended, in this order, continues after a failure, and does not wait for the result.
	Intents []Intent
	// What happens to other pods.
	Pods PodActions
}
