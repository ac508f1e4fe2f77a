package framework

import (
	"slices"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/fields"
)

// column is one fact of all nodes, by node id. The column of a fact that was not declared stays empty, as the host
// never sends the fact.
type column[T any] struct{ rows []T }

func (c *column[T]) get(at uint32) (row T) {
	if int(at) < len(c.rows) {
		return c.rows[at]
	}
	return row
}

// row returns a row to write to.
func (c *column[T]) row(at uint32) *T {
	if missing := int(at) + 1 - len(c.rows); missing > 0 {
		c.rows = append(c.rows, make([]T, missing)...)
	}
	return &c.rows[at]
}

func (c *column[T]) clear(at uint32) {
	if int(at) < len(c.rows) {
		var none T
		c.rows[at] = none
	}
}

// snapshot is the plugin's copy of the cluster.
type snapshot struct {
	reads *declared
	maps  labelMaps

	present          column[bool]
	names            column[string]
	uids             column[string]
	labels           column[map[string]string]
	annotations      column[map[string]string]
	taints           column[[]contract.Taint]
	unschedulable    column[bool]
	allocatable      column[Resource]
	requested        column[Resource]
	nonZero          column[Resource]
	images           column[[]uint32]
	usedPorts        column[[]contract.HostPort]
	conditions       column[[]contract.Condition]
	declaredFeatures column[[]string]
	capacity         column[Resource]
	info             column[SystemInfo]
	fields           column[*fields.Document]

	byName    map[string]uint32
	pods      residents
	pending   pending
	nodeCount int
	byImage   map[uint32]*contract.Image
	indexes   []indexed[Node]
	// version counts the changes that invalidate every cached answer: those of pending pods and of objects.
	version uint64
}

func (s *snapshot) apply(change *contract.Change) {
	switch change.Tag {
	case contract.ChangeTagNode:
		s.setNode(change.Node)
	case contract.ChangeTagNodeRemoved:
		s.removeNode(change.NodeRemoved)
	case contract.ChangeTagUsage:
		s.setUsage(change.Usage)
	case contract.ChangeTagImage:
		if s.byImage == nil {
			s.byImage = map[uint32]*contract.Image{}
		}
		s.byImage[change.Image.ID] = change.Image
	case contract.ChangeTagImageRemoved:
		delete(s.byImage, change.ImageRemoved)
	case contract.ChangeTagResidentPod:
		s.pods.set(change.ResidentPod, newPod(&change.ResidentPod.Pod, &s.reads.resident, &s.maps))
	case contract.ChangeTagResidentPodRemoved:
		s.pods.remove(change.ResidentPodRemoved)
	case contract.ChangeTagPendingPod:
		s.version++
		s.pending.set(change.PendingPod.ID, newPod(&change.PendingPod.Pod, &s.reads.pending, &s.maps))
	case contract.ChangeTagPendingPodRemoved:
		s.version++
		s.pending.remove(change.PendingPodRemoved)
	case contract.ChangeTagNodeCount:
		s.nodeCount = int(change.NodeCount)
	}
}

func (s *snapshot) setNode(node *contract.Node) {
	at := node.ID
	*s.present.row(at) = true
	if node.Name.Some {
		s.rename(at, node.Name.Value)
	}
	set(&s.uids, at, node.UID)
	if node.Labels.Some {
		*s.labels.row(at) = newMap(node.Labels.Value)
	}
	if node.Annotations.Some {
		*s.annotations.row(at) = newMap(node.Annotations.Value)
	}
	set(&s.taints, at, node.Taints)
	set(&s.unschedulable, at, node.Unschedulable)
	if node.Allocatable.Some {
		*s.allocatable.row(at) = newResource(&node.Allocatable.Value)
	}
	if node.Images.Some {
		// A list of numbers lies in memory that is valid only during the call.
		*s.images.row(at) = slices.Clone(node.Images.Value)
	}
	set(&s.usedPorts, at, node.UsedPorts)
	set(&s.conditions, at, node.Conditions)
	set(&s.declaredFeatures, at, node.DeclaredFeatures)
	if node.Capacity.Some {
		*s.capacity.row(at) = newResource(&node.Capacity.Value)
	}
	set(&s.info, at, node.Info)
	if node.Fields.Some {
		*s.fields.row(at) = fields.NewDocument(node.Fields.Value)
	}
	for _, index := range s.indexes {
		index.set(at, Node{s, at})
	}
}

func (s *snapshot) rename(at uint32, name string) {
	if s.byName == nil {
		s.byName = map[string]uint32{}
	}
	*s.names.row(at) = name
	s.byName[name] = at
}

func set[T any](c *column[T], at uint32, fact contract.Option[T]) {
	if fact.Some {
		*c.row(at) = fact.Value
	}
}

// removeNode keeps the node's pods: the host may remove them after their node.
func (s *snapshot) removeNode(at uint32) {
	for _, index := range s.indexes {
		index.remove(at)
	}
	// A node of the same name may have come before this node is removed.
	if name := s.names.get(at); s.byName[name] == at {
		delete(s.byName, name)
	}
	s.present.clear(at)
	s.names.clear(at)
	s.uids.clear(at)
	s.labels.clear(at)
	s.annotations.clear(at)
	s.taints.clear(at)
	s.unschedulable.clear(at)
	s.allocatable.clear(at)
	s.requested.clear(at)
	s.nonZero.clear(at)
	s.images.clear(at)
	s.usedPorts.clear(at)
	s.conditions.clear(at)
	s.declaredFeatures.clear(at)
	s.capacity.clear(at)
	s.info.clear(at)
	s.fields.clear(at)
}

func (s *snapshot) setUsage(usage *contract.Usage) {
	for i, at := range usage.Nodes {
		requested, nonZero := s.requested.row(at), s.nonZero.row(at)
		requested.MilliCPU = usage.MilliCPU[i]
		requested.Memory = usage.Memory[i]
		requested.EphemeralStorage = usage.EphemeralStorage[i]
		requested.AllowedPodNumber = int(usage.Pods[i])
		nonZero.MilliCPU = usage.NonZeroMilliCPU[i]
		nonZero.Memory = usage.NonZeroMemory[i]
	}
	for _, scalar := range usage.Scalars {
		s.requested.row(scalar.Node).setScalar(scalar.Name, scalar.Quantity)
	}
}
