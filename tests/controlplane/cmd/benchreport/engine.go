package main

import (
	"fmt"
	"strings"
)

// engineResult is a line of the benchmark of the engine alone: what one question costs, by the CPU time of the one thread
// that decides.
type engineResult struct {
	Workload  string  `json:"workload"`
	Case      string  `json:"case"` // which pods: the first of a template, or those like it
	Nodes     int     `json:"nodes"`
	Templates int     `json:"templates"`
	PerPod    spread  `json:"microsecondsPerPod"`
	Calls     float64 `json:"callsPerPod"` // of plugins
	Bytes     float64 `json:"bytesPerPod"` // over the boundary, both ways
}

// firstOfTemplate is the case of pods that are like none before.
const firstOfTemplate = "first"

func (r *report) engineTable(b *strings.Builder) {
	if len(r.Engine) == 0 {
		return
	}
	b.WriteString("## The engine alone\n\nCore and plugins, every node scored, µs of one thread's CPU time a pod: median (least–most).\n\n")
	header(b, "workload", "nodes", "templates", "pods", "µs a pod", "calls a pod", "bytes a pod", "to 500 nodes")
	for _, line := range r.Engine {
		flat := ""
		if base := r.at(line.Workload, line.Case, 500); base != nil && line.Nodes != 500 {
			flat = fmt.Sprintf("%.2f", line.PerPod.Median/base.PerPod.Median)
		}
		row(b, line.Workload, fmt.Sprint(line.Nodes), fmt.Sprint(line.Templates), line.Case, line.PerPod.String(),
			fmt.Sprintf("%.1f", line.Calls), fmt.Sprintf("%.0f", line.Bytes), flat)
	}
	b.WriteString("\n")
}

// at is the line of that many nodes, or nil.
func (r *report) at(workload, pods string, nodes int) *engineResult {
	for i := range r.Engine {
		if line := &r.Engine[i]; line.Workload == workload && line.Case == pods && line.Nodes == nodes {
			return line
		}
	}
	return nil
}
