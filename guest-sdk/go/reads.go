package framework

import (
	"fmt"
	"math/bits"

	"berth.dev/framework/contract"
)

// Reads declares the facts that a plugin reads. The host sends only these facts, and asks the plugin again when one
// of them changes. Reading a fact that is not declared fails the call; the message says what to add.
type Reads struct {
	// Pod has facts of the pod that is being scheduled. Pods that are equal in these facts share a template: the host
	// asks the plugin once for all of these pods.
	Pod PodFacts
	// Node has facts of nodes.
	Node NodeFacts
	// Resident has facts of the pods on nodes. Resident has an effect only if Node has NodePods.
	Resident PodFacts
	// Cluster has facts of the whole cluster. A change of such a fact invalidates every cached answer of the plugin.
	Cluster ClusterFacts
	// Cycle is true if answers differ between cycles: if the plugin reads the cycle's time or seed, or if PreScore
	// reads the nodes. Without Cycle, the host caches answers and asks again only about nodes that changed.
	Cycle bool
}

// PodFacts are facts of a pod.
type PodFacts = contract.PodFacts

// NodeFacts are facts of a node.
type NodeFacts = contract.NodeFacts

// ClusterFacts are facts of the cluster.
type ClusterFacts = contract.ClusterFacts

// Facts of a pod, for Reads.Pod and Reads.Resident.
const (
	// PodName is rarely needed: with PodName or PodUID, no two pods are equal, so the host asks about each pod anew.
	PodName            = contract.PodFactsName
	PodNamespace       = contract.PodFactsNamespace
	PodUID             = contract.PodFactsUID
	PodLabels          = contract.PodFactsLabels
	PodAnnotations     = contract.PodFactsAnnotations
	PodOwners          = contract.PodFactsOwners
	PodNodeName        = contract.PodFactsNodeName
	PodSchedulerName   = contract.PodFactsSchedulerName
	PodPriority        = contract.PodFactsPriority
	PodTolerations     = contract.PodFactsTolerations
	PodNodeAffinity    = contract.PodFactsNodeAffinity
	PodPodAffinity     = contract.PodFactsPodAffinity
	PodTopologySpread  = contract.PodFactsTopologySpread
	PodRequests        = contract.PodFactsRequests
	PodContainers      = contract.PodFactsContainers
	PodImages          = contract.PodFactsImages
	PodHostPorts       = contract.PodFactsHostPorts
	PodVolumes         = contract.PodFactsVolumes
	PodSchedulingGates = contract.PodFactsSchedulingGates
	PodResourceClaims  = contract.PodFactsResourceClaims
	PodHostNetwork     = contract.PodFactsHostNetwork
	PodNominatedNode   = contract.PodFactsNominatedNode
	PodDeletion        = contract.PodFactsDeletion
	PodStartTime       = contract.PodFactsStartTime
	PodUserNamespace   = contract.PodFactsUserNamespace
	PodRestartActions  = contract.PodFactsRestartActions
)

// Facts of a node, for Reads.Node.
const (
	NodeName          = contract.NodeFactsName
	NodeLabels        = contract.NodeFactsLabels
	NodeAnnotations   = contract.NodeFactsAnnotations
	NodeTaints        = contract.NodeFactsTaints
	NodeUnschedulable = contract.NodeFactsUnschedulable
	NodeAllocatable   = contract.NodeFactsAllocatable
	// NodeUsage is the requests of the node's pods.
	NodeUsage            = contract.NodeFactsUsage
	NodeImages           = contract.NodeFactsImages
	NodeUsedPorts        = contract.NodeFactsUsedPorts
	NodeConditions       = contract.NodeFactsConditions
	NodeDeclaredFeatures = contract.NodeFactsDeclaredFeatures
	// NodePods is the pods on the node, with the facts of Reads.Resident.
	NodePods = contract.NodeFactsPods
)

// Facts of the cluster, for Reads.Cluster.
const (
	ClusterNodeCount = contract.ClusterFactsNodeCount
	ClusterImages    = contract.ClusterFactsImages
)

// undeclared panics because the plugin reads a fact that it did not declare.
func undeclared[F ~uint8 | ~uint16 | ~uint32](field, prefix string, names []string, fact F) {
	name := prefix + names[bits.TrailingZeros32(uint32(fact))]
	panic(fmt.Sprintf("the plugin reads a fact that it does not declare: add framework.%s to Reads.%s", name, field))
}
