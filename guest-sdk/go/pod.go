package framework

import (
	"math/bits"
	"slices"

	"berth.dev/framework/contract"
)

// Facts of a pod that have a shape of their own.
type (
	// OwnerReference is one of `metadata.ownerReferences`.
	OwnerReference = contract.Owner
	// Toleration is one of `spec.tolerations`.
	Toleration = contract.Toleration
	// PodAffinity is the terms of `spec.affinity.podAffinity` or `.podAntiAffinity`.
	PodAffinity = contract.PodAffinity
	// TopologySpreadConstraint is one of `spec.topologySpreadConstraints`.
	TopologySpreadConstraint = contract.SpreadConstraint
	// Container is an init container or a container.
	Container = contract.Container
	// Images is what a pod runs.
	Images = contract.PodImages
	// Volume is one of `spec.volumes`.
	Volume = contract.Volume
	// PodResourceClaim is one of `spec.resourceClaims`.
	PodResourceClaim = contract.PodResourceClaim
	// PreemptionPolicy is `spec.preemptionPolicy`.
	PreemptionPolicy = contract.PreemptionPolicy
)

// NodeAffinity is `spec.nodeSelector` and `spec.affinity.nodeAffinity`.
type NodeAffinity struct {
	NodeSelector map[string]string
	// Required are terms of which one has to hold; absent differs from empty, which matches no node.
	Required contract.Option[[]contract.NodeSelectorTerm]
	// Preferred are terms with weights.
	Preferred []contract.PreferredNodeTerm
}

// Match says whether a node meets the selector and the required terms. Reads NodeLabels, and NodeName where a term is about it.
func (a NodeAffinity) Match(node Node) bool {
	labels := node.GetLabels()
	for key, value := range a.NodeSelector {
		if has, there := labels[key]; !there || has != value {
			return false
		}
	}
	if !a.Required.Some {
		return true
	}
	return slices.ContainsFunc(a.Required.Value, func(term contract.NodeSelectorTerm) bool {
		name := ""
		if len(term.Fields) > 0 {
			name = node.GetName()
		}
		return term.Matches(labels, name)
	})
}

// Requests is what a pod asks of a node, summed over its containers as kube-scheduler does.
type Requests struct {
	// Resource is from the spec: what NodeResourcesFit's filter compares.
	Resource
	// Effective has a resize in progress taken into account: what a node's requested resources count.
	Effective Resource
	// NonZero is cpu and memory of the containers alone, with a default for each that names none: what NodeResourcesFit scores
	// by.
	NonZero Resource
}

// Pod is a pod's facts. What its functions return must not be changed.
type Pod struct {
	reads *podReads
	// values of the declared facts, in the order of their bits: a cluster has many pods, and few facts are read of each.
	values []any
}

// podReads is what may be read of a pod, and by which field of Reads.
type podReads struct {
	declared PodFacts
	field    string
}

type podPriority struct {
	value      int32
	preemption PreemptionPolicy
}

type podAffinities struct{ affinity, antiAffinity PodAffinity }

// podValues takes each fact out of the contract's pod, in the order of the bits.
var podValues = [...]func(*contract.Pod, *labelMaps) any{
	func(p *contract.Pod, _ *labelMaps) any { return p.Name },
	func(p *contract.Pod, _ *labelMaps) any { return p.Namespace },
	func(p *contract.Pod, _ *labelMaps) any { return p.UID },
	func(p *contract.Pod, shared *labelMaps) any { return shared.of(p.Labels) },
	func(p *contract.Pod, shared *labelMaps) any { return shared.of(p.Annotations) },
	func(p *contract.Pod, _ *labelMaps) any { return p.Owners },
	func(p *contract.Pod, _ *labelMaps) any { return p.NodeName },
	func(p *contract.Pod, _ *labelMaps) any { return p.SchedulerName },
	func(p *contract.Pod, _ *labelMaps) any { return podPriority{p.Priority, p.Preemption} },
	func(p *contract.Pod, _ *labelMaps) any { return p.Tolerations },
	func(p *contract.Pod, shared *labelMaps) any {
		return NodeAffinity{shared.of(p.NodeSelector), p.RequiredNodeAffinity, p.PreferredNodeAffinity}
	},
	func(p *contract.Pod, _ *labelMaps) any { return podAffinities{p.Affinity, p.AntiAffinity} },
	func(p *contract.Pod, _ *labelMaps) any { return p.TopologySpread },
	func(p *contract.Pod, _ *labelMaps) any { return newRequests(&p.Requests) },
	func(p *contract.Pod, _ *labelMaps) any { return p.Containers },
	func(p *contract.Pod, _ *labelMaps) any { return p.Images },
	func(p *contract.Pod, _ *labelMaps) any { return p.HostPorts },
	func(p *contract.Pod, _ *labelMaps) any { return p.Volumes },
	func(p *contract.Pod, _ *labelMaps) any { return p.SchedulingGates },
	func(p *contract.Pod, _ *labelMaps) any { return p.ResourceClaims },
	func(p *contract.Pod, _ *labelMaps) any { return p.HostNetwork },
	func(p *contract.Pod, _ *labelMaps) any { return p.NominatedNodeName },
	func(p *contract.Pod, _ *labelMaps) any { return p.Deleting },
	func(p *contract.Pod, _ *labelMaps) any { return p.StartTime },
	func(p *contract.Pod, _ *labelMaps) any { return p.UserNamespace },
	func(p *contract.Pod, _ *labelMaps) any { return p.RestartActions },
}

// A fact that the contract gains needs its line above.
var _ [len(contract.PodFactsNames)]struct{} = [len(podValues)]struct{}{}

func newPod(from *contract.Pod, reads *podReads, shared *labelMaps) *Pod {
	pod := &Pod{reads: reads, values: make([]any, 0, bits.OnesCount32(uint32(reads.declared)))}
	for bit, value := range podValues {
		if reads.declared&(1<<bit) != 0 {
			pod.values = append(pod.values, value(from, shared))
		}
	}
	return pod
}

func newRequests(from *contract.PodRequests) *Requests {
	return &Requests{
		Resource:  newResource(&from.Fit),
		Effective: newResource(&from.Effective),
		NonZero:   Resource{MilliCPU: from.NonZeroMilliCPU, Memory: from.NonZeroMemory},
	}
}

// read is a declared fact of type T.
func read[T any](p *Pod, fact PodFacts) T {
	if p.reads.declared&fact == 0 {
		undeclared(p.reads.field, "Pod", contract.PodFactsNames[:], fact)
	}
	value, _ := p.values[bits.OnesCount32(uint32(p.reads.declared&(fact-1)))].(T)
	return value
}

// GetName is `metadata.name`. Reads PodName.
func (p *Pod) GetName() string { return read[string](p, PodName) }

// GetNamespace is `metadata.namespace`. Reads PodNamespace.
func (p *Pod) GetNamespace() string { return read[string](p, PodNamespace) }

// GetUID is `metadata.uid`. Reads PodUID.
func (p *Pod) GetUID() string { return read[string](p, PodUID) }

// GetLabels is `metadata.labels`. Reads PodLabels.
func (p *Pod) GetLabels() map[string]string { return read[map[string]string](p, PodLabels) }

// GetAnnotations is `metadata.annotations`. Reads PodAnnotations.
func (p *Pod) GetAnnotations() map[string]string { return read[map[string]string](p, PodAnnotations) }

// GetOwnerReferences is `metadata.ownerReferences`. Reads PodOwners.
func (p *Pod) GetOwnerReferences() []OwnerReference { return read[[]OwnerReference](p, PodOwners) }

// GetNodeName is `spec.nodeName`: of a pending pod, empty. Reads PodNodeName.
func (p *Pod) GetNodeName() string { return read[string](p, PodNodeName) }

// GetSchedulerName is `spec.schedulerName`. Reads PodSchedulerName.
func (p *Pod) GetSchedulerName() string { return read[string](p, PodSchedulerName) }

// GetPriority is `spec.priority`; 0 where absent. Reads PodPriority.
func (p *Pod) GetPriority() int32 { return read[podPriority](p, PodPriority).value }

// GetPreemptionPolicy is `spec.preemptionPolicy`. Reads PodPriority.
func (p *Pod) GetPreemptionPolicy() PreemptionPolicy {
	return read[podPriority](p, PodPriority).preemption
}

// GetTolerations is `spec.tolerations`. Reads PodTolerations.
func (p *Pod) GetTolerations() []Toleration { return read[[]Toleration](p, PodTolerations) }

// GetNodeAffinity is `spec.nodeSelector` and `spec.affinity.nodeAffinity`. Reads PodNodeAffinity.
func (p *Pod) GetNodeAffinity() NodeAffinity { return read[NodeAffinity](p, PodNodeAffinity) }

// GetPodAffinity is `spec.affinity.podAffinity`. Reads PodPodAffinity.
func (p *Pod) GetPodAffinity() PodAffinity { return read[podAffinities](p, PodPodAffinity).affinity }

// GetPodAntiAffinity is `spec.affinity.podAntiAffinity`. Reads PodPodAffinity.
func (p *Pod) GetPodAntiAffinity() PodAffinity {
	return read[podAffinities](p, PodPodAffinity).antiAffinity
}

// GetTopologySpreadConstraints is `spec.topologySpreadConstraints`. Reads PodTopologySpread.
func (p *Pod) GetTopologySpreadConstraints() []TopologySpreadConstraint {
	return read[[]TopologySpreadConstraint](p, PodTopologySpread)
}

// GetRequests is what the pod asks of a node. Reads PodRequests.
func (p *Pod) GetRequests() *Requests { return read[*Requests](p, PodRequests) }

// GetContainers is init containers first, then containers, each in the spec's order. Reads PodContainers.
func (p *Pod) GetContainers() []Container { return read[[]Container](p, PodContainers) }

// GetImages is the images that the pod runs, as written. Reads PodImages.
func (p *Pod) GetImages() Images { return read[Images](p, PodImages) }

// GetHostPorts is ports that the pod takes on its node. Reads PodHostPorts.
func (p *Pod) GetHostPorts() []HostPort { return read[[]HostPort](p, PodHostPorts) }

// GetVolumes is `spec.volumes`. Reads PodVolumes.
func (p *Pod) GetVolumes() []Volume { return read[[]Volume](p, PodVolumes) }

// GetSchedulingGates is `spec.schedulingGates[].name`. Reads PodSchedulingGates.
func (p *Pod) GetSchedulingGates() []string { return read[[]string](p, PodSchedulingGates) }

// GetResourceClaims is `spec.resourceClaims`. Reads PodResourceClaims.
func (p *Pod) GetResourceClaims() []PodResourceClaim {
	return read[[]PodResourceClaim](p, PodResourceClaims)
}

// GetHostNetwork is `spec.hostNetwork`. Reads PodHostNetwork.
func (p *Pod) GetHostNetwork() bool { return read[bool](p, PodHostNetwork) }

// GetNominatedNodeName is `status.nominatedNodeName`. Reads PodNominatedNode.
func (p *Pod) GetNominatedNodeName() string { return read[string](p, PodNominatedNode) }

// GetDeleting is whether `metadata.deletionTimestamp` is set. Reads PodDeletion.
func (p *Pod) GetDeleting() bool { return read[bool](p, PodDeletion) }

// GetStartTime is `status.startTime`, seconds since 1970; 0 where absent. Reads PodStartTime.
func (p *Pod) GetStartTime() int64 { return read[int64](p, PodStartTime) }

// GetUserNamespace is whether `spec.hostUsers` is false: the pod's users are not those of its node. Reads PodUserNamespace.
func (p *Pod) GetUserNamespace() bool { return read[bool](p, PodUserNamespace) }

// GetRestartActions is `restartPolicyRules[].action` of all containers, each once, sorted. Reads PodRestartActions.
func (p *Pod) GetRestartActions() []string { return read[[]string](p, PodRestartActions) }
