package main

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// calibrate measures how fast this machine is at this moment, in rounds of a fixed kind of work (look-ups, small
// allocations, sorting) per second over all cores. The speed of a virtual machine can drift by half within an hour.
// Do not compare results with different calibrations.
func calibrate() float64 {
	const duration = 500 * time.Millisecond
	var group sync.WaitGroup
	var total atomic.Int64
	start := time.Now()
	for range runtime.NumCPU() {
		group.Go(func() {
			work := newCalibration()
			for time.Since(start) < duration {
				work.round()
				total.Add(1)
			}
		})
	}
	group.Wait()
	return float64(total.Load()) / time.Since(start).Seconds()
}

// calibration is one core's share of the work. The field with the sum keeps the compiler from removing the computation.
type calibration struct {
	table  map[int]*[8]int
	sorted []int
	sum    int
}

const calibrationKeys = 20_000

func calibrationKey(i int) int { return i * 7919 }

func newCalibration() *calibration {
	c := &calibration{table: make(map[int]*[8]int, calibrationKeys), sorted: make([]int, 1000)}
	for i := range calibrationKeys {
		c.table[calibrationKey(i)] = &[8]int{i}
	}
	return c
}

func (c *calibration) round() {
	for i := range calibrationKeys {
		c.sum += c.table[calibrationKey(i)][0]
	}
	for i := range c.sorted {
		c.sorted[i] = (i*7919 + c.sum) % 1009
	}
	slices.Sort(c.sorted)
	blocks := make([]*[16]int, 200)
	for i := range blocks {
		blocks[i] = &[16]int{c.sum}
	}
	c.sum += blocks[c.sum&63][0] & 1
}
