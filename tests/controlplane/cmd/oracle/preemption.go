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

// room is the result of preemption for a pod that no node fits.
type room struct {
	// The text that is added to the message of the FailedScheduling event.
	Message string `json:"message,omitempty"`
	// The nominated node, which may be any of several equally good nodes; empty if no node is nominated.
	Node string `json:"node,omitempty"`
	// All candidate nodes by name.
	Candidates map[string]candidate `json:"candidates,omitempty"`
}

type candidate struct {
	// The pods to evict, the most important first.
	Victims []victim `json:"victims"`
	// The number of victims whose eviction violates a PodDisruptionBudget.
	Violations int64 `json:"violations"`
}

type victim struct {
	Name     string `json:"name"`
	Priority int32  `json:"priority"`
	// Seconds since 1970; the maximum value for a pod that has not started.
	Started int64 `json:"started"`
	// True if the pod is already being deleted.
	Deleting bool `json:"deleting,omitempty"`
}

// makeRoom runs the post-filters, as the scheduler does after a cycle without a fitting node. The writes of the
// post-filters have no effect, because they go to a client that has no pods and keeps nothing.
func (c *cluster) makeRoom(ctx context.Context, p *profile, state fwk.CycleState, pod *v1.Pod, unfit *framework.FitError) (*room, error) {
	candidates, err := p.candidates(ctx, state, pod, unfit)
	if err != nil {
		return nil, err
	}
	// The plugin looks up the preempting pod in the informer's store, which does not have this pod otherwise.
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

// candidates returns, by node name, the result of a dry run of preemption on every node where evictions might help.
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
		// Errors of the dry run are also in the message of the post-filter.
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
