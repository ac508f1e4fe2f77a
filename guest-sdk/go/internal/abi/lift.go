// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package abi

import (
	"unsafe"

	"berth.dev/framework/contract"
)

func liftLabel(from *rawLabel) (to contract.Label) {
	to.Key = liftString(&from.key)
	to.Value = liftString(&from.value)
	return to
}

func liftOwner(from *rawOwner) (to contract.Owner) {
	to.APIVersion = liftString(&from.apiVersion)
	to.Kind = liftString(&from.kind)
	to.Name = liftString(&from.name)
	to.UID = liftString(&from.uid)
	to.Controller = from.controller
	return to
}

func liftToleration(from *rawToleration) (to contract.Toleration) {
	to.Key = liftString(&from.key)
	to.Operator = from.operator
	to.Value = liftString(&from.value)
	to.Effect = liftOption(from.effect, same)
	return to
}

func liftRequirement(from *rawRequirement) (to contract.Requirement) {
	to.Key = liftString(&from.key)
	to.Operator = from.operator
	to.Values = liftList(from.values, liftString)
	return to
}

func liftNodeSelectorTerm(from *rawNodeSelectorTerm) (to contract.NodeSelectorTerm) {
	to.Expressions = liftList(from.expressions, liftRequirement)
	to.Fields = liftList(from.fields, liftRequirement)
	return to
}

func liftPreferredNodeTerm(from *rawPreferredNodeTerm) (to contract.PreferredNodeTerm) {
	to.Weight = from.weight
	to.Term = liftNodeSelectorTerm(&from.term)
	return to
}

func liftLabelSelector(from *rawLabelSelector) (to contract.LabelSelector) {
	to.Requirements = liftList(from.requirements, liftRequirement)
	return to
}

func liftPodAffinityTerm(from *rawPodAffinityTerm) (to contract.PodAffinityTerm) {
	to.Selector = liftOption(from.selector, liftLabelSelector)
	to.Namespaces = liftList(from.namespaces, liftString)
	to.NamespaceSelector = liftOption(from.namespaceSelector, liftLabelSelector)
	to.TopologyKey = liftString(&from.topologyKey)
	to.Weight = from.weight
	return to
}

func liftPodAffinity(from *rawPodAffinity) (to contract.PodAffinity) {
	to.Required = liftList(from.required, liftPodAffinityTerm)
	to.Preferred = liftList(from.preferred, liftPodAffinityTerm)
	return to
}

func liftSpreadConstraint(from *rawSpreadConstraint) (to contract.SpreadConstraint) {
	to.MaxSkew = from.maxSkew
	to.TopologyKey = liftString(&from.topologyKey)
	to.WhenUnsatisfiable = from.whenUnsatisfiable
	to.Selector = liftOption(from.selector, liftLabelSelector)
	to.MinDomains = from.minDomains
	to.NodeAffinityPolicy = from.nodeAffinityPolicy
	to.NodeTaintsPolicy = from.nodeTaintsPolicy
	to.MatchLabelKeys = liftList(from.matchLabelKeys, liftString)
	return to
}

func liftScalar(from *rawScalar) (to contract.Scalar) {
	to.Name = liftString(&from.name)
	to.Quantity = from.quantity
	return to
}

func liftResources(from *rawResources) (to contract.Resources) {
	to.MilliCPU = from.milliCPU
	to.Memory = from.memory
	to.EphemeralStorage = from.ephemeralStorage
	to.Pods = from.pods
	to.Scalars = liftList(from.scalars, liftScalar)
	return to
}

func liftPodRequests(from *rawPodRequests) (to contract.PodRequests) {
	to.Fit = liftResources(&from.fit)
	to.Effective = liftResources(&from.effective)
	to.NonZeroMilliCPU = from.nonZeroMilliCPU
	to.NonZeroMemory = from.nonZeroMemory
	return to
}

func liftHostPort(from *rawHostPort) (to contract.HostPort) {
	to.IP = liftString(&from.ip)
	to.Protocol = from.protocol
	to.Port = from.port
	return to
}

func liftContainer(from *rawContainer) (to contract.Container) {
	to.Name = liftString(&from.name)
	to.Kind = from.kind
	to.Image = liftString(&from.image)
	to.Requests = liftResources(&from.requests)
	to.Limits = liftResources(&from.limits)
	to.HostPorts = liftList(from.hostPorts, liftHostPort)
	return to
}

func liftPodImages(from *rawPodImages) (to contract.PodImages) {
	to.Containers = liftList(from.containers, liftString)
	to.Volumes = liftList(from.volumes, liftString)
	return to
}

func liftClaimSource(from *rawClaimSource) (to contract.ClaimSource) {
	to.Claim = liftString(&from.claim)
	to.ReadOnly = from.readOnly
	return to
}

func liftEphemeralSource(from *rawEphemeralSource) (to contract.EphemeralSource) {
	to.Claim = liftString(&from.claim)
	to.PodUID = liftString(&from.podUID)
	return to
}

func liftDisk(from *rawDisk) (to contract.Disk) {
	to.ID = liftString(&from.id)
	to.Pool = liftString(&from.pool)
	to.Monitors = liftList(from.monitors, liftString)
	to.ReadOnly = from.readOnly
	return to
}

func liftVolumeSource(from *rawVolumeSource) (to contract.VolumeSource) {
	to.Tag = contract.VolumeSourceTag(from.tag)
	switch to.Tag {
	case contract.VolumeSourceTagPersistentVolumeClaim:
		value := liftClaimSource(&(*(*rawClaimSource)(unsafe.Pointer(&from.payload))))
		to.PersistentVolumeClaim = &value
	case contract.VolumeSourceTagEphemeral:
		value := liftEphemeralSource(&(*(*rawEphemeralSource)(unsafe.Pointer(&from.payload))))
		to.Ephemeral = &value
	case contract.VolumeSourceTagGCEPersistentDisk:
		value := liftDisk(&(*(*rawDisk)(unsafe.Pointer(&from.payload))))
		to.GCEPersistentDisk = &value
	case contract.VolumeSourceTagAWSElasticBlockStore:
		value := liftDisk(&(*(*rawDisk)(unsafe.Pointer(&from.payload))))
		to.AWSElasticBlockStore = &value
	case contract.VolumeSourceTagAzureDisk:
		value := liftDisk(&(*(*rawDisk)(unsafe.Pointer(&from.payload))))
		to.AzureDisk = &value
	case contract.VolumeSourceTagCinder:
		value := liftDisk(&(*(*rawDisk)(unsafe.Pointer(&from.payload))))
		to.Cinder = &value
	case contract.VolumeSourceTagPortworxVolume:
		value := liftDisk(&(*(*rawDisk)(unsafe.Pointer(&from.payload))))
		to.PortworxVolume = &value
	case contract.VolumeSourceTagISCSI:
		value := liftDisk(&(*(*rawDisk)(unsafe.Pointer(&from.payload))))
		to.ISCSI = &value
	case contract.VolumeSourceTagRBD:
		value := liftDisk(&(*(*rawDisk)(unsafe.Pointer(&from.payload))))
		to.RBD = &value
	case contract.VolumeSourceTagCSI:
		to.CSI = liftString(&(*(*list)(unsafe.Pointer(&from.payload))))
	case contract.VolumeSourceTagImage:
		to.Image = liftString(&(*(*list)(unsafe.Pointer(&from.payload))))
	}
	return to
}

func liftVolume(from *rawVolume) (to contract.Volume) {
	to.Name = liftString(&from.name)
	to.Source = liftVolumeSource(&from.source)
	return to
}

func liftPodResourceClaim(from *rawPodResourceClaim) (to contract.PodResourceClaim) {
	to.Name = liftString(&from.name)
	to.Claim = liftString(&from.claim)
	to.Template = liftString(&from.template)
	return to
}

func liftPod(from *rawPod) (to contract.Pod) {
	to.Name = liftString(&from.name)
	to.Namespace = liftString(&from.namespace)
	to.UID = liftString(&from.uid)
	to.Labels = liftList(from.labels, liftLabel)
	to.Annotations = liftList(from.annotations, liftLabel)
	to.Owners = liftList(from.owners, liftOwner)
	to.NodeName = liftString(&from.nodeName)
	to.SchedulerName = liftString(&from.schedulerName)
	to.Priority = from.priority
	to.Preemption = from.preemption
	to.Tolerations = liftList(from.tolerations, liftToleration)
	to.NodeSelector = liftList(from.nodeSelector, liftLabel)
	to.RequiredNodeAffinity = liftOption(from.requiredNodeAffinity, func(from *list) []contract.NodeSelectorTerm { return liftList(*from, liftNodeSelectorTerm) })
	to.PreferredNodeAffinity = liftList(from.preferredNodeAffinity, liftPreferredNodeTerm)
	to.Affinity = liftPodAffinity(&from.affinity)
	to.AntiAffinity = liftPodAffinity(&from.antiAffinity)
	to.TopologySpread = liftList(from.topologySpread, liftSpreadConstraint)
	to.Requests = liftPodRequests(&from.requests)
	to.Limits = liftResources(&from.limits)
	to.QOS = from.qos
	to.Containers = liftList(from.containers, liftContainer)
	to.Images = liftPodImages(&from.images)
	to.HostPorts = liftList(from.hostPorts, liftHostPort)
	to.Volumes = liftList(from.volumes, liftVolume)
	to.SchedulingGates = liftList(from.schedulingGates, liftString)
	to.ResourceClaims = liftList(from.resourceClaims, liftPodResourceClaim)
	to.HostNetwork = from.hostNetwork
	to.NominatedNodeName = liftString(&from.nominatedNodeName)
	to.Deleting = from.deleting
	to.CreationTime = from.creationTime
	to.StartTime = from.startTime
	to.UserNamespace = from.userNamespace
	to.RestartActions = liftList(from.restartActions, liftString)
	to.SchedulingGroup = liftString(&from.schedulingGroup)
	to.Fields = liftString(&from.fields)
	return to
}

func liftTaint(from *rawTaint) (to contract.Taint) {
	to.Key = liftString(&from.key)
	to.Value = liftString(&from.value)
	to.Effect = from.effect
	return to
}

func liftCondition(from *rawCondition) (to contract.Condition) {
	to.Kind = liftString(&from.kind)
	to.Status = from.status
	return to
}

func liftNodeInfo(from *rawNodeInfo) (to contract.NodeInfo) {
	to.Architecture = liftString(&from.architecture)
	to.OperatingSystem = liftString(&from.operatingSystem)
	to.OSImage = liftString(&from.osImage)
	to.KernelVersion = liftString(&from.kernelVersion)
	to.KubeletVersion = liftString(&from.kubeletVersion)
	to.ContainerRuntimeVersion = liftString(&from.containerRuntimeVersion)
	return to
}

func liftNode(from *rawNode) (to contract.Node) {
	to.ID = from.id
	to.Name = liftOption(from.name, liftString)
	to.UID = liftOption(from.uid, liftString)
	to.Labels = liftOption(from.labels, func(from *list) []contract.Label { return liftList(*from, liftLabel) })
	to.Annotations = liftOption(from.annotations, func(from *list) []contract.Label { return liftList(*from, liftLabel) })
	to.Taints = liftOption(from.taints, func(from *list) []contract.Taint { return liftList(*from, liftTaint) })
	to.Unschedulable = liftOption(from.unschedulable, same)
	to.Allocatable = liftOption(from.allocatable, liftResources)
	to.Images = liftOption(from.images, func(from *list) []uint32 { return view[uint32](*from) })
	to.UsedPorts = liftOption(from.usedPorts, func(from *list) []contract.HostPort { return liftList(*from, liftHostPort) })
	to.Conditions = liftOption(from.conditions, func(from *list) []contract.Condition { return liftList(*from, liftCondition) })
	to.DeclaredFeatures = liftOption(from.declaredFeatures, func(from *list) []string { return liftList(*from, liftString) })
	to.Capacity = liftOption(from.capacity, liftResources)
	to.Info = liftOption(from.info, liftNodeInfo)
	to.Fields = liftOption(from.fields, liftString)
	return to
}

func liftScalarUsage(from *rawScalarUsage) (to contract.ScalarUsage) {
	to.Node = from.node
	to.Name = liftString(&from.name)
	to.Quantity = from.quantity
	return to
}

func liftUsage(from *rawUsage) (to contract.Usage) {
	to.Nodes = view[uint32](from.nodes)
	to.MilliCPU = view[int64](from.milliCPU)
	to.Memory = view[int64](from.memory)
	to.EphemeralStorage = view[int64](from.ephemeralStorage)
	to.Pods = view[int64](from.pods)
	to.NonZeroMilliCPU = view[int64](from.nonZeroMilliCPU)
	to.NonZeroMemory = view[int64](from.nonZeroMemory)
	to.Scalars = liftList(from.scalars, liftScalarUsage)
	return to
}

func liftImage(from *rawImage) (to contract.Image) {
	to.ID = from.id
	to.Name = liftString(&from.name)
	to.Size = from.size
	to.Nodes = from.nodes
	return to
}

func liftResidentPod(from *rawResidentPod) (to contract.ResidentPod) {
	to.ID = from.id
	to.Node = from.node
	to.Pod = liftPod(&from.pod)
	return to
}

func liftPendingPod(from *rawPendingPod) (to contract.PendingPod) {
	to.ID = from.id
	to.Pod = liftPod(&from.pod)
	return to
}

func liftChange(from *rawChange) (to contract.Change) {
	to.Tag = contract.ChangeTag(from.tag)
	switch to.Tag {
	case contract.ChangeTagNode:
		value := liftNode(&(*(*rawNode)(unsafe.Pointer(&from.payload))))
		to.Node = &value
	case contract.ChangeTagNodeRemoved:
		to.NodeRemoved = (*(*uint32)(unsafe.Pointer(&from.payload)))
	case contract.ChangeTagUsage:
		value := liftUsage(&(*(*rawUsage)(unsafe.Pointer(&from.payload))))
		to.Usage = &value
	case contract.ChangeTagImage:
		value := liftImage(&(*(*rawImage)(unsafe.Pointer(&from.payload))))
		to.Image = &value
	case contract.ChangeTagImageRemoved:
		to.ImageRemoved = (*(*uint32)(unsafe.Pointer(&from.payload)))
	case contract.ChangeTagResidentPod:
		value := liftResidentPod(&(*(*rawResidentPod)(unsafe.Pointer(&from.payload))))
		to.ResidentPod = &value
	case contract.ChangeTagResidentPodRemoved:
		to.ResidentPodRemoved = (*(*uint32)(unsafe.Pointer(&from.payload)))
	case contract.ChangeTagPendingPod:
		value := liftPendingPod(&(*(*rawPendingPod)(unsafe.Pointer(&from.payload))))
		to.PendingPod = &value
	case contract.ChangeTagPendingPodRemoved:
		to.PendingPodRemoved = (*(*uint32)(unsafe.Pointer(&from.payload)))
	case contract.ChangeTagNodeCount:
		to.NodeCount = (*(*uint32)(unsafe.Pointer(&from.payload)))
	}
	return to
}

func liftObject(from *rawObject) (to contract.Object) {
	to.ID = from.id
	to.Kind = from.kind
	to.Namespace = liftString(&from.namespace)
	to.Name = liftString(&from.name)
	to.UID = liftString(&from.uid)
	to.Fields = liftString(&from.fields)
	to.Assumed = from.assumed
	return to
}

func liftObjectsChange(from *rawObjectsChange) (to contract.ObjectsChange) {
	to.Tag = contract.ObjectsChangeTag(from.tag)
	switch to.Tag {
	case contract.ObjectsChangeTagObject:
		value := liftObject(&(*(*rawObject)(unsafe.Pointer(&from.payload))))
		to.Object = &value
	case contract.ObjectsChangeTagObjectRemoved:
		to.ObjectRemoved = (*(*uint32)(unsafe.Pointer(&from.payload)))
	}
	return to
}

func liftEventNode(from *rawEventNode) (to contract.EventNode) {
	to.Name = liftString(&from.name)
	to.Labels = liftList(from.labels, liftLabel)
	to.Annotations = liftList(from.annotations, liftLabel)
	to.Taints = liftList(from.taints, liftTaint)
	to.Unschedulable = from.unschedulable
	to.Allocatable = liftResources(&from.allocatable)
	to.Conditions = liftList(from.conditions, liftCondition)
	to.DeclaredFeatures = liftList(from.declaredFeatures, liftString)
	to.Capacity = liftResources(&from.capacity)
	to.Info = liftOption(from.info, liftNodeInfo)
	to.Fields = liftString(&from.fields)
	return to
}

func liftNodeChange(from *rawNodeChange) (to contract.NodeChange) {
	to.Before = liftOption(from.before, liftEventNode)
	to.After = liftOption(from.after, liftEventNode)
	return to
}

func liftPodChange(from *rawPodChange) (to contract.PodChange) {
	to.Before = liftOption(from.before, same)
	to.After = liftOption(from.after, same)
	return to
}

func liftObjectChange(from *rawObjectChange) (to contract.ObjectChange) {
	to.Namespace = liftString(&from.namespace)
	to.Name = liftString(&from.name)
	to.Before = liftOption(from.before, liftString)
	to.After = liftOption(from.after, liftString)
	return to
}

func liftSubject(from *rawSubject) (to contract.Subject) {
	to.Tag = contract.SubjectTag(from.tag)
	switch to.Tag {
	case contract.SubjectTagNode:
		value := liftNodeChange(&(*(*rawNodeChange)(unsafe.Pointer(&from.payload))))
		to.Node = &value
	case contract.SubjectTagPod:
		value := liftPodChange(&(*(*rawPodChange)(unsafe.Pointer(&from.payload))))
		to.Pod = &value
	case contract.SubjectTagObject:
		value := liftObjectChange(&(*(*rawObjectChange)(unsafe.Pointer(&from.payload))))
		to.Object = &value
	}
	return to
}

func liftEvent(from *rawEvent) (to contract.Event) {
	to.Kind = liftString(&from.kind)
	to.Actions = from.actions
	to.Subject = liftSubject(&from.subject)
	return to
}

func liftStatus(from *rawStatus) (to contract.Status) {
	to.Code = from.code
	to.Reasons = liftList(from.reasons, liftString)
	return to
}

func liftVerdicts(from *rawVerdicts) (to contract.Verdicts) {
	to.Outcomes = liftList(from.outcomes, liftStatus)
	to.Nodes = view[uint16](from.nodes)
	return to
}

func liftCandidate(from *rawCandidate) (to contract.Candidate) {
	to.Node = from.node
	to.Victims = view[uint32](from.victims)
	to.Violations = from.violations
	return to
}
