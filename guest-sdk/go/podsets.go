package framework

import (
	"slices"

	"berth.dev/framework/contract"
)

// residents are the pods on nodes, by pod id.
type residents struct {
	pods    column[*Pod]
	nodes   column[uint32]
	byNode  column[[]uint32]
	indexes []indexed[*Pod]
}

func (r *residents) set(resident *contract.ResidentPod, pod *Pod) {
	r.leaveNode(resident.ID)
	pod.id = resident.ID
	*r.pods.row(resident.ID) = pod
	*r.nodes.row(resident.ID) = resident.Node
	ids := r.byNode.row(resident.Node)
	*ids = append(*ids, resident.ID)
	for _, index := range r.indexes {
		index.set(resident.ID, pod)
	}
}

func (r *residents) remove(id uint32) {
	r.leaveNode(id)
	r.pods.clear(id)
	for _, index := range r.indexes {
		index.remove(id)
	}
}

func (r *residents) leaveNode(id uint32) {
	if r.pods.get(id) == nil {
		return
	}
	ids := r.byNode.row(r.nodes.get(id))
	*ids = slices.DeleteFunc(*ids, func(other uint32) bool { return other == id })
}

// pending are the pending pods, by pod id.
type pending struct {
	pods    column[*Pod]
	indexes []indexed[*Pod]
}

func (p *pending) set(id uint32, pod *Pod) {
	pod.id = id
	*p.pods.row(id) = pod
	for _, index := range p.indexes {
		index.set(id, pod)
	}
}

func (p *pending) remove(id uint32) {
	p.pods.clear(id)
	for _, index := range p.indexes {
		index.remove(id)
	}
}
