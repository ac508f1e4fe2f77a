package framework

import (
	"math/bits"
	"slices"

	"berth.dev/framework/contract"
)

// Types of facts of a pod.
type (
	// OwnerReference is one of `metadata.ownerReferences`.
	OwnerReference = contract.Owner
	// Toleration is one of `spec.tolerations`.
	Toleration = contract.Toleration
	// PodAffinity has the terms of `spec.affinity.podAffinity` or `.podAntiAffinity`.
	PodAffinity = contract.PodAffinity
	// TopologySpreadConstraint is one of `spec.topologySpreadConstraints`.
	TopologySpreadConstraint = contract.SpreadConstraint
	// Container is an init container or a container.
	Container = contract.Container
	// Images are the images that a pod runs.
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
	// Required are the required terms. A node has to match at least one of them. Absent differs from empty: an empty
	// list matches no node.
	Required contract.Option[[]contract.NodeSelectorTerm]
	// Preferred are the preferred terms, with their weights.
	Preferred []contract.PreferredNodeTerm
}

// Match returns true if a node matches the node selector and at least one required term, if there are required terms.
// Requires NodeLabels in Reads.Node, and also NodeName if a term has matchFields.
func (a NodeAffinity) Match(node Node) bool {
	labels := node.GetLabels()
	for key, value := range a.NodeSelector {
		if has, found := labels[key]; !found || has != value {
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

// Requests are a pod's resource requests, summed over its containers as kube-scheduler does it.
type Requests struct {
	// Resource has the requests of the spec. NodeResourcesFit's filter compares these.
	Resource
	// Effective takes a resize in progress into account. A node's requested resources count these.
	Effective Resource
	// NonZero has the cpu and memory requests of the containers alone, with a default for each container without a
	// request. NodeResourcesFit scores by these.
	NonZero Resource
}

// Pod is a pod's facts. Do not change the values that its functions return.
type Pod struct {
	reads *podReads
	// values has the declared facts only, in the order of the bits of PodFacts, to save memory: a cluster has many
	// pods, and plugins read few facts of them.
	values []any
}

// podReads are the declared facts of a pod, and the field of Reads that declares them.
type podReads struct {
	declared PodFacts
	field    string
}

type podPriority struct {
	value      int32
	preemption PreemptionPolicy
}

type podAffinities struct{ affinity, antiAffinity PodAffinity }

// podValues has a function per fact that reads the fact from the contract's pod, in the order of the bits of PodFacts.
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

// Does not compile if the contract has a fact without a line above.
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

// read returns a declared fact of type T.
func read[T any](p *Pod, fact PodFacts) T {
	if p.reads.declared&fact == 0 {
		undeclared(p.reads.field, "Pod", contract.PodFactsNames[:], fact)
	}
	value, _ := p.values[bits.OnesCount32(uint32(p.reads.declared&(fact-1)))].(T)
	return value
}

// GetName returns `metadata.name`. Requires PodName in Reads.Pod.
func (p *Pod) GetName() string { return read[string](p, PodName) }

// GetNamespace returns `metadata.namespace`. Requires PodNamespace in Reads.Pod.
func (p *Pod) GetNamespace() string { return read[string](p, PodNamespace) }

// GetUID returns `metadata.uid`. Requires PodUID in Reads.Pod.
func (p *Pod) GetUID() string { return read[string](p, PodUID) }

// GetLabels returns `metadata.labels`. Requires PodLabels in Reads.Pod.
func (p *Pod) GetLabels() map[string]string { return read[map[string]string](p, PodLabels) }

// GetAnnotations returns `metadata.annotations`. Requires PodAnnotations in Reads.Pod.
func (p *Pod) GetAnnotations() map[string]string { return read[map[string]string](p, PodAnnotations) }

// GetOwnerReferences returns `metadata.ownerReferences`. Requires PodOwners in Reads.Pod.
func (p *Pod) GetOwnerReferences() []OwnerReference { return read[[]OwnerReference](p, PodOwners) }

// GetNodeName returns `spec.nodeName`, which is empty for a pending pod. Requires PodNodeName in Reads.Pod.
func (p *Pod) GetNodeName() string { return read[string](p, PodNodeName) }

// GetSchedulerName returns `spec.schedulerName`. Requires PodSchedulerName in Reads.Pod.
func (p *Pod) GetSchedulerName() string { return read[string](p, PodSchedulerName) }

// GetPriority returns `spec.priority`; 0 if absent. Requires PodPriority in Reads.Pod.
func (p *Pod) GetPriority() int32 { return read[podPriority](p, PodPriority).value }

// GetPreemptionPolicy returns `spec.preemptionPolicy`. Requires PodPriority in Reads.Pod.
func (p *Pod) GetPreemptionPolicy() PreemptionPolicy {
	return read[podPriority](p, PodPriority).preemption
}

// GetTolerations returns `spec.tolerations`. Requires PodTolerations in Reads.Pod.
func (p *Pod) GetTolerations() []Toleration { return read[[]Toleration](p, PodTolerations) }

// GetNodeAffinity returns `spec.nodeSelector` and `spec.affinity.nodeAffinity`. Requires PodNodeAffinity in
// Reads.Pod.
func (p *Pod) GetNodeAffinity() NodeAffinity { return read[NodeAffinity](p, PodNodeAffinity) }

// GetPodAffinity returns `spec.affinity.podAffinity`. Requires PodPodAffinity in Reads.Pod.
func (p *Pod) GetPodAffinity() PodAffinity { return read[podAffinities](p, PodPodAffinity).affinity }

// GetPodAntiAffinity returns `spec.affinity.podAntiAffinity`. Requires PodPodAffinity in Reads.Pod.
func (p *Pod) GetPodAntiAffinity() PodAffinity {
	return read[podAffinities](p, PodPodAffinity).antiAffinity
}

// GetTopologySpreadConstraints returns `spec.topologySpreadConstraints`. Requires PodTopologySpread in Reads.Pod.
func (p *Pod) GetTopologySpreadConstraints() []TopologySpreadConstraint {
	return read[[]TopologySpreadConstraint](p, PodTopologySpread)
}

// GetRequests returns the pod's resource requests. Requires PodRequests in Reads.Pod.
func (p *Pod) GetRequests() *Requests { return read[*Requests](p, PodRequests) }

// GetContainers returns init containers first, then containers, each in the spec's order. Requires PodContainers in
// Reads.Pod.
func (p *Pod) GetContainers() []Container { return read[[]Container](p, PodContainers) }

// GetImages returns the images that the pod runs, as written. Requires PodImages in Reads.Pod.
func (p *Pod) GetImages() Images { return read[Images](p, PodImages) }

// GetHostPorts returns the ports that the pod uses on its node. Requires PodHostPorts in Reads.Pod.
func (p *Pod) GetHostPorts() []HostPort { return read[[]HostPort](p, PodHostPorts) }

// GetVolumes returns `spec.volumes`. Requires PodVolumes in Reads.Pod.
func (p *Pod) GetVolumes() []Volume { return read[[]Volume](p, PodVolumes) }

// GetSchedulingGates returns `spec.schedulingGates[].name`. Requires PodSchedulingGates in Reads.Pod.
func (p *Pod) GetSchedulingGates() []string { return read[[]string](p, PodSchedulingGates) }

// GetResourceClaims returns `spec.resourceClaims`. Requires PodResourceClaims in Reads.Pod.
func (p *Pod) GetResourceClaims() []PodResourceClaim {
	return read[[]PodResourceClaim](p, PodResourceClaims)
}

// GetHostNetwork returns `spec.hostNetwork`. Requires PodHostNetwork in Reads.Pod.
func (p *Pod) GetHostNetwork() bool { return read[bool](p, PodHostNetwork) }

// GetNominatedNodeName returns `status.nominatedNodeName`. Requires PodNominatedNode in Reads.Pod.
func (p *Pod) GetNominatedNodeName() string { return read[string](p, PodNominatedNode) }

// GetDeleting returns true if `metadata.deletionTimestamp` is set. Requires PodDeletion in Reads.Pod.
func (p *Pod) GetDeleting() bool { return read[bool](p, PodDeletion) }

// GetStartTime returns `status.startTime` in seconds since 1970; 0 if absent. Requires PodStartTime in Reads.Pod.
func (p *Pod) GetStartTime() int64 { return read[int64](p, PodStartTime) }

// GetUserNamespace returns true if `spec.hostUsers` is false: the pod runs in a user namespace of its own. Requires
// PodUserNamespace in Reads.Pod.
func (p *Pod) GetUserNamespace() bool { return read[bool](p, PodUserNamespace) }

// GetRestartActions returns `restartPolicyRules[].action` of all containers, without duplicates, sorted. Requires
// PodRestartActions in Reads.Pod.
func (p *Pod) GetRestartActions() []string { return read[[]string](p, PodRestartActions) }
