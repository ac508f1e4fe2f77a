package framework

import "berth.dev/framework/contract"

// Resource holds amounts of resources.
type Resource struct {
	// MilliCPU is the cpu in millicores (1/1000 of a core).
	MilliCPU int64
	// Memory is the memory in bytes.
	Memory int64
	// EphemeralStorage is the ephemeral storage in bytes.
	EphemeralStorage int64
	// AllowedPodNumber is the number of pods that a node may run. In NodeInfo.GetRequested, it is the number of pods on
	// the node.
	AllowedPodNumber int
	// ScalarResources are all other resources, by name: `nvidia.com/gpu`, `hugepages-2Mi`.
	ScalarResources map[string]int64
}

func newResource(from *contract.Resources) Resource {
	to := Resource{
		MilliCPU:         from.MilliCPU,
		Memory:           from.Memory,
		EphemeralStorage: from.EphemeralStorage,
		AllowedPodNumber: int(from.Pods),
	}
	for _, scalar := range from.Scalars {
		to.setScalar(scalar.Name, scalar.Quantity)
	}
	return to
}

func (r *Resource) setScalar(name string, quantity int64) {
	if r.ScalarResources == nil {
		r.ScalarResources = map[string]int64{}
	}
	r.ScalarResources[name] = quantity
}
