package main

import (
	"slices"
	"testing"
	"time"

	"berth.dev/framework"
	st "berth.dev/framework/testing"
)

func TestPodsWithoutGroupAreApprovedAndPodsWithoutPodGroupDenied(t *testing.T) {
	c := newCluster(t, `{}`)
	alone, _ := c.Reserve(st.MakePod(), "a")
	status, _, _ := alone.Permit()
	expect(t, status, framework.Success, "")
	c.pending("1")
	status, _, _ = c.reserve(t, "1", "a").Permit()
	expect(t, status, framework.Unschedulable, "PodGroup not found")
}

func TestTheFirstMemberActivatesItsSiblings(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("g", `{"minMember": 3}`)
	c.pending("1", "2", "3")
	c.AddPendingPod(member("other").Namespace("other"))
	status, _, actions := c.reserve(t, "1", "a").Permit()
	expect(t, status, framework.Wait, "")
	if !slices.Equal(actions.Activate, []string{"2", "3"}) || len(actions.Approve)+len(actions.Reject) > 0 {
		t.Errorf("%+v", actions)
	}
	status, _, actions = c.reserve(t, "2", "a").Permit()
	expect(t, status, framework.Wait, "")
	if len(actions.Activate)+len(actions.Approve)+len(actions.Reject) > 0 {
		t.Errorf("%+v", actions)
	}
}

func TestTheLastMemberApprovesAll(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("g", `{"minMember": 3}`)
	c.pending("1", "2", "3", "4")
	c.AddPod(member("other").Namespace("other"), "a")
	for _, name := range []string{"1", "2"} {
		status, _, _ := c.reserve(t, name, "a").Permit()
		expect(t, status, framework.Wait, "")
	}
	status, _, actions := c.reserve(t, "3", "b").Permit()
	expect(t, status, framework.Success, "")
	if !slices.Equal(actions.Approve, []string{"1", "2"}) {
		t.Errorf("%+v", actions)
	}
	// Members beyond minMember do not wait.
	status, _, _ = c.reserve(t, "4", "b").Permit()
	expect(t, status, framework.Success, "")
}

func TestADeletedMemberDoesNotCount(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("g", `{"minMember": 3}`)
	c.pending("1", "2", "3")
	c.reserve(t, "1", "a")
	c.reserve(t, "2", "a")
	c.RemovePod("1")
	status, _, actions := c.reserve(t, "3", "a").Permit()
	expect(t, status, framework.Wait, "")
	if len(actions.Activate) > 0 {
		t.Errorf("%+v", actions)
	}
}

func TestTheWaitIsThatOfThePodGroupOrTheArgument(t *testing.T) {
	for _, c := range []struct {
		arguments, spec string
		want            time.Duration
	}{
		{`{}`, `{"minMember": 2}`, time.Minute},
		{`{"permitWaitingTimeSeconds": 7}`, `{"minMember": 2}`, 7 * time.Second},
		{`{"permitWaitingTimeSeconds": 7}`, `{"minMember": 2, "scheduleTimeoutSeconds": 30}`, 30 * time.Second},
		{`{"permitWaitingTimeSeconds": 7}`, `{"minMember": 2, "scheduleTimeoutSeconds": 0}`, 7 * time.Second},
		{`{"permitWaitingTimeSeconds": 0}`, `{"minMember": 2}`, time.Minute},
		{`{}`, `{"minMember": 2, "scheduleTimeoutSeconds": -1}`, 0},
	} {
		cluster := newCluster(t, c.arguments)
		cluster.setGroup("g", c.spec)
		cluster.pending("1")
		if _, got, _ := cluster.reserve(t, "1", "a").Permit(); got != c.want {
			t.Errorf("%s, %s: got %s, want %s", c.arguments, c.spec, got, c.want)
		}
	}
}

func TestUnreserveRejectsTheWaitingMembers(t *testing.T) {
	c := newCluster(t, `{}`)
	c.setGroup("g", `{"minMember": 3}`)
	c.pending("1", "2")
	one := c.reserve(t, "1", "a")
	c.reserve(t, "2", "a")
	c.AddPod(member("other").Namespace("other"), "a")
	_, actions := one.Unreserve()
	if got := rejected(t, actions, "rejection in Unreserve"); !slices.Equal(got, []string{"2"}) {
		t.Errorf("%+v", actions)
	}
	c.RemoveObject(podGroupOf("g"))
	if _, actions := one.Unreserve(); len(actions.Reject) > 0 {
		t.Errorf("%+v", actions)
	}
	alone, _ := c.Reserve(st.MakePod(), "a")
	if _, actions := alone.Unreserve(); len(actions.Reject) > 0 {
		t.Errorf("%+v", actions)
	}
}
