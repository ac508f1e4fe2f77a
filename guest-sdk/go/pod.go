package framework

import (
	"math/bits"
	"slices"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/fields"
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
	// QOSClass is the quality of service class of a pod.
	QOSClass = contract.QOSClass
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
// Requires NodeLabels in NodeReads.Facts, and also NodeName if a term has matchFields.
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
	// pods, and plugins read few facts of them. The last value is the document of the declared paths, if there are any.
	values []any
	// id is the id of a pod on a node or of a pending pod.
	id uint32
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
	func(p *contract.Pod, _ *labelMaps) any { return resource(&p.Limits) },
	func(p *contract.Pod, _ *labelMaps) any { return p.QOS },
	func(p *contract.Pod, _ *labelMaps) any { return p.CreationTime },
	func(p *contract.Pod, _ *labelMaps) any { return p.SchedulingGroup },
}

// Does not compile if the contract has a fact without a line above.
var _ [len(contract.PodFactsNames)]struct{} = [len(podValues)]struct{}{}

func newPod(from *contract.Pod, reads *podReads, shared *labelMaps) *Pod {
	pod := &Pod{reads: reads, values: make([]any, 0, bits.OnesCount32(uint32(reads.stored))+min(len(reads.paths), 1))}
	for bit, value := range podValues {
		if reads.stored&(1<<bit) != 0 {
			pod.values = append(pod.values, value(from, shared))
		}
	}
	if len(reads.paths) > 0 {
		pod.values = append(pod.values, fields.NewDocument(from.Fields))
	}
	return pod
}

func resource(from *contract.Resources) *Resource {
	to := newResource(from)
	return &to
}

func newRequests(from *contract.PodRequests) *Requests {
	return &Requests{
		Resource:  newResource(&from.Fit),
		Effective: newResource(&from.Effective),
		NonZero:   Resource{MilliCPU: from.NonZeroMilliCPU, Memory: from.NonZeroMemory},
	}
}

// read returns a declared fact of type T.
func read[T any](p *Pod, fact PodFacts, accessor string) T {
	p.reads.check(fact, accessor)
	return stored[T](p, fact)
}

func stored[T any](p *Pod, fact PodFacts) T {
	value, _ := p.values[bits.OnesCount32(uint32(p.reads.stored&(fact-1)))].(T)
	return value
}

func (p *Pod) openFields() openFields {
	open := openFields{fields.NewDocument(""), p.reads.paths, p.reads.plugin, "pod", p.reads.field + ".Fields"}
	if len(p.reads.paths) > 0 {
		open.document, _ = p.values[len(p.values)-1].(*fields.Document)
	}
	return open
}
