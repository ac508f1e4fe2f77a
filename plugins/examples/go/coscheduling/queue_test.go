package main

import (
	"slices"
	"testing"

	"berth.dev/framework"
	"berth.dev/framework/contract"
	st "berth.dev/framework/testing"
)

func TestAPodEntersTheQueueWhenItsGroupIsComplete(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("g", `{"minMember": 3}`)
	c.pending("1")
	c.AddPod(member("2"), "a")
	expect(t, c.PreEnqueue(member("1")), framework.UnschedulableAndUnresolvable,
		"cannot find enough sibling pods, current pods number: 2, minMember of group: 3")
	c.pending("3")
	expect(t, c.PreEnqueue(member("1")), framework.Success, "")
	c.RemovePendingPod("3")
	expect(t, c.PreEnqueue(member("1")), framework.UnschedulableAndUnresolvable,
		"cannot find enough sibling pods, current pods number: 2, minMember of group: 3")
}

func TestPodsWithSchedulingGatesDoNotCompleteAGroup(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("g", `{"minMember": 2}`)
	c.pending("1")
	gated := func(pod *contract.Pod) { pod.SchedulingGates = []string{"example.com/gate"} }
	c.AddPendingPod(member("2").Facts(gated))
	expect(t, c.PreEnqueue(member("1")), framework.UnschedulableAndUnresolvable,
		"cannot proceed due to gated pods in the same PodGroup")
	c.pending("3")
	expect(t, c.PreEnqueue(member("1")), framework.Success, "")
}

func TestGroupsDifferByNameAndNamespace(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("g", `{"minMember": 2}`)
	c.pending("1")
	c.AddPendingPod(member("2").Namespace("other"))
	c.AddPod(st.MakePod().Name("3").UID("3").Label(groupLabel, "h"), "a")
	if got := c.PreEnqueue(member("1")); got.IsSuccess() {
		t.Error("pods of other groups complete the group")
	}
	expect(t, c.PreEnqueue(member("2").Namespace("other")), framework.Success, "")
}

func TestAPodWithoutPodGroupEntersTheQueue(t *testing.T) {
	c := newCluster(t, `{}`)
	c.pending("1")
	expect(t, c.PreEnqueue(member("1")), framework.Success, "")
	expect(t, c.PreEnqueue(st.MakePod()), framework.Success, "")
}

func TestPodsWithoutGroupAreSkipped(t *testing.T) {
	c := newCluster(t, `{}`)
	if !c.Skip(st.MakePod()) || !c.Skip(st.MakePod().Label(groupLabel, "")) || c.Skip(member("1")) {
		t.Error("only pods without a group are skipped")
	}
}

func TestTheQueueIsOrderedByPriorityTimeAndGroup(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("early", `{"minMember": 1}`)
	c.SetObject(podGroupOf("later-than-early").Fields(`{"metadata": {"creationTimestamp": "1970-01-01T00:01:40Z"}}`))
	key := func(group string, priority int32, first, queued int64) []int64 {
		pod := st.MakePod().Priority(priority)
		if group != "" {
			pod.Label(groupLabel, group)
		}
		return c.SortKey(pod, framework.QueueTimes{FirstQueued: first, Queued: queued})
	}
	var previous []int64
	for i, keys := range [][]int64{
		key("early", 5, 900_000, 900_000),
		key("", 0, 99_999, 500_000),
		key("early", 0, 200_000, 200_000),
		key("later-than-early", 0, 150_000, 150_000),
		key("", 0, 100_001, 100_001),
		key("missing", 0, 110_000, 500_000),
		key("early", 0, 200_000, 300_000),
	} {
		if i > 0 && slices.Compare(previous, keys) >= 0 {
			t.Errorf("%d: %v is not before %v", i, previous, keys)
		}
		previous = keys
	}
	c.SetObject(podGroupOf("new"))
	if got := key("new", 0, 7, 7); got[1] != 7 {
		t.Errorf("%v: a PodGroup without creation time", got)
	}
	if one, two := key("early", 0, 1, 1), key("early", 0, 2, 2); !slices.Equal(one, two) {
		t.Errorf("%v and %v are of the same group", one, two)
	}
}
