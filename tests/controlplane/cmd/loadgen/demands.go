package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The constraints of the workloads' pods. Affinity and anti-affinity to pods apply to all namespaces of a run. Topology
// spread constraints apply to the pod's own namespace.

const colorLabel = "color"

// colored adds a label to the pod, and returns a selector of the pods with this label.
func colored(pod *v1.Pod) *metav1.LabelSelector {
	pod.Labels[colorLabel] = "blue"
	return &metav1.LabelSelector{MatchLabels: map[string]string{colorLabel: "blue"}}
}

func spread(unsatisfiable v1.UnsatisfiableConstraintAction) func(*v1.Pod, []string) {
	return func(pod *v1.Pod, _ []string) {
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 5, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: unsatisfiable, LabelSelector: colored(pod),
		}}
	}
}

func affinityTerm(pod *v1.Pod, topologyKey string, namespaces []string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{LabelSelector: colored(pod), TopologyKey: topologyKey, Namespaces: namespaces}
}

func podAffinity(pod *v1.Pod, namespaces []string) {
	term := affinityTerm(pod, v1.LabelTopologyZone, namespaces)
	pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term},
	}}
}

func preferredPodAffinity(pod *v1.Pod, namespaces []string) {
	term := affinityTerm(pod, v1.LabelHostname, namespaces)
	pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: term}},
	}}
}

func podAntiAffinity(pod *v1.Pod, namespaces []string) {
	term := affinityTerm(pod, v1.LabelHostname, namespaces)
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term},
	}}
}

func preferredPodAntiAffinity(pod *v1.Pod, namespaces []string) {
	term := affinityTerm(pod, v1.LabelHostname, namespaces)
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: term}},
	}}
}

// nodeAffinity requires a node in one of two zones.
func nodeAffinity(pod *v1.Pod, _ []string) {
	pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{zoneName(0), zoneName(1)}},
			},
		}}},
	}}
}

// unimportant changes a pod so that four such pods fill a node and the pod terminates immediately.
func unimportant(pod *v1.Pod, _ []string) {
	requestCPU(pod, "900m")
	pod.Spec.TerminationGracePeriodSeconds = new(int64)
}

// important changes a pod so that the pod fits on a node with four unimportant pods only after three are evicted.
func important(pod *v1.Pod, _ []string) {
	requestCPU(pod, "3")
	pod.Spec.PriorityClassName = priorityClass
}

// tooLarge changes a pod so that the pod fits on no node, not even on an empty node.
func tooLarge(pod *v1.Pod, _ []string) {
	requestCPU(pod, "9")
	pod.Spec.PriorityClassName = priorityClass
}

func requestCPU(pod *v1.Pod, cpu string) {
	resources := &pod.Spec.Containers[0].Resources
	resources.Requests[v1.ResourceCPU] = resource.MustParse(cpu)
	resources.Limits[v1.ResourceCPU] = resource.MustParse(cpu)
}
