package framework

import "berth.dev/framework/contract"

// PodFacts are facts of a pod.
type PodFacts = contract.PodFacts

// NodeFacts are facts of a node.
type NodeFacts = contract.NodeFacts

// ClusterFacts are facts of the cluster.
type ClusterFacts = contract.ClusterFacts

// Facts of a pod, for PodReads.Facts.
const (
	// PodName is rarely needed: with PodName or PodUID, no two pods are equal, so the host asks about each pod.
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
	PodLimits          = contract.PodFactsLimits
	PodQOS             = contract.PodFactsQOS
	PodCreationTime    = contract.PodFactsCreationTime
	PodSchedulingGroup = contract.PodFactsSchedulingGroup
)

// Facts of a node, for NodeReads.Facts.
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
	NodeCapacity         = contract.NodeFactsCapacity
	// NodeSystemInfo is `status.nodeInfo`.
	NodeSystemInfo = contract.NodeFactsInfo
)

// Facts of the cluster, for Reads.Cluster.
const (
	ClusterNodeCount = contract.ClusterFactsNodeCount
	ClusterImages    = contract.ClusterFactsImages
)
