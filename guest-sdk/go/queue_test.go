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

// queueing is a plugin that has a PreEnqueue, a SortKey, a Skip and events with hints.
type queueing struct {
	handle *framework.Handle
	events []framework.ClusterEventWithHint
}

func (queueing) Name() string { return "test" }

func (queueing) PreEnqueue(_ context.Context, pod *framework.Pod) *framework.Status {
	if pod.GetPriority() == -2 {
		return framework.NewStatus(framework.Error, "broken")
	}
	if pod.GetPriority() < 0 {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, "priority is negative")
	}
	return nil
}

func (q queueing) SortKey(_ context.Context, pod *framework.Pod, times framework.QueueTimes) ([]int64, *framework.Status) {
	if pod.GetPriority() == 13 {
		for range q.handle.NodeInfos() {
			break
		}
	}
	return []int64{-int64(pod.GetPriority()), times.FirstQueued, times.Queued}, nil
}

func (queueing) Skip(_ context.Context, pod *framework.Pod) (bool, *framework.Status) {
	return pod.GetPriority() == 0, nil
}

func (q queueing) EventsToRegister(context.Context) ([]framework.ClusterEventWithHint, error) {
	return q.events, nil
}

func TestQueueFunctions(t *testing.T) {
	registerWithHandle(func(handle *framework.Handle) queueing { return queueing{handle: handle} }, framework.Reads{
		Pod:   framework.PodReads{Facts: framework.PodPriority},
		Node:  framework.NodeReads{Facts: framework.NodeName},
		Cycle: true,
	})
	host := st.NewHost(t, `{}`)
	if got := host.PreEnqueue(st.MakePod().Priority(-1)); got.Message() != "priority is negative" || host.PreEnqueue(st.MakePod()) != nil {
		t.Error(got)
	}
	if got := host.SortKey(st.MakePod().Priority(5), framework.QueueTimes{FirstQueued: 1, Queued: 2}); !slices.Equal(got, []int64{-5, 1, 2}) {
		t.Error(got)
	}
	guest := newGuest(t)
	guest.AddSignature(8, &contract.Pod{Priority: -2})
	if _, err := guest.PreEnqueue(8); err == nil || err.Error() != "broken" {
		t.Error(err)
	}
	if !host.Skip(st.MakePod()) || host.Skip(st.MakePod().Priority(1)) {
		t.Error("Skip is true for priority 0 only")
	}
	got := panicOf(func() { host.SortKey(st.MakePod().Priority(13), framework.QueueTimes{}) })
	if !strings.Contains(got, "Handle.NodeInfos") || !strings.Contains(got, "SortKey may not depend on nodes") {
		t.Error(got)
	}
}

func TestHintsDecideAboutEvents(t *testing.T) {
	var seen *framework.Event
	answer, failure := framework.QueueSkip, error(nil)
	ask := func(_ context.Context, pod *framework.Pod, event *framework.Event) (framework.QueueingHint, error) {
		seen = event
		if pod.GetPriority() == 9 {
			return framework.QueueSkip, nil
		}
		return answer, failure
	}
	register(queueing{events: []framework.ClusterEventWithHint{
		{Event: framework.ClusterEvent{Kind: "Node", Actions: framework.Add | framework.UpdateNodeLabel}, QueueingHintFn: ask},
		{Event: framework.ClusterEvent{Kind: "Pod", Actions: framework.Delete}, QueueingHintFn: ask},
		{Event: framework.ClusterEvent{Kind: "apps/v1/Deployment", Actions: framework.Update}, QueueingHintFn: ask},
		{Event: framework.ClusterEvent{Kind: "v1/Service", Actions: framework.Add}},
	}}, framework.Reads{
		Pod:  framework.PodReads{Facts: framework.PodPriority},
		Node: framework.NodeReads{LabelKeys: []string{"rack"}, Facts: framework.NodeName, Fields: []string{"spec.podCIDR"}},
		Objects: []framework.ObjectKind{
			{APIVersion: "v1", Name: "Service"}, {APIVersion: "apps/v1", Name: "Deployment", Fields: []string{"spec.replicas"}},
		},
	})
	host := st.NewHost(t, `{}`)
	if got := host.Declaration().RetryOn; len(got) != 4 || got[1].Kind != "Pod" {
		t.Errorf("%+v", got)
	}
	node := func(rack string) *st.NodeWrapper {
		return st.MakeNode().Name("a").Label("rack", rack).Label("zone", "z").Fields(`{"spec": {"podCIDR": "c"}}`)
	}
	moved := st.Event{Actions: framework.UpdateNodeLabel, OldNode: node("1"), NewNode: node("2")}
	if got := host.Hint(st.MakePod(), moved); got != framework.QueueSkip {
		t.Error(got)
	}
	before, _ := seen.OldNode.GetLabel("rack")
	after, _ := seen.NewNode.GetLabel("rack")
	cidr, _, err := framework.Field[string](*seen.NewNode, "spec.podCIDR")
	if before != "1" || after != "2" || seen.NewNode.GetName() != "a" || cidr != "c" || err != nil {
		t.Error(before, after, cidr, err)
	}
	answer = framework.Queue
	if host.Hint(st.MakePod(), moved) != framework.Queue || host.Hint(st.MakePod().Priority(9), moved) != framework.QueueSkip {
		t.Error("the hint is that of the function, for each pod")
	}
	answer, failure = framework.QueueSkip, errors.New("broken")
	if host.Hint(st.MakePod(), moved) != framework.Queue {
		t.Error("an error queues the pod")
	}
	failure = nil
	if got := host.Hint(st.MakePod(), st.Event{Actions: framework.Delete, OldPod: st.MakePod().Priority(3)}); got != framework.QueueSkip {
		t.Error(got)
	}
	if seen.NewPod != nil || seen.OldPod.GetPriority() != 3 {
		t.Error(seen)
	}
	deployment := st.MakeObject("apps/v1", "Deployment").Name("d").Namespace("n").Fields(`{"spec": {"replicas": 2, "paused": true}}`)
	if got := host.Hint(st.MakePod(), st.Event{Actions: framework.Update, NewObject: deployment}); got != framework.QueueSkip {
		t.Error(got)
	}
	replicas, _, err := framework.Field[int](seen.NewObject, "spec.replicas")
	if err != nil || replicas != 2 || seen.OldObject != nil || seen.NewObject.Namespace != "n" || seen.NewObject.Kind.Name != "Deployment" {
		t.Error(replicas, err, seen.NewObject)
	}
	if got := host.Hint(st.MakePod(), st.Event{Actions: framework.Add, NewObject: st.MakeObject("v1", "Service")}); got != framework.Queue {
		t.Error("an event without a function queues the pod")
	}
}
