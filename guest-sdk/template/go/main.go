// team-nodes is a filter that keeps pods with a team on their team's nodes.
package main

import (
	"cmp"
	"context"

	"berth.dev/framework"
)

// Args are the profile's pluginConfig args.
type Args struct {
	// Label is the key of the label that names the team of a pod or a node. The default is team.
	Label string `json:"label"`
}

// TeamNodes is the plugin.
type TeamNodes struct{ label string }

// Name returns the plugin's name in profiles and messages.
func (TeamNodes) Name() string { return "team-nodes" }

// Filter keeps a team's pods on the team's nodes. Pods without a team fit all nodes.
func (p TeamNodes) Filter(_ context.Context, _ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
	if team, ok := pod.GetLabels()[p.label]; ok && node.Node().GetLabels()[p.label] != team {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, "node(s) belong to another team")
	}
	return nil
}

// New makes the plugin from its arguments.
func New(args Args) (TeamNodes, error) { return TeamNodes{cmp.Or(args.Label, "team")}, nil }

func init() {
	framework.Register(New, framework.Reads{Pod: framework.PodLabels, Node: framework.NodeLabels})
}

func main() { framework.Main() }
