package framework

import (
	"context"

	"berth.dev/framework/contract"
)

// MaxNodeScore is the highest score a node may have after normalizing; MinNodeScore the lowest.
const (
	MaxNodeScore int64 = 100
	MinNodeScore int64 = 0
)

// Plugin is what a registered constructor makes. It implements some of the interfaces below, and takes part in scheduling there.
type Plugin interface {
	// Name is the one that profiles, events and messages use. It must not depend on the receiver.
	Name() string
}

// PreFilterPlugin is asked once a pod, before nodes are filtered.
type PreFilterPlugin interface {
	Plugin
	// PreFilter may narrow down the nodes (a nil result leaves all), and keep what it works out in the state for Filter. A status
	// of code Skip says that the plugin has nothing to filter for this pod; any other that is no success rejects the pod.
	PreFilter(ctx context.Context, state CycleState, pod *Pod) (*PreFilterResult, *Status)
}

// FilterPlugin says whether a pod fits a node.
type FilterPlugin interface {
	Plugin
	// Filter is asked for each node; nil is yes.
	Filter(ctx context.Context, state CycleState, pod *Pod, nodeInfo NodeInfo) *Status
}

// PreScorePlugin is asked once a pod, before the nodes that passed are scored.
type PreScorePlugin interface {
	Plugin
	// PreScore may keep what it works out in the state for Score. Of the nodes, it is told only where Reads.Cycle is set. A status
	// of code Skip says that the plugin has nothing to say about this pod.
	PreScore(ctx context.Context, state CycleState, pod *Pod, nodes []NodeInfo) *Status
}

// ScorePlugin says how good a node is.
type ScorePlugin interface {
	Plugin
	// Score is asked for each node that passed. Without NormalizeScore and Normalizer, it is 0 to 100.
	Score(ctx context.Context, state CycleState, pod *Pod, nodeInfo NodeInfo) (int64, *Status)
}

// ScoreExtensions is implemented by a score plugin that brings its scores to 0 to 100 itself.
type ScoreExtensions interface {
	// NormalizeScore changes the scores of all nodes that passed, in place.
	NormalizeScore(ctx context.Context, state CycleState, pod *Pod, scores NodeScoreList) *Status
}

// Normalizer is implemented by a score plugin whose scores the host is to bring to 0 to 100.
type Normalizer interface {
	// Normalization is NormalizeDefault or NormalizeDefaultReversed.
	Normalization() Normalization
}

// EnqueueExtensions is implemented by a filter that knows which events may help pods that it rejected. Without it, any change of the
// facts that the plugin reads is one.
type EnqueueExtensions interface {
	EventsToRegister(ctx context.Context) ([]ClusterEvent, error)
}

// PreFilterResult names the nodes that are worth filtering.
type PreFilterResult struct {
	// NodeNames are all that can do; names of no node are ignored.
	NodeNames []string
}

// NodeScore is a node's score.
type NodeScore struct {
	// Name is empty unless the plugin declared NodeName.
	Name  string
	Score int64
}

// NodeScoreList is the scores of all nodes that passed.
type NodeScoreList []NodeScore

// Normalization is what the host does with raw scores.
type Normalization = contract.Normalization

const (
	// NormalizeDefault scales the scores so that the highest is 100. None may be negative.
	NormalizeDefault = contract.NormalizationDefault
	// NormalizeDefaultReversed does the same, then turns them round: 100 for the lowest.
	NormalizeDefaultReversed = contract.NormalizationDefaultReversed
)

// ClusterEvent is a change in the cluster, by kind (`Node`, `Pod`, or `group/version/Kind`) and what happened.
type ClusterEvent = contract.ClusterEvent

// DefaultNormalizeScore brings scores to 0 to maxPriority, as NormalizeDefault and NormalizeDefaultReversed have the host do it.
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
