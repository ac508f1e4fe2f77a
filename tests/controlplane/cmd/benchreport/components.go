package main

import (
	"cmp"
	"fmt"
	"strings"
)

// largeResult is the cost of a cluster with many nodes, measured on the engine (core and components) alone.
type largeResult struct {
	Nodes      int     `json:"nodes"`
	Running    int     `json:"running"`
	Templates  int     `json:"templates"`
	Fill       float64 `json:"fillSeconds"`
	Resident   float64 `json:"residentMB"`
	Peak       float64 `json:"peakMB"`
	Components float64 `json:"componentsMB"` // the linear memories of all components
	Largest    float64 `json:"largestComponentMB"`
	Repeated   spread  `json:"microsecondsPerRepeated"`
	WithEvents spread  `json:"microsecondsPerRepeatedWithEvents"`
	First      spread  `json:"microsecondsPerFirst"`
}

// shares are the median, the 99th percentile and the maximum of times in µs.
type shares struct {
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	Most float64 `json:"most"`
}

// reloadResult is the time that the thread of the scheduling cycles spends on exchanges of a component under load.
type reloadResult struct {
	Component string `json:"component"`
	Nodes     int    `json:"nodes"`
	Running   int    `json:"running"`
	Exchanges int    `json:"exchanges"`
	Gaps      int    `json:"gaps"`
	Gap       shares `json:"gapMicroseconds"`
	GapCPU    shares `json:"gapCpuMicroseconds"`
	First     spread `json:"firstEvaluationMicroseconds"`
	After     spread `json:"firstCycleAfterMicroseconds"`
}

func (r *report) largeTable(b *strings.Builder) {
	if len(r.Large) == 0 {
		return
	}
	b.WriteString("## Large clusters, the engine alone\n\nµs of one thread's CPU time a decision, median (least–most); memory with all components. " +
		"Rate: the rate of repeated pods, relative to the first line.\n\n")
	header(b, "nodes", "running pods", "templates", "filled in s", "MB", "peak MB", "of which components", "largest component",
		"repeated, µs", "with events", "first, µs", "rate")
	for _, line := range r.Large {
		row(b, fmt.Sprint(line.Nodes), fmt.Sprint(line.Running), fmt.Sprint(line.Templates), fmt.Sprintf("%.0f", line.Fill),
			fmt.Sprintf("%.0f", line.Resident), fmt.Sprintf("%.0f", line.Peak), fmt.Sprintf("%.0f", line.Components),
			fmt.Sprintf("%.0f", line.Largest), line.Repeated.String(), line.WithEvents.String(), line.First.String(),
			fmt.Sprintf("%.2f", r.Large[0].Repeated.Median/line.Repeated.Median))
	}
	b.WriteString("\n")
}

func (r *report) reloadTable(b *strings.Builder) {
	if len(r.Reload) == 0 {
		return
	}
	b.WriteString("## Components exchanged under load\n\nThe time of the deciding thread for an exchange between two cycles, in µs, compared with a first evaluation.\n\n")
	header(b, "component", "nodes", "running pods", "exchanges", "gap, CPU: p50", "p99", "most", "gap, wall: p50", "p99", "most",
		"a first evaluation, CPU", "first cycle after, CPU", "p99 ÷ first evaluation")
	number := func(micros float64) string { return fmt.Sprintf("%.0f", micros) }
	for _, line := range r.Reload {
		row(b, line.Component, fmt.Sprint(line.Nodes), fmt.Sprint(line.Running), fmt.Sprint(line.Exchanges),
			number(line.GapCPU.P50), number(line.GapCPU.P99), number(line.GapCPU.Most),
			number(line.Gap.P50), number(line.Gap.P99), number(line.Gap.Most),
			line.First.String(), line.After.String(), fmt.Sprintf("%.2f", line.GapCPU.P99/line.First.Median))
	}
	b.WriteString("\n")
}

// replayResult is the size of a capture, and the time to play it back.
type replayResult struct {
	Pods        int     `json:"pods"`
	Nodes       int     `json:"nodes"`
	Events      int     `json:"events"`
	BytesPerPod float64 `json:"bytesPerPod"`
	Replay      float64 `json:"replaySeconds"`
	Compare     float64 `json:"compareSeconds"` // to read the capture and play it back with two policies
}

func (r *report) replayTable(b *strings.Builder) {
	if len(r.Replay) == 0 {
		return
	}
	b.WriteString("## Captures played back\n\nThe time to play every event back, and to compare a policy with the recorded one, in s.\n\n")
	header(b, "pods", "nodes", "events", "bytes a pod", "replay", "comparison of two policies")
	for _, line := range r.Replay {
		row(b, fmt.Sprint(line.Pods), fmt.Sprint(line.Nodes), fmt.Sprint(line.Events), fmt.Sprintf("%.0f", line.BytesPerPod),
			fmt.Sprintf("%.1f", line.Replay), fmt.Sprintf("%.1f", line.Compare))
	}
	b.WriteString("\n")
}

// priceResult compares the time of a plugin as a component with the time of the plugin's native code. For all plugins
// together, it also compares the time of the components with the time of the whole scheduling decision.
type priceResult struct {
	Case      string  `json:"case"`
	Plugin    string  `json:"plugin"` // empty for all plugins together
	Nodes     int     `json:"nodes"`
	Native    spread  `json:"nativeMicroseconds"`
	Component spread  `json:"componentMicroseconds"`
	Ratio     float64 `json:"ratio"` // of component to native code, from the shortest times
	PerNode   float64 `json:"nanosecondsPerNode"`
	Calls     float64 `json:"callsPerPod"`
	Decision  spread  `json:"decisionMicroseconds"`
	Share     spread  `json:"shareOfComponents"`
	Beyond    float64 `json:"shareOfWebAssembly"` // the share of the decision's time by which components exceed native code
}

func (r *report) priceTables(b *strings.Builder) {
	if len(r.Price) == 0 {
		return
	}
	fmt.Fprintf(b, "## The cost of WebAssembly, %d nodes\n\nA first evaluation: all nodes are filtered and scored for a pod with a new signature, in µs.\n\n", r.Price[0].Nodes)
	header(b, "plugin", "native", "component", "ratio of the least", "ns a node")
	for _, line := range r.Price {
		if line.Case == firstOfTemplate {
			row(b, cmp.Or(line.Plugin, "all"), line.Native.String(), line.Component.String(), fmt.Sprintf("%.2f", line.Ratio), fmt.Sprintf("%.0f", line.PerNode))
		}
	}
	b.WriteString("\nA pod with a known signature: µs in components, including the work of the guests.\n\n")
	header(b, "plugin", "calls", "µs", "as native code")
	for _, line := range r.Price {
		switch {
		case line.Case != repeated:
		case line.Plugin != "":
			row(b, line.Plugin, fmt.Sprintf("%.1f", line.Calls), line.Component.String(), line.Native.String())
		default:
			row(b, "all", "", fmt.Sprintf("%s of %s, a share of %s", line.Component, line.Decision, line.Share),
				fmt.Sprintf("beyond native code: a share of %.2f", line.Beyond))
		}
	}
	b.WriteString("\n")
}
