package framework

// GetName returns `metadata.name`. Requires PodName in PodReads.Facts.
func (p *Pod) GetName() string { return read[string](p, PodName, "GetName") }

// GetNamespace returns `metadata.namespace`. Requires PodNamespace in PodReads.Facts.
func (p *Pod) GetNamespace() string { return read[string](p, PodNamespace, "GetNamespace") }

// GetUID returns `metadata.uid`. Requires PodUID in PodReads.Facts.
func (p *Pod) GetUID() string { return read[string](p, PodUID, "GetUID") }

// GetLabels returns `metadata.labels`. Requires PodLabels in PodReads.Facts.
func (p *Pod) GetLabels() map[string]string {
	return read[map[string]string](p, PodLabels, "GetLabels")
}

// GetAnnotations returns `metadata.annotations`. Requires PodAnnotations in PodReads.Facts.
func (p *Pod) GetAnnotations() map[string]string {
	return read[map[string]string](p, PodAnnotations, "GetAnnotations")
}

// GetLabel returns a label and whether the pod has it. Requires PodLabels in PodReads.Facts, or the key in
// PodReads.LabelKeys.
func (p *Pod) GetLabel(key string) (value string, found bool) {
	p.reads.checkKey(PodLabels, p.reads.LabelKeys, key, "GetLabel", "LabelKeys")
	value, found = stored[map[string]string](p, PodLabels)[key]
	return value, found
}

// GetAnnotation returns an annotation and whether the pod has it. Requires PodAnnotations in PodReads.Facts, or the key
// in PodReads.AnnotationKeys.
func (p *Pod) GetAnnotation(key string) (value string, found bool) {
	p.reads.checkKey(PodAnnotations, p.reads.AnnotationKeys, key, "GetAnnotation", "AnnotationKeys")
	value, found = stored[map[string]string](p, PodAnnotations)[key]
	return value, found
}

// GetOwnerReferences returns `metadata.ownerReferences`. Requires PodOwners in PodReads.Facts.
func (p *Pod) GetOwnerReferences() []OwnerReference {
	return read[[]OwnerReference](p, PodOwners, "GetOwnerReferences")
}

// GetNodeName returns `spec.nodeName`, which is empty for a pending pod. Requires PodNodeName in PodReads.Facts.
func (p *Pod) GetNodeName() string { return read[string](p, PodNodeName, "GetNodeName") }

// GetSchedulerName returns `spec.schedulerName`. Requires PodSchedulerName in PodReads.Facts.
func (p *Pod) GetSchedulerName() string { return read[string](p, PodSchedulerName, "GetSchedulerName") }

// GetPriority returns `spec.priority`; 0 if absent. Requires PodPriority in PodReads.Facts.
func (p *Pod) GetPriority() int32 { return read[podPriority](p, PodPriority, "GetPriority").value }

// GetPreemptionPolicy returns `spec.preemptionPolicy`. Requires PodPriority in PodReads.Facts.
func (p *Pod) GetPreemptionPolicy() PreemptionPolicy {
	return read[podPriority](p, PodPriority, "GetPreemptionPolicy").preemption
}

// GetTolerations returns `spec.tolerations`. Requires PodTolerations in PodReads.Facts.
func (p *Pod) GetTolerations() []Toleration {
	return read[[]Toleration](p, PodTolerations, "GetTolerations")
}

// GetNodeAffinity returns `spec.nodeSelector` and `spec.affinity.nodeAffinity`. Requires PodNodeAffinity in
// PodReads.Facts.
func (p *Pod) GetNodeAffinity() NodeAffinity {
	return read[NodeAffinity](p, PodNodeAffinity, "GetNodeAffinity")
}

// GetPodAffinity returns `spec.affinity.podAffinity`. Requires PodPodAffinity in PodReads.Facts.
func (p *Pod) GetPodAffinity() PodAffinity {
	return read[podAffinities](p, PodPodAffinity, "GetPodAffinity").affinity
}

// GetPodAntiAffinity returns `spec.affinity.podAntiAffinity`. Requires PodPodAffinity in PodReads.Facts.
func (p *Pod) GetPodAntiAffinity() PodAffinity {
	return read[podAffinities](p, PodPodAffinity, "GetPodAntiAffinity").antiAffinity
}

// GetTopologySpreadConstraints returns `spec.topologySpreadConstraints`. Requires PodTopologySpread in PodReads.Facts.
func (p *Pod) GetTopologySpreadConstraints() []TopologySpreadConstraint {
	return read[[]TopologySpreadConstraint](p, PodTopologySpread, "GetTopologySpreadConstraints")
}

// GetRequests returns the pod's resource requests. Requires PodRequests in PodReads.Facts.
func (p *Pod) GetRequests() *Requests { return read[*Requests](p, PodRequests, "GetRequests") }

// GetContainers returns init containers first, then containers, each in the spec's order. Requires PodContainers in
// PodReads.Facts.
func (p *Pod) GetContainers() []Container {
	return read[[]Container](p, PodContainers, "GetContainers")
}

// GetImages returns the images that the pod runs, as written. Requires PodImages in PodReads.Facts.
func (p *Pod) GetImages() Images { return read[Images](p, PodImages, "GetImages") }

// GetHostPorts returns the ports that the pod uses on its node. Requires PodHostPorts in PodReads.Facts.
func (p *Pod) GetHostPorts() []HostPort { return read[[]HostPort](p, PodHostPorts, "GetHostPorts") }

// GetVolumes returns `spec.volumes`. Requires PodVolumes in PodReads.Facts.
func (p *Pod) GetVolumes() []Volume { return read[[]Volume](p, PodVolumes, "GetVolumes") }

// GetSchedulingGates returns `spec.schedulingGates[].name`. Requires PodSchedulingGates in PodReads.Facts.
func (p *Pod) GetSchedulingGates() []string {
	return read[[]string](p, PodSchedulingGates, "GetSchedulingGates")
}

// GetResourceClaims returns `spec.resourceClaims`. Requires PodResourceClaims in PodReads.Facts.
func (p *Pod) GetResourceClaims() []PodResourceClaim {
	return read[[]PodResourceClaim](p, PodResourceClaims, "GetResourceClaims")
}

// GetHostNetwork returns `spec.hostNetwork`. Requires PodHostNetwork in PodReads.Facts.
func (p *Pod) GetHostNetwork() bool { return read[bool](p, PodHostNetwork, "GetHostNetwork") }

// GetNominatedNodeName returns `status.nominatedNodeName`. Requires PodNominatedNode in PodReads.Facts.
func (p *Pod) GetNominatedNodeName() string {
	return read[string](p, PodNominatedNode, "GetNominatedNodeName")
}

// GetDeleting returns true if `metadata.deletionTimestamp` is set. Requires PodDeletion in PodReads.Facts.
func (p *Pod) GetDeleting() bool { return read[bool](p, PodDeletion, "GetDeleting") }

// GetStartTime returns `status.startTime` in seconds since 1970; 0 if absent. Requires PodStartTime in PodReads.Facts.
func (p *Pod) GetStartTime() int64 { return read[int64](p, PodStartTime, "GetStartTime") }

// GetUserNamespace returns true if `spec.hostUsers` is false: the pod runs in a user namespace of its own. Requires
// PodUserNamespace in PodReads.Facts.
func (p *Pod) GetUserNamespace() bool { return read[bool](p, PodUserNamespace, "GetUserNamespace") }

// GetRestartActions returns `restartPolicyRules[].action` of all containers, without duplicates, sorted. Requires
// PodRestartActions in PodReads.Facts.
func (p *Pod) GetRestartActions() []string {
	return read[[]string](p, PodRestartActions, "GetRestartActions")
}

// GetLimits returns the pod's resource limits, summed over its containers. Requires PodLimits in PodReads.Facts.
func (p *Pod) GetLimits() *Resource { return read[*Resource](p, PodLimits, "GetLimits") }

// GetQOSClass returns the quality of service class. Requires PodQOS in PodReads.Facts.
func (p *Pod) GetQOSClass() QOSClass { return read[QOSClass](p, PodQOS, "GetQOSClass") }

// GetCreationTime returns `metadata.creationTimestamp` in seconds since 1970; 0 if absent. Requires PodCreationTime in
// PodReads.Facts.
func (p *Pod) GetCreationTime() int64 { return read[int64](p, PodCreationTime, "GetCreationTime") }

// GetSchedulingGroup returns the name of the PodGroup that the pod belongs to (`spec.schedulingGroup.podGroupName`);
// empty if the pod belongs to no group. Requires PodSchedulingGroup in PodReads.Facts.
func (p *Pod) GetSchedulingGroup() string {
	return read[string](p, PodSchedulingGroup, "GetSchedulingGroup")
}
