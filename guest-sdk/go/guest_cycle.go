package framework

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"berth.dev/framework/contract"
)

// PreFilter answers the host's pre-filter call. It runs the plugin's PreFilter if that has not run in this session.
func (g *guest) PreFilter(cycle contract.Cycle) (contract.PreFilterResult, error) {
	all := contract.PreFilterResult{Tag: contract.PreFilterResultTagAll}
	pod, session, err := g.begin(cycle, true)
	if err != nil {
		return all, err
	}
	g.filtered(session, pod)
	status := session.preFilter
	switch {
	case status.IsSkip():
		return contract.PreFilterResult{Tag: contract.PreFilterResultTagSkip}, nil
	case !status.IsSuccess():
		outcome := status.outcome()
		return contract.PreFilterResult{Tag: contract.PreFilterResultTagReject, Reject: &outcome}, nil
	case session.narrowed != nil:
		return contract.PreFilterResult{Tag: contract.PreFilterResultTagNarrow, Narrow: session.narrowed.NodeNames}, nil
	}
	return all, nil
}

// Filter filters many nodes.
func (g *guest) Filter(cycle contract.Cycle, nodes []uint32) (contract.Verdicts, error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return contract.Verdicts{}, err
	}
	if err := g.known(nodes); err != nil {
		return contract.Verdicts{}, err
	}
	g.filtered(session, pod)
	collected := verdicts{answer: contract.Verdicts{Nodes: slices.Grow(g.numbers[:0], len(nodes))}}
	ctx, state := context.Background(), CycleState{session}
	for _, node := range nodes {
		collected.add(g.points.filter.Filter(ctx, state, pod, NodeInfo{g.cluster, node}))
	}
	g.numbers = collected.answer.Nodes
	return collected.answer, nil
}

// PreScore answers the host's pre-score call. It runs the plugin's PreScore if that has not run in this session.
func (g *guest) PreScore(cycle contract.Cycle, nodes []uint32) (contract.PreScoreResult, error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return contract.PreScoreResultScore, err
	}
	g.filtered(session, pod)
	g.scored(session, pod, nodes)
	switch status := session.preScore; {
	case status.IsSkip():
		return contract.PreScoreResultSkip, nil
	case !status.IsSuccess():
		return contract.PreScoreResultScore, failure(status)
	}
	return contract.PreScoreResultScore, nil
}

// Score scores many nodes.
func (g *guest) Score(cycle contract.Cycle, nodes []uint32) ([]int64, error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return nil, err
	}
	if err := g.known(nodes); err != nil {
		return nil, err
	}
	g.filtered(session, pod)
	g.scored(session, pod, nodes)
	scores := slices.Grow(g.scores[:0], len(nodes))
	ctx, state := context.Background(), CycleState{session}
	for _, node := range nodes {
		score, status := g.points.score.Score(ctx, state, pod, NodeInfo{g.cluster, node})
		if !status.IsSuccess() {
			return nil, failure(status)
		}
		scores = append(scores, score)
	}
	g.scores = scores
	return scores, nil
}

// Normalize normalizes all raw scores at once.
func (g *guest) Normalize(cycle contract.Cycle, nodes []uint32, raw []int64) ([]int64, error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return nil, err
	}
	list := make(NodeScoreList, len(raw))
	for i := range raw {
		list[i].Score = raw[i]
		if g.reads.Node.Facts&NodeName != 0 {
			list[i].Name = g.cluster.names.get(nodes[i])
		}
	}
	if status := g.points.normalize.NormalizeScore(context.Background(), CycleState{session}, pod, list); !status.IsSuccess() {
		return nil, failure(status)
	}
	scores := make([]int64, len(list))
	for i := range list {
		scores[i] = list[i].Score
	}
	return scores, nil
}

// known returns an error if the host asks about a node without having sent its facts.
func (g *guest) known(nodes []uint32) error {
	if !g.cluster.reads.nodes() {
		return nil
	}
	for _, node := range nodes {
		if !g.cluster.present.get(node) {
			return fmt.Errorf("%s: called with unknown node %d", g.name, node)
		}
	}
	return nil
}

func failure(status *Status) error { return errors.New(status.Message()) }
