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
	modePreload = "preload"   // create pods first, then start the scheduler: measures its own throughput
	modeNodes   = "nodes"     // only create nodes, and running pods if requested
	modeMemory  = "memory"    // create one pod, then start the scheduler: measures its memory, before and after new lists
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
	tainted       int // of the nodes; never negative once parsed
	pods          int
	workload      *workload
	running       int // pods that already run; never negative once parsed
	podBytes      int // minimum size of a running pod's JSON
	templates     int // of the pods
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

// parseOptions reads the command line and refuses what can't be measured.
func parseOptions() (*options, error) {
	var o options
	var workload, others string
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig")
	flag.IntVar(&o.nodes, "nodes", 1000, "nodes that should exist (node-0 .. node-N-1); made when missing")
	flag.IntVar(&o.tainted, "tainted", -1, "how many of the nodes carry a NoSchedule taint (-1: 1%)")
	flag.IntVar(&o.pods, "pods", 1000, "pods to make; fewer where the workload's nodes take fewer")
	flag.StringVar(&workload, "workload", "SchedulingBasic", strings.Join(workloadNames, "|"))
	flag.IntVar(&o.running, "running", -1, "pods that run before (-1: as many as the workload has)")
	flag.IntVar(&o.podBytes, "pod-bytes", 0, "JSON of a pod that runs before, with managedFields (0: as small as it is)")
	flag.StringVar(&o.relay, "relay", "", "memory mode: where to write the kubeconfig of the relay that the scheduler is to talk to")
	flag.IntVar(&o.relists, "relists", 3, "memory mode: how often the scheduler has to list all anew")
	flag.IntVar(&o.templates, "templates", 0, "how many templates the pods are of (0: as many as the workload has)")
	flag.StringVar(&o.schedulerName, "scheduler-name", "default-scheduler", "spec.schedulerName of the pods")
	flag.StringVar(&o.mode, "mode", modeLive, "live: scheduler first, then pods; preload: pods first, then scheduler; nodes: only make the nodes, and -running pods on them; memory: pods first, then the scheduler, until it holds the cluster, and has listed it anew; create: pods with no scheduler (API create rate); bind: be a scheduler that decides nothing; workloads: print their names")
	flag.StringVar(&o.schedulerCmd, "sched-cmd", "", "command line (sh -c 'exec ...') that starts the scheduler; empty: it runs already (live), see -sched-pid")
	flag.IntVar(&o.schedulerPid, "sched-pid", 0, "pid of a running scheduler (without -sched-cmd)")
	flag.StringVar(&o.schedulerLog, "sched-log", "/dev/null", "where the scheduler's output goes")
	flag.StringVar(&o.readyURL, "ready-url", "", "URL answering 200 when the scheduler is ready (live mode waits for it)")
	flag.StringVar(&o.metricsURL, "metrics-url", "", "scheduler's /metrics URL (scraped at the end)")
	flag.StringVar(&o.metricsOut, "metrics-out", "", "file for the raw scrape")
	flag.StringVar(&o.pprofURL, "pprof-url", "", "URL of a CPU profile to fetch once scheduling starts")
	flag.StringVar(&o.pprofOut, "pprof-out", "", "file for the profile")
	flag.StringVar(&others, "pids", "", "name=pid,name=pid: others whose CPU is counted (etcd, apiserver)")
	flag.IntVar(&o.workers, "workers", 32, "concurrent creators")
	flag.Float64Var(&o.rate, "rate", 0, "live mode: pods created per second (0: as fast as it goes)")
	flag.DurationVar(&o.timeout, "timeout", 8*time.Minute, "give up waiting for binds after this")
	flag.DurationVar(&o.settle, "settle", 2*time.Second, "after the last bind, wait for Events until none came for this long")
	flag.StringVar(&o.label, "label", "", "free text put in the result")
	flag.StringVar(&o.out, "out", "", "append the JSON result line to this file")
	flag.BoolVar(&o.cleanup, "cleanup", true, "delete the run's pods at the end")
	flag.Parse()

	if o.tainted < 0 {
		o.tainted = o.nodes / 100
	}
	if o.workload = workloads[workload]; o.workload == nil {
		return nil, fmt.Errorf("-workload %s: known are %s", workload, strings.Join(workloadNames, ", "))
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
		return fmt.Errorf("-mode %s: known are %s", o.mode, strings.Join(modes, ", "))
	case o.nodes < 1 || o.pods < 1 || o.templates < 1 || o.workers < 1:
		return fmt.Errorf("-nodes, -pods, -templates and -workers start at 1")
	case (o.mode == modePreload || o.mode == modeMemory) && o.schedulerCmd == "":
		return fmt.Errorf("-mode %s needs -sched-cmd: it starts the scheduler once the pods are there", o.mode)
	case o.mode == modeMemory && o.relay == "":
		return fmt.Errorf("-mode memory needs -relay: watches are cut there")
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
			return nil, fmt.Errorf("-pids: %q is not name=pid", item)
		}
		processes = append(processes, namedProcess{name, pid})
	}
	return processes, nil
}
