package framework

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/quantity"
)

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

// UnmarshalJSON reads a list of resources as Kubernetes writes it: {"cpu": "500m", "nvidia.com/gpu": 2}. Amounts are
// rounded up to the units of Resource.
func (r *Resource) UnmarshalJSON(text []byte) error {
	var list map[string]json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("resources: %w", err)
	}
	*r = Resource{}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		// Kubernetes accepts a number for a quantity.
		amount, err := quantity.Parse(name, strings.Trim(string(list[name]), `"`))
		if err != nil {
			return err
		}
		r.set(name, amount)
	}
	return nil
}

// set sets the amount of a resource.
func (r *Resource) set(name string, amount int64) {
	switch name {
	case "cpu":
		r.MilliCPU = amount
	case "memory":
		r.Memory = amount
	case "ephemeral-storage":
		r.EphemeralStorage = amount
	case "pods":
		r.AllowedPodNumber = int(amount)
	default:
		r.setScalar(name, amount)
	}
}
