package framework

import "berth.dev/framework/contract"

// Facts of a node that have a shape of their own.
type (
	// Taint is one of `spec.taints`.
	Taint = contract.Taint
	// HostPort is a port that a pod takes on its node.
	HostPort = contract.HostPort
	// Condition is one of `status.conditions`.
	Condition = contract.Condition
)

// NodeInfo is a node with what runs on it. It is valid during the call; what its functions return must not be changed.
type NodeInfo struct {
	cluster *snapshot
	at      uint32
}

// Node is the node itself.
func (n NodeInfo) Node() Node { return Node(n) }

// GetAllocatable is `status.allocatable`. Reads NodeAllocatable.
func (n NodeInfo) GetAllocatable() *Resource {
	n.cluster.read(NodeAllocatable)
	return n.cluster.allocatable.row(n.at)
}

// GetRequested is what the node's pods ask for, assumed ones included; AllowedPodNumber is their number. Reads NodeUsage.
func (n NodeInfo) GetRequested() *Resource {
	n.cluster.read(NodeUsage)
	return n.cluster.requested.row(n.at)
}

// GetNonZeroRequested is cpu and memory that the node's pods ask for, with a default for containers that name none: what
// NodeResourcesFit scores by. Reads NodeUsage.
func (n NodeInfo) GetNonZeroRequested() *Resource {
	n.cluster.read(NodeUsage)
	return n.cluster.nonZero.row(n.at)
}

// GetPods is the pods on the node, assumed ones included. Reads NodePods, and of each pod Reads.Resident.
func (n NodeInfo) GetPods() []*Pod {
	n.cluster.read(NodePods)
	ids := n.cluster.pods.byNode.get(n.at)
	pods := make([]*Pod, len(ids))
	for i, id := range ids {
		pods[i] = n.cluster.pods.pods.get(id)
	}
	return pods
}

// GetUsedPorts is the host ports that the node's pods take. Reads NodeUsedPorts.
func (n NodeInfo) GetUsedPorts() []HostPort {
	n.cluster.read(NodeUsedPorts)
	return n.cluster.usedPorts.get(n.at)
}

// ImageStateSummary is an image on a node.
type ImageStateSummary struct {
	// Size is in bytes.
	Size int64
	// NumNodes is how many nodes have it.
	NumNodes int
}

// GetImageStates is the images on the node, by each of their names. Reads NodeImages and ClusterImages.
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

// GetNodeCount is how many nodes the cluster has. Reads ClusterNodeCount.
func (n NodeInfo) GetNodeCount() int {
	n.cluster.readCluster(ClusterNodeCount)
	return n.cluster.nodeCount
}

// Node is a node's own facts. What its functions return must not be changed.
type Node NodeInfo

// GetName is `metadata.name`. Reads NodeName.
func (n Node) GetName() string {
	n.cluster.read(NodeName)
	return n.cluster.names.get(n.at)
}

// GetUID is `metadata.uid`. Reads NodeName.
func (n Node) GetUID() string {
	n.cluster.read(NodeName)
	return n.cluster.uids.get(n.at)
}

// GetLabels is `metadata.labels`. Reads NodeLabels.
func (n Node) GetLabels() map[string]string {
	n.cluster.read(NodeLabels)
	return n.cluster.labels.get(n.at)
}

// GetAnnotations is `metadata.annotations`. Reads NodeAnnotations.
func (n Node) GetAnnotations() map[string]string {
	n.cluster.read(NodeAnnotations)
	return n.cluster.annotations.get(n.at)
}

// GetTaints is `spec.taints`. Reads NodeTaints.
func (n Node) GetTaints() []Taint {
	n.cluster.read(NodeTaints)
	return n.cluster.taints.get(n.at)
}

// GetUnschedulable is `spec.unschedulable`: the node is cordoned. Reads NodeUnschedulable.
func (n Node) GetUnschedulable() bool {
	n.cluster.read(NodeUnschedulable)
	return n.cluster.unschedulable.get(n.at)
}

// GetConditions is `status.conditions`. Reads NodeConditions.
func (n Node) GetConditions() []Condition {
	n.cluster.read(NodeConditions)
	return n.cluster.conditions.get(n.at)
}

// GetDeclaredFeatures is `status.declaredFeatures`. Reads NodeDeclaredFeatures.
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
