// team-nodes is a filter that keeps pods with a team on their team's nodes.
package main

import (
	"cmp"
	"context"

	"berth.dev/framework"
)

// Args are the profile's pluginConfig args.
type Args struct {
	Label string `json:"label" doc:"The key of the label that names the team of a pod or a node. The default is team."`
}

// TeamNodes is the plugin.
type TeamNodes struct{ label string }

// Name returns the plugin's name in profiles and messages.
func (TeamNodes) Name() string { return "team-nodes" }

// Reads declares what the plugin reads: this label of pods and of nodes.
func (p TeamNodes) Reads() framework.Reads {
	keys := []string{p.label}
	return framework.Reads{Pod: framework.PodReads{LabelKeys: keys}, Node: framework.NodeReads{LabelKeys: keys}}
}

// Filter keeps a team's pods on the team's nodes. Pods without a team fit all nodes.
func (p TeamNodes) Filter(_ context.Context, _ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
	team, ok := pod.GetLabel(p.label)
	if !ok {
		return nil
	}
	if of, _ := node.Node().GetLabel(p.label); of != team {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, "node(s) belong to another team")
	}
	return nil
}

// New makes the plugin from its arguments.
func New(args Args) (TeamNodes, error) { return TeamNodes{cmp.Or(args.Label, "team")}, nil }

func init() { framework.Register(New) }

func main() { framework.Main() }
