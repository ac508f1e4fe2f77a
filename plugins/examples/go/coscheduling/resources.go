package main

import (
	"maps"
	"slices"
	"strings"

	"berth.dev/framework"
)

// amounts are amounts of resources by name: cpu in millicores, other resources in base units.
type amounts map[string]int64

// add adds a resource's amounts, times a factor.
func (a amounts) add(resource *framework.Resource, factor int64) {
	a["cpu"] += factor * resource.MilliCPU
	a["memory"] += factor * resource.Memory
	a["ephemeral-storage"] += factor * resource.EphemeralStorage
	a["pods"] += factor * int64(resource.AllowedPodNumber)
	for name, amount := range resource.ScalarResources {
		a[name] += factor * amount
	}
}

// missing returns what the nodes lack for minResources and for minMember pods; empty if they have enough.
func (c *Coscheduling) missing(name groupName, group *podGroup) string {
	needed := amounts{}
	needed.add(&group.Spec.MinResources.Resource, 1)
	needed["pods"] = int64(group.Spec.MinMember)
	free := c.free(name)
	var parts []string
	for _, resource := range slices.Sorted(maps.Keys(needed)) {
		if missing := needed[resource] - free[resource]; missing > 0 {
			parts = append(parts, resource+" "+group.Spec.MinResources.text(resource, missing))
		}
	}
	return strings.Join(parts, ", ")
}

// free returns the free resources of all nodes, as if the group had no pods on them. A node whose pods request more
// than is allocatable has nothing free.
func (c *Coscheduling) free(group groupName) amounts {
	own := map[framework.NodeInfo][]*framework.Pod{}
	for _, member := range c.onNodes.Get(group) {
		// The host may remove a node before the node's pods.
		if node, found := c.handle.NodeOf(member); found {
			own[node] = append(own[node], member)
		}
	}
	free := amounts{}
	for node := range c.handle.NodeInfos() {
		here := amounts{}
		here.add(node.GetAllocatable(), 1)
		here.add(node.GetRequested(), -1)
		for _, member := range own[node] {
			here.add(&member.GetRequests().Effective, 1)
			here["pods"]++
		}
		for name, amount := range here {
			free[name] += max(amount, 0)
		}
	}
	return free
}
