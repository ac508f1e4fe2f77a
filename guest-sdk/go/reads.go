package framework

import (
	"fmt"
	"math/bits"

	"berth.dev/framework/contract"
)

// Reads says what a plugin reads. The host sends nothing else, and asks again when something of it has changed; reading what is not
// declared fails the call, with a message that says what to add.
type Reads struct {
	// Pod has facts of the pod to be placed. Pods that are equal in them are asked about once.
	Pod PodFacts
	// Node has facts of nodes.
	Node NodeFacts
	// Resident has facts of the pods on nodes, where Node has NodePods.
	Resident PodFacts
	// Cluster has facts of the whole cluster. A change of one makes every answer of the plugin stale.
	Cluster ClusterFacts
	// Cycle says that answers differ from one attempt to the next: by its time or seed, or by the nodes that PreScore is told of.
	// Without it, the host keeps answers and asks again only about nodes that changed.
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
	// PodName is seldom needed: with it, or PodUID, no two pods are equal.
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
	// NodeUsage is what the node's pods ask for.
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

// undeclared is the panic of a plugin that reads what it did not declare.
func undeclared[F ~uint8 | ~uint16 | ~uint32](field, prefix string, names []string, fact F) {
	name := prefix + names[bits.TrailingZeros32(uint32(fact))]
	panic(fmt.Sprintf("a fact is read that was not declared: add framework.%s to Reads.%s", name, field))
}
