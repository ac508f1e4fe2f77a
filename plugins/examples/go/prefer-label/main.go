// prefer-label: scores a node by the value of one of its labels.
package main

import (
	"context"
	"fmt"

	"berth.dev/framework"
)

// Args are the profile's pluginConfig args.
type Args struct {
	Label   string           `json:"label" berth:"required" doc:"The key of the label to score by."`
	Weights map[string]int64 `json:"weights" doc:"The score of each value of the label, from 0 to 100."`
}

// PreferLabel is the plugin.
type PreferLabel struct{ Args }

// Name is the plugin's name in profiles and messages.
func (PreferLabel) Name() string { return "prefer-label" }

// Reads declares the label.
func (p PreferLabel) Reads() framework.Reads {
	return framework.Reads{Node: framework.NodeReads{LabelKeys: []string{p.Label}}}
}

// Score returns the weight of the node's value of the label; 0 if the node has no such label or its value no weight.
func (p PreferLabel) Score(_ context.Context, _ framework.CycleState, _ *framework.Pod, node framework.NodeInfo) (int64, *framework.Status) {
	value, ok := node.Node().GetLabel(p.Label)
	if !ok {
		return 0, nil
	}
	return p.Weights[value], nil
}

// New makes the plugin from its arguments.
func New(args Args) (PreferLabel, error) {
	for value, weight := range args.Weights {
		if weight < framework.MinNodeScore || weight > framework.MaxNodeScore {
			return PreferLabel{}, fmt.Errorf("arguments: weights.%s: %d is not between 0 and 100", value, weight)
		}
	}
	return PreferLabel{args}, nil
}

func init() { framework.Register(New) }

func main() { framework.Main() }
