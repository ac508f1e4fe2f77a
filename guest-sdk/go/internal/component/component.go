// Package component connects a plugin's registration with the WebAssembly exports.
package component

import "berth.dev/framework/contract"

// Guest answers the contract's calls. There is one per component, or per host of a test.
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

// Registration is the plugin that a program registers.
type Registration struct {
	// Exports are the contract's interfaces that the plugin exports, apart from `plugin`.
	Exports []string
	// New makes a guest that is not configured yet.
	New func() Guest
}

// Registered is the program's plugin. The program's init sets it.
var Registered *Registration
