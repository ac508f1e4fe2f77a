package framework

import "iter"

// Handle gives a plugin the host's view of the cluster, beyond the pod and the node of a call. New receives it from
// RegisterWithHandle. Nothing is in it yet when New runs: use it in the extension points.
type Handle struct{ guest *guest }

// NodeInfos returns all nodes. PreFilter, Filter, PreScore, Score and NormalizeScore may use it only with Reads.Cycle.
// Requires facts in Reads.Node.
func (h *Handle) NodeInfos() iter.Seq[NodeInfo] {
	h.checkNodes("Handle.NodeInfos")
	cluster := h.guest.cluster
	return func(yield func(NodeInfo) bool) {
		for id, present := range cluster.present.rows {
			if present && !yield(NodeInfo{cluster, uint32(id)}) {
				return
			}
		}
	}
}

// NodeInfo returns the node of this name. PreFilter, Filter, PreScore, Score and NormalizeScore may use it only with
// Reads.Cycle. Requires NodeName in NodeReads.Facts.
func (h *Handle) NodeInfo(name string) (node NodeInfo, found bool) {
	h.checkNodes("Handle.NodeInfo")
	cluster := h.guest.cluster
	cluster.reads.checkNode(NodeName, "Handle.NodeInfo")
	id, found := cluster.byName[name]
	return NodeInfo{cluster, id}, found
}

// NodeOf returns the node that a pod of Pods is on. found is false if the host has removed the node before its pods.
func (h *Handle) NodeOf(pod *Pod) (node NodeInfo, found bool) {
	h.checkPods("Handle.NodeOf")
	cluster := h.guest.cluster
	if cluster.pods.pods.get(pod.id) != pod {
		return NodeInfo{}, false
	}
	id := cluster.pods.nodes.get(pod.id)
	return NodeInfo{cluster, id}, !cluster.reads.nodes() || cluster.present.get(id)
}

// Pods returns the pods on all nodes, assumed pods included. PreFilter, Filter, PreScore, Score and NormalizeScore may
// use it only with Reads.Cycle. Requires Reads.Resident.
func (h *Handle) Pods() iter.Seq[*Pod] {
	h.checkPods("Handle.Pods")
	return each(h.guest.cluster.pods.pods.rows)
}

// PendingPods returns the pending pods of the scheduler's profiles. Requires Reads.Pending.
func (h *Handle) PendingPods() iter.Seq[*Pod] {
	h.checkPending("Handle.PendingPods")
	return each(h.guest.cluster.pending.pods.rows)
}

// NodeCount returns the number of nodes in the cluster. Requires ClusterNodeCount in Reads.Cluster.
func (h *Handle) NodeCount() int {
	h.guest.cluster.reads.checkCluster(ClusterNodeCount, "Handle.NodeCount")
	return h.guest.cluster.nodeCount
}

func each(pods []*Pod) iter.Seq[*Pod] {
	return func(yield func(*Pod) bool) {
		for _, pod := range pods {
			if pod != nil && !yield(pod) {
				return
			}
		}
	}
}

func (h *Handle) checkNodes(accessor string) {
	if reads := h.guest.cluster.reads; !reads.nodes() {
		undeclared(reads.plugin, accessor, "add facts to Reads.Node")
	}
	h.checkScope(accessor)
}

func (h *Handle) checkPods(accessor string) {
	if reads := h.guest.cluster.reads; reads.Resident == nil {
		undeclared(reads.plugin, accessor, "set Reads.Resident")
	}
	h.checkScope(accessor)
}

func (h *Handle) checkPending(accessor string) {
	if reads := h.guest.cluster.reads; reads.Pending == nil {
		undeclared(reads.plugin, accessor, "set Reads.Pending")
	}
}

// checkScope refuses to read other nodes in a call whose answer the host keeps when they change.
func (h *Handle) checkScope(accessor string) {
	if h.guest.hidden != "" {
		undeclared(h.guest.name, accessor, h.guest.hidden)
	}
}
