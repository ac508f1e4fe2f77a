package main

import (
	"context"
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// room is what comes of the attempt to make room for a pod that fits nowhere.
type room struct {
	// What it adds to the message of the FailedScheduling event.
	Message string `json:"message,omitempty"`
	// The node that is set aside for the pod; of several equally good ones it is any.
	Node string `json:"node,omitempty"`
	// By name, all nodes on which there would be room.
	Candidates map[string]candidate `json:"candidates,omitempty"`
}

type candidate struct {
	// Who would have to go, the most important first.
	Victims []victim `json:"victims"`
	// How many budgets that breaks.
	Violations int64 `json:"violations"`
}

type victim struct {
	Name     string `json:"name"`
	Priority int32  `json:"priority"`
	// Seconds since 1970; the end of time for one that has not started.
	Started int64 `json:"started"`
	// It is going already.
	Deleting bool `json:"deleting,omitempty"`
}

// makeRoom asks the post-filters, as the scheduler does after a cycle that ended so. What they do then is done to a
// client that knows no pods and forgets what it is told, and so is nothing.
func (c *cluster) makeRoom(ctx context.Context, p *profile, state fwk.CycleState, pod *v1.Pod, unfit *framework.FitError) (*room, error) {
	candidates, err := p.candidates(ctx, state, pod, unfit)
	if err != nil {
		return nil, err
	}
	// The plugin looks the pod up, that nobody was told of.
	pods := c.scheduler.Profiles[pod.Spec.SchedulerName].SharedInformerFactory().Core().V1().Pods().Informer().GetIndexer()
	if err := pods.Add(pod); err != nil {
		return nil, err
	}
	result, verdict := p.framework.RunPostFilterPlugins(ctx, state, pod, unfit.Diagnosis.NodeToStatus)
	made := &room{Message: verdict.Message(), Candidates: candidates}
	if verdict.IsSuccess() {
		made.Node = result.NominatedNodeName
	}
	return made, pods.Delete(pod)
}

// candidates tries every node of which pods taken away might help.
func (p *profile) candidates(ctx context.Context, state fwk.CycleState, pod *v1.Pod, unfit *framework.FitError) (map[string]candidate, error) {
	found := map[string]candidate{}
	for _, plugin := range p.plugins {
		preemption, ok := plugin.(*defaultpreemption.DefaultPreemption)
		if !ok {
			continue
		}
		nodes, err := unfit.Diagnosis.NodeToStatus.NodesForStatusCode(p.framework.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
		if err != nil {
			return nil, err
		}
		budgets, err := preemption.Evaluator.PdbLister.List(labels.Everything())
		if err != nil {
			return nil, err
		}
		if len(nodes) == 0 {
			continue
		}
		// What keeps it from trying a node is in the message.
		tried, _, _ := preemption.Evaluator.DryRunPreemption(ctx, state, pod, nodes, budgets, 0, math.MaxInt16)
		for _, one := range tried {
			of := candidate{Violations: one.Victims().NumPDBViolations}
			for _, pod := range one.Victims().Pods {
				of.Victims = append(of.Victims, victimOf(pod))
			}
			found[one.Name()] = of
		}
	}
	return found, nil
}

func victimOf(pod *v1.Pod) victim {
	of := victim{Name: pod.Name, Started: math.MaxInt64, Deleting: pod.DeletionTimestamp != nil}
	if pod.Spec.Priority != nil {
		of.Priority = *pod.Spec.Priority
	}
	if pod.Status.StartTime != nil {
		of.Started = pod.Status.StartTime.Unix()
	}
	return of
}
