package main

import (
	"cmp"

	v1 "k8s.io/api/core/v1"
)

// workload describes the pods of a run and their cluster. If Kubernetes' scheduler_perf has a workload with the same
// name, both have the same parameters: the pods' constraints, the nodes, and the number of running pods.
type workload struct {
	name      string
	templates int                                    // the default number of pod templates
	owned     bool                                   // each template has a ReplicaSet and a Service
	volumes   bool                                   // each pod has a claim, bound to a volume of a CSI driver
	zones     int                                    // the number of zones of the nodes; 0 means 3
	demand    func(pod *v1.Pod, namespaces []string) // adds constraints to the run's pods
	running   func(nodes int) int                    // the number of running pods; nil means none
	runs      func(pod *v1.Pod, namespaces []string) // adds constraints to the running pods
	churn     func(pod *v1.Pod, namespaces []string) // pods created meanwhile, one every churnInterval; nil means none
	most      func(nodes int) int                    // the maximum number of pods; nil means no limit
}

func fifth(nodes int) int     { return max(nodes/5, 1) }
func oneEach(nodes int) int   { return nodes }
func fourEach(nodes int) int  { return 4 * nodes }
func twoFifths(nodes int) int { return max(nodes*2/5, 1) }

// workloads by name, in the order of reports.
var workloads, workloadNames = named(
	workload{name: "SchedulingBasic", running: fifth},
	workload{name: "DefaultTopologySpreading", templates: 10, owned: true, running: oneEach},
	// Not in scheduler_perf: many Deployments that roll out at the same time.
	workload{name: "InterleavedTemplates", templates: 200, owned: true, running: oneEach},
	workload{name: "TopologySpreading", demand: spread(v1.DoNotSchedule), running: oneEach},
	workload{name: "PreferredTopologySpreading", demand: spread(v1.ScheduleAnyway), running: oneEach},
	workload{name: "SchedulingPodAffinity", zones: 1, demand: podAffinity, running: oneEach, runs: podAffinity},
	workload{name: "SchedulingPreferredPodAffinity", demand: preferredPodAffinity, running: oneEach, runs: preferredPodAffinity},
	// At most one pod fits on a node. Two fifths of the nodes stay free, as in scheduler_perf.
	workload{name: "SchedulingPodAntiAffinity", demand: podAntiAffinity, running: fifth, runs: podAntiAffinity, most: twoFifths},
	workload{name: "SchedulingPreferredPodAntiAffinity", demand: preferredPodAntiAffinity, running: oneEach, runs: preferredPodAntiAffinity},
	workload{name: "SchedulingNodeAffinity", zones: 1, demand: nodeAffinity, running: oneEach, runs: nodeAffinity},
	workload{name: "SchedulingCSIPVs", volumes: true, running: oneEach},
	// Four running pods fill a node. The scheduler must evict three of these pods for each of the run's pods.
	workload{name: "PreemptionBasic", demand: important, running: fourEach, runs: unimportant, most: twoFifths},
	workload{name: "PreemptionAsync", running: fourEach, runs: unimportant, churn: important},
	workload{name: "Unschedulable", running: fifth, churn: tooLarge},
)

func named(list ...workload) (map[string]*workload, []string) {
	table, names := make(map[string]*workload, len(list)), []string{}
	for _, w := range list {
		w.templates = max(w.templates, 1)
		w.zones = cmp.Or(w.zones, 3)
		table[w.name] = &w
		names = append(names, w.name)
	}
	return table, names
}
