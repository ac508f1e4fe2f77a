package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// point is a cost in µs a pod at so many nodes.
type point struct{ nodes, cost float64 }

// series is one line of the plot. Those of a workload have one colour.
type series struct {
	workload, who string
	dashes        string // empty for a line without gaps
	points        []point
}

// The drawing's size, and what is left of it around the axes.
const (
	width, height            = 1060, 660
	left, right, top, bottom = 70, 430, 40, 50
)

var colours = []string{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#e377c2", "#7f7f7f", "#bcbd22",
	"#000000", "#1b7837", "#762a83", "#b35806"}

// plot draws nodes against the cost of a decision, both axes logarithmic, as SVG.
func (r *report) plot() string {
	lines := r.series()
	x, y := axisOver(lines, func(p point) float64 { return p.nodes }), axisOver(lines, func(p point) float64 { return p.cost })
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	text(&b, left, 20, "start", "#000", "µs a decision, over the number of nodes; both logarithmic. Berth: CPU time of the engine alone; kube-scheduler: wall time, by its own histogram, against a real API server")
	for _, nodes := range x.marks() {
		at := left + x.share(nodes)*(width-left-right)
		fmt.Fprintf(&b, `<path d="M%.1f %d V%d" stroke="#ddd"/>`+"\n", at, top, height-bottom)
		text(&b, at, height-bottom+18, "middle", "#000", fmt.Sprintf("%g", nodes))
	}
	for _, cost := range y.marks() {
		at := height - bottom - y.share(cost)*(height-top-bottom)
		fmt.Fprintf(&b, `<path d="M%d %.1f H%d" stroke="#ddd"/>`+"\n", left, at, width-right)
		text(&b, left-6, at+4, "end", "#000", fmt.Sprintf("%g", cost))
	}
	var workloads []string
	for i, line := range lines {
		if !slices.Contains(workloads, line.workload) {
			workloads = append(workloads, line.workload)
		}
		line.draw(&b, i, colours[slices.Index(workloads, line.workload)%len(colours)], x, y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (s *series) draw(b *strings.Builder, number int, colour string, x, y axis) {
	path, dashes := "M", ""
	if s.dashes != "" {
		dashes = fmt.Sprintf(` stroke-dasharray="%s"`, s.dashes)
	}
	for i, p := range s.points {
		across, down := left+x.share(p.nodes)*(width-left-right), height-bottom-y.share(p.cost)*(height-top-bottom)
		if i > 0 {
			path += " L"
		}
		path += fmt.Sprintf("%.1f %.1f", across, down)
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`+"\n", across, down, colour)
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"%s/>`+"\n", path, colour, dashes)
	line := float64(top + 16*number)
	fmt.Fprintf(b, `<path d="M%d %.1f h20" stroke="%s" stroke-width="2"%s/>`+"\n", width-right+15, line-4, colour, dashes)
	text(b, float64(width-right+40), line, "start", "#000", s.workload+", "+s.who)
}

func text(b *strings.Builder, x, y float64, anchor, colour, words string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, anchor, colour, words)
}

// series are the engine's, and of kube-scheduler what it says itself of its runs against a real API server.
func (r *report) series() []series {
	var all []series
	add := func(workload, who, dashes string, p point) {
		if p.cost <= 0 {
			return
		}
		at := slices.IndexFunc(all, func(s series) bool { return s.workload == workload && s.who == who })
		if at < 0 {
			at = len(all)
			all = append(all, series{workload: workload, who: who, dashes: dashes})
		}
		all[at].points = append(all[at].points, p)
	}
	for pods, dashes := range map[string]string{repeated: "", firstOfTemplate: "7 4"} {
		for _, line := range r.Engine {
			if line.Case == pods && line.Crowd == 1 {
				add(line.Workload, pods, dashes, point{float64(line.Nodes), line.PerPod.Median})
			}
		}
	}
	for _, server := range r.EndToEnd {
		for _, w := range server.Workloads {
			if native := w.of("kube-scheduler"); native != nil && server.Server == "real" {
				add(w.Workload, "kube-scheduler", "1 4", point{float64(w.Nodes), native.Algorithm.Median})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.workload, b.workload), -cmp.Compare(a.who, b.who))
	})
	for _, s := range all {
		slices.SortFunc(s.points, func(a, b point) int { return cmp.Compare(a.nodes, b.nodes) })
	}
	return all
}

// axis is a logarithmic one, between two powers of ten.
type axis struct{ least, most float64 }

func axisOver(lines []series, of func(point) float64) axis {
	a := axis{math.Inf(1), math.Inf(-1)}
	for _, line := range lines {
		for _, p := range line.points {
			a.least, a.most = min(a.least, math.Floor(math.Log10(of(p)))), max(a.most, math.Ceil(math.Log10(of(p))))
		}
	}
	if a.least >= a.most {
		return axis{a.least, a.least + 1}
	}
	return a
}

// share is how far along the axis a value is, from 0 to 1.
func (a axis) share(value float64) float64 { return (math.Log10(value) - a.least) / (a.most - a.least) }

// marks are the powers of ten on the axis; none on one without values.
func (a axis) marks() []float64 {
	var marks []float64
	for power := a.least; power <= a.most && !math.IsInf(power, 0); power++ {
		marks = append(marks, math.Pow(10, power))
	}
	return marks
}
