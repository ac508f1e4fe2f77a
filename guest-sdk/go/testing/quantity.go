package testing

import (
	"maps"
	"slices"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/quantity"
)

// setResources sets the named resources. The amounts are written as in Kubernetes. setResources panics if an amount is
// invalid.
func setResources(into *contract.Resources, resources map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		amount, err := quantity.Parse(name, resources[name])
		if err != nil {
			panic(err.Error())
		}
		switch name {
		case "cpu":
			into.MilliCPU = amount
		case "memory":
			into.Memory = amount
		case "ephemeral-storage":
			into.EphemeralStorage = amount
		case "pods":
			into.Pods = amount
		default:
			into.Scalars = append(into.Scalars, contract.Scalar{Name: name, Quantity: amount})
		}
	}
}
