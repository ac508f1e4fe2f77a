package testing

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"berth.dev/framework/contract"
)

var suffixes = map[string]int64{
	"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
}

// setResources sets the named resources. The amounts are written as in Kubernetes: whole numbers with an optional
// suffix. setResources panics if an amount is invalid.
func setResources(into *contract.Resources, resources map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		quantity := parseQuantity(name, resources[name])
		switch name {
		case "cpu":
			into.MilliCPU = quantity
		case "memory":
			into.Memory = quantity
		case "ephemeral-storage":
			into.EphemeralStorage = quantity
		case "pods":
			into.Pods = quantity
		default:
			into.Scalars = append(into.Scalars, contract.Scalar{Name: name, Quantity: quantity})
		}
	}
}

// parseQuantity parses a quantity into the resource's unit: millicores for cpu, base units (such as bytes) for all
// other resources. Only cpu may have the suffix m. parseQuantity panics if the quantity is invalid.
func parseQuantity(resource, text string) int64 {
	digits := strings.TrimRight(text, "EGKMPTikm")
	number, err := strconv.ParseInt(digits, 10, 64)
	suffix := text[len(digits):]
	multiplier, known := suffixes[suffix]
	switch {
	case err == nil && resource == "cpu" && suffix == "m":
		return number
	case err == nil && known && resource == "cpu":
		return number * multiplier * 1000
	case err == nil && known:
		return number * multiplier
	}
	panic(fmt.Sprintf("%s: %q is not a whole number with an optional suffix", resource, text))
}
