package main

import (
	"runtime"
	"time"
)

// reading is the CPU time that the processes of the run, and the whole machine, have used up to one moment.
type reading struct {
	at          time.Time
	scheduler   time.Duration
	others      map[string]time.Duration
	busy, total time.Duration // of the whole machine
}

// read takes a reading. A scheduler that does not run yet has used no CPU time.
func read(s *scheduler, others []namedProcess) (reading, error) {
	r := reading{at: time.Now(), others: map[string]time.Duration{}}
	var err error
	if s != nil {
		if r.scheduler, err = cpuTime(s.pid); err != nil {
			return r, err
		}
	}
	for _, other := range others {
		if r.others[other.name], err = cpuTime(other.pid); err != nil {
			return r, err
		}
	}
	r.busy, r.total, err = machineTime()
	return r, err
}

// cpuPerPod adds each process's CPU time per pod until the last Event: for the whole run, and from the first bind
// on, which excludes the scheduler's start. For the scheduler, it also adds the time until the last bind.
func (r *result) cpuPerPod(before, first, lastBind, end reading, bound int) {
	perPod := func(key string, used time.Duration) { r.number(key, milliseconds(used)/float64(bound)) }
	perPod("sched_cpu_ms_per_pod", end.scheduler-before.scheduler)
	perPod("sched_cpu_ms_per_pod_after_first_bind", end.scheduler-first.scheduler)
	perPod("sched_cpu_ms_per_pod_until_last_bind", lastBind.scheduler-before.scheduler)
	r.number("sched_cpu_ms_at_first_bind", milliseconds(first.scheduler))
	for name := range end.others {
		perPod(name+"_cpu_ms_per_pod", end.others[name]-before.others[name])
		perPod(name+"_cpu_ms_per_pod_after_first_bind", end.others[name]-first.others[name])
	}
}

// machine adds how busy the machine was, and how many cores were used by processes that are not part of the run.
// Measured times are valid only if processes outside the run used almost no core.
func (r *result) machine(before, end reading) {
	busy, total := end.busy-before.busy, end.total-before.total
	ours := end.scheduler - before.scheduler
	for name := range end.others {
		ours += end.others[name] - before.others[name]
	}
	r.number("foreign_cores", float64(runtime.NumCPU())*float64(busy-ours)/float64(total))
	r.number("machine_busy_pct", 100*float64(busy)/float64(total))
}
