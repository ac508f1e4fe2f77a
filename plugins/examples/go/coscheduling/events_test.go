package main

import (
	"testing"

	"berth.dev/framework"
	st "berth.dev/framework/testing"
)

func TestEventsThatHelpRejectedPods(t *testing.T) {
	other := st.MakePod().Label(groupLabel, "other")
	node := st.MakeNode()
	for name, c := range map[string]struct {
		event st.Event
		// helps is for a group without minResources, frees for a group with minResources.
		helps, frees bool
	}{
		"a member on a node":       {st.Event{Actions: framework.Add, NewPod: member("2")}, true, true},
		"a pod of another group":   {st.Event{Actions: framework.Add, NewPod: other}, false, false},
		"a pod without group":      {st.Event{Actions: framework.Add, NewPod: st.MakePod()}, false, false},
		"a member with new labels": {st.Event{Actions: framework.UpdatePodLabel, OldPod: member("2"), NewPod: member("2")}, false, false},
		"a smaller pod":            {st.Event{Actions: framework.UpdatePodScaleDown, OldPod: other, NewPod: other}, false, true},
		"a deleted pod":            {st.Event{Actions: framework.Delete, OldPod: other}, false, true},
		"its PodGroup":             {st.Event{Actions: framework.Add, NewObject: podGroupOf("g")}, true, true},
		"its changed PodGroup":     {st.Event{Actions: framework.Update, OldObject: podGroupOf("g"), NewObject: podGroupOf("g")}, true, true},
		"its deleted PodGroup":     {st.Event{Actions: framework.Delete, OldObject: podGroupOf("g")}, false, false},
		"another PodGroup":         {st.Event{Actions: framework.Add, NewObject: podGroupOf("other")}, false, false},
		"a PodGroup elsewhere":     {st.Event{Actions: framework.Add, NewObject: podGroupOf("g").Namespace("other")}, false, false},
		"a node":                   {st.Event{Actions: framework.Add, NewNode: node}, false, true},
		"a larger node":            {st.Event{Actions: framework.UpdateNodeAllocatable, OldNode: node, NewNode: node}, false, true},
		"a node with new labels":   {st.Event{Actions: framework.UpdateNodeLabel, OldNode: node, NewNode: node}, false, false},
	} {
		cluster := newCluster(t, `{}`)
		for spec, want := range map[string]bool{
			`{"minMember": 2}`: c.helps,
			`{"minMember": 2, "minResources": {"cpu": "100m"}}`: c.frees,
		} {
			cluster.setGroup("g", spec)
			if got := cluster.Hint(member("1"), c.event) == framework.Queue; got != want {
				t.Errorf("%s, %s: got %v, want %v", name, spec, got, want)
			}
		}
	}
}

func TestAPendingPodThatCompletesTheGroupHelps(t *testing.T) {
	cluster := newCluster(t, `{}`)
	cluster.setGroup("g", `{"minMember": 2}`)
	cluster.AddPendingPod(member("1"))
	if cluster.PreEnqueue(member("1")) == nil {
		t.Error("an incomplete group was admitted")
	}
	hint := func(pod *st.PodWrapper) framework.QueueingHint {
		return cluster.Hint(member("1"), st.Event{Actions: framework.Add, NewPod: pod, Pending: true})
	}
	if hint(member("2")) != framework.QueueSkip {
		t.Error("the group is not complete yet")
	}
	cluster.AddPendingPod(member("2"))
	if hint(member("2")) != framework.Queue || hint(st.MakePod()) != framework.QueueSkip {
		t.Error("only the pod that completes the group helps")
	}
	// A member that gives up its node is pending again.
	if cluster.PreEnqueue(member("1")) != nil || hint(member("2")) != framework.QueueSkip {
		t.Error("a complete group was queued again")
	}
}

func TestTheRecordOfAnIncompleteGroupEndsWithItsPods(t *testing.T) {
	cluster := newCluster(t, `{}`)
	cluster.setGroup("g", `{"minMember": 2}`)
	cluster.setGroup("h", `{"minMember": 2}`)
	cluster.AddPendingPod(member("1"))
	hint := func() framework.QueueingHint {
		return cluster.Hint(member("1"), st.Event{Actions: framework.Add, NewPod: member("2"), Pending: true})
	}
	other := st.MakePod().Name("3").UID("3").Label(groupLabel, "h")
	if cluster.PreEnqueue(member("1")) == nil || cluster.PreEnqueue(other) == nil {
		t.Error("an incomplete group was admitted")
	}
	cluster.AddPendingPod(member("2"))
	if hint() != framework.Queue {
		t.Error("a group with pods was forgotten")
	}
	cluster.RemovePendingPod("1")
	cluster.RemovePendingPod("2")
	cluster.setGroup("i", `{"minMember": 2}`)
	cluster.PreEnqueue(st.MakePod().Name("4").UID("4").Label(groupLabel, "i"))
	cluster.AddPendingPod(member("1"))
	cluster.AddPendingPod(member("2"))
	if hint() != framework.QueueSkip {
		t.Error("a group without pods was kept")
	}
}
