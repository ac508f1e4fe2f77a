package main

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The modes of a run.
const (
	modeLive    = "live"      // start the scheduler first, then create pods
	modePreload = "preload"   // create pods first, then start the scheduler: measures the scheduler's own throughput
	modeNodes   = "nodes"     // only create nodes, and running pods if requested
	modeMemory  = "memory"    // create one pod, then start the scheduler: measures the scheduler's memory, also after relists
	modeCreate  = "create"    // create pods without a scheduler: measures the API server's rate
	modeBind    = "bind"      // act as a scheduler that makes no decisions
	modeNames   = "workloads" // print the workloads' names
)

var modes = []string{modeLive, modePreload, modeNodes, modeMemory, modeCreate, modeBind, modeNames}

// namedProcess is another process whose CPU time and memory are reported beside the scheduler's.
type namedProcess struct {
	name string
	pid  int
}

type options struct {
	kubeconfig    string
	nodes         int
	tainted       int // number of nodes with a taint; parseOptions replaces negative values
	pods          int
	workload      *workload
	running       int // number of pods that already run; fit replaces negative values
	podBytes      int // size in bytes up to which a running pod's JSON is padded; 0 means no padding
	templates     int // number of pod templates; fit replaces 0
	schedulerName string
	mode          string
	schedulerCmd  string
	schedulerPid  int
	schedulerLog  string
	readyURL      string
	metricsURL    string
	metricsOut    string
	pprofURL      string
	pprofOut      string
	others        []namedProcess
	workers       int
	rate          float64
	timeout       time.Duration
	settle        time.Duration
	label         string
	out           string
	cleanup       bool
	relay         string
	relists       int
}

// parseOptions reads the command line. It returns an error for values that the load generator can't measure with.
func parseOptions() (*options, error) {
	var o options
	var workload, others string
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	flag.IntVar(&o.nodes, "nodes", 1000, "number of nodes, node-0 to node-N-1; missing nodes are created")
	flag.IntVar(&o.tainted, "tainted", -1, "number of nodes with a NoSchedule taint (-1: 1%)")
	flag.IntVar(&o.pods, "pods", 1000, "number of pods; fewer if the workload's nodes fit fewer")
	flag.StringVar(&workload, "workload", "SchedulingBasic", strings.Join(workloadNames, "|"))
	flag.IntVar(&o.running, "running", -1, "number of pods that already run (-1: the workload's number)")
	flag.IntVar(&o.podBytes, "pod-bytes", 0, "size in bytes of a running pod's JSON, with managedFields (0: no padding)")
	flag.StringVar(&o.relay, "relay", "", "memory mode: path for the kubeconfig of the relay, through which the scheduler connects")
	flag.IntVar(&o.relists, "relists", 3, "memory mode: how often the scheduler must list everything again")
	flag.IntVar(&o.templates, "templates", 0, "number of pod templates (0: the workload's number)")
	flag.StringVar(&o.schedulerName, "scheduler-name", "default-scheduler", "spec.schedulerName of the pods")
	flag.StringVar(&o.mode, "mode", modeLive, "live: scheduler first, then pods; preload: pods first, then scheduler; nodes: only create the nodes, and -running pods on them; memory: pods first, then the scheduler, until it is idle and has listed the cluster again; create: pods without a scheduler (API create rate); bind: run as a scheduler that makes no decisions; workloads: print the names of the workloads")
	flag.StringVar(&o.schedulerCmd, "sched-cmd", "", "command line (sh -c 'exec ...') that starts the scheduler; empty: the scheduler already runs (live mode), see -sched-pid")
	flag.IntVar(&o.schedulerPid, "sched-pid", 0, "pid of a running scheduler (without -sched-cmd)")
	flag.StringVar(&o.schedulerLog, "sched-log", "/dev/null", "file for the scheduler's output")
	flag.StringVar(&o.readyURL, "ready-url", "", "URL that answers 200 when the scheduler is ready; live mode waits for it")
	flag.StringVar(&o.metricsURL, "metrics-url", "", "URL of the scheduler's metrics, scraped at the end")
	flag.StringVar(&o.metricsOut, "metrics-out", "", "file for the raw scrape")
	flag.StringVar(&o.pprofURL, "pprof-url", "", "URL of a CPU profile, fetched when scheduling starts")
	flag.StringVar(&o.pprofOut, "pprof-out", "", "file for the profile")
	flag.StringVar(&others, "pids", "", "name=pid,name=pid: other processes whose CPU time is measured (etcd, apiserver)")
	flag.IntVar(&o.workers, "workers", 32, "number of concurrent creations")
	flag.Float64Var(&o.rate, "rate", 0, "live mode: pods created per second (0: no limit)")
	flag.DurationVar(&o.timeout, "timeout", 8*time.Minute, "maximum time to wait for binds")
	flag.DurationVar(&o.settle, "settle", 2*time.Second, "after the last bind, wait until no Event has arrived for this time")
	flag.StringVar(&o.label, "label", "", "text for the field label of the result")
	flag.StringVar(&o.out, "out", "", "file to which the JSON line of the result is appended")
	flag.BoolVar(&o.cleanup, "cleanup", true, "delete the run's pods at the end")
	flag.Parse()

	if o.tainted < 0 {
		o.tainted = o.nodes / 100
	}
	if o.workload = workloads[workload]; o.workload == nil {
		return nil, fmt.Errorf("-workload %s is unknown; the workloads are %s", workload, strings.Join(workloadNames, ", "))
	}
	o.fit()
	var err error
	if o.others, err = parseProcesses(others); err != nil {
		return nil, err
	}
	return &o, o.check()
}

// fit takes unset options from the workload, and limits the pods to the number that the nodes have room for.
func (o *options) fit() {
	if o.templates == 0 {
		o.templates = o.workload.templates
	}
	if o.running < 0 {
		o.running = 0
		if o.workload.running != nil && o.mode != modeNodes {
			o.running = o.workload.running(o.nodes)
		}
	}
	if o.workload.most != nil {
		o.pods = min(o.pods, o.workload.most(o.nodes))
	}
}

func (o *options) check() error {
	switch {
	case !slices.Contains(modes, o.mode):
		return fmt.Errorf("-mode %s is unknown; the modes are %s", o.mode, strings.Join(modes, ", "))
	case o.nodes < 1 || o.pods < 1 || o.templates < 1 || o.workers < 1:
		return fmt.Errorf("-nodes, -pods, -templates and -workers must be at least 1")
	case (o.mode == modePreload || o.mode == modeMemory) && o.schedulerCmd == "":
		return fmt.Errorf("-mode %s needs -sched-cmd, because it starts the scheduler after the pods exist", o.mode)
	case o.mode == modeMemory && o.relay == "":
		return fmt.Errorf("-mode memory needs -relay, which cuts watches")
	case o.mode == modeLive && o.schedulerCmd == "" && o.schedulerPid == 0:
		return fmt.Errorf("-mode live needs -sched-cmd or -sched-pid")
	}
	return nil
}

// parseProcesses reads name=pid,name=pid.
func parseProcesses(list string) ([]namedProcess, error) {
	var processes []namedProcess
	for _, item := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		name, number, _ := strings.Cut(item, "=")
		pid, err := strconv.Atoi(number)
		if err != nil || name == "" {
			return nil, fmt.Errorf("-pids: %q does not have the form name=pid", item)
		}
		processes = append(processes, namedProcess{name, pid})
	}
	return processes, nil
}
