package main

import (
	"context"
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// measure runs the mode that the options name, and fills the result.
func measure(ctx context.Context, client kubernetes.Interface, o *options, r *result) (err error) {
	start := time.Now()
	if err := ensureNodes(ctx, client, o); err != nil {
		return err
	}
	r.number("node_create_s", time.Since(start).Seconds())
	if o.mode == modeNodes {
		return fill(ctx, client, o, r)
	}
	r.number("calib_before", calibrate())
	stage, err := setStage(ctx, client, o)
	if err != nil {
		return err
	}
	m := &measurement{
		stage: stage, r: r,
		others: append(o.others, namedProcess{"loadgen", os.Getpid()}),
		binds:  watchBinds(ctx, client, stage.namespace, o.pods),
		events: watchEvents(ctx, client),
	}
	switch o.mode {
	case modeCreate:
		err = m.createPods(ctx)
	case modeLive:
		err = m.live(ctx)
	case modePreload:
		err = m.preload(ctx)
	case modeMemory:
		err = m.holding(ctx)
	}
	if err != nil {
		return err
	}
	r.number("calib_after", calibrate())
	if o.cleanup {
		return stage.deletePods(ctx)
	}
	return nil
}

// measurement is one run, in a namespace of its own.
type measurement struct {
	*stage
	r         *result
	others    []namedProcess
	binds     *binds
	events    *events
	scheduler *scheduler
}

func (m *measurement) createPods(ctx context.Context) error {
	took, err := m.stage.createPods(ctx, m.binds)
	m.r.number("pod_create_s", took.Seconds())
	return err
}

// live creates the pods while the scheduler is running and idle.
func (m *measurement) live(ctx context.Context) (err error) {
	if m.scheduler, err = startScheduler(m.o); err != nil {
		return err
	}
	defer m.stopScheduler(&err)
	if err := m.scheduler.waitReady(ctx, m.o.readyURL); err != nil {
		return err
	}
	if m.o.schedulerCmd != "" {
		time.Sleep(2 * time.Second) // the rest of the scheduler's start must not count as the pods' cost
	}
	before, err := read(m.scheduler, m.others)
	if err != nil {
		return err
	}
	m.r.number("sched_startup_cpu_ms", milliseconds(before.scheduler))
	m.r.number("sched_rss_before_mb", memoryMB(m.scheduler.pid, "VmRSS"))
	first := m.readAtFirstBind(ctx)
	busy, end := context.WithCancel(ctx)
	defer end()
	m.meanwhile(busy)
	if err := m.createPods(ctx); err != nil {
		return err
	}
	return m.finish(ctx, before, first, end)
}

// preload creates all pods before the scheduler starts, so that only the scheduler limits the rate.
func (m *measurement) preload(ctx context.Context) (err error) {
	if err := m.createPods(ctx); err != nil {
		return err
	}
	time.Sleep(time.Second) // remaining work of the API server and etcd must not count as the run's cost
	before, err := read(nil, m.others)
	if err != nil {
		return err
	}
	if m.scheduler, err = startScheduler(m.o); err != nil {
		return err
	}
	defer m.stopScheduler(&err)
	busy, end := context.WithCancel(ctx)
	defer end()
	m.meanwhile(busy)
	return m.finish(ctx, before, m.readAtFirstBind(ctx), end)
}

// readAtFirstBind takes a reading in the background as soon as a pod is bound, and then saves the CPU profile, if a
// profile is requested. The channel closes without a reading if the reading fails or the context ends.
func (m *measurement) readAtFirstBind(ctx context.Context) <-chan reading {
	readings := make(chan reading, 1)
	go func() {
		defer close(readings)
		select {
		case <-m.binds.first:
		case <-ctx.Done():
			return
		}
		first, err := read(m.scheduler, m.others)
		if err != nil {
			return
		}
		readings <- first
		if m.o.pprofURL != "" {
			if err := saveProfile(m.o); err != nil {
				fmt.Fprintf(os.Stderr, "loadgen: profile: %v\n", err)
			}
		}
	}()
	return readings
}

func saveProfile(o *options) error {
	profile, err := get(o.pprofURL)
	if err != nil {
		return err
	}
	return os.WriteFile(o.pprofOut, profile, 0o644)
}

// finish waits for the last bind, ends the background activity, waits for the last Event, and fills the result.
func (m *measurement) finish(ctx context.Context, before reading, firstReading <-chan reading, end func()) error {
	complete, err := m.waitBound(ctx)
	if err != nil {
		return err
	}
	end()
	bound, err := read(m.scheduler, m.others)
	if err != nil {
		return err
	}
	m.r.values["complete"] = complete
	placement := m.binds.summary()
	m.r.placement(placement, before.at)
	m.events.settle(ctx, m.o.settle)
	after, err := read(m.scheduler, m.others)
	if err != nil {
		return err
	}
	if placement.bound > 0 {
		first, taken := <-firstReading
		if !taken {
			return fmt.Errorf("a process of the run had ended before the first bind")
		}
		m.r.cpuPerPod(before, first, bound, after, placement.bound)
	}
	if m.o.mode == modeLive {
		m.r.latencies(placement.latencies)
	}
	m.r.machine(before, after)
	m.memory()
	if err := m.written(ctx); err != nil {
		return err
	}
	if m.o.metricsURL != "" {
		return scrapeMetrics(m.o, m.r)
	}
	return nil
}

// memory adds the peak memory of each process, and the number of watches that the load generator has opened.
func (m *measurement) memory() {
	m.r.number("loadgen_watches", float64(m.binds.watches.Load()))
	m.r.number("sched_hwm_mb", memoryMB(m.scheduler.pid, "VmHWM"))
	for _, other := range m.others {
		m.r.number(other.name+"_hwm_mb", memoryMB(other.pid, "VmHWM"))
	}
}

// written adds the numbers of the scheduler's writes other than bindings: Events, and conditions of pods.
func (m *measurement) written(ctx context.Context) error {
	byReason, own := m.events.counts()
	m.r.values["events"] = byReason
	m.r.number("scheduled_events", float64(own))
	pods, err := m.client.CoreV1().Pods(m.namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	conditions := map[v1.ConditionStatus]int{}
	for i := range pods.Items {
		for _, condition := range pods.Items[i].Status.Conditions {
			if condition.Type == v1.PodScheduled {
				conditions[condition.Status]++
			}
		}
	}
	m.r.number("conditions_scheduled", float64(conditions[v1.ConditionTrue]))
	m.r.number("conditions_unschedulable", float64(conditions[v1.ConditionFalse]))
	return nil
}

// waitBound returns whether every pod was bound within the timeout. It returns an error if the scheduler or the context
// ends before.
func (m *measurement) waitBound(ctx context.Context) (bool, error) {
	select {
	case <-m.binds.all:
		return true, nil
	case <-m.scheduler.ended:
		return false, m.scheduler.endedEarly()
	case <-ctx.Done():
		return false, ctx.Err()
	case <-time.After(m.o.timeout):
		fmt.Fprintf(os.Stderr, "loadgen: time-out, %d of %d pods bound\n", m.binds.summary().bound, m.o.pods)
		return false, nil
	}
}

func (m *measurement) stopScheduler(err *error) {
	user, system, stopErr := m.scheduler.stop()
	if *err == nil {
		*err = stopErr
	}
	if m.scheduler.cmd != nil {
		m.r.number("sched_life_user_s", user.Seconds())
		m.r.number("sched_life_sys_s", system.Seconds())
	}
}
