// Package component is where a plugin's registration and the WebAssembly exports meet.
package component

import "berth.dev/framework/contract"

// Guest answers the contract's calls. One for the life of a component, or of a test's host.
type Guest interface {
	Describe() contract.Description
	Configure(arguments string) (contract.Declaration, error)
	HoldTemplate(id uint32, pod *contract.Pod)
	ForgetTemplates(ids []uint32)
	Apply(change *contract.Change)
	PreFilter(cycle contract.Cycle) (contract.PreFilterResult, error)
	Filter(cycle contract.Cycle, nodes []uint32) (contract.Verdicts, error)
	PreScore(cycle contract.Cycle, nodes []uint32) (contract.PreScoreResult, error)
	Score(cycle contract.Cycle, nodes []uint32) ([]int64, error)
	Normalize(cycle contract.Cycle, nodes []uint32, scores []int64) ([]int64, error)
}

// Registration is what a program registers: one plugin.
type Registration struct {
	// Interfaces of the contract that the plugin exports, beside `plugin`.
	Exports []string
	// New makes a guest that is not configured yet.
	New func() Guest
}

// Registered is set by the program's init.
var Registered *Registration
