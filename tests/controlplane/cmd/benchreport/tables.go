package main

import (
	"fmt"
	"slices"
	"strings"
)

// tables returns the report in Markdown.
func (r *report) tables() string {
	var b strings.Builder
	for _, server := range r.EndToEnd {
		server.table(&b)
	}
	runningTable(&b, "Start of the scheduler, with running pods", r.Start, startColumns)
	runningTable(&b, "Memory, with running pods", r.Memory, memoryColumns)
	r.engineTable(&b)
	r.largeTable(&b)
	r.priceTables(&b)
	r.reloadTable(&b)
	r.replayTable(&b)
	return b.String()
}

var serverTitles = map[string]string{
	"real":     "Against kube-apiserver and etcd",
	"embedded": "Against the embedded API server",
}

func row(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

func header(b *strings.Builder, cells ...string) {
	row(b, cells...)
	row(b, slices.Repeat([]string{"---"}, len(cells))...)
}

// table writes a row for each workload and scheduler, and for each workload a row with the ratios of Berth to
// kube-scheduler.
func (s *serverResults) table(b *strings.Builder) {
	fmt.Fprintf(b, "## %s\n\nMedian (least–most). CPU is the scheduler's, in ms a pod, from its start until the last Event has arrived.\n\n",
		serverTitles[s.Server])
	header(b, "workload", "scheduler", "pods/s", "CPU", "CPU after 1st bind", "API server's CPU", "peak MB", "Scheduled Events", "foreign cores")
	for i := range s.Workloads {
		w := &s.Workloads[i]
		for j := range w.Schedulers {
			r := &w.Schedulers[j]
			row(b, w.title(j), r.Scheduler, r.PodsPerS.String(), r.CPU.String(), r.CPUBinding.String(), r.APIServer.String(),
				fmt.Sprintf("%.0f", r.PeakMB.Median), r.scheduledEvents(w.Pods), fmt.Sprintf("%.2g", r.Foreign.Median))
		}
		w.ratios(b)
	}
	b.WriteString("\n")
}

// title returns the title of the workload, in its first row only.
func (w *workloadResults) title(line int) string {
	if line > 0 {
		return ""
	}
	return fmt.Sprintf("%s, %d nodes, %d pods", w.Workload, w.Nodes, w.Pods)
}

// scheduledEvents returns the number of Scheduled Events in each run, or "all" if every run has one for each pod. If
// runs left pods without a node, the text also says how many runs.
func (r *schedulerResults) scheduledEvents(pods int) string {
	if r.Incomplete > 0 {
		return fmt.Sprintf("%v; %d of %d runs left pods", r.Scheduled, r.Incomplete, r.Runs)
	}
	if !slices.ContainsFunc(r.Scheduled, func(n int) bool { return n != pods }) {
		return "all"
	}
	return strings.Trim(fmt.Sprint(r.Scheduled), "[]")
}

// ratios writes a row with the ratios of Berth to kube-scheduler, from the medians.
func (w *workloadResults) ratios(b *strings.Builder) {
	berth, native := w.of("berth"), w.of("kube-scheduler")
	if berth == nil || native == nil {
		return
	}
	of := func(a, b spread) string {
		if b.Median == 0 {
			return ""
		}
		return fmt.Sprintf("**%.2f**", a.Median/b.Median)
	}
	row(b, "", "*ratio*", of(berth.PodsPerS, native.PodsPerS), of(berth.CPU, native.CPU), of(berth.CPUBinding, native.CPUBinding),
		of(berth.APIServer, native.APIServer), of(berth.PeakMB, native.PeakMB), "", "")
}
