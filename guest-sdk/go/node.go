package framework

import (
	"berth.dev/framework/contract"
	"berth.dev/framework/internal/fields"
)

// Types of facts of a node.
type (
	// Taint is one of `spec.taints`.
	Taint = contract.Taint
	// HostPort is a port that a pod uses on its node.
	HostPort = contract.HostPort
	// Condition is one of `status.conditions`.
	Condition = contract.Condition
	// SystemInfo is `status.nodeInfo`: the node's architecture, operating system and versions.
	SystemInfo = contract.NodeInfo
)

// NodeInfo is a node with the pods on the node. A NodeInfo is valid during the call. Do not change the values that its
// functions return.
type NodeInfo struct {
	cluster *snapshot
	at      uint32
}

// Node returns the node itself.
func (n NodeInfo) Node() Node { return Node(n) }

// GetAllocatable returns `status.allocatable`. Requires NodeAllocatable in NodeReads.Facts.
func (n NodeInfo) GetAllocatable() *Resource {
	n.cluster.reads.checkNode(NodeAllocatable, "NodeInfo.GetAllocatable")
	return n.cluster.allocatable.row(n.at)
}

// GetRequested returns the requests of the node's pods, assumed pods included. AllowedPodNumber is the number of
// these pods. Requires NodeUsage in NodeReads.Facts.
func (n NodeInfo) GetRequested() *Resource {
	n.cluster.reads.checkNode(NodeUsage, "NodeInfo.GetRequested")
	return n.cluster.requested.row(n.at)
}

// GetNonZeroRequested returns the cpu and memory requests of the node's pods, with a default for each container
// without a request. NodeResourcesFit scores by this. Requires NodeUsage in NodeReads.Facts.
func (n NodeInfo) GetNonZeroRequested() *Resource {
	n.cluster.reads.checkNode(NodeUsage, "NodeInfo.GetNonZeroRequested")
	return n.cluster.nonZero.row(n.at)
}

// GetPods returns the pods on the node, assumed pods included, with the facts of Reads.Resident. Requires
// Reads.Resident.
func (n NodeInfo) GetPods() []*Pod {
	if n.cluster.reads.Resident == nil {
		undeclared(n.cluster.reads.plugin, "NodeInfo.GetPods", "set Reads.Resident")
	}
	ids := n.cluster.pods.byNode.get(n.at)
	pods := make([]*Pod, len(ids))
	for i, id := range ids {
		pods[i] = n.cluster.pods.pods.get(id)
	}
	return pods
}

// GetUsedPorts returns the host ports that the node's pods use. Requires NodeUsedPorts in NodeReads.Facts.
func (n NodeInfo) GetUsedPorts() []HostPort {
	n.cluster.reads.checkNode(NodeUsedPorts, "NodeInfo.GetUsedPorts")
	return n.cluster.usedPorts.get(n.at)
}

// ImageStateSummary describes an image of a node.
type ImageStateSummary struct {
	// Size is the image's size in bytes.
	Size int64
	// NumNodes is the number of nodes that have the image.
	NumNodes int
}

// GetImageStates returns the images of the node by name. An image with several names has several entries. Requires
// NodeImages in NodeReads.Facts and ClusterImages in Reads.Cluster.
func (n NodeInfo) GetImageStates() map[string]ImageStateSummary {
	n.cluster.reads.checkNode(NodeImages, "NodeInfo.GetImageStates")
	n.cluster.reads.checkCluster(ClusterImages, "NodeInfo.GetImageStates")
	ids := n.cluster.images.get(n.at)
	states := make(map[string]ImageStateSummary, len(ids))
	for _, id := range ids {
		if image := n.cluster.byImage[id]; image != nil {
			states[image.Name] = ImageStateSummary{Size: image.Size, NumNodes: int(image.Nodes)}
		}
	}
	return states
}

// GetNodeCount returns the number of nodes in the cluster. Requires ClusterNodeCount in Reads.Cluster.
func (n NodeInfo) GetNodeCount() int {
	n.cluster.reads.checkCluster(ClusterNodeCount, "NodeInfo.GetNodeCount")
	return n.cluster.nodeCount
}

// Node is a node's own facts. Do not change the values that its functions return.
type Node NodeInfo

// GetName returns `metadata.name`. Requires NodeName in NodeReads.Facts.
func (n Node) GetName() string {
	n.cluster.reads.checkNode(NodeName, "Node.GetName")
	return n.cluster.names.get(n.at)
}

// GetUID returns `metadata.uid`. Requires NodeName in NodeReads.Facts.
func (n Node) GetUID() string {
	n.cluster.reads.checkNode(NodeName, "Node.GetUID")
	return n.cluster.uids.get(n.at)
}

// GetLabels returns `metadata.labels`. Requires NodeLabels in NodeReads.Facts.
func (n Node) GetLabels() map[string]string {
	n.cluster.reads.checkNode(NodeLabels, "Node.GetLabels")
	return n.cluster.labels.get(n.at)
}

// GetAnnotations returns `metadata.annotations`. Requires NodeAnnotations in NodeReads.Facts.
func (n Node) GetAnnotations() map[string]string {
	n.cluster.reads.checkNode(NodeAnnotations, "Node.GetAnnotations")
	return n.cluster.annotations.get(n.at)
}

// GetLabel returns a label and whether the node has it. Requires NodeLabels in NodeReads.Facts, or the key in
// NodeReads.LabelKeys.
func (n Node) GetLabel(key string) (value string, found bool) {
	reads := n.cluster.reads
	reads.checkNodeKey(NodeLabels, reads.Node.LabelKeys, key, "Node.GetLabel", "LabelKeys")
	value, found = n.cluster.labels.get(n.at)[key]
	return value, found
}

// GetAnnotation returns an annotation and whether the node has it. Requires NodeAnnotations in NodeReads.Facts, or the
// key in NodeReads.AnnotationKeys.
func (n Node) GetAnnotation(key string) (value string, found bool) {
	reads := n.cluster.reads
	reads.checkNodeKey(NodeAnnotations, reads.Node.AnnotationKeys, key, "Node.GetAnnotation", "AnnotationKeys")
	value, found = n.cluster.annotations.get(n.at)[key]
	return value, found
}

// GetTaints returns `spec.taints`. Requires NodeTaints in NodeReads.Facts.
func (n Node) GetTaints() []Taint {
	n.cluster.reads.checkNode(NodeTaints, "Node.GetTaints")
	return n.cluster.taints.get(n.at)
}

// GetUnschedulable returns `spec.unschedulable`: true if the node is cordoned. Requires NodeUnschedulable in
// NodeReads.Facts.
func (n Node) GetUnschedulable() bool {
	n.cluster.reads.checkNode(NodeUnschedulable, "Node.GetUnschedulable")
	return n.cluster.unschedulable.get(n.at)
}

// GetConditions returns `status.conditions`. Requires NodeConditions in NodeReads.Facts.
func (n Node) GetConditions() []Condition {
	n.cluster.reads.checkNode(NodeConditions, "Node.GetConditions")
	return n.cluster.conditions.get(n.at)
}

// GetDeclaredFeatures returns `status.declaredFeatures`. Requires NodeDeclaredFeatures in NodeReads.Facts.
func (n Node) GetDeclaredFeatures() []string {
	n.cluster.reads.checkNode(NodeDeclaredFeatures, "Node.GetDeclaredFeatures")
	return n.cluster.declaredFeatures.get(n.at)
}

// GetAllocatable returns `status.allocatable`. Requires NodeAllocatable in NodeReads.Facts.
func (n Node) GetAllocatable() *Resource {
	n.cluster.reads.checkNode(NodeAllocatable, "Node.GetAllocatable")
	return n.cluster.allocatable.row(n.at)
}

// GetCapacity returns `status.capacity`. Requires NodeCapacity in NodeReads.Facts.
func (n Node) GetCapacity() *Resource {
	n.cluster.reads.checkNode(NodeCapacity, "Node.GetCapacity")
	return n.cluster.capacity.row(n.at)
}

// GetNodeInfo returns `status.nodeInfo`. Requires NodeSystemInfo in NodeReads.Facts.
func (n Node) GetNodeInfo() SystemInfo {
	n.cluster.reads.checkNode(NodeSystemInfo, "Node.GetNodeInfo")
	return n.cluster.info.get(n.at)
}

func (n Node) openFields() openFields {
	document := n.cluster.fields.get(n.at)
	if document == nil {
		document = fields.NewDocument("")
	}
	return openFields{document, n.cluster.reads.nodeFields, n.cluster.reads.plugin, "node", "Node.Fields"}
}
