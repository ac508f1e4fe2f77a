package main

import (
	"slices"
	"testing"

	"berth.dev/framework"
)

// A group is incomplete, then complete. Its last member fits no node at first.
func TestTheLifeOfAGroup(t *testing.T) {
	c := newCluster(t, `{"podGroupBackoffSeconds": 10}`)
	c.setGroup("g", `{"minMember": 3, "minResources": {"cpu": "3"}}`)
	c.SetTime(1000)
	c.pending("1", "2")
	if got := c.PreEnqueue(member("1")); got.IsSuccess() {
		t.Error("a pod of an incomplete group enters the queue")
	}
	c.pending("3")
	expect(t, c.PreEnqueue(member("1")), framework.Success, "")
	expect(t, c.preFilter(member("1")), framework.Success, "")

	one := c.reserve(t, "1", "a")
	status, _, actions := one.Permit()
	expect(t, status, framework.Wait, "")
	if !slices.Equal(actions.Activate, []string{"2", "3"}) {
		t.Errorf("%+v", actions)
	}
	if uids, _ := c.postFilter(t, member("2")); !slices.Equal(uids, []string{"1"}) {
		t.Error(uids)
	}
	one.Unreserve()
	c.release("1")
	expect(t, c.preFilter(member("1")), framework.UnschedulableAndUnresolvable, "podGroup default/g failed recently")

	c.SetTime(11_000)
	for _, name := range []string{"1", "2"} {
		expect(t, c.preFilter(member(name)), framework.Success, "")
		status, _, _ := c.reserve(t, name, "a").Permit()
		expect(t, status, framework.Wait, "")
	}
	last := c.reserve(t, "3", "b")
	status, _, actions = last.Permit()
	expect(t, status, framework.Success, "")
	if !slices.Equal(actions.Approve, []string{"1", "2"}) {
		t.Errorf("%+v", actions)
	}

	// The last member fails to bind. The others are rejected, and the group starts again.
	_, actions = last.Unreserve()
	if got := rejected(t, actions, "rejection in Unreserve"); !slices.Equal(got, []string{"1", "2"}) {
		t.Error(got)
	}
	for _, name := range []string{"1", "2", "3"} {
		c.release(name)
	}
	expect(t, c.PreEnqueue(member("1")), framework.Success, "")
	status, _, actions = c.reserve(t, "1", "a").Permit()
	expect(t, status, framework.Wait, "")
	if !slices.Equal(actions.Activate, []string{"2", "3"}) {
		t.Errorf("%+v", actions)
	}

	// A member is deleted, so the group is incomplete again.
	c.RemovePendingPod("3")
	if got := c.PreEnqueue(member("2")); got.IsSuccess() {
		t.Error("a pod of an incomplete group enters the queue")
	}
}
