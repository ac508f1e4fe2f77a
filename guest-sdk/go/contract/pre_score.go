// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

type PreScoreResult uint8

const (
	PreScoreResultScore PreScoreResult = iota
	// The plugin does not score this pod: it adds nothing to the total of any node.
	PreScoreResultSkip
)
