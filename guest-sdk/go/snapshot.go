package framework

import (
	"slices"

	"berth.dev/framework/contract"
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
	reads         Reads
	podReads      podReads
	residentReads podReads
	maps          labelMaps

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

	pods      residents
	nodeCount int
	byImage   map[uint32]*contract.Image
}

func newSnapshot(reads Reads) *snapshot {
	return &snapshot{
		reads:         reads,
		podReads:      podReads{reads.Pod, "Pod"},
		residentReads: podReads{reads.Resident, "Resident"},
	}
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
		s.pods.set(change.ResidentPod, newPod(&change.ResidentPod.Pod, &s.residentReads, &s.maps))
	case contract.ChangeTagResidentPodRemoved:
		s.pods.remove(change.ResidentPodRemoved)
	case contract.ChangeTagNodeCount:
		s.nodeCount = int(change.NodeCount)
	}
}

func (s *snapshot) setNode(node *contract.Node) {
	at := node.ID
	*s.present.row(at) = true
	set(&s.names, at, node.Name)
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
}

func set[T any](c *column[T], at uint32, fact contract.Option[T]) {
	if fact.Some {
		*c.row(at) = fact.Value
	}
}

// removeNode keeps the node's pods: the host may remove them after their node.
func (s *snapshot) removeNode(at uint32) {
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

// residents are the pods on nodes, by pod id.
type residents struct {
	pods   column[*Pod]
	nodes  column[uint32]
	byNode column[[]uint32]
}

func (r *residents) set(resident *contract.ResidentPod, pod *Pod) {
	r.remove(resident.ID)
	*r.pods.row(resident.ID) = pod
	*r.nodes.row(resident.ID) = resident.Node
	ids := r.byNode.row(resident.Node)
	*ids = append(*ids, resident.ID)
}

func (r *residents) remove(id uint32) {
	if r.pods.get(id) == nil {
		return
	}
	r.pods.clear(id)
	ids := r.byNode.row(r.nodes.get(id))
	*ids = slices.DeleteFunc(*ids, func(other uint32) bool { return other == id })
}
