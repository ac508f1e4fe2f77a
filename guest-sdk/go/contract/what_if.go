// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

type WhatIfCase struct {
	Node uint32
	// Pods of this node to remove. Each pod occurs once. An id of any other pod is a failure of the plugin.
	Removed []uint32
}
