package testing

import (
	"berth.dev/framework"
	"berth.dev/framework/contract"
	"berth.dev/framework/internal/component"
)

// PostFilterResult is the plugin's answer for a pod that fits no node, with the names of nodes and pods.
type PostFilterResult struct {
	// NominatedNode is empty if the plugin nominates no node.
	NominatedNode string
	Evict         []string
	// Reason is the message of the evicted pods.
	Reason string
	// Reasons are the reasons why no node is nominated.
	Reasons         []string
	ClearNomination bool
	Intents         []framework.Intent
	Actions         Actions
}

// Candidate is a node with victims, by name.
type Candidate struct {
	Node       string
	Victims    []string
	Violations int64
}

// SetWhatIf sets what the other filters of the profile answer to framework.WhatIf. By default, the pod fits.
func (h *Host) SetWhatIf(answer func(node string, removed []string) *framework.Status) {
	h.whatIf = answer
}

// SetExtender sets what the extenders answer to framework.ProcessPreemption. By default, they accept all candidates.
func (h *Host) SetExtender(answer func([]Candidate) ([]Candidate, error)) { h.extender = answer }

// PostFilter runs PostFilter for a pod that fits no node. A node has the code of the plugin's own filter, and
// Unschedulable if the plugin has no filter or the pod fits it. The deleted pods on the pod's nominated node count as
// evicted by a scheduler.
func (h *Host) PostFilter(pod *PodWrapper) (PostFilterResult, error) {
	h.t.Helper()
	h.needs("post-filter", "PostFilter")
	var statuses map[string]*framework.Status
	if h.has("filter") {
		statuses = h.Filter(pod)
	} else {
		h.begin(pod)
	}
	ids := h.ids()
	codes := make([]contract.Code, len(ids))
	for i, id := range ids {
		switch statuses[h.nodes[id].name].Code() {
		case framework.UnschedulableAndUnresolvable:
			codes[i] = contract.CodeUnschedulableAndUnresolvable
		default:
			codes[i] = contract.CodeUnschedulable
		}
	}
	component.TestHost = postFilterHost{h}
	defer func() { component.TestHost = nil }()
	result, err := h.guest.PostFilter(h.cycle, pod.identity(), ids, codes, h.leaving(pod))
	if err != nil {
		return PostFilterResult{}, err
	}
	if result.Tag == contract.PostFilterResultTagUnschedulable {
		failed := result.Unschedulable
		return PostFilterResult{
			Reasons: failed.Reasons, ClearNomination: failed.Clear, Intents: failed.Intents, Actions: failed.Pods,
		}, nil
	}
	to := result.Nominate
	return PostFilterResult{
		NominatedNode: h.nodes[to.Node].name, Evict: h.podNames(to.Evict), Reason: to.Reason, Intents: to.Intents,
		Actions: to.Pods,
	}, nil
}

// leaving returns the deleted pods on the nominated node of a pod.
func (h *Host) leaving(pod *PodWrapper) (ids []uint32) {
	for id, resident := range h.residents {
		if resident == nil || !resident.pod.facts.Deleting || !h.declaration.ResidentPods.Some {
			continue
		}
		if node := h.nodes[resident.node]; node != nil && node.name == pod.facts.NominatedNodeName {
			ids = append(ids, uint32(id))
		}
	}
	return ids
}

// postFilterHost answers the calls of a post-filter.
type postFilterHost struct{ *Host }

func (h postFilterHost) Ask(_ contract.Cycle, cases []contract.WhatIfCase) (to contract.Verdicts) {
	for _, one := range cases {
		number := uint16(0)
		if h.whatIf != nil {
			if status := h.whatIf(h.nodes[one.Node].name, h.podNames(one.Removed)); !status.IsSuccess() {
				to.Outcomes = append(to.Outcomes, contractStatus(status))
				number = uint16(len(to.Outcomes))
			}
		}
		to.Nodes = append(to.Nodes, number)
	}
	return to
}

func (h postFilterHost) ProcessPreemption(_ contract.Cycle, from []contract.Candidate) ([]contract.Candidate, error) {
	if h.extender == nil {
		return from, nil
	}
	candidates := make([]Candidate, len(from))
	for i, one := range from {
		candidates[i] = Candidate{h.nodes[one.Node].name, h.podNames(one.Victims), one.Violations}
	}
	accepted, err := h.extender(candidates)
	var to []contract.Candidate
	for _, one := range accepted {
		candidate := contract.Candidate{Node: h.id(one.Node), Violations: one.Violations}
		for _, name := range one.Victims {
			candidate.Victims = append(candidate.Victims, h.residentID(name))
		}
		to = append(to, candidate)
	}
	return to, err
}
