// coscheduling: starts the pods of a PodGroup together. A port of the plugin Coscheduling of
// sigs.k8s.io/scheduler-plugins.
package main

import (
	"fmt"
	"time"

	"berth.dev/framework"
)

// The defaults of the arguments.
const (
	defaultWaitingSeconds   = 60
	defaultRejectPercentage = 10
)

// Args are the profile's pluginConfig args.
type Args struct {
	PermitWaitingTimeSeconds *uint32 `json:"permitWaitingTimeSeconds" doc:"How long a pod keeps its node while it waits for its group, in seconds, if its PodGroup sets no scheduleTimeoutSeconds. The default is 60."`
	PodGroupBackoffSeconds   *uint32 `json:"podGroupBackoffSeconds" doc:"How long a rejected group gets no further attempt, in seconds. The default is 0."`
	PodGroupRejectPercentage *uint32 `json:"podGroupRejectPercentage" doc:"The percentage of minMember, 0 to 100. If at most this part of the group has no node when a pod fits no node, the group is not rejected. The default is 10."`
}

// Coscheduling is the plugin.
type Coscheduling struct {
	members
	waiting          time.Duration
	rejectPercentage int
	backoffs         backoffs
	// incompleteGroups are the groups that were incomplete when PreEnqueue looked at one of their pods last.
	incompleteGroups map[groupName]bool
}

// Name is the plugin's name in profiles and messages.
func (*Coscheduling) Name() string { return "Coscheduling" }

// New makes the plugin from its arguments.
func New(args Args, handle *framework.Handle) (*Coscheduling, error) {
	percentage := or(args.PodGroupRejectPercentage, defaultRejectPercentage)
	if percentage > 100 {
		return nil, fmt.Errorf("arguments: podGroupRejectPercentage: %d is not between 0 and 100", percentage)
	}
	// kube-scheduler's plugin waits for the default time if the argument is 0.
	waiting := or(args.PermitWaitingTimeSeconds, defaultWaitingSeconds)
	if waiting == 0 {
		waiting = defaultWaitingSeconds
	}
	return &Coscheduling{
		members:          newMembers(handle),
		waiting:          time.Duration(waiting) * time.Second,
		rejectPercentage: percentage,
		backoffs:         newBackoffs(or(args.PodGroupBackoffSeconds, 0)),
		incompleteGroups: map[groupName]bool{},
	}, nil
}

func or(given *uint32, otherwise int) int {
	if given == nil {
		return otherwise
	}
	return int(*given)
}

func init() {
	keys := []string{groupLabel}
	framework.RegisterWithHandle(New, framework.Reads{
		// All pods of a group share a pod signature, so name and uid are not declared.
		Pod: framework.PodReads{Facts: framework.PodNamespace | framework.PodPriority, LabelKeys: keys},
		Resident: &framework.PodReads{
			Facts: framework.PodNamespace | framework.PodUID | framework.PodRequests, LabelKeys: keys,
		},
		Pending: &framework.PodReads{
			Facts: framework.PodNamespace | framework.PodUID | framework.PodSchedulingGates, LabelKeys: keys,
		},
		Node: framework.NodeReads{Facts: framework.NodeAllocatable | framework.NodeUsage},
		Objects: []framework.ObjectKind{{
			APIVersion: groupAPIVersion, Name: groupKind,
			Fields: []string{"metadata.creationTimestamp", "spec.minMember", "spec.minResources", "spec.scheduleTimeoutSeconds"},
		}},
		// For the time of a back-off.
		Time: true,
		// For the resources of all nodes.
		Cycle: true,
	})
}

func main() { framework.Main() }
