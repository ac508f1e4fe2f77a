package main

import (
	"context"
	"time"

	"berth.dev/framework"
)

// Reserve reserves nothing. The plugin needs Unreserve.
func (*Coscheduling) Reserve(
	context.Context, framework.CycleState, *framework.Pod, framework.PodIdentity, framework.NodeInfo,
) (*framework.Reservation, *framework.Status) {
	return nil, nil
}

// Unreserve rejects the waiting members when one of the members with a node fails.
func (c *Coscheduling) Unreserve(_ context.Context, _ framework.CycleState, pod *framework.Pod, reserved framework.Reserved) []framework.Intent {
	name, found := groupOf(pod)
	if found && c.get(name) != nil {
		c.reject(name, reserved.UID, "rejection in Unreserve")
	}
	return nil
}

// Permit approves the members when as many as minMember have a node. Before, a member waits and keeps its node, and the
// first member activates the others.
func (c *Coscheduling) Permit(_ context.Context, _ framework.CycleState, pod *framework.Pod, reserved framework.Reserved) (*framework.Status, time.Duration) {
	name, found := groupOf(pod)
	if !found {
		return nil, 0
	}
	group := c.get(name)
	if group == nil {
		return framework.NewStatus(framework.Unschedulable, "PodGroup not found"), 0
	}
	placed := others(c.onNodes, name, reserved.UID)
	if len(placed)+1 >= group.Spec.MinMember {
		for _, uid := range placed {
			c.handle.Approve(uid)
		}
		return nil, 0
	}
	if len(placed) == 0 {
		for _, uid := range others(c.pending, name, reserved.UID) {
			c.handle.Activate(uid)
		}
	}
	return framework.NewStatus(framework.Wait), c.wait(group)
}

// wait returns how long a member waits for the others.
func (c *Coscheduling) wait(group *podGroup) time.Duration {
	if seconds := group.Spec.ScheduleTimeoutSeconds; seconds != 0 {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	return c.waiting
}
