package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// oneRun is the part of a line of the load generator that the report uses.
type oneRun struct {
	Scheduler  string         `json:"label"`
	Workload   string         `json:"workload"`
	Templates  int            `json:"templates"`
	Nodes      int            `json:"nodes"`
	Pods       int            `json:"pods"`
	Complete   bool           `json:"complete"`
	PodsPerS   float64        `json:"pods_per_s"`
	CPU        float64        `json:"sched_cpu_ms_per_pod"`
	CPUBinding float64        `json:"sched_cpu_ms_per_pod_after_first_bind"`
	APIServer  float64        `json:"apiserver_cpu_ms_per_pod"`
	Etcd       float64        `json:"etcd_cpu_ms_per_pod"`
	PeakMB     float64        `json:"sched_hwm_mb"`
	Algorithm  float64        `json:"algorithm_us"`
	Foreign    float64        `json:"foreign_cores"`
	Speed      float64        `json:"calib_before"`
	Scheduled  int            `json:"scheduled_events"`
	Events     map[string]int `json:"events"`
}

// spread is the median, the minimum and the maximum of some figures.
type spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

func spreadOf(values []float64) spread {
	slices.Sort(values)
	middle := len(values) / 2
	median := values[middle]
	if len(values)%2 == 0 {
		median = (values[middle-1] + values[middle]) / 2
	}
	return spread{median, values[0], values[len(values)-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("%s (%s–%s)", figure(s.Median), figure(s.Least), figure(s.Most))
}

// figure formats a number of at least 1000 without decimals, and a smaller number with three significant digits.
func figure(value float64) string {
	if value >= 1000 {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.3g", value)
}

// schedulerResults are the results of one scheduler's runs of one workload.
type schedulerResults struct {
	Scheduler  string           `json:"scheduler"`
	Runs       int              `json:"runs"`
	Incomplete int              `json:"incomplete"` // runs that left pods without a node
	PodsPerS   spread           `json:"podsPerSecond"`
	CPU        spread           `json:"schedulerCpuMsPerPod"` // from exec until the last Event
	CPUBinding spread           `json:"schedulerCpuMsPerPodAfterFirstBind"`
	APIServer  spread           `json:"apiServerCpuMsPerPod"`
	Etcd       spread           `json:"etcdCpuMsPerPod"`
	PeakMB     spread           `json:"peakMB"`
	Algorithm  spread           `json:"algorithmMicroseconds"` // wall time; the averages in the scheduler's own histogram
	Foreign    spread           `json:"foreignCores"`          // used by processes that are not part of the run
	Speed      spread           `json:"machineSpeed"`
	Scheduled  []int            `json:"scheduledEvents"` // for each run
	Events     []map[string]int `json:"events"`
}

// workloadResults are the results of one workload's runs.
type workloadResults struct {
	Workload   string             `json:"workload"`
	Templates  int                `json:"templates"`
	Nodes      int                `json:"nodes"`
	Pods       int                `json:"pods"`
	Schedulers []schedulerResults `json:"schedulers"`
}

// serverResults are the results of all runs with one kind of API server.
type serverResults struct {
	Server    string            `json:"server"`
	Workloads []workloadResults `json:"workloads"`
}

// of returns the results of the scheduler with this name, or nil.
func (w *workloadResults) of(scheduler string) *schedulerResults {
	for i := range w.Schedulers {
		if w.Schedulers[i].Scheduler == scheduler {
			return &w.Schedulers[i]
		}
	}
	return nil
}

// byWorkload groups runs by workload and scheduler, both in the order of the runs.
func byWorkload(runs []oneRun) []workloadResults {
	var results []workloadResults
	for _, first := range runs {
		if slices.ContainsFunc(results, func(w workloadResults) bool { return w.Workload == first.Workload }) {
			continue
		}
		w := workloadResults{Workload: first.Workload, Templates: first.Templates, Nodes: first.Nodes, Pods: first.Pods}
		for _, run := range runs {
			if run.Workload == w.Workload && w.of(run.Scheduler) == nil {
				w.Schedulers = append(w.Schedulers, sumUp(runs, w.Workload, run.Scheduler))
			}
		}
		results = append(results, w)
	}
	return results
}

func sumUp(all []oneRun, workload, scheduler string) schedulerResults {
	var runs []oneRun
	s := schedulerResults{Scheduler: scheduler}
	for _, run := range all {
		if run.Workload != workload || run.Scheduler != scheduler {
			continue
		}
		runs = append(runs, run)
		s.Runs++
		s.Scheduled = append(s.Scheduled, run.Scheduled)
		s.Events = append(s.Events, run.Events)
		if !run.Complete {
			s.Incomplete++
		}
	}
	over := func(figure func(oneRun) float64) spread {
		values := make([]float64, len(runs))
		for i, run := range runs {
			values[i] = figure(run)
		}
		return spreadOf(values)
	}
	s.PodsPerS = over(func(r oneRun) float64 { return r.PodsPerS })
	s.CPU = over(func(r oneRun) float64 { return r.CPU })
	s.CPUBinding = over(func(r oneRun) float64 { return r.CPUBinding })
	s.APIServer = over(func(r oneRun) float64 { return r.APIServer })
	s.Etcd = over(func(r oneRun) float64 { return r.Etcd })
	s.PeakMB = over(func(r oneRun) float64 { return r.PeakMB })
	s.Algorithm = over(func(r oneRun) float64 { return r.Algorithm })
	s.Foreign = over(func(r oneRun) float64 { return r.Foreign })
	s.Speed = over(func(r oneRun) float64 { return r.Speed })
	return s
}

// readLines reads a file of JSON lines. A missing file has no lines.
func readLines[T any](path string) ([]T, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var lines []T
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var line T
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(lines)+1, err)
		}
		lines = append(lines, line)
	}
	return lines, scanner.Err()
}

// readInto reads the file of JSON lines with this name in the folder into lines. A missing file has no lines.
func readInto[T any](lines *[]T, folder, name string) error {
	read, err := readLines[T](filepath.Join(folder, name))
	*lines = read
	return err
}
