package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"

	"berth.dev/framework"
)

// Skip returns true for pods without group.
func (*Coscheduling) Skip(_ context.Context, pod *framework.Pod) (bool, *framework.Status) {
	_, found := groupOf(pod)
	return !found, nil
}

// PreEnqueue rejects a pod while its group has fewer pods than minMember, or too few pods without scheduling gates.
func (c *Coscheduling) PreEnqueue(_ context.Context, pod *framework.Pod) *framework.Status {
	name, found := groupOf(pod)
	if !found {
		return nil
	}
	group, err := c.read(name)
	switch {
	case err != nil:
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, err.Error())
	case group == nil:
		// Permit denies the pod.
		return nil
	}
	reason := c.incomplete(name, group)
	if reason == "" {
		delete(c.incompleteGroups, name)
	} else {
		c.setIncomplete(name)
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, reason)
	}
	return nil
}

// setIncomplete records that a group is incomplete. A new record drops those of groups without pods.
func (c *Coscheduling) setIncomplete(name groupName) {
	if c.incompleteGroups[name] {
		return
	}
	maps.DeleteFunc(c.incompleteGroups, func(other groupName, _ bool) bool { return c.len(other) == 0 })
	c.incompleteGroups[name] = true
}

// incomplete returns why a group can't start; empty if it has minMember pods without scheduling gates.
func (c *Coscheduling) incomplete(name groupName, group *podGroup) string {
	all, gated := c.len(name), 0
	if all < group.Spec.MinMember {
		return fmt.Sprintf(
			"cannot find enough sibling pods, current pods number: %d, minMember of group: %d", all, group.Spec.MinMember,
		)
	}
	for _, member := range c.pending.Get(name) {
		if len(member.GetSchedulingGates()) > 0 {
			gated++
		}
	}
	if all-gated < group.Spec.MinMember {
		return "cannot proceed due to gated pods in the same PodGroup"
	}
	return ""
}

// SortKey orders pods by descending priority, then by a time, then by group, so that groups with the same time do not
// interleave. The time is that of the PodGroup's creation, and after a failed attempt the time of the failure.
func (c *Coscheduling) SortKey(_ context.Context, pod *framework.Pod, times framework.QueueTimes) ([]int64, *framework.Status) {
	priority := -int64(pod.GetPriority())
	name, found := groupOf(pod)
	if !found {
		return []int64{priority, times.FirstQueued}, nil
	}
	group, time := c.get(name), times.FirstQueued
	switch {
	case group == nil:
	case times.Queued != times.FirstQueued:
		time = times.Queued
	case !group.Metadata.CreationTimestamp.IsZero():
		time = group.Metadata.CreationTimestamp.UnixMilli()
	}
	return append([]int64{priority, time}, numbers(name.String())...), nil
}

// numbers returns a text as numbers that have the order of the text. The text is ASCII, so no number is negative.
func numbers(text string) (numbers []int64) {
	for len(text) > 0 {
		var bytes [8]byte
		text = text[copy(bytes[:], text):]
		numbers = append(numbers, int64(binary.BigEndian.Uint64(bytes[:])))
	}
	return numbers
}
