package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"berth.dev/framework"
)

// minResources is spec.minResources of a PodGroup.
type minResources struct {
	framework.Resource
	// binary has the resources whose amounts are written with a binary suffix, such as Gi.
	binary map[string]bool
}

// UnmarshalJSON reads the list of resources.
func (m *minResources) UnmarshalJSON(text []byte) error {
	var written map[string]json.RawMessage
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	m.binary = map[string]bool{}
	for name, amount := range written {
		m.binary[name] = strings.HasSuffix(string(amount), `i"`)
	}
	return json.Unmarshal(text, &m.Resource)
}

// text returns a positive amount of a resource as Kubernetes writes it.
func (m *minResources) text(resource string, amount int64) string {
	switch {
	case resource == "cpu":
		return quantity(amount, 1000, "m", "", "k", "M", "G", "T", "P")
	case m.binary[resource] && amount >= 1024:
		return quantity(amount, 1024, "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
	}
	return quantity(amount, 1000, "", "k", "M", "G", "T", "P", "E")
}

// quantity returns the amount with the largest suffix that leaves a whole number.
func quantity(amount, base int64, suffixes ...string) string {
	for len(suffixes) > 1 && amount%base == 0 {
		amount, suffixes = amount/base, suffixes[1:]
	}
	return fmt.Sprint(amount) + suffixes[0]
}
