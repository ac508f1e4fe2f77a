package main

import (
	"context"
	"fmt"

	"berth.dev/framework"
)

// PostFilter rejects the waiting members of a pod that fits no node: the other pending members are likely to fail as
// well. The group is not rejected if enough members have a node, or if only few do not.
func (c *Coscheduling) PostFilter(
	_ context.Context, state framework.CycleState, pod *framework.Pod, id framework.PodIdentity, _ framework.FilteredNodes,
) (*framework.PostFilterResult, *framework.Status) {
	name, found := groupOf(pod)
	var group *podGroup
	if found {
		group = c.get(name)
	}
	if group == nil {
		return nil, framework.NewStatus(framework.Unschedulable, "can not find pod group")
	}
	missing := group.Spec.MinMember - c.onNodes.Len(name)
	if missing <= 0 || 100*missing <= c.rejectPercentage*group.Spec.MinMember {
		return nil, framework.NewStatus(framework.Unschedulable)
	}
	c.reject(name, id.UID, "optimistic rejection in PostFilter")
	if c.len(name) >= group.Spec.MinMember {
		c.backoffs.start(group.uid, state.Time())
	}
	return nil, framework.NewStatus(framework.Unschedulable, fmt.Sprintf(
		"PodGroup %s gets rejected due to Pod is unschedulable even after PostFilter", name,
	))
}
