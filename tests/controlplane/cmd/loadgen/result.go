package main

import (
	"math"
	"slices"
	"time"
)

// result has the values of the run's line of JSON, by key.
type result struct {
	values map[string]any
}

func newResult(o *options) *result {
	return &result{values: map[string]any{
		"label": o.label, "mode": o.mode, "workload": o.workload.name, "templates": o.templates,
		"nodes": o.nodes, "pods": o.pods,
	}}
}

// number adds a figure, rounded to three decimals. Undefined figures, such as a rate over no time, are left out.
func (r *result) number(key string, value float64) {
	if !math.IsNaN(value) && !math.IsInf(value, 0) {
		r.values[key] = math.Round(value*1000) / 1000
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// placement adds the number of bound pods and nodes, and the rates and times since start.
func (r *result) placement(p placement, start time.Time) {
	n := float64(p.bound)
	r.number("bound", n)
	r.number("nodes_used", float64(p.nodesUsed))
	r.number("max_pods_on_a_node", float64(p.fullest))
	if p.bound == 0 {
		return
	}
	r.number("total_s", p.last.Sub(start).Seconds())
	r.number("pods_per_s", n/p.last.Sub(start).Seconds())
	r.number("first_to_last_bind_s", p.last.Sub(p.first).Seconds())
	r.number("pods_per_s_first_to_last_bind", (n-1)/p.last.Sub(p.first).Seconds())
	r.number("t0_to_first_bind_s", p.first.Sub(start).Seconds())
}

// latencies adds quantiles, in ms, of the time from the request that creates a pod to the report of the pod's bind.
func (r *result) latencies(latencies []time.Duration) {
	slices.Sort(latencies)
	for key, share := range map[string]float64{"lat_p50_ms": .5, "lat_p90_ms": .9, "lat_p99_ms": .99, "lat_max_ms": 1} {
		if len(latencies) > 0 {
			rank := max(int(math.Ceil(share*float64(len(latencies)))), 1)
			r.number(key, milliseconds(latencies[rank-1]))
		}
	}
}
