package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// ask asks each plugin about all nodes, in the order of a cycle. The plugins share a cycle state, because some plugins
// read the state that other plugins wrote.
func (p *profile) ask(ctx context.Context, pod *v1.Pod, nodes []fwk.NodeInfo) map[string]*pluginAnswer {
	state := framework.NewCycleState()
	all := map[string]*pluginAnswer{}
	left := map[string][]fwk.NodeInfo{}
	for _, plugin := range p.plugins {
		one := &pluginAnswer{}
		all[plugin.Name()] = one
		if plugin, ok := plugin.(fwk.PreEnqueuePlugin); ok {
			one.PreEnqueue = statusOf(plugin.PreEnqueue(ctx, pod))
		}
		left[plugin.Name()] = one.askPreFilter(ctx, plugin, state, pod, nodes)
	}
	for _, plugin := range p.plugins {
		one := all[plugin.Name()]
		fitting := one.askFilter(ctx, plugin, state, pod, left[plugin.Name()])
		one.askScore(ctx, plugin, state, pod, fitting)
	}
	return all
}

// askPreFilter returns the nodes that the pre-filter leaves.
func (a *pluginAnswer) askPreFilter(ctx context.Context, plugin fwk.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) []fwk.NodeInfo {
	extension, ok := plugin.(fwk.PreFilterPlugin)
	if !ok {
		return nodes
	}
	result, verdict := extension.PreFilter(ctx, state, pod, nodes)
	a.PreFilter = &preFilter{status: *statusOf(verdict)}
	if !verdict.IsSuccess() && !verdict.IsSkip() {
		return nil
	}
	if result.AllNodes() {
		return nodes
	}
	a.PreFilter.Nodes = sets.List(result.NodeNames)
	var left []fwk.NodeInfo
	for _, node := range nodes {
		if result.NodeNames.Has(node.Node().Name) {
			left = append(left, node)
		}
	}
	return left
}

// askFilter returns the nodes that fit.
func (a *pluginAnswer) askFilter(ctx context.Context, plugin fwk.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) []fwk.NodeInfo {
	extension, ok := plugin.(fwk.FilterPlugin)
	if !ok || (a.PreFilter != nil && a.PreFilter.Code == fwk.Skip.String()) {
		return nodes
	}
	a.Filter = map[string]*status{}
	var fitting []fwk.NodeInfo
	for _, node := range nodes {
		if verdict := extension.Filter(ctx, state, pod, node); verdict.IsSuccess() {
			fitting = append(fitting, node)
		} else {
			a.Filter[node.Node().Name] = statusOf(verdict)
		}
	}
	return fitting
}

func (a *pluginAnswer) askScore(ctx context.Context, plugin fwk.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) {
	extension, ok := plugin.(fwk.ScorePlugin)
	if !ok || len(nodes) == 0 {
		return
	}
	if plugin, ok := plugin.(fwk.PreScorePlugin); ok {
		verdict := plugin.PreScore(ctx, state, pod, nodes)
		a.PreScore = statusOf(verdict)
		if !verdict.IsSuccess() {
			return
		}
	}
	a.Scores = map[string]score{}
	var list fwk.NodeScoreList
	for _, node := range nodes {
		raw, verdict := extension.Score(ctx, state, pod, node)
		if !verdict.IsSuccess() {
			a.Scores, a.ScoreError = nil, statusOf(verdict)
			return
		}
		name := node.Node().Name
		a.Scores[name] = score{Raw: raw, Normalized: raw}
		list = append(list, fwk.NodeScore{Name: name, Score: raw})
	}
	extensions := extension.ScoreExtensions()
	if extensions == nil {
		return
	}
	if verdict := extensions.NormalizeScore(ctx, state, pod, list); !verdict.IsSuccess() {
		a.Scores, a.ScoreError = nil, statusOf(verdict)
		return
	}
	for _, normalized := range list {
		a.Scores[normalized.Name] = score{Raw: a.Scores[normalized.Name].Raw, Normalized: normalized.Score}
	}
}
