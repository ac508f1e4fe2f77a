// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// A node's facts. The first record of a node has all declared facts, later records have the changed facts.
// `none` means unchanged.
type Node struct {
	ID uint32
	// [name] `metadata.name`.
	Name Option[string]
	// [name] `metadata.uid`.
	UID Option[string]
	// [labels, label-keys] `metadata.labels`, sorted by key: all labels, or those with the declared keys.
	Labels Option[[]Label]
	// [annotations, annotation-keys] `metadata.annotations`, sorted by key: all annotations, or those with the
	// declared keys.
	Annotations Option[[]Label]
	// [taints] `spec.taints`, in the order of the spec.
	Taints Option[[]Taint]
	// [unschedulable] `spec.unschedulable`.
	Unschedulable Option[bool]
	// [allocatable] `status.allocatable`.
	Allocatable Option[Resources]
	// [images] The ids of the names in `status.images[].names`.
	Images Option[[]uint32]
	// [used-ports] The host ports of the node's pods.
	UsedPorts Option[[]HostPort]
	// [conditions] `status.conditions`.
	Conditions Option[[]Condition]
	// [declared-features] `status.declaredFeatures`.
	DeclaredFeatures Option[[]string]
	// [capacity] `status.capacity`.
	Capacity Option[Resources]
	// [info] `status.nodeInfo`.
	Info Option[NodeInfo]
	// [fields] The declared fields as JSON, as `facts.pod.fields`.
	Fields Option[string]
}

// The summed requests of a scalar resource on a node.
type ScalarUsage struct {
	Node uint32
	// For example `nvidia.com/gpu`.
	Name     string
	Quantity int64
}

// The summed requests of the pods on nodes, including assumed pods. The columns are parallel to `nodes`, except
// `scalars`.
type Usage struct {
	// The nodes of this update.
	Nodes []uint32
	// The sum of the pods' `effective` cpu requests, in millicores.
	MilliCPU []int64
	// The sum of the pods' `effective` memory requests, in bytes.
	Memory []int64
	// The sum of the pods' `effective` ephemeral-storage requests, in bytes.
	EphemeralStorage []int64
	// The number of pods.
	Pods []int64
	// The sum of cpu requests in millicores. A container without a cpu request counts as 100 millicores.
	NonZeroMilliCPU []int64
	// The sum of memory requests in bytes. A container without a memory request counts as 200 MB (209715200
	// bytes).
	NonZeroMemory []int64
	// All other resources of these nodes that changed. 0 after the last pod that requests the resource has left
	// the node.
	Scalars []ScalarUsage
}

// An image name and its image, over the whole cluster.
type Image struct {
	ID uint32
	// The name as the kubelet reports it in `node.status.images[].names`.
	Name string
	// `sizeBytes` as the first node that reported the name has it.
	Size int64
	// The number of nodes that have the image.
	Nodes uint32
}

// A pod on a node. Includes assumed pods.
type ResidentPod struct {
	ID   uint32
	Node uint32
	Pod  Pod
}

// A pending pod. It becomes a `resident-pod` with another id when the scheduler assumes it on a node.
type PendingPod struct {
	ID  uint32
	Pod Pod
}

// A change in the cluster.
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
	PendingPod         *PendingPod
	PendingPodRemoved  uint32
	NodeCount          uint32
}

// ChangeTag is a case of Change.
type ChangeTag uint8

const (
	ChangeTagNode ChangeTag = iota
	// The node and everything that was sent about it is removed, and its id is free. The host may remove the
	// node's pods before or after the node.
	ChangeTagNodeRemoved
	ChangeTagUsage
	ChangeTagImage
	ChangeTagImageRemoved
	ChangeTagResidentPod
	ChangeTagResidentPodRemoved
	ChangeTagPendingPod
	ChangeTagPendingPodRemoved
	// The number of nodes in the cluster.
	ChangeTagNodeCount
)
