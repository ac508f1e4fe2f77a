package main

import (
	"fmt"
	"strings"
)

// engineResult is one line of the benchmark of the engine (core and components). For each pod: the CPU time of the thread
// that runs scheduling cycles, the calls into components, and the nodes that the components were asked about.
type engineResult struct {
	Workload   string  `json:"workload"`
	Case       string  `json:"case"` // first pods of new templates, or pods of known templates
	Nodes      int     `json:"nodes"`
	Templates  int     `json:"templates"`
	Crowd      int     `json:"crowd"`                        // multiplies the usual number of running pods
	PerPod     spread  `json:"microsecondsPerPod"`           // the decision only
	WithEvents spread  `json:"microsecondsPerPodWithEvents"` // the decision, and the events about pod and binding
	Calls      float64 `json:"callsPerPod"`                  // into components, including calls that bring them up to date
	Asked      float64 `json:"nodesAskedPerPod"`             // by all filters and scores together
}

// The cases in the engine's lines.
const (
	firstOfTemplate = "first"
	repeated        = "repeated"
)

// flatFrom is a number of nodes. The table divides the costs at other numbers of nodes by the cost at this number.
const flatFrom = 500

// nativeMicros returns the time in µs that kube-scheduler took for a pod when it scored all nodes. The time comes from
// kube-scheduler's own histogram, in the first workload with this many nodes that kube-scheduler ran in this way against
// a real API server. In scripts/bench, this workload is SchedulingBasic. The result is 0 if there is no such workload.
func (r *report) nativeMicros(nodes int) float64 {
	for _, server := range r.EndToEnd {
		for _, w := range server.Workloads {
			if native := w.of(nativeSchedulerOfAll); native != nil && server.Server == "real" && w.Nodes == nodes {
				return native.Algorithm.Median
			}
		}
	}
	return 0
}

func (r *report) engineTable(b *strings.Builder) {
	if len(r.Engine) == 0 {
		return
	}
	b.WriteString("## The engine alone\n\nCore and components, every node scored, µs of one thread's CPU time a pod: median (least–most). " +
		"First: a pod with a new signature. Repeated: a pod with a known signature. With events: including the events of the pod and of its binding. " +
		"Kube-scheduler, all nodes: the ratio of its wall time for a pod of SchedulingBasic, with percentageOfNodesToScore 100, to Berth's time.\n\n")
	header(b, "workload", "nodes", "templates", "crowd", "pod", "µs", "with events", "calls", "nodes asked about",
		fmt.Sprintf("to %d nodes", flatFrom), "kube-scheduler, all nodes ÷")
	for _, line := range r.Engine {
		flat, faster := "", ""
		if base := r.at(line, flatFrom); base != nil && line.Nodes != flatFrom {
			flat = fmt.Sprintf("%.2f", line.PerPod.Median/base.PerPod.Median)
		}
		if native := r.nativeMicros(line.Nodes); native > 0 {
			faster = fmt.Sprintf("%.0f", native/line.PerPod.Median)
		}
		row(b, line.Workload, fmt.Sprint(line.Nodes), fmt.Sprint(line.Templates), fmt.Sprint(line.Crowd), line.Case, line.PerPod.String(),
			fmt.Sprintf("%.3g", line.WithEvents.Median), fmt.Sprintf("%.1f", line.Calls), fmt.Sprintf("%.1f", line.Asked), flat, faster)
	}
	b.WriteString("\n")
}

// at returns the line with the same workload, case and crowd for this many nodes, or nil.
func (r *report) at(like engineResult, nodes int) *engineResult {
	for i := range r.Engine {
		line := &r.Engine[i]
		if line.Workload == like.Workload && line.Case == like.Case && line.Crowd == like.Crowd && line.Nodes == nodes {
			return line
		}
	}
	return nil
}
