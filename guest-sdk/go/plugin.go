package framework

import (
	"context"

	"berth.dev/framework/contract"
)

// MaxNodeScore and MinNodeScore are the highest and lowest normalized score of a node.
const (
	MaxNodeScore int64 = 100
	MinNodeScore int64 = 0
)

// Plugin is the type that a registered constructor returns. A plugin takes part in the extension points whose
// interfaces it implements: PreEnqueuePlugin, QueueSortPlugin, SkipPlugin, PreFilterPlugin, FilterPlugin,
// PostFilterPlugin, PreScorePlugin, ScorePlugin, ScoreExtensions, ReservePlugin, PermitPlugin, PreBindPlugin,
// BindPlugin and PostBindPlugin.
type Plugin interface {
	// Name returns the name of the plugin in profiles, events and messages. It must not depend on the receiver.
	Name() string
}

// PreFilterPlugin prepares the filtering of nodes for a pod. It runs once per CycleState.
type PreFilterPlugin interface {
	Plugin
	// PreFilter may narrow down the nodes (a nil result keeps all nodes), and may write results to the state for
	// Filter. A status with code Skip means that the plugin has nothing to filter for this pod. Any other status that
	// is not a success rejects the pod.
	PreFilter(ctx context.Context, state CycleState, pod *Pod) (*PreFilterResult, *Status)
}

// FilterPlugin decides whether a pod fits a node.
type FilterPlugin interface {
	Plugin
	// Filter is called for each node. nil means that the pod fits.
	Filter(ctx context.Context, state CycleState, pod *Pod, nodeInfo NodeInfo) *Status
}

// PreScorePlugin prepares the scoring of the nodes that passed the filters. It runs once per CycleState.
type PreScorePlugin interface {
	Plugin
	// PreScore may write results to the state for Score. nodes is nil unless Reads.Cycle is set. A status with
	// code Skip means that the plugin does not score this pod.
	PreScore(ctx context.Context, state CycleState, pod *Pod, nodes []NodeInfo) *Status
}

// ScorePlugin scores nodes.
type ScorePlugin interface {
	Plugin
	// Score is called for each node that passed the filters. Without NormalizeScore and Normalizer, scores must be 0 to
	// 100.
	Score(ctx context.Context, state CycleState, pod *Pod, nodeInfo NodeInfo) (int64, *Status)
}

// ScoreExtensions is implemented by a score plugin that normalizes its scores to 0 to 100 itself.
type ScoreExtensions interface {
	// NormalizeScore normalizes the scores of all nodes that passed the filters, in place.
	NormalizeScore(ctx context.Context, state CycleState, pod *Pod, scores NodeScoreList) *Status
}

// Normalizer is implemented by a score plugin whose scores the host normalizes to 0 to 100.
type Normalizer interface {
	// Normalization returns NormalizeDefault or NormalizeDefaultReversed.
	Normalization() Normalization
}

// PreFilterResult names the nodes that the host should filter.
type PreFilterResult struct {
	// NodeNames are the only nodes that the pod may fit. Names of unknown nodes are ignored.
	NodeNames []string
}

// NodeScore is a node's score.
type NodeScore struct {
	// Name is the node's name. It is empty unless the plugin declared NodeName.
	Name  string
	Score int64
}

// NodeScoreList has the scores of all nodes that passed the filters.
type NodeScoreList []NodeScore

// Normalization is the way in which the host normalizes raw scores.
type Normalization = contract.Normalization

const (
	// NormalizeDefault scales the scores so that the highest is 100. Scores must not be negative.
	NormalizeDefault = contract.NormalizationDefault
	// NormalizeDefaultReversed scales as NormalizeDefault does and then subtracts from 100: the highest raw score
	// becomes 0.
	NormalizeDefaultReversed = contract.NormalizationDefaultReversed
)

// DefaultNormalizeScore scales scores to 0 to maxPriority, in the same way as NormalizeDefault and
// NormalizeDefaultReversed.
func DefaultNormalizeScore(maxPriority int64, reverse bool, scores NodeScoreList) *Status {
	highest := int64(0)
	for i := range scores {
		highest = max(highest, scores[i].Score)
	}
	for i := range scores {
		score := scores[i].Score
		if highest > 0 {
			score = maxPriority * score / highest
		}
		if reverse {
			score = maxPriority - score
		}
		scores[i].Score = score
	}
	return nil
}
