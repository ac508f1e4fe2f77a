// Package framework is for writing plugins for Berth in ordinary Go. Its names and signatures are those of
// kube-scheduler's scheduling framework.
//
//	package main
//
//	import (
//		"context"
//
//		"berth.dev/framework"
//	)
//
//	// Teams keeps pods with a team on their team's nodes.
//	type Teams struct{}
//
//	func (Teams) Name() string { return "teams" }
//
//	func (Teams) Filter(_ context.Context, _ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
//		team, ok := pod.GetLabel("team")
//		if !ok {
//			return nil
//		}
//		if of, _ := node.Node().GetLabel("team"); of != team {
//			return framework.NewStatus(framework.Unschedulable, "node(s) belong to another team")
//		}
//		return nil
//	}
//
//	// New makes the plugin. Its parameter is a struct with the plugin's arguments; this plugin has none.
//	func New(struct{}) (Teams, error) { return Teams{}, nil }
//
//	func init() {
//		framework.Register(New, framework.Reads{
//			Pod:  framework.PodReads{LabelKeys: []string{"team"}},
//			Node: framework.NodeReads{LabelKeys: []string{"team"}},
//		})
//	}
//
//	func main() { framework.Main() }
//
// Reads declares what the plugin reads: facts of pods and nodes, labels, fields of any object. The SDK keeps these
// facts up to date inside the component. The host asks about many nodes in one call, and the SDK calls the plugin for
// each node.
//
// A panic is logged in the host's log and fails the call. Output of log/slog, of log and of printing goes to the
// host's log too. There is no clock, no randomness, no file and no network: time and randomness come from CycleState.
// The package testing runs a plugin natively, in an ordinary test.
package framework
