// label-and-cpu: requires a label and free cpu on the node.
package main

import (
	"context"

	"berth.dev/framework"
)

// Args are the profile's pluginConfig args.
type Args struct {
	Label      string             `json:"label" berth:"required" doc:"The key of the label that a node must have."`
	Value      string             `json:"value" doc:"The label's value for pods without the label. By default, any value."`
	MinFreeCPU framework.MilliCPU `json:"minFreeCpu" doc:"The cpu that must stay free on the node. The default is 0."`
}

// LabelAndCPU is the plugin.
type LabelAndCPU struct{ Args }

// Name is the plugin's name in profiles and messages.
func (LabelAndCPU) Name() string { return "label-and-cpu" }

// Reads declares the label and the cpu of pods and nodes.
func (p LabelAndCPU) Reads() framework.Reads {
	keys := []string{p.Label}
	return framework.Reads{
		Pod:  framework.PodReads{Facts: framework.PodRequests, LabelKeys: keys},
		Node: framework.NodeReads{Facts: framework.NodeAllocatable | framework.NodeUsage, LabelKeys: keys},
	}
}

// Filter requires the label with the pod's value if the pod has the label, else with the argument's value if the
// argument is given, else with any value. The node must also have the requested cpu plus MinFreeCPU free.
func (p LabelAndCPU) Filter(_ context.Context, _ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
	wanted, particular := pod.GetLabel(p.Label)
	if !particular {
		wanted, particular = p.Value, p.Value != ""
	}
	if value, ok := node.Node().GetLabel(p.Label); !ok || particular && value != wanted {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, "node(s) didn't have label "+p.Label)
	}
	free := node.GetAllocatable().MilliCPU - node.GetRequested().MilliCPU
	if free < pod.GetRequests().MilliCPU+int64(p.MinFreeCPU) {
		return framework.NewStatus(framework.Unschedulable, "Insufficient free cpu")
	}
	return nil
}

// New makes the plugin from its arguments.
func New(args Args) (LabelAndCPU, error) { return LabelAndCPU{args}, nil }

func init() { framework.Register(New) }

func main() { framework.Main() }
