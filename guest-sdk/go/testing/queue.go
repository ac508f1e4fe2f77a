package testing

import (
	"strings"

	"berth.dev/framework"
	"berth.dev/framework/contract"
)

// Skip returns whether the plugin has nothing to do for pods like this one.
func (h *Host) Skip(pod *PodWrapper) bool {
	h.t.Helper()
	h.needs("skip", "Skip")
	skip, err := h.guest.Skip(h.sign(pod))
	h.check(err)
	return skip
}

// PreEnqueue returns the status with which the plugin keeps the pod out of the queue; nil if the pod may enter.
func (h *Host) PreEnqueue(pod *PodWrapper) *framework.Status {
	h.t.Helper()
	h.needs("pre-enqueue", "PreEnqueue")
	status, err := h.guest.PreEnqueue(h.sign(pod))
	h.check(err)
	if !status.Some {
		return nil
	}
	return newStatus(status.Value)
}

// SortKey returns the pod's position in the queue.
func (h *Host) SortKey(pod *PodWrapper, times framework.QueueTimes) []int64 {
	h.t.Helper()
	h.needs("queue-sort", "SortKey")
	key, err := h.guest.SortKey(h.sign(pod), times)
	h.check(err)
	return key
}

// Event is a change of a node, of a pod on a node, or of an object. Old is nil for a new one, New for a deleted one.
type Event struct {
	Actions          framework.ActionType
	OldNode, NewNode *NodeWrapper
	OldPod, NewPod   *PodWrapper
	// Pending is true if the pod is a pending one. Otherwise, it is on a node.
	Pending              bool
	OldObject, NewObject *ObjectWrapper
}

// Hint returns the plugin's hint whether the event may help the pod. It is QueueSkip without asking the plugin if
// EventsToRegister does not name the event.
func (h *Host) Hint(pod *PodWrapper, event Event) framework.QueueingHint {
	h.t.Helper()
	h.needs("queueing-hint", "EventsToRegister with hints")
	happened := h.event(event)
	if !h.isRegistered(happened) {
		return framework.QueueSkip
	}
	hints, err := h.guest.Hints(happened, []uint32{h.sign(pod)})
	h.check(err)
	return hints[0]
}

func (h *Host) isRegistered(event *contract.Event) bool {
	isUpdate := event.Actions&^(framework.Add|framework.Delete) != 0
	for _, registered := range h.declaration.RetryOn {
		isKind := registered.Kind == event.Kind || strings.HasSuffix(event.Kind, "/"+registered.Kind)
		if isKind && (registered.Actions&event.Actions != 0 || registered.Actions&framework.Update != 0 && isUpdate) {
			return true
		}
	}
	return len(h.declaration.RetryOn) == 0
}

func (h *Host) event(from Event) *contract.Event {
	h.t.Helper()
	event := &contract.Event{Actions: from.Actions}
	switch {
	case from.OldNode != nil || from.NewNode != nil:
		reads := h.declaration.Node
		event.Kind = "Node"
		event.Subject.Tag = contract.SubjectTagNode
		event.Subject.Node = &contract.NodeChange{Before: from.OldNode.event(reads), After: from.NewNode.event(reads)}
	case from.OldPod != nil || from.NewPod != nil:
		event.Kind = "Pod"
		if from.Pending {
			event.Kind = "PendingPod"
		}
		event.Subject.Tag = contract.SubjectTagPod
		event.Subject.Pod = &contract.PodChange{Before: h.signOptional(from.OldPod), After: h.signOptional(from.NewPod)}
	case from.OldObject != nil || from.NewObject != nil:
		h.objectEvent(event, from.OldObject, from.NewObject)
	default:
		h.t.Fatal("the event has neither a node, nor a pod, nor an object")
	}
	return event
}

func (h *Host) objectEvent(event *contract.Event, old, new *ObjectWrapper) {
	h.t.Helper()
	change := &contract.ObjectChange{}
	for _, side := range []struct {
		object *ObjectWrapper
		fields *contract.Option[string]
	}{{old, &change.Before}, {new, &change.After}} {
		if object := side.object; object != nil {
			event.Kind = object.apiVersion + "/" + object.kind
			change.Namespace, change.Name = object.facts.Namespace, object.facts.Name
			*side.fields = some(object.pruned(h.kinds[h.objectKind(object)].Fields))
		}
	}
	event.Subject = contract.Subject{Tag: contract.SubjectTagObject, Object: change}
}

func (h *Host) signOptional(pod *PodWrapper) contract.Option[uint32] {
	if pod == nil {
		return contract.Option[uint32]{}
	}
	return some(h.sign(pod))
}
