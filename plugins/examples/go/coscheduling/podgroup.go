package main

import (
	"fmt"
	"slices"
	"time"

	"berth.dev/framework"
)

const (
	groupAPIVersion = "scheduling.x-k8s.io/v1alpha1"
	groupKind       = "PodGroup"
	// groupLabel is the label of a pod with the name of its PodGroup.
	groupLabel = "scheduling.x-k8s.io/pod-group"
)

// groupName is the namespace and the name of a PodGroup.
type groupName struct{ namespace, name string }

func (g groupName) String() string { return g.namespace + "/" + g.name }

// groupOf returns the PodGroup that a pod names. found is false for a pod without group.
func groupOf(pod *framework.Pod) (group groupName, found bool) {
	name, _ := pod.GetLabel(groupLabel)
	return groupName{pod.GetNamespace(), name}, name != ""
}

// podGroup has the fields of a PodGroup that the plugin reads.
type podGroup struct {
	uid      string
	Metadata struct {
		CreationTimestamp time.Time `json:"creationTimestamp"`
	} `json:"metadata"`
	Spec struct {
		MinMember              int           `json:"minMember"`
		MinResources           *minResources `json:"minResources"`
		ScheduleTimeoutSeconds int           `json:"scheduleTimeoutSeconds"`
	} `json:"spec"`
}

// members are the pods of each group.
type members struct {
	handle *framework.Handle
	// onNodes are the members with a node. The members that wait in permit are among them.
	onNodes *framework.Index[groupName, *framework.Pod]
	pending *framework.Index[groupName, *framework.Pod]
}

func newMembers(handle *framework.Handle) members {
	byGroup := func(pod *framework.Pod) []groupName {
		if group, found := groupOf(pod); found {
			return []groupName{group}
		}
		return nil
	}
	return members{handle, framework.IndexPods(handle, byGroup), framework.IndexPendingPods(handle, byGroup)}
}

// get returns a PodGroup, or nil if it does not exist or is invalid.
func (m members) get(group groupName) *podGroup {
	found, _ := m.read(group)
	return found
}

// read returns a PodGroup, or nil if it does not exist. An error says that a field has a value of another type.
func (m members) read(group groupName) (*podGroup, error) {
	object := m.handle.Object(groupAPIVersion, groupKind, group.namespace, group.name)
	if object == nil {
		return nil, nil
	}
	fields, err := framework.Fields[podGroup](object)
	if err != nil {
		return nil, fmt.Errorf("PodGroup %s is invalid: %w; correct it", group, err)
	}
	fields.uid = object.UID
	return &fields, nil
}

// len returns the number of members with and without a node.
func (m members) len(group groupName) int { return m.onNodes.Len(group) + m.pending.Len(group) }

// others returns the uids of these members of a group, apart from the pod with one uid.
func others(members *framework.Index[groupName, *framework.Pod], group groupName, uid string) (uids []string) {
	for _, member := range members.Get(group) {
		if other := member.GetUID(); other != uid {
			uids = append(uids, other)
		}
	}
	slices.Sort(uids)
	return uids
}

// reject rejects the members that wait in permit, apart from the pod with this uid. The host ignores the others.
func (m members) reject(group groupName, uid, reason string) {
	for _, other := range others(m.onNodes, group, uid) {
		m.handle.Reject(other, reason)
	}
}
