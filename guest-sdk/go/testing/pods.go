package testing

import (
	"slices"

	"berth.dev/framework/contract"
)

// resident is a pod on a node.
type resident struct {
	pod  *PodWrapper
	node uint32
}

// AddPod adds a pod to a node, for plugins with Reads.Resident. The pod's requests are not added to the requested
// resources of the node.
func (h *Host) AddPod(pod *PodWrapper, node string) {
	h.t.Helper()
	id := uint32(len(h.residents))
	h.residents = append(h.residents, &resident{pod, h.id(node)})
	if reads := h.declaration.ResidentPods; reads.Some {
		pod := &contract.ResidentPod{ID: id, Node: h.id(node), Pod: pod.declared(reads.Value)}
		h.apply(contract.Change{Tag: contract.ChangeTagResidentPod, ResidentPod: pod})
	}
}

// RemovePod removes the first pod of this name from its node. The test fails if there is no such pod.
func (h *Host) RemovePod(name string) {
	h.t.Helper()
	id := h.residentID(name)
	h.residents[id] = nil
	if h.declaration.ResidentPods.Some {
		h.apply(contract.Change{Tag: contract.ChangeTagResidentPodRemoved, ResidentPodRemoved: id})
	}
}

// AddPendingPod adds a pending pod, for plugins with Reads.Pending.
func (h *Host) AddPendingPod(pod *PodWrapper) {
	id := uint32(len(h.pending))
	h.pending = append(h.pending, pod)
	if reads := h.declaration.PendingPods; reads.Some {
		pod := &contract.PendingPod{ID: id, Pod: pod.declared(reads.Value)}
		h.apply(contract.Change{Tag: contract.ChangeTagPendingPod, PendingPod: pod})
	}
}

// RemovePendingPod removes the first pending pod of this name. The test fails if there is no such pod.
func (h *Host) RemovePendingPod(name string) {
	h.t.Helper()
	id := slices.IndexFunc(h.pending, func(pod *PodWrapper) bool { return pod != nil && pod.facts.Name == name })
	if id < 0 {
		h.t.Fatalf("the test host has no pending pod %q", name)
	}
	h.pending[id] = nil
	if h.declaration.PendingPods.Some {
		h.apply(contract.Change{Tag: contract.ChangeTagPendingPodRemoved, PendingPodRemoved: uint32(id)})
	}
}

func (h *Host) residentID(name string) uint32 {
	h.t.Helper()
	id := slices.IndexFunc(h.residents, func(of *resident) bool { return of != nil && of.pod.facts.Name == name })
	if id < 0 {
		h.t.Fatalf("the test host has no pod %q on a node", name)
	}
	return uint32(id)
}

func (h *Host) podNames(ids []uint32) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = h.residents[id].pod.facts.Name
	}
	return names
}
