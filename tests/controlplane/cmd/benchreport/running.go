package main

import (
	"fmt"
	"slices"
	"strings"
)

// runningRun is a run of the load generator on a cluster whose pods already run. The run measures the start or the
// memory of the scheduler.
type runningRun struct {
	Scheduler   string  `json:"label"`
	Nodes       int     `json:"nodes"`
	FirstBind   float64 `json:"t0_to_first_bind_s"`
	CPU         float64 `json:"sched_cpu_ms_at_first_bind"`
	StartedRSS  float64 `json:"started_rss_mb"`
	StartedLow  float64 `json:"started_collected_rss_mb"`
	StartedHWM  float64 `json:"started_hwm_mb"`
	RelistedRSS float64 `json:"relisted_rss_mb"`
	RelistedLow float64 `json:"relisted_collected_rss_mb"`
	RelistedHWM float64 `json:"relisted_hwm_mb"`
	LifeUser    float64 `json:"sched_life_user_s"`
	LifeSystem  float64 `json:"sched_life_sys_s"`
}

// column is a figure of the runs and its title.
type column struct {
	title string
	of    func(runningRun) float64
}

var startColumns = []column{
	{"s from exec to the first binding", func(r runningRun) float64 { return r.FirstBind }},
	{"CPU-ms by then", func(r runningRun) float64 { return r.CPU }},
}

var memoryColumns = []column{
	{"MB, idle for 5 s after the start", func(r runningRun) float64 { return r.StartedRSS }},
	{"for 3 min", func(r runningRun) float64 { return r.StartedLow }},
	{"maximum until then", func(r runningRun) float64 { return r.StartedHWM }},
	{"MB, idle for 5 s after new lists", func(r runningRun) float64 { return r.RelistedRSS }},
	{"for 3 min", func(r runningRun) float64 { return r.RelistedLow }},
	{"maximum", func(r runningRun) float64 { return r.RelistedHWM }},
	{"CPU-s of the whole process, user and system", func(r runningRun) float64 { return r.LifeUser + r.LifeSystem }},
}

// runningTable writes a row for each scheduler, in the order of the runs, and a row with the ratio of Berth to
// kube-scheduler.
func runningTable(b *strings.Builder, title string, runs []runningRun, columns []column) {
	if len(runs) == 0 {
		return
	}
	fmt.Fprintf(b, "## %s, %d nodes\n\nMedian (least–most).\n\n", title, runs[0].Nodes)
	titles := []string{"scheduler", "runs"}
	for _, c := range columns {
		titles = append(titles, c.title)
	}
	header(b, titles...)
	medians := map[string][]float64{}
	for _, run := range runs {
		name := run.Scheduler
		if medians[name] != nil {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(runs), func(r runningRun) bool { return r.Scheduler != name })
		cells := []string{name, fmt.Sprint(len(own))}
		for _, c := range columns {
			values := make([]float64, len(own))
			for i, r := range own {
				values[i] = c.of(r)
			}
			s := spreadOf(values)
			medians[name] = append(medians[name], s.Median)
			cells = append(cells, s.String())
		}
		row(b, cells...)
	}
	if berth, native := medians["berth"], medians["kube-scheduler"]; berth != nil && native != nil {
		cells := []string{"*ratio*", ""}
		for i := range columns {
			cells = append(cells, fmt.Sprintf("**%.2f**", berth[i]/native[i]))
		}
		row(b, cells...)
	}
	b.WriteString("\n")
}
