// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

type PreScoreResult uint8

const (
	PreScoreResultScore PreScoreResult = iota
	// This plugin has nothing to say about this pod: it adds nothing to any node's total.
	PreScoreResultSkip
)
