package framework

import (
	"slices"

	"berth.dev/framework/contract"
)

// Reads declares what a plugin reads. The host sends nothing else, and asks the plugin again when one of the declared
// facts changes. Reading a fact that is not declared fails the call; the message says what to add.
type Reads struct {
	// Pod has facts of the pod that is being scheduled. Pods that are equal in these facts share a pod signature: the
	// host asks the plugin once for all of these pods.
	Pod PodReads
	// Node has facts of nodes.
	Node NodeReads
	// Resident has facts of the pods on nodes. nil means that the plugin does not read these pods.
	Resident *PodReads
	// Pending has facts of the pending pods of the scheduler's profiles. A change of such a pod invalidates every
	// cached answer of the plugin. nil means that the plugin does not read these pods.
	Pending *PodReads
	// Objects are further kinds, such as Services or custom resources. A change of an object of these kinds invalidates
	// every cached answer of the plugin.
	Objects []ObjectKind
	// Cluster has facts of the whole cluster. A change of such a fact invalidates every cached answer of the plugin.
	Cluster ClusterFacts
	// Time is true if the plugin reads the cycle's time. The host then asks the plugin in each cycle.
	Time bool
	// Cycle is true if an answer of Filter or Score depends on more than the pod, the node and the facts above: on the
	// cycle's seed, on the nodes that PreScore receives, or on other nodes and their pods through a Handle. Without
	// Cycle, the host caches answers and asks again only about nodes that changed.
	Cycle bool
}

// PodReads are the facts that a plugin reads of a set of pods: typed facts, the keys of labels and annotations, and the
// paths of any further fields. A path such as `spec.containers.image` includes all fields below it and passes through
// lists. Quote a key with dots: `metadata.annotations["example.com/pool"]`.
type PodReads = contract.PodReads

// NodeReads are the facts that a plugin reads of nodes, in the form of PodReads.
type NodeReads = contract.NodeReads

// ObjectKind is a kind of objects and the paths of the fields that a plugin reads of them, in the form of PodReads.
type ObjectKind = contract.Kind

// ReadsExtensions is implemented by a plugin whose reads depend on its arguments.
type ReadsExtensions interface {
	// Reads returns what the plugin reads in addition to the reads of its registration. Reads may name fields of
	// further kinds only if the registration names a kind as well.
	Reads() Reads
}

// nodes returns true if the host sends nodes to the plugin.
func (r *Reads) nodes() bool {
	node := &r.Node
	return node.Facts != 0 || len(node.LabelKeys)+len(node.AnnotationKeys)+len(node.Fields) > 0
}

// snapshot returns true if the host sends a copy of the cluster to the plugin.
func (r *Reads) snapshot() bool {
	return r.nodes() || r.Resident != nil || r.Pending != nil || r.Cluster != 0
}

// with returns the reads of both.
func (r Reads) with(other Reads) Reads {
	return Reads{
		Pod: joinPodReads(r.Pod, other.Pod),
		Node: NodeReads{
			Facts:          r.Node.Facts | other.Node.Facts,
			LabelKeys:      join(r.Node.LabelKeys, other.Node.LabelKeys),
			AnnotationKeys: join(r.Node.AnnotationKeys, other.Node.AnnotationKeys),
			Fields:         join(r.Node.Fields, other.Node.Fields),
		},
		Resident: joinOptional(r.Resident, other.Resident),
		Pending:  joinOptional(r.Pending, other.Pending),
		Objects:  joinKinds(r.Objects, other.Objects),
		Cluster:  r.Cluster | other.Cluster,
		Time:     r.Time || other.Time,
		Cycle:    r.Cycle || other.Cycle,
	}
}

func joinPodReads(one, two PodReads) PodReads {
	return PodReads{
		Facts:          one.Facts | two.Facts,
		LabelKeys:      join(one.LabelKeys, two.LabelKeys),
		AnnotationKeys: join(one.AnnotationKeys, two.AnnotationKeys),
		Fields:         join(one.Fields, two.Fields),
	}
}

func joinOptional(one, two *PodReads) *PodReads {
	switch {
	case one == nil:
		return two
	case two == nil:
		return one
	}
	both := joinPodReads(*one, *two)
	return &both
}

func joinKinds(one, two []ObjectKind) []ObjectKind {
	all := slices.Clone(one)
	for _, kind := range two {
		at := slices.IndexFunc(all, func(known ObjectKind) bool {
			return known.APIVersion == kind.APIVersion && known.Name == kind.Name
		})
		if at < 0 {
			all = append(all, kind)
		} else {
			all[at].Fields = join(all[at].Fields, kind.Fields)
		}
	}
	return all
}

// join returns the texts of both lists, each once.
func join(one, two []string) []string {
	all := slices.Concat(one, two)
	slices.Sort(all)
	return slices.Compact(all)
}
