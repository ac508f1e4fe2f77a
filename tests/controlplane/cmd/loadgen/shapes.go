package main

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podShape is what the pods of a run ask of the scheduler beyond their requests.
type podShape struct {
	name  string
	apply func(spec *v1.PodSpec, alike *metav1.LabelSelector) // alike selects the pods of the same app
}

var shapes = map[string]podShape{
	"plain":       {apply: func(*v1.PodSpec, *metav1.LabelSelector) {}},
	"spread-soft": {apply: spread(v1.ScheduleAnyway, 1)},
	"spread-hard": {apply: spread(v1.DoNotSchedule, 2)},
	"anti":        {apply: antiAffinity},
	"nodeaff":     {apply: nodeAffinity},
}

func shapeNames() []string { return slices.Sorted(maps.Keys(shapes)) }

// spread asks for an even spread over zones and, within hostSkew, over hosts.
func spread(unsatisfiable v1.UnsatisfiableConstraintAction, hostSkew int32) func(*v1.PodSpec, *metav1.LabelSelector) {
	return func(spec *v1.PodSpec, alike *metav1.LabelSelector) {
		spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: unsatisfiable, LabelSelector: alike},
			{MaxSkew: hostSkew, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: unsatisfiable, LabelSelector: alike},
		}
	}
}

// antiAffinity allows one pod of an app on a host.
func antiAffinity(spec *v1.PodSpec, alike *metav1.LabelSelector) {
	spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: alike, TopologyKey: v1.LabelHostname}},
	}}
}

// nodeAffinity asks for two of the three zones and prefers one instance type.
func nodeAffinity(spec *v1.PodSpec, _ *metav1.LabelSelector) {
	term := func(key string, values ...string) v1.NodeSelectorTerm {
		return v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: values}}}
	}
	spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{term(v1.LabelTopologyZone, "zone-0", "zone-1")},
		},
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{
			{Weight: 50, Preference: term(v1.LabelInstanceTypeStable, instanceTypes[0])},
		},
	}}
}
