// Package component connects a plugin's registration with the WebAssembly exports.
package component

import "berth.dev/framework/contract"

// Guest answers the contract's calls. There is one per component, or per host of a test.
type Guest interface {
	Describe() contract.Description
	Configure(arguments string) (contract.Declaration, error)
	AddSignature(id uint32, pod *contract.Pod)
	RemoveSignatures(ids []uint32)
	Apply(change *contract.Change)
	Kinds() []contract.Kind
	ApplyObject(change *contract.ObjectsChange)

	Skip(signature uint32) (bool, error)
	PreEnqueue(signature uint32) (contract.Option[contract.Status], error)
	SortKey(signature uint32, times contract.QueueTimes) ([]int64, error)
	Hints(event *contract.Event, signatures []uint32) ([]contract.Hint, error)

	PreFilter(cycle contract.Cycle) (contract.PreFilterResult, error)
	Filter(cycle contract.Cycle, nodes []uint32) (contract.Verdicts, error)
	PostFilter(
		cycle contract.Cycle, pod contract.PodIdentity, nodes []uint32, codes []contract.Code, leaving []uint32,
	) (contract.PostFilterResult, error)
	PreScore(cycle contract.Cycle, nodes []uint32) (contract.PreScoreResult, error)
	Score(cycle contract.Cycle, nodes []uint32) ([]int64, error)
	Normalize(cycle contract.Cycle, nodes []uint32, scores []int64) ([]int64, error)

	Reserve(cycle contract.Cycle, pod contract.PodIdentity, node uint32) (contract.Reservation, *contract.Status, error)
	Unreserve(
		cycle contract.Cycle, pod contract.PodIdentity, nodeName string, state []byte, preBound bool,
	) contract.Undone
	Permit(cycle contract.Cycle, pod contract.PodIdentity, nodeName string, state []byte) (contract.Verdict, error)
	PreBind(cycle contract.Cycle, pod contract.PodIdentity, nodeName string, state []byte) ([]contract.Intent, error)
	Bind(
		cycle contract.Cycle, pod contract.PodIdentity, nodeName string, state []byte,
	) (contract.Option[[]contract.Intent], error)
	PostBind(cycle contract.Cycle, pod contract.PodIdentity, nodeName string, state []byte)
}

// Host answers the calls that a post-filter makes.
type Host interface {
	Ask(cycle contract.Cycle, cases []contract.WhatIfCase) contract.Verdicts
	ProcessPreemption(cycle contract.Cycle, candidates []contract.Candidate) ([]contract.Candidate, error)
}

// TestHost answers the calls of a post-filter in a native run. A test sets it.
var TestHost Host

// Registration is the plugin that a program registers.
type Registration struct {
	// Exports are the contract's interfaces that the plugin exports, apart from `plugin`.
	Exports []string
	// New makes a guest that is not configured yet.
	New func() Guest
}

// Registered is the program's plugin. The program's init sets it.
var Registered *Registration
