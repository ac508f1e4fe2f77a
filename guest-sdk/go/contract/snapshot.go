// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// A node's facts. At first all that were declared, later those that changed; `none` says unchanged.
type Node struct {
	ID uint32
	// [name] `metadata.name`.
	Name Option[string]
	// [name] `metadata.uid`.
	UID Option[string]
	// [labels] `metadata.labels`, sorted by key.
	Labels Option[[]Label]
	// [annotations] `metadata.annotations`, sorted by key.
	Annotations Option[[]Label]
	// [taints] `spec.taints`, in their order.
	Taints Option[[]Taint]
	// [unschedulable] `spec.unschedulable`.
	Unschedulable Option[bool]
	// [allocatable] `status.allocatable`.
	Allocatable Option[Resources]
	// [images] ids of the names in `status.images[].names`.
	Images Option[[]uint32]
	// [used-ports] of the node's pods.
	UsedPorts Option[[]HostPort]
	// [conditions] `status.conditions`.
	Conditions Option[[]Condition]
	// [declared-features] `status.declaredFeatures`.
	DeclaredFeatures Option[[]string]
}

type ScalarUsage struct {
	Node uint32
	// For example `nvidia.com/gpu`.
	Name     string
	Quantity int64
}

// What pods ask of their nodes, assumed pods included; a row for each of `nodes`, in columns of equal length.
type Usage struct {
	Nodes []uint32
	// Sum of the pods' `effective` requests, millicores.
	MilliCPU []int64
	// Bytes.
	Memory []int64
	// Bytes.
	EphemeralStorage []int64
	// Number of pods.
	Pods []int64
	// Millicores, with 100 for each container that names none.
	NonZeroMilliCPU []int64
	// Bytes, with 200 MB (209715200 bytes) for each container that names none.
	NonZeroMemory []int64
	// All other resources that changed, of these nodes; 0 where the last pod went.
	Scalars []ScalarUsage
}

// An image by one of its names, over the whole cluster.
type Image struct {
	ID uint32
	// As the kubelet reports it in `node.status.images[].names`.
	Name string
	// `sizeBytes`, of the node that reported the name first.
	Size int64
	// On how many nodes it is.
	Nodes uint32
}

// A pod on a node, assumed ones included.
type ResidentPod struct {
	ID   uint32
	Node uint32
	Pod  Pod
}

type Change struct {
	// Tag says which of the fields counts.
	Tag                ChangeTag
	Node               *Node
	NodeRemoved        uint32
	Usage              *Usage
	Image              *Image
	ImageRemoved       uint32
	ResidentPod        *ResidentPod
	ResidentPodRemoved uint32
	NodeCount          uint32
}

// ChangeTag is a case of Change.
type ChangeTag uint8

const (
	ChangeTagNode ChangeTag = iota
	// The id, and everything that was sent about it, is gone; its pods may go before or after.
	ChangeTagNodeRemoved
	ChangeTagUsage
	ChangeTagImage
	ChangeTagImageRemoved
	ChangeTagResidentPod
	ChangeTagResidentPodRemoved
	// How many nodes there are.
	ChangeTagNodeCount
)
