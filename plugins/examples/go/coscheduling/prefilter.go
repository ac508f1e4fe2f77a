package main

import (
	"context"
	"fmt"

	"berth.dev/framework"
)

// PreFilter rejects a pod if its group failed recently, is incomplete, or needs more free resources than the nodes have.
// PreFilter checks the number of pods as PreEnqueue does, because a member may be deleted while others are in the queue.
func (c *Coscheduling) PreFilter(_ context.Context, state framework.CycleState, pod *framework.Pod) (*framework.PreFilterResult, *framework.Status) {
	name, found := groupOf(pod)
	if !found {
		return nil, framework.NewStatus(framework.Skip)
	}
	group := c.get(name)
	if group == nil {
		return nil, nil
	}
	if reason := c.obstacle(name, group, state.Time()); reason != "" {
		return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, reason)
	}
	return nil, nil
}

// obstacle returns why a group gets no attempt now; empty if it does.
func (c *Coscheduling) obstacle(name groupName, group *podGroup, now int64) string {
	if c.backoffs.active(group.uid, now) {
		return fmt.Sprintf("podGroup %s failed recently", name)
	}
	if reason := c.incomplete(name, group); reason != "" || group.Spec.MinResources == nil {
		return reason
	}
	if missing := c.missing(name, group); missing != "" {
		return "resource gap: " + missing
	}
	return ""
}
