package main

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// cycle runs a scheduling cycle up to the choice of the node, or up to the post-filters if no node fits.
func (c *cluster) cycle(ctx context.Context, p *profile, pod *v1.Pod) (*cycle, error) {
	profile := p.framework
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return nil, err
	}
	result, err := withNodes(profile)
	if err != nil {
		return nil, err
	}
	state := framework.NewCycleState()
	chosen, err := c.scheduler.SchedulePod(ctx, profile, state, &framework.QueuedPodInfo{PodInfo: info})
	var unfit *framework.FitError
	switch {
	case errors.As(err, &unfit):
		result.Message = err.Error()
		result.Room, err = c.makeRoom(ctx, p, state, pod, unfit)
		return result, err
	case errors.Is(err, scheduler.ErrNoNodesAvailable):
		result.Message = err.Error()
		return result, nil
	case err != nil:
		result.Message, result.Failed = err.Error(), true
		return result, nil
	}
	result.Totals, err = totals(ctx, profile, pod, chosen)
	// If only one node fits, it is chosen without scoring, so a failing score plugin is noticed only here.
	if errors.As(err, &unscored{}) {
		result.Message, result.Failed = err.Error(), true
		return result, nil
	}
	return result, err
}

// unscored is the error of a plugin that can't score.
type unscored struct{ error }

func withNodes(profile framework.Framework) (*cycle, error) {
	nodes, err := profile.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return nil, err
	}
	result := &cycle{Nodes: []string{}}
	for _, node := range nodes {
		result.Nodes = append(result.Nodes, node.Node().Name)
	}
	return result, nil
}

// totals repeats the scheduler's filtering and scoring, because the scheduler reports only the chosen node.
func totals(ctx context.Context, profile framework.Framework, pod *v1.Pod, chosen scheduler.ScheduleResult) (map[string]int64, error) {
	state := framework.NewCycleState()
	fitting, err := fitting(ctx, profile, state, pod)
	if err != nil {
		return nil, err
	}
	// If the pod's nominated node fits, the scheduler does not filter other nodes.
	nominated := chosen.SuggestedHost == pod.Status.NominatedNodeName
	if len(fitting) != chosen.FeasibleNodes && !nominated {
		return nil, fmt.Errorf("the scheduler found %d nodes that fit, but the repeated filters found %d", chosen.FeasibleNodes, len(fitting))
	}
	if verdict := profile.RunPreScorePlugins(ctx, state, pod, fitting); !verdict.IsSuccess() {
		return nil, unscored{verdict.AsError()}
	}
	scores, verdict := profile.RunScorePlugins(ctx, state, pod, fitting)
	if !verdict.IsSuccess() {
		return nil, unscored{verdict.AsError()}
	}
	totals := map[string]int64{}
	best := scores[0].TotalScore
	for _, node := range scores {
		totals[node.Name] = node.TotalScore
		best = max(best, node.TotalScore)
	}
	if totals[chosen.SuggestedHost] != best && !nominated {
		return nil, fmt.Errorf("the scheduler chose node %s with score %d, but the best score is %d", chosen.SuggestedHost, totals[chosen.SuggestedHost], best)
	}
	return totals, nil
}

func fitting(ctx context.Context, profile framework.Framework, state fwk.CycleState, pod *v1.Pod) ([]fwk.NodeInfo, error) {
	result, verdict, _ := profile.RunPreFilterPlugins(ctx, state, pod)
	if !verdict.IsSuccess() {
		return nil, verdict.AsError()
	}
	nodes, err := profile.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return nil, err
	}
	var fitting []fwk.NodeInfo
	for _, node := range nodes {
		if !result.AllNodes() && !result.NodeNames.Has(node.Node().Name) {
			continue
		}
		switch verdict := profile.RunFilterPluginsWithNominatedPods(ctx, state, pod, node); {
		case verdict.IsSuccess():
			fitting = append(fitting, node)
		case verdict.Code() == fwk.Error:
			return nil, verdict.AsError()
		}
	}
	return fitting, nil
}
