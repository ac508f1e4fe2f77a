package framework

import "berth.dev/framework/contract"

// Types of facts of a node.
type (
	// Taint is one of `spec.taints`.
	Taint = contract.Taint
	// HostPort is a port that a pod uses on its node.
	HostPort = contract.HostPort
	// Condition is one of `status.conditions`.
	Condition = contract.Condition
)

// NodeInfo is a node with the pods on the node. A NodeInfo is valid during the call. Do not change the values that its
// functions return.
type NodeInfo struct {
	cluster *snapshot
	at      uint32
}

// Node returns the node itself.
func (n NodeInfo) Node() Node { return Node(n) }

// GetAllocatable returns `status.allocatable`. Requires NodeAllocatable in Reads.Node.
func (n NodeInfo) GetAllocatable() *Resource {
	n.cluster.read(NodeAllocatable)
	return n.cluster.allocatable.row(n.at)
}

// GetRequested returns the requests of the node's pods, assumed pods included. AllowedPodNumber is the number of
// these pods. Requires NodeUsage in Reads.Node.
func (n NodeInfo) GetRequested() *Resource {
	n.cluster.read(NodeUsage)
	return n.cluster.requested.row(n.at)
}

// GetNonZeroRequested returns the cpu and memory requests of the node's pods, with a default for each container
// without a request. NodeResourcesFit scores by this. Requires NodeUsage in Reads.Node.
func (n NodeInfo) GetNonZeroRequested() *Resource {
	n.cluster.read(NodeUsage)
	return n.cluster.nonZero.row(n.at)
}

// GetPods returns the pods on the node, assumed pods included, with the facts of Reads.Resident. Requires NodePods in
// Reads.Node.
func (n NodeInfo) GetPods() []*Pod {
	n.cluster.read(NodePods)
	ids := n.cluster.pods.byNode.get(n.at)
	pods := make([]*Pod, len(ids))
	for i, id := range ids {
		pods[i] = n.cluster.pods.pods.get(id)
	}
	return pods
}

// GetUsedPorts returns the host ports that the node's pods use. Requires NodeUsedPorts in Reads.Node.
func (n NodeInfo) GetUsedPorts() []HostPort {
	n.cluster.read(NodeUsedPorts)
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
// NodeImages in Reads.Node and ClusterImages in Reads.Cluster.
func (n NodeInfo) GetImageStates() map[string]ImageStateSummary {
	n.cluster.read(NodeImages)
	n.cluster.readCluster(ClusterImages)
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
	n.cluster.readCluster(ClusterNodeCount)
	return n.cluster.nodeCount
}

// Node is a node's own facts. Do not change the values that its functions return.
type Node NodeInfo

// GetName returns `metadata.name`. Requires NodeName in Reads.Node.
func (n Node) GetName() string {
	n.cluster.read(NodeName)
	return n.cluster.names.get(n.at)
}

// GetUID returns `metadata.uid`. Requires NodeName in Reads.Node.
func (n Node) GetUID() string {
	n.cluster.read(NodeName)
	return n.cluster.uids.get(n.at)
}

// GetLabels returns `metadata.labels`. Requires NodeLabels in Reads.Node.
func (n Node) GetLabels() map[string]string {
	n.cluster.read(NodeLabels)
	return n.cluster.labels.get(n.at)
}

// GetAnnotations returns `metadata.annotations`. Requires NodeAnnotations in Reads.Node.
func (n Node) GetAnnotations() map[string]string {
	n.cluster.read(NodeAnnotations)
	return n.cluster.annotations.get(n.at)
}

// GetTaints returns `spec.taints`. Requires NodeTaints in Reads.Node.
func (n Node) GetTaints() []Taint {
	n.cluster.read(NodeTaints)
	return n.cluster.taints.get(n.at)
}

// GetUnschedulable returns `spec.unschedulable`: true if the node is cordoned. Requires NodeUnschedulable in
// Reads.Node.
func (n Node) GetUnschedulable() bool {
	n.cluster.read(NodeUnschedulable)
	return n.cluster.unschedulable.get(n.at)
}

// GetConditions returns `status.conditions`. Requires NodeConditions in Reads.Node.
func (n Node) GetConditions() []Condition {
	n.cluster.read(NodeConditions)
	return n.cluster.conditions.get(n.at)
}

// GetDeclaredFeatures returns `status.declaredFeatures`. Requires NodeDeclaredFeatures in Reads.Node.
func (n Node) GetDeclaredFeatures() []string {
	n.cluster.read(NodeDeclaredFeatures)
	return n.cluster.declaredFeatures.get(n.at)
}

func (s *snapshot) read(fact NodeFacts) {
	if s.reads.Node&fact == 0 {
		undeclared("Node", "Node", contract.NodeFactsNames[:], fact)
	}
}

func (s *snapshot) readCluster(fact ClusterFacts) {
	if s.reads.Cluster&fact == 0 {
		undeclared("Cluster", "Cluster", contract.ClusterFactsNames[:], fact)
	}
}
