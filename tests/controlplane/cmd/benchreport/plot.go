package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// point is a cost in µs per pod at a number of nodes.
type point struct{ nodes, cost float64 }

// series is one line of the plot. All lines of a workload have the same color.
type series struct {
	workload, scheduler string
	dashes              string // empty for a solid line
	points              []point
}

// The size of the drawing, and the margins around the axes.
const (
	width, height            = 980, 660
	left, right, top, bottom = 90, 300, 50, 60
)

// nativeScheduler is kube-scheduler with the default sampling of nodes; nativeSchedulerOfAll scores every node.
const nativeScheduler, nativeSchedulerOfAll = "kube-scheduler", "kube-scheduler-all"

// lineOf is the dash pattern of each kind of line; empty for a solid line.
var lineOf = map[string]string{repeated: "", firstOfTemplate: "7 4", nativeScheduler: "1 4"}

var colours = []string{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#e377c2", "#7f7f7f", "#bcbd22",
	"#000000", "#1b7837", "#762a83", "#b35806"}

// plot returns an SVG of the cost of a decision over the number of nodes. Both axes are logarithmic.
func (r *report) plot() string {
	lines := r.series()
	x, y := axisOver(lines, func(p point) float64 { return p.nodes }), axisOver(lines, func(p point) float64 { return p.cost })
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	text(&b, left, 20, "start", "#000", "What a decision costs, over the number of nodes. Berth: CPU time of the engine alone, all nodes scored;")
	text(&b, left, 36, "start", "#000", "kube-scheduler: wall time, by its own histogram, against a real API server, sampling nodes as it does by default.")
	text(&b, (left+width-right)/2, height-15, "middle", "#000", "nodes (logarithmic)")
	fmt.Fprintf(&b, `<text transform="translate(20 %d) rotate(-90)" text-anchor="middle">µs a decision (logarithmic)</text>`+"\n", (top+height-bottom)/2)
	for _, nodes := range x {
		at := left + x.share(nodes)*(width-left-right)
		fmt.Fprintf(&b, `<path d="M%.1f %d V%d" stroke="#ddd"/>`+"\n", at, top, height-bottom)
		text(&b, at, height-bottom+18, "middle", "#000", grouped(nodes))
	}
	for _, cost := range y {
		at := height - bottom - y.share(cost)*(height-top-bottom)
		fmt.Fprintf(&b, `<path d="M%d %.1f H%d" stroke="#ddd"/>`+"\n", left, at, width-right)
		text(&b, left-6, at+4, "end", "#000", grouped(cost))
	}
	var workloads []string
	for _, line := range lines {
		if !slices.Contains(workloads, line.workload) {
			workloads = append(workloads, line.workload)
		}
		line.draw(&b, colours[slices.Index(workloads, line.workload)%len(colours)], x, y)
	}
	legend(&b, workloads)
	b.WriteString("</svg>\n")
	return b.String()
}

// legend draws which color stands for which workload, and which kind of line for which scheduler.
func legend(b *strings.Builder, workloads []string) {
	at := float64(top)
	entry := func(colour, dashes, content string) {
		fmt.Fprintf(b, `<path d="M%d %.1f h30" stroke="%s" stroke-width="2"%s/>`+"\n", width-right+15, at-4, colour, dashArray(dashes))
		text(b, float64(width-right+52), at, "start", "#000", content)
		at += 18
	}
	for i, workload := range workloads {
		entry(colours[i%len(colours)], "", workload)
	}
	at += 18
	entry("#000", lineOf[repeated], "Berth, a pod like others")
	entry("#000", lineOf[firstOfTemplate], "Berth, a pod like none before")
	spot(b, float64(width-right+30), at-4, nativeScheduler, "#000")
	entry("#000", lineOf[nativeScheduler], nativeScheduler)
}

// spot draws a point: a ring for kube-scheduler, a disc otherwise.
func spot(b *strings.Builder, across, down float64, scheduler, colour string) {
	fill := colour
	if scheduler == nativeScheduler {
		fill = "white"
	}
	fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s" stroke="%s" stroke-width="1.5"/>`+"\n", across, down, fill, colour)
}

func dashArray(dashes string) string {
	if dashes == "" {
		return ""
	}
	return fmt.Sprintf(` stroke-dasharray="%s"`, dashes)
}

// grouped formats a number with separators: 1,000,000.
func grouped(value float64) string {
	digits := fmt.Sprintf("%g", value)
	if value < 1000 {
		return digits
	}
	digits = fmt.Sprintf("%.0f", value)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func (s *series) draw(b *strings.Builder, colour string, x, y axis) {
	path := "M"
	for i, p := range s.points {
		across, down := left+x.share(p.nodes)*(width-left-right), height-bottom-y.share(p.cost)*(height-top-bottom)
		if i > 0 {
			path += " L"
		}
		path += fmt.Sprintf("%.1f %.1f", across, down)
		spot(b, across, down, s.scheduler, colour)
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"%s/>`+"\n", path, colour, dashArray(s.dashes))
}

func text(b *strings.Builder, x, y float64, anchor, colour, content string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, anchor, colour, content)
}

// series returns the lines of the plot: the engine with the usual number of running pods, and kube-scheduler with a
// real API server. Kube-scheduler's times come from its own histogram.
func (r *report) series() []series {
	var all []series
	add := func(workload, scheduler string, p point) {
		if p.cost <= 0 {
			return
		}
		at := slices.IndexFunc(all, func(s series) bool { return s.workload == workload && s.scheduler == scheduler })
		if at < 0 {
			at = len(all)
			all = append(all, series{workload: workload, scheduler: scheduler, dashes: lineOf[scheduler]})
		}
		all[at].points = append(all[at].points, p)
	}
	for _, line := range r.Engine {
		if line.Crowd == 1 {
			add(line.Workload, line.Case, point{float64(line.Nodes), line.PerPod.Median})
		}
	}
	for _, server := range r.EndToEnd {
		for _, w := range server.Workloads {
			if native := w.of(nativeScheduler); native != nil && server.Server == "real" {
				add(w.Workload, nativeScheduler, point{float64(w.Nodes), native.Algorithm.Median})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.workload, b.workload), -cmp.Compare(a.scheduler, b.scheduler))
	})
	for _, s := range all {
		slices.SortFunc(s.points, func(a, b point) int { return cmp.Compare(a.nodes, b.nodes) })
	}
	return all
}

// axis is a logarithmic axis, given by its marks. The first and last marks are its ends.
type axis []float64

// axisOver returns an axis with marks at 1, 2 and 5 times powers of ten. The first mark is at most the smallest
// value, the last mark at least the largest. There are no marks if there are no values.
func axisOver(lines []series, of func(point) float64) axis {
	least, most := math.Inf(1), math.Inf(-1)
	for _, line := range lines {
		for _, p := range line.points {
			least, most = min(least, of(p)), max(most, of(p))
		}
	}
	if least > most {
		return nil
	}
	marks := axis{math.Pow(10, math.Floor(math.Log10(least)))}
	for i := 0; marks[len(marks)-1] < most || len(marks) == 1; i++ {
		next := marks[len(marks)-1] * []float64{2, 2.5, 2}[i%3]
		if next <= least {
			marks[0] = next
			continue
		}
		marks = append(marks, next)
	}
	return marks
}

// share returns the position of a value on the axis, from 0 to 1.
func (a axis) share(value float64) float64 { return math.Log(value/a[0]) / math.Log(a[len(a)-1]/a[0]) }
