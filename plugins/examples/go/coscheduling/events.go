package main

import (
	"context"

	"berth.dev/framework"
)

// EventsToRegister names the events that may help a rejected pod.
func (c *Coscheduling) EventsToRegister(context.Context) ([]framework.ClusterEventWithHint, error) {
	podActions := framework.Add | framework.Delete | framework.UpdatePodScaleDown
	nodeActions := framework.Add | framework.UpdateNodeAllocatable
	return []framework.ClusterEventWithHint{
		{Event: framework.ClusterEvent{Kind: groupAPIVersion + "/" + groupKind, Actions: framework.Add | framework.Update}, QueueingHintFn: c.hint},
		{Event: framework.ClusterEvent{Kind: "PendingPod", Actions: framework.Add | framework.Update}, QueueingHintFn: c.completes},
		{Event: framework.ClusterEvent{Kind: "Pod", Actions: podActions}, QueueingHintFn: c.hint},
		{Event: framework.ClusterEvent{Kind: "Node", Actions: nodeActions}, QueueingHintFn: c.hint},
	}, nil
}

// completes queues the pods of a group that became complete by a pending pod. A member that gives up its node is pending
// again. A retry because of it would never end, and the group was complete before.
func (c *Coscheduling) completes(_ context.Context, pod *framework.Pod, event *framework.Event) (framework.QueueingHint, error) {
	name, found := groupOf(pod)
	if !found || event.NewPod == nil {
		return framework.QueueSkip, nil
	}
	other, _ := groupOf(event.NewPod)
	group := c.get(name)
	if other == name && group != nil && c.incompleteGroups[name] && c.incomplete(name, group) == "" {
		return framework.Queue, nil
	}
	return framework.QueueSkip, nil
}

// hint queues the rejected pods of a group after a change of their PodGroup, and after a pod of the group got a node. If
// the PodGroup has minResources, events that free resources queue them as well.
func (c *Coscheduling) hint(_ context.Context, pod *framework.Pod, event *framework.Event) (framework.QueueingHint, error) {
	name, found := groupOf(pod)
	if found && (concerns(name, event) || frees(event) && c.needsResources(name)) {
		return framework.Queue, nil
	}
	return framework.QueueSkip, nil
}

// concerns returns true for a new or changed PodGroup of this name, and for a new pod of the group on a node.
func concerns(name groupName, event *framework.Event) bool {
	if object := event.NewObject; object != nil {
		return name == groupName{object.Namespace, object.Name}
	}
	if event.NewPod == nil || event.OldPod != nil {
		return false
	}
	group, found := groupOf(event.NewPod)
	return found && group == name
}

// frees returns true for events of nodes and pods after which nodes may have more free resources.
func frees(event *framework.Event) bool {
	switch event.Kind {
	case "Node":
		return event.Actions&(framework.Add|framework.UpdateNodeAllocatable) != 0
	case "Pod":
		return event.Actions&(framework.Delete|framework.UpdatePodScaleDown) != 0
	}
	return false
}

func (c *Coscheduling) needsResources(name groupName) bool {
	group := c.get(name)
	return group != nil && group.Spec.MinResources != nil
}
