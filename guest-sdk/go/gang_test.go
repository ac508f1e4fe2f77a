package framework_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"berth.dev/framework"
	st "berth.dev/framework/testing"
)

const sizeKey = "example.com/group-size"

// gang holds the pods of a group until all of them have a node.
type gang struct {
	handle          *framework.Handle
	placed, waiting *framework.Index[string, *framework.Pod]
}

func newGang(handle *framework.Handle) gang {
	byGroup := func(pod *framework.Pod) []string {
		if group := pod.GetSchedulingGroup(); group != "" {
			return []string{group}
		}
		return nil
	}
	return gang{handle, framework.IndexPods(handle, byGroup), framework.IndexPendingPods(handle, byGroup)}
}

func (gang) Name() string { return "gang" }

func size(pod *framework.Pod) int {
	text, _ := pod.GetAnnotation(sizeKey)
	size, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return size
}

func (g gang) PreEnqueue(_ context.Context, pod *framework.Pod) *framework.Status {
	group := pod.GetSchedulingGroup()
	if g.placed.Len(group)+g.waiting.Len(group) < size(pod) {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, "group is incomplete")
	}
	return nil
}

func (gang) Reserve(
	context.Context, framework.CycleState, *framework.Pod, framework.PodIdentity, framework.NodeInfo,
) (*framework.Reservation, *framework.Status) {
	return nil, nil
}

func (g gang) Unreserve(_ context.Context, _ framework.CycleState, pod *framework.Pod, reserved framework.Reserved) []framework.Intent {
	for _, other := range g.placed.Get(pod.GetSchedulingGroup()) {
		if other.GetUID() != reserved.UID {
			g.handle.Reject(other.GetUID(), "another pod of the group failed")
		}
	}
	return nil
}

func (g gang) Permit(_ context.Context, _ framework.CycleState, pod *framework.Pod, reserved framework.Reserved) (*framework.Status, time.Duration) {
	group := pod.GetSchedulingGroup()
	if g.placed.Len(group) < size(pod) {
		for _, other := range g.waiting.Get(group) {
			g.handle.Activate(other.GetUID())
		}
		return framework.NewStatus(framework.Wait), time.Minute
	}
	for _, other := range g.placed.Get(group) {
		if other.GetUID() != reserved.UID {
			g.handle.Approve(other.GetUID())
		}
	}
	return nil, 0
}

func TestAGangIsPlacedTogether(t *testing.T) {
	members := &framework.PodReads{Facts: framework.PodSchedulingGroup | framework.PodUID}
	registerWithHandle(newGang, framework.Reads{
		Pod:      framework.PodReads{Facts: framework.PodSchedulingGroup, AnnotationKeys: []string{sizeKey}},
		Resident: members,
		Pending:  members,
	})
	host := threeNodes(t)
	member := func(uid string) *st.PodWrapper {
		return st.MakePod().Name(uid).UID(uid).SchedulingGroup("g").Annotation(sizeKey, "2")
	}
	host.AddPendingPod(member("1"))
	if got := host.PreEnqueue(member("1")); got.Message() != "group is incomplete" {
		t.Error(got)
	}
	host.AddPendingPod(member("2"))
	if got := host.PreEnqueue(member("1")); got != nil {
		t.Error(got.Message())
	}
	place := func(uid, node string) *st.ReservedPod {
		reserved, status := host.Reserve(member(uid), node)
		if status != nil {
			t.Fatal(status.Message())
		}
		host.RemovePendingPod(uid)
		host.AddPod(member(uid), node)
		return reserved
	}
	one := place("1", "a")
	if status, wait, actions := one.Permit(); status.Code() != framework.Wait || wait != time.Minute || !slices.Equal(actions.Activate, []string{"2"}) {
		t.Errorf("%v, %v, %+v", status, wait, actions)
	}
	if status, _, actions := place("2", "b").Permit(); status != nil || !slices.Equal(actions.Approve, []string{"1"}) {
		t.Errorf("%v, %+v", status, actions)
	}
	if _, actions := one.Unreserve(); len(actions.Reject) != 1 || actions.Reject[0].First != "2" {
		t.Errorf("%+v", actions)
	}
}
