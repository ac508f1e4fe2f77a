package main

import (
	"context"
	"fmt"
	"time"
)

// A scheduler is idle, and has processed the cluster, when it uses at most the share idleShare of a core for the time
// idleFor.
const (
	idleShare = 0.05
	idleFor   = 5 * time.Second
	// Go's runtime collects garbage at least every two minutes, and returns memory to the system after that. Only
	// then is the memory that a process needs visible.
	collectedAfter = 3 * time.Minute
)

// holding measures the memory that the scheduler takes for a cluster that does not change: when the scheduler is idle
// after its start, and again when it is idle after the last relist of all objects.
func (m *measurement) holding(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.timeout)
	defer cancel()
	relay, err := startRelay(ctx, m.o.kubeconfig, m.o.relay)
	if err != nil {
		return err
	}
	if err := m.createPods(ctx); err != nil {
		return err
	}
	start := time.Now()
	if m.scheduler, err = startScheduler(m.o); err != nil {
		return err
	}
	defer m.stopScheduler(&err)
	if complete, err := m.waitBound(ctx); err != nil || !complete {
		return fmt.Errorf("the scheduler did not bind the probe pod: %w", err)
	}
	m.r.number("t0_to_first_bind_s", m.binds.summary().first.Sub(start).Seconds())
	if err := m.becomeIdle(ctx); err != nil {
		return err
	}
	if err := m.heldWhenIdle(ctx, "started"); err != nil {
		return err
	}
	for range m.o.relists {
		if err := m.relist(ctx, relay); err != nil {
			return err
		}
	}
	return m.heldWhenIdle(ctx, "relisted")
}

// heldWhenIdle adds the memory of the idle scheduler to the result: now, and after Go's runtime has collected garbage.
func (m *measurement) heldWhenIdle(ctx context.Context, when string) error {
	m.held(when)
	select {
	case <-time.After(collectedAfter):
	case <-m.scheduler.ended:
		return m.scheduler.endedEarly()
	case <-ctx.Done():
		return ctx.Err()
	}
	m.held(when + "_collected")
	return nil
}

// held adds the memory of the scheduler in MB to the result: now, and the maximum so far.
func (m *measurement) held(when string) {
	m.r.number(when+"_rss_mb", memoryMB(m.scheduler.pid, "VmRSS"))
	m.r.number(when+"_hwm_mb", memoryMB(m.scheduler.pid, "VmHWM"))
}

// relist makes the scheduler list all objects again, and returns when the scheduler has listed pods and is idle.
func (m *measurement) relist(ctx context.Context, relay *relay) error {
	before := relay.lists.Load()
	relay.cut()
	if err := m.until(ctx, func() (bool, error) { return relay.lists.Load() > before, nil }); err != nil {
		return fmt.Errorf("the scheduler did not list pods again: %w", err)
	}
	return m.becomeIdle(ctx)
}

// becomeIdle returns when the scheduler is idle.
func (m *measurement) becomeIdle(ctx context.Context) error {
	since, spent := time.Now(), time.Duration(0)
	return m.until(ctx, func() (bool, error) {
		now, err := cpuTime(m.scheduler.pid)
		if err != nil {
			return false, err
		}
		if passed := time.Since(since); float64(now-spent) > idleShare*float64(max(passed, idleFor)) {
			since, spent = time.Now(), now
			return false, nil
		}
		return time.Since(since) >= idleFor, nil
	})
}

// until calls holds every 100 ms until holds returns true. It returns an error if holds fails, the scheduler ends or
// the context ends.
func (m *measurement) until(ctx context.Context, holds func() (bool, error)) error {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		if is, err := holds(); is || err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-m.scheduler.ended:
			return m.scheduler.endedEarly()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
