// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

type PreFilterResult struct {
	// Tag says which of the fields counts.
	Tag    PreFilterResultTag
	Narrow []string
	Reject *Status
}

// PreFilterResultTag is a case of PreFilterResult.
type PreFilterResultTag uint8

const (
	// Filter every node.
	PreFilterResultTagAll PreFilterResultTag = iota
	// This plugin has nothing to filter for this pod.
	PreFilterResultTagSkip
	// Only the nodes with these names can fit. The host ignores unknown names. The limit is 1 MiB of names. The
	// host intersects the lists of several plugins.
	PreFilterResultTagNarrow
	// No node fits.
	PreFilterResultTagReject
)
