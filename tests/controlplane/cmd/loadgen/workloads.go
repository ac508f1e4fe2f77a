package main

import (
	"cmp"

	v1 "k8s.io/api/core/v1"
)

// workload is what a run's pods ask of the scheduler, and the cluster they come to. Where scheduler_perf has one of the
// name, its shape is that one's: pods' demands, machines, how many pods run before.
type workload struct {
	name      string
	templates int                                    // how many pod templates there are, unless told otherwise
	owned     bool                                   // each template is a ReplicaSet's, behind a Service of its own
	volumes   bool                                   // each pod has a claim of its own, bound to a volume of a CSI driver
	zones     int                                    // over how many zones the nodes are spread; 0 is 3
	demand    func(pod *v1.Pod, namespaces []string) // what the run's pods ask for beyond the usual
	running   func(nodes int) int                    // how many pods run before; nil is none
	runs      func(pod *v1.Pod, namespaces []string) // what those ask for beyond the usual
	churn     func(pod *v1.Pod, namespaces []string) // pods that come meanwhile, one every churnInterval; nil is none
	most      func(nodes int) int                    // so many pods at most; nil is no bound
}

func fifth(nodes int) int     { return max(nodes/5, 1) }
func oneEach(nodes int) int   { return nodes }
func fourEach(nodes int) int  { return 4 * nodes }
func twoFifths(nodes int) int { return max(nodes*2/5, 1) }

// workloads by their names, in the order in which reports have them.
var workloads, workloadNames = named(
	workload{name: "SchedulingBasic", running: fifth},
	workload{name: "DefaultTopologySpreading", templates: 10, owned: true, running: oneEach},
	// None of scheduler_perf's: many deployments that roll out at once.
	workload{name: "InterleavedTemplates", templates: 200, owned: true, running: oneEach},
	workload{name: "TopologySpreading", demand: spread(v1.DoNotSchedule), running: oneEach},
	workload{name: "PreferredTopologySpreading", demand: spread(v1.ScheduleAnyway), running: oneEach},
	workload{name: "SchedulingPodAffinity", zones: 1, demand: podAffinity, running: oneEach, runs: podAffinity},
	workload{name: "SchedulingPreferredPodAffinity", demand: preferredPodAffinity, running: oneEach, runs: preferredPodAffinity},
	// One pod a node: scheduler_perf leaves two fifths of them free.
	workload{name: "SchedulingPodAntiAffinity", demand: podAntiAffinity, running: fifth, runs: podAntiAffinity, most: twoFifths},
	workload{name: "SchedulingPreferredPodAntiAffinity", demand: preferredPodAntiAffinity, running: oneEach, runs: preferredPodAntiAffinity},
	workload{name: "SchedulingNodeAffinity", zones: 1, demand: nodeAffinity, running: oneEach, runs: nodeAffinity},
	workload{name: "SchedulingCSIPVs", volumes: true, running: oneEach},
	// Four pods fill a node, three of which have to go for one of the run's.
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
