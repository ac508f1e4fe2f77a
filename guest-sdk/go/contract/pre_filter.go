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
	// Only these nodes, by name, can do; unknown names are ignored, up to 1 MiB of them. Several plugins' lists are
	// intersected.
	PreFilterResultTagNarrow
	// No node can do.
	PreFilterResultTagReject
)
