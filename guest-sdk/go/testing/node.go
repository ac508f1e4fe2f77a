package testing

import (
	"maps"
	"slices"

	"berth.dev/framework"
	"berth.dev/framework/contract"
)

// NodeWrapper builds a node.
type NodeWrapper struct {
	name             string
	labels           map[string]string
	annotations      map[string]string
	taints           []framework.Taint
	unschedulable    bool
	allocatable      contract.Resources
	requested        contract.Resources
	images           map[string]int64
	usedPorts        []framework.HostPort
	conditions       []framework.Condition
	declaredFeatures []string
	capacity         contract.Resources
	info             framework.SystemInfo
	fields           any
}

// MakeNode returns a node that has room for 110 pods, no other resources, and no name, labels or other facts.
func MakeNode() *NodeWrapper {
	return &NodeWrapper{
		labels:      map[string]string{},
		annotations: map[string]string{},
		images:      map[string]int64{},
		allocatable: contract.Resources{Pods: 110},
		capacity:    contract.Resources{Pods: 110},
	}
}

// Name sets `metadata.name`.
func (n *NodeWrapper) Name(name string) *NodeWrapper {
	n.name = name
	return n
}

// Label adds a label (`metadata.labels`).
func (n *NodeWrapper) Label(key, value string) *NodeWrapper {
	n.labels[key] = value
	return n
}

// Annotation adds an annotation (`metadata.annotations`).
func (n *NodeWrapper) Annotation(key, value string) *NodeWrapper {
	n.annotations[key] = value
	return n
}

// Taints sets `spec.taints`.
func (n *NodeWrapper) Taints(taints ...framework.Taint) *NodeWrapper {
	n.taints = taints
	return n
}

// Unschedulable sets `spec.unschedulable`.
func (n *NodeWrapper) Unschedulable(unschedulable bool) *NodeWrapper {
	n.unschedulable = unschedulable
	return n
}

// Capacity sets the named resources in `status.capacity` and `status.allocatable`: {"cpu": "4", "memory": "16Gi"}.
// Capacity panics if a quantity is invalid.
func (n *NodeWrapper) Capacity(resources map[string]string) *NodeWrapper {
	setResources(&n.capacity, resources)
	return n.Allocatable(resources)
}

// Allocatable sets the named resources in `status.allocatable`. Quantities are those of Capacity.
func (n *NodeWrapper) Allocatable(resources map[string]string) *NodeWrapper {
	setResources(&n.allocatable, resources)
	return n
}

// SystemInfo sets `status.nodeInfo`.
func (n *NodeWrapper) SystemInfo(info framework.SystemInfo) *NodeWrapper {
	n.info = info
	return n
}

// Fields sets the fields that a plugin declares by path, as JSON in the structure of the object:
// `{"spec": {"podCIDR": "10.0.0.0/24"}}`. The plugin receives the declared ones. Fields panics if the JSON is invalid.
func (n *NodeWrapper) Fields(object string) *NodeWrapper {
	n.fields = parse(object)
	return n
}

// Requested sets the sum of the requests of the node's pods, for the named resources. Quantities are those of Capacity.
func (n *NodeWrapper) Requested(resources map[string]string) *NodeWrapper {
	setResources(&n.requested, resources)
	return n
}

// Images sets `status.images`: the size of each image in bytes, by image name.
func (n *NodeWrapper) Images(images map[string]int64) *NodeWrapper {
	n.images = images
	return n
}

// UsedPorts sets the host ports that the node's pods use.
func (n *NodeWrapper) UsedPorts(ports ...framework.HostPort) *NodeWrapper {
	n.usedPorts = ports
	return n
}

// Conditions sets `status.conditions`.
func (n *NodeWrapper) Conditions(conditions ...framework.Condition) *NodeWrapper {
	n.conditions = conditions
	return n
}

// DeclaredFeatures sets `status.declaredFeatures`.
func (n *NodeWrapper) DeclaredFeatures(features ...string) *NodeWrapper {
	n.declaredFeatures = features
	return n
}

func (n *NodeWrapper) facts(id uint32, images []contract.Image, reads contract.NodeReads) *contract.Node {
	var ids []uint32
	for _, image := range images {
		if _, there := n.images[image.Name]; there {
			ids = append(ids, image.ID)
		}
	}
	return &contract.Node{
		ID:               id,
		Name:             some(n.name),
		UID:              some("uid-of-" + n.name),
		Labels:           some(n.chosenLabels(reads)),
		Annotations:      some(n.chosenAnnotations(reads)),
		Taints:           some(n.taints),
		Unschedulable:    some(n.unschedulable),
		Allocatable:      some(n.allocatable),
		Images:           some(ids),
		UsedPorts:        some(n.usedPorts),
		Conditions:       some(n.conditions),
		DeclaredFeatures: some(n.declaredFeatures),
		Capacity:         some(n.capacity),
		Info:             some(n.info),
		Fields:           some(prune(n.fields, reads.Fields)),
	}
}

func (n *NodeWrapper) chosenLabels(reads contract.NodeReads) []contract.Label {
	return chosen(labels(n.labels), reads.Facts&contract.NodeFactsLabels != 0, reads.LabelKeys)
}

func (n *NodeWrapper) chosenAnnotations(reads contract.NodeReads) []contract.Label {
	return chosen(labels(n.annotations), reads.Facts&contract.NodeFactsAnnotations != 0, reads.AnnotationKeys)
}

// event returns the node as an event has it.
func (n *NodeWrapper) event(reads contract.NodeReads) contract.Option[contract.EventNode] {
	if n == nil {
		return contract.Option[contract.EventNode]{}
	}
	return some(contract.EventNode{
		Name:             n.name,
		Labels:           n.chosenLabels(reads),
		Annotations:      n.chosenAnnotations(reads),
		Taints:           n.taints,
		Unschedulable:    n.unschedulable,
		Allocatable:      n.allocatable,
		Conditions:       n.conditions,
		DeclaredFeatures: n.declaredFeatures,
		Capacity:         n.capacity,
		Info:             some(n.info),
		Fields:           prune(n.fields, reads.Fields),
	})
}

func (n *NodeWrapper) usage(id uint32) *contract.Usage {
	usage := &contract.Usage{
		Nodes:            []uint32{id},
		MilliCPU:         []int64{n.requested.MilliCPU},
		Memory:           []int64{n.requested.Memory},
		EphemeralStorage: []int64{n.requested.EphemeralStorage},
		Pods:             []int64{n.requested.Pods},
		NonZeroMilliCPU:  []int64{n.requested.MilliCPU},
		NonZeroMemory:    []int64{n.requested.Memory},
	}
	for _, scalar := range n.requested.Scalars {
		usage.Scalars = append(usage.Scalars, contract.ScalarUsage{Node: id, Name: scalar.Name, Quantity: scalar.Quantity})
	}
	return usage
}

func some[T any](value T) contract.Option[T] { return contract.Option[T]{Value: value, Some: true} }

func labels(from map[string]string) []contract.Label {
	var to []contract.Label
	for _, key := range slices.Sorted(maps.Keys(from)) {
		to = append(to, contract.Label{Key: key, Value: from[key]})
	}
	return to
}
