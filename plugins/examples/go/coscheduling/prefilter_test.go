package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"berth.dev/framework"
	"berth.dev/framework/contract"
	st "berth.dev/framework/testing"
)

func (c cluster) preFilter(pod *st.PodWrapper) *framework.Status {
	_, status := c.PreFilter(pod)
	return status
}

func TestPodsWithoutGroupOrResourcesPassPreFilter(t *testing.T) {
	c := newCluster(t, `{}`)
	expect(t, c.preFilter(st.MakePod()), framework.Skip, "")
	expect(t, c.preFilter(member("1")), framework.Success, "")
	c.setGroup("g", `{"minMember": 1}`)
	c.pending("1")
	expect(t, c.preFilter(member("1")), framework.Success, "")
}

func TestAGroupThatBecameIncompleteIsRejected(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("g", `{"minMember": 2}`)
	c.pending("1", "2")
	expect(t, c.preFilter(member("1")), framework.Success, "")
	c.RemovePendingPod("2")
	expect(t, c.preFilter(member("1")), framework.UnschedulableAndUnresolvable,
		"cannot find enough sibling pods, current pods number: 1, minMember of group: 2")
	gated := func(pod *contract.Pod) { pod.SchedulingGates = []string{"example.com/gate"} }
	c.AddPendingPod(member("2").Facts(gated))
	expect(t, c.preFilter(member("1")), framework.UnschedulableAndUnresolvable,
		"cannot proceed due to gated pods in the same PodGroup")
}

// fill adds pending members of the group `g`, so that the group is complete.
func (c cluster) fill(count int) {
	for i := range count {
		c.pending(fmt.Sprintf("filler-%d", i))
	}
}

func TestMinResourcesMustBeFree(t *testing.T) {
	for name, c := range map[string]struct{ spec, gap string }{
		"just enough": {`{"minMember": 220, "minResources": {"cpu": "7500m", "memory": "16Gi"}}`, ""},
		"cpu":         {`{"minMember": 1, "minResources": {"cpu": "7501m"}}`, "resource gap: cpu 1m"},
		"several": {
			`{"minMember": 1, "minResources": {"memory": "17Gi", "cpu": 8, "nvidia.com/gpu": 2}}`,
			"resource gap: cpu 500m, memory 1Gi, nvidia.com/gpu 2",
		},
		"pods":                  {`{"minMember": 221, "minResources": {"cpu": "1"}}`, "resource gap: pods 1"},
		"pods is overridden":    {`{"minMember": 1, "minResources": {"pods": 500}}`, ""},
		"an empty list":         {`{"minMember": 221, "minResources": {}}`, "resource gap: pods 1"},
		"nothing but minMember": {`{"minMember": 221}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := newCluster(t, `{}`)
			node := st.MakeNode().Name("b").Capacity(map[string]string{"cpu": "4", "memory": "8Gi"})
			cluster.SetNode(node.Requested(map[string]string{"cpu": "500m"}))
			cluster.setGroup("g", c.spec)
			cluster.fill(221)
			code := framework.Success
			if c.gap != "" {
				code = framework.UnschedulableAndUnresolvable
			}
			expect(t, cluster.preFilter(member("1")), code, c.gap)
		})
	}
}

func TestTheGroupsOwnPodsCountAsFree(t *testing.T) {
	c := newCluster(t, `{}`)
	c.fill(110)
	c.RemoveNode("b")
	c.setGroup("g", `{"minMember": 110, "minResources": {"cpu": "4", "example.com/disk": 1}}`)
	full := map[string]string{"cpu": "4", "example.com/disk": "1"}
	c.SetNode(st.MakeNode().Name("a").Capacity(full).Requested(map[string]string{"cpu": "4", "example.com/disk": "1", "pods": "2"}))
	c.AddPod(member("1").Req(map[string]string{"cpu": "3", "example.com/disk": "1"}), "a")
	c.AddPod(member("other").Namespace("other").Req(map[string]string{"cpu": "1"}), "a")
	expect(t, c.preFilter(member("2")), framework.UnschedulableAndUnresolvable, "resource gap: cpu 1, pods 1")
	c.RemoveNode("a")
	expect(t, c.preFilter(member("2")), framework.UnschedulableAndUnresolvable,
		"resource gap: cpu 4, example.com/disk 1, pods 110")
}

func TestAnOvercommittedNodeHasNothingFree(t *testing.T) {
	c := newCluster(t, `{}`)
	c.fill(1)
	c.setGroup("g", `{"minMember": 1, "minResources": {"cpu": "4"}}`)
	node := st.MakeNode().Name("b").Capacity(map[string]string{"cpu": "4"})
	c.SetNode(node.Requested(map[string]string{"cpu": "5"}))
	expect(t, c.preFilter(member("1")), framework.Success, "")
	c.AddPod(member("2").Req(map[string]string{"cpu": "2"}), "b")
	c.setGroup("g", `{"minMember": 1, "minResources": {"cpu": "6"}}`)
	expect(t, c.preFilter(member("1")), framework.UnschedulableAndUnresolvable, "resource gap: cpu 1")
}

func TestAmountsAreWrittenAsKubernetesWritesThem(t *testing.T) {
	var resources minResources
	if err := json.Unmarshal([]byte(`{"memory": "1Gi", "example.com/disk": "1000", "cpu": 1}`), &resources); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		resource string
		amount   int64
		want     string
	}{
		{"cpu", 1, "1m"},
		{"cpu", 1500, "1500m"},
		{"cpu", 2000, "2"},
		{"cpu", 1_000_000, "1k"},
		{"memory", 1 << 30, "1Gi"},
		{"memory", 3 << 19, "1536Ki"},
		{"memory", 1025, "1025"},
		{"memory", 1000, "1k"},
		{"example.com/disk", 2048, "2048"},
		{"example.com/disk", 3_000_000, "3M"},
		{"pods", 7, "7"},
	} {
		if got := resources.text(c.resource, c.amount); got != c.want {
			t.Errorf("%s %d: got %s, want %s", c.resource, c.amount, got, c.want)
		}
	}
}

func TestABackoffEnds(t *testing.T) {
	c := newCluster(t, `{"podGroupBackoffSeconds": 10}`)
	c.setGroup("g", `{"minMember": 2}`)
	c.pending("1", "2")
	c.SetTime(5000)
	if _, err := c.PostFilter(member("1")); err != nil {
		t.Fatal(err)
	}
	// A second rejection does not make the back-off longer.
	c.SetTime(7000)
	if _, err := c.PostFilter(member("2")); err != nil {
		t.Fatal(err)
	}
	c.SetTime(14_999)
	expect(t, c.preFilter(member("1")), framework.UnschedulableAndUnresolvable, "podGroup default/g failed recently")
	expect(t, c.preFilter(member("1").Namespace("other")), framework.Success, "")
	c.SetTime(15_000)
	expect(t, c.preFilter(member("1")), framework.Success, "")
}

func TestANewPodGroupOfTheSameNameHasNoBackoff(t *testing.T) {
	c := newCluster(t, `{"podGroupBackoffSeconds": 10}`)
	c.setGroup("g", `{"minMember": 1}`)
	c.pending("1")
	if _, err := c.PostFilter(member("1")); err != nil {
		t.Fatal(err)
	}
	expect(t, c.preFilter(member("1")), framework.UnschedulableAndUnresolvable, "podGroup default/g failed recently")
	c.RemoveObject(podGroupOf("g"))
	c.SetObject(podGroupOf("g").UID("another"))
	expect(t, c.preFilter(member("1")), framework.Success, "")
}

func TestBackoffsAreForgotten(t *testing.T) {
	backoffs := newBackoffs(1)
	backoffs.start("one", 0)
	backoffs.start("two", 500)
	backoffs.start("three", 1000)
	if len(backoffs.ends) != 2 || backoffs.active("one", 1000) || !backoffs.active("two", 1000) {
		t.Error(backoffs.ends)
	}
}
