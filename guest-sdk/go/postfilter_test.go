package framework_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"berth.dev/framework"
	"berth.dev/framework/contract"
	st "berth.dev/framework/testing"
)

// preempting is a plugin that has only a PostFilter.
type preempting struct {
	find func(framework.CycleState, framework.PodIdentity, framework.FilteredNodes) (*framework.PostFilterResult, *framework.Status)
}

func (preempting) Name() string { return "test" }

func (p preempting) PostFilter(
	_ context.Context, state framework.CycleState, _ *framework.Pod, id framework.PodIdentity, nodes framework.FilteredNodes,
) (*framework.PostFilterResult, *framework.Status) {
	return p.find(state, id, nodes)
}

var preemptingReads = framework.Reads{
	Node:     framework.NodeReads{Facts: framework.NodeName},
	Resident: &framework.PodReads{Facts: framework.PodName},
}

// evictAll evicts the pods of the first node on which the pod would fit without them.
func evictAll(state framework.CycleState, _ framework.PodIdentity, nodes framework.FilteredNodes) (*framework.PostFilterResult, *framework.Status) {
	var candidates []framework.PreemptionCandidate
	for node := range nodes.All() {
		statuses := framework.WhatIf(state, []framework.WhatIfCase{{Node: node, Removed: node.GetPods()}})
		if statuses[0].IsSuccess() {
			candidates = append(candidates, framework.PreemptionCandidate{Node: node, Victims: node.GetPods()})
		}
	}
	accepted, err := framework.ProcessPreemption(state, candidates)
	if err != nil {
		return nil, framework.AsStatus(err)
	}
	if len(accepted) == 0 {
		return &framework.PostFilterResult{ClearNomination: true}, framework.NewStatus(framework.Unschedulable, "no victims help")
	}
	return &framework.PostFilterResult{NominatedNode: accepted[0].Node, Evict: accepted[0].Victims, Reason: "preempted"}, nil
}

func preemptingHost(t *testing.T) *st.Host {
	register(preempting{evictAll}, preemptingReads)
	host := threeNodes(t)
	host.AddPod(st.MakePod().Name("gone"), "a")
	host.AddPod(st.MakePod().Name("one"), "b")
	host.AddPod(st.MakePod().Name("two"), "b")
	host.RemovePod("gone")
	host.SetWhatIf(func(node string, removed []string) *framework.Status {
		if node == "b" && slices.Equal(removed, []string{"one", "two"}) {
			return nil
		}
		return framework.NewStatus(framework.Unschedulable, "still full")
	})
	return host
}

func TestPostFilterNominatesANodeAndEvictsPods(t *testing.T) {
	host := preemptingHost(t)
	got, err := host.PostFilter(st.MakePod())
	if err != nil || got.NominatedNode != "b" || !slices.Equal(got.Evict, []string{"one", "two"}) || got.Reason != "preempted" {
		t.Errorf("%+v, %v", got, err)
	}
	host.SetExtender(func(candidates []st.Candidate) ([]st.Candidate, error) {
		candidates[0].Victims = candidates[0].Victims[:1]
		return candidates, nil
	})
	if got, err := host.PostFilter(st.MakePod()); err != nil || !slices.Equal(got.Evict, []string{"one"}) {
		t.Errorf("%+v, %v", got, err)
	}
	host.SetExtender(func([]st.Candidate) ([]st.Candidate, error) { return nil, nil })
	got, err = host.PostFilter(st.MakePod())
	if err != nil || got.NominatedNode != "" || !got.ClearNomination || !slices.Equal(got.Reasons, []string{"no victims help"}) {
		t.Errorf("%+v, %v", got, err)
	}
	host.SetExtender(func([]st.Candidate) ([]st.Candidate, error) { return nil, errors.New("extender is down") })
	if _, err := host.PostFilter(st.MakePod()); err == nil || err.Error() != "extender is down" {
		t.Error(err)
	}
}

// filtering is a plugin that has a Filter and a PostFilter.
type filtering struct {
	preempting
	filter
}

func (filtering) Name() string { return "test" }

func TestPostFilterReceivesCodesLeavingPodsAndTheIdentity(t *testing.T) {
	var codes []framework.Code
	var identity framework.PodIdentity
	leaving := 0
	register(filtering{
		preempting{func(_ framework.CycleState, id framework.PodIdentity, nodes framework.FilteredNodes) (*framework.PostFilterResult, *framework.Status) {
			identity, leaving, codes = id, len(nodes.Leaving()), nil
			for _, code := range nodes.All() {
				codes = append(codes, code)
			}
			return nil, nil
		}},
		filter{func(_ framework.CycleState, _ *framework.Pod, node framework.NodeInfo) *framework.Status {
			if node.Node().GetName() == "b" {
				return framework.NewStatus(framework.UnschedulableAndUnresolvable, "never")
			}
			return framework.NewStatus(framework.Unschedulable, "full")
		}},
	}, preemptingReads)
	host := threeNodes(t)
	host.AddPod(st.MakePod().Facts(func(pod *contract.Pod) { pod.Deleting = true }), "c")
	host.AddPod(st.MakePod(), "c")
	pod := st.MakePod().Name("p").UID("u").Facts(func(pod *contract.Pod) { pod.NominatedNodeName = "c" })
	_, err := host.PostFilter(pod)
	if err == nil || !strings.Contains(err.Error(), "without a nominated node") {
		t.Error(err)
	}
	want := []framework.Code{framework.Unschedulable, framework.UnschedulableAndUnresolvable, framework.Unschedulable}
	if !slices.Equal(codes, want) || leaving != 1 || identity != (framework.PodIdentity{Namespace: "default", Name: "p", UID: "u"}) {
		t.Error(codes, leaving, identity)
	}
}
