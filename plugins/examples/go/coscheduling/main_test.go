package main

import (
	"fmt"
	"strings"
	"testing"

	"berth.dev/framework"
	st "berth.dev/framework/testing"
)

// cluster is a test host with helpers for groups.
type cluster struct{ *st.Host }

// newCluster returns a cluster with the nodes a and b.
func newCluster(t *testing.T, arguments string) cluster {
	t.Helper()
	host := st.NewHost(t, arguments)
	for _, name := range []string{"a", "b"} {
		host.SetNode(st.MakeNode().Name(name).Capacity(map[string]string{"cpu": "4", "memory": "8Gi"}))
	}
	return cluster{host}
}

// setGroup sets the PodGroup `name` of the namespace `default`. spec is JSON.
func (c cluster) setGroup(name, spec string) {
	c.SetObject(podGroupOf(name).Fields(fmt.Sprintf(
		`{"metadata": {"creationTimestamp": "1970-01-01T00:01:40Z"}, "spec": %s}`, spec,
	)))
}

func podGroupOf(name string) *st.ObjectWrapper {
	return st.MakeObject(groupAPIVersion, groupKind).Namespace("default").Name(name).UID("uid-of-" + name)
}

// member returns a pod of the group `g`. Its name and uid are equal.
func member(name string) *st.PodWrapper {
	return st.MakePod().Name(name).UID(name).Label(groupLabel, "g")
}

// pending adds pending members of the group `g`.
func (c cluster) pending(names ...string) {
	for _, name := range names {
		c.AddPendingPod(member(name))
	}
}

// reserve reserves a node for a pending member, and moves the member there.
func (c cluster) reserve(t *testing.T, name, node string) *st.ReservedPod {
	t.Helper()
	reserved, status := c.Reserve(member(name), node)
	if status != nil {
		t.Fatal(status.Message())
	}
	c.RemovePendingPod(name)
	c.AddPod(member(name), node)
	return reserved
}

// release returns a member from its node to the pending pods.
func (c cluster) release(name string) {
	c.RemovePod(name)
	c.pending(name)
}

// rejected returns the uids of an action's rejected pods. The test fails if a pod has another reason.
func rejected(t *testing.T, actions st.Actions, reason string) (uids []string) {
	t.Helper()
	for _, reject := range actions.Reject {
		if reject.Second != reason {
			t.Errorf("%s is rejected with %q, want %q", reject.First, reject.Second, reason)
		}
		uids = append(uids, reject.First)
	}
	return uids
}

func expect(t *testing.T, got *framework.Status, code framework.Code, reason string) {
	t.Helper()
	if got.Code() != code || got.Message() != reason {
		t.Errorf("got code %d with %q, want %d with %q", got.Code(), got.Message(), code, reason)
	}
}

func TestWrongArguments(t *testing.T) {
	for arguments, field := range map[string]string{
		`{"permitWaitingTimeSeconds": -1}`:   "permitWaitingTimeSeconds",
		`{"permitWaitingTimeSeconds": "1m"}`: "permitWaitingTimeSeconds",
		`{"podGroupBackoffSeconds": -1}`:     "podGroupBackoffSeconds",
		`{"podGroupRejectPercentage": -1}`:   "podGroupRejectPercentage",
		`{"podGroupRejectPercentage": 101}`:  "podGroupRejectPercentage",
		`{"podGroupRejectPercentages": 10}`:  "podGroupRejectPercentages",
	} {
		if err := st.Refusal(t, arguments); !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
	st.NewHost(t, `{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "CoschedulingArgs", "podGroupRejectPercentage": 100}`)
}

func TestTheMembersOfAGroupShareAPodSignature(t *testing.T) {
	reads := st.NewHost(t, `{}`).Declaration().Pod
	if reads.Facts&(framework.PodName|framework.PodUID) != 0 || len(reads.LabelKeys) != 1 {
		t.Errorf("%+v", reads)
	}
}

func TestAnInvalidPodGroupKeepsItsPodsOutOfTheQueue(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("g", `{"minMember": 1, "minResources": {"cpu": "lots"}}`)
	c.pending("1")
	got := c.PreEnqueue(member("1"))
	if got.Code() != framework.UnschedulableAndUnresolvable || !strings.HasPrefix(got.Message(), "PodGroup default/g is invalid: ") ||
		!strings.Contains(got.Message(), `cpu: "lots"`) {
		t.Error(got.Message())
	}
	expect(t, c.preFilter(member("1")), framework.Success, "")
	status, _, _ := c.reserve(t, "1", "a").Permit()
	expect(t, status, framework.Unschedulable, "PodGroup not found")
}
