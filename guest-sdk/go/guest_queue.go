package framework

import (
	"context"
	"log/slog"

	"berth.dev/framework/contract"
)

// Skip answers the host's skip call.
func (g *guest) Skip(id uint32) (bool, error) {
	known, err := g.signature(id)
	if err != nil {
		return false, err
	}
	g.hidden = "Skip may not depend on nodes and their pods"
	skip, status := g.points.skip.Skip(context.Background(), known.pod)
	if !status.IsSuccess() {
		return false, failure(status)
	}
	return skip, nil
}

// PreEnqueue answers the host's pre-enqueue call.
func (g *guest) PreEnqueue(id uint32) (to contract.Option[contract.Status], err error) {
	known, err := g.signature(id)
	if err != nil {
		return to, err
	}
	g.hidden = ""
	status := g.points.preEnqueue.PreEnqueue(context.Background(), known.pod)
	if status.Code() == Error {
		return to, failure(status)
	}
	if !status.IsSuccess() {
		to = contract.Option[contract.Status]{Value: status.outcome(), Some: true}
	}
	return to, nil
}

// SortKey answers the host's sort-key call.
func (g *guest) SortKey(id uint32, times contract.QueueTimes) ([]int64, error) {
	known, err := g.signature(id)
	if err != nil {
		return nil, err
	}
	g.hidden = "SortKey may not depend on nodes and their pods"
	key, status := g.points.queueSort.SortKey(context.Background(), known.pod, times)
	if !status.IsSuccess() {
		return nil, failure(status)
	}
	return key, nil
}

// Hints answers the host's hints call.
func (g *guest) Hints(from *contract.Event, ids []uint32) ([]contract.Hint, error) {
	g.hidden = ""
	event := g.event(from)
	hints := make([]contract.Hint, len(ids))
	for i, id := range ids {
		known, err := g.signature(id)
		if err != nil {
			return nil, err
		}
		hints[i] = g.hint(event, known.pod)
	}
	return hints, nil
}

// hint returns Queue if one of the plugin's functions for the event does, and if there is no such function.
func (g *guest) hint(event *Event, pod *Pod) QueueingHint {
	asked := false
	for _, registered := range g.hints {
		if registered.Event.Kind != event.Kind || !includes(registered.Event.Actions, event.Actions) {
			continue
		}
		if registered.QueueingHintFn == nil {
			return Queue
		}
		asked = true
		hint, err := registered.QueueingHintFn(context.Background(), pod, event)
		if err != nil {
			slog.Error("queueing hint failed", "event", event.Kind, "error", err)
			return Queue
		}
		if hint == Queue {
			return Queue
		}
	}
	if asked {
		return QueueSkip
	}
	return Queue
}

// includes returns true if the registered actions include one of the event's. Update stands for every update.
func includes(registered, actions ActionType) bool {
	isUpdate := actions&^(Add|Delete) != 0
	return registered&actions != 0 || registered&Update != 0 && isUpdate
}

func (g *guest) event(from *contract.Event) *Event {
	event := &Event{Kind: from.Kind, Actions: from.Actions}
	switch subject := &from.Subject; subject.Tag {
	case contract.SubjectTagNode:
		event.OldNode, event.NewNode = g.eventNode(subject.Node.Before), g.eventNode(subject.Node.After)
	case contract.SubjectTagPod:
		event.OldPod, event.NewPod = g.eventPod(subject.Pod.Before), g.eventPod(subject.Pod.After)
	case contract.SubjectTagObject:
		event.OldObject = g.eventObject(event.Kind, subject.Object, subject.Object.Before)
		event.NewObject = g.eventObject(event.Kind, subject.Object, subject.Object.After)
	}
	return event
}

// eventNode returns a node that is not part of the cluster's copy.
func (g *guest) eventNode(from contract.Option[contract.EventNode]) *Node {
	if !from.Some {
		return nil
	}
	node := &from.Value
	alone := &snapshot{reads: g.cluster.reads}
	alone.setNode(&contract.Node{
		Name:             some(node.Name),
		Labels:           some(node.Labels),
		Annotations:      some(node.Annotations),
		Taints:           some(node.Taints),
		Unschedulable:    some(node.Unschedulable),
		Allocatable:      some(node.Allocatable),
		Conditions:       some(node.Conditions),
		DeclaredFeatures: some(node.DeclaredFeatures),
		Capacity:         some(node.Capacity),
		Info:             node.Info,
		Fields:           some(node.Fields),
	})
	return &Node{alone, 0}
}

func (g *guest) eventPod(id contract.Option[uint32]) *Pod {
	if known := g.signatures[id.Value]; id.Some && known != nil {
		return known.pod
	}
	return nil
}

func (g *guest) eventObject(kind string, change *contract.ObjectChange, fields contract.Option[string]) *Object {
	for i, known := range g.cluster.reads.Objects {
		if fields.Some && known.APIVersion+"/"+known.Name == kind {
			return g.cluster.reads.newObject(uint32(i), change.Namespace, change.Name, fields.Value)
		}
	}
	return nil
}

func some[T any](value T) contract.Option[T] { return contract.Option[T]{Value: value, Some: true} }
