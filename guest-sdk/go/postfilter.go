package framework

import (
	"context"
	"errors"
	"iter"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/abi"
)

// PostFilterPlugin makes room for a pod that fits no node.
type PostFilterPlugin interface {
	Plugin
	// PostFilter returns a result and nil to nominate a node. A status with code Unschedulable has the reasons why
	// there is no node to nominate; the result may then have intents. PostFilter may use WhatIf, ProcessPreemption,
	// Handle.Approve, Handle.Reject and Handle.Activate.
	PostFilter(ctx context.Context, state CycleState, pod *Pod, id PodIdentity, nodes FilteredNodes) (*PostFilterResult, *Status)
}

// PostFilterResult is the result of PostFilter.
type PostFilterResult struct {
	// NominatedNode is the node that the host nominates for the pod. Unused if the status is not a success.
	NominatedNode NodeInfo
	// Evict are pods on nodes that the host evicts, as NodeInfo.GetPods returns them. Each occurs once.
	Evict []*Pod
	// Reason is the message of the evicted pods' condition DisruptionTarget.
	Reason string
	// ClearNomination clears the nominated node of the pod. Unused if the status is a success.
	ClearNomination bool
	// Intents are further changes: patches, creations and deletions.
	Intents []Intent
}

// FilteredNodes are all nodes, with the code with which each of them was rejected.
type FilteredNodes struct {
	cluster        *snapshot
	nodes, leaving []uint32
	codes          []contract.Code
}

// Len returns the number of nodes.
func (f FilteredNodes) Len() int { return len(f.nodes) }

// All returns the nodes and their codes: Unschedulable if an eviction may help, UnschedulableAndUnresolvable if not.
func (f FilteredNodes) All() iter.Seq2[NodeInfo, Code] {
	return func(yield func(NodeInfo, Code) bool) {
		for i, node := range f.nodes {
			if !yield(NodeInfo{f.cluster, node}, codeOf(f.codes[i])) {
				return
			}
		}
	}
}

// Leaving returns the pods on the pod's nominated node that are being deleted because a scheduler evicted them.
// Requires Reads.Resident.
func (f FilteredNodes) Leaving() []*Pod {
	if reads := f.cluster.reads; reads.Resident == nil {
		undeclared(reads.plugin, "FilteredNodes.Leaving", "set Reads.Resident")
	}
	var pods []*Pod
	for _, id := range f.leaving {
		pods = append(pods, f.cluster.pods.pods.get(id))
	}
	return pods
}

// WhatIfCase is a node without some of its pods.
type WhatIfCase struct {
	Node NodeInfo
	// Removed are pods of the node. Each occurs once.
	Removed []*Pod
}

// WhatIf asks the other filter plugins of the profile whether the pod would fit: one status for each case, nil if the
// pod fits. The plugin's own Filter is not asked. If a status has code Error, PostFilter must return an error as well.
// Only PostFilter may call WhatIf.
func WhatIf(state CycleState, cases []WhatIfCase) []*Status {
	asked := make([]contract.WhatIfCase, len(cases))
	for i, one := range cases {
		asked[i] = contract.WhatIfCase{Node: one.Node.at, Removed: ids(one.Removed)}
	}
	verdicts := abi.Ask(state.session.cycle, asked)
	statuses := make([]*Status, len(verdicts.Nodes))
	for i, number := range verdicts.Nodes {
		if number > 0 {
			statuses[i] = statusOf(&verdicts.Outcomes[number-1])
		}
	}
	return statuses
}

// PreemptionCandidate is a node on which the pod would fit after the eviction of some pods.
type PreemptionCandidate struct {
	Node NodeInfo
	// Victims are pods of the node to evict, the most important first.
	Victims []*Pod
	// Violations is the number of victims that a PodDisruptionBudget protects.
	Violations int64
}

// ProcessPreemption returns the candidates that the extenders of the configuration accept; all of them without
// extenders. Extenders may add candidates and change victims. Only PostFilter may call ProcessPreemption. Requires
// Reads.Resident.
func ProcessPreemption(state CycleState, candidates []PreemptionCandidate) ([]PreemptionCandidate, error) {
	asked := make([]contract.Candidate, len(candidates))
	for i, one := range candidates {
		asked[i] = contract.Candidate{Node: one.Node.at, Victims: ids(one.Victims), Violations: one.Violations}
	}
	accepted, err := abi.ProcessPreemption(state.session.cycle, asked)
	if err != nil {
		return nil, err
	}
	cluster := state.session.cluster
	var to []PreemptionCandidate
	for _, one := range accepted {
		candidate := PreemptionCandidate{Node: NodeInfo{cluster, one.Node}, Violations: one.Violations}
		for _, id := range one.Victims {
			candidate.Victims = append(candidate.Victims, cluster.pods.pods.get(id))
		}
		to = append(to, candidate)
	}
	return to, nil
}

func ids(pods []*Pod) []uint32 {
	to := make([]uint32, len(pods))
	for i, pod := range pods {
		if pod.reads.field != "Resident" {
			panic(pod.reads.plugin + ": a pod to remove is not on a node: use the pods of NodeInfo.GetPods")
		}
		to[i] = pod.id
	}
	return to
}

// PostFilter answers the host's post-filter call.
func (g *guest) PostFilter(
	cycle contract.Cycle, id contract.PodIdentity, nodes []uint32, codes []contract.Code, leaving []uint32,
) (to contract.PostFilterResult, err error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return to, err
	}
	g.hidden = ""
	g.filtered(session, pod)
	var result *PostFilterResult
	var status *Status
	pods := g.collectActions(func() {
		filtered := FilteredNodes{g.cluster, nodes, leaving, codes}
		result, status = g.points.postFilter.PostFilter(context.Background(), CycleState{session}, pod, id, filtered)
	})
	switch {
	case status.Code() == Error:
		return to, failure(status)
	case !status.IsSuccess():
		failed := &contract.Failure{Reasons: status.Reasons(), Pods: pods}
		if result != nil {
			failed.Clear, failed.Intents = result.ClearNomination, result.Intents
		}
		return contract.PostFilterResult{Tag: contract.PostFilterResultTagUnschedulable, Unschedulable: failed}, nil
	case result == nil || result.NominatedNode.cluster == nil:
		return to, errors.New("PostFilter returned success without a nominated node: return a node or a status")
	}
	nomination := &contract.Nomination{
		Node: result.NominatedNode.at, Evict: ids(result.Evict), Reason: result.Reason, Intents: result.Intents, Pods: pods,
	}
	return contract.PostFilterResult{Tag: contract.PostFilterResultTagNominate, Nominate: nomination}, nil
}
