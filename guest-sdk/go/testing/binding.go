package testing

import (
	"time"

	"berth.dev/framework"
	"berth.dev/framework/contract"
)

// Actions are what the plugin does with other pods: the uids of those that it approves, rejects and activates.
type Actions = contract.PodActions

// ReservedPod is a pod for which the plugin reserved a node. Its functions call the plugin for this pod.
type ReservedPod struct {
	// State is the state that Reserve returned.
	State []byte
	// Assumed are the objects that Reserve assumes.
	Assumed []framework.Intent

	host     *Host
	cycle    contract.Cycle
	identity contract.PodIdentity
	node     string
	preBound bool
}

// Reserve runs Reserve for a pod and a node, in a new cycle. It returns the status with which the plugin rejects the
// node; nil if it does not. For a plugin without Reserve, the reserved pod has no state.
func (h *Host) Reserve(pod *PodWrapper, node string) (*ReservedPod, *framework.Status) {
	h.t.Helper()
	h.begin(pod)
	h.reserved = append(h.reserved, h.cycle.Signature)
	reserved := &ReservedPod{host: h, cycle: h.cycle, identity: pod.identity(), node: node}
	id := h.id(node)
	if !h.has("reserve") {
		return reserved, nil
	}
	reservation, rejected, err := h.guest.Reserve(h.cycle, reserved.identity, id)
	h.check(err)
	if rejected != nil {
		return nil, newStatus(*rejected)
	}
	reserved.State, reserved.Assumed = reservation.State, reservation.Intents
	return reserved, nil
}

// Permit runs Permit. It returns nil if the plugin approves the pod, and a status with code Wait and a time if the pod
// waits.
func (r *ReservedPod) Permit() (*framework.Status, time.Duration, Actions) {
	r.host.t.Helper()
	r.host.needs("permit", "Permit")
	verdict, err := r.host.guest.Permit(r.cycle, r.identity, r.node, r.State)
	r.host.check(err)
	switch decision := verdict.Decision; decision.Tag {
	case contract.DecisionTagDeny:
		return newStatus(*decision.Deny), 0, verdict.Pods
	case contract.DecisionTagWait:
		return framework.NewStatus(framework.Wait), time.Duration(decision.Wait) * time.Millisecond, verdict.Pods
	}
	return nil, 0, verdict.Pods
}

// PreBind runs PreBind and returns the plugin's intents, or the error with which the attempt ends.
func (r *ReservedPod) PreBind() ([]framework.Intent, error) {
	r.host.t.Helper()
	r.host.needs("pre-bind", "PreBind")
	r.preBound = true
	return r.host.guest.PreBind(r.cycle, r.identity, r.node, r.State)
}

// Bind runs Bind. binds is false if the plugin leaves the pod to the next bind plugin.
func (r *ReservedPod) Bind() (intents []framework.Intent, binds bool, err error) {
	r.host.t.Helper()
	r.host.needs("bind", "Bind")
	answer, err := r.host.guest.Bind(r.cycle, r.identity, r.node, r.State)
	return answer.Value, answer.Some, err
}

// PostBind runs PostBind.
func (r *ReservedPod) PostBind() {
	r.host.t.Helper()
	r.host.needs("post-bind", "PostBind")
	r.host.guest.PostBind(r.cycle, r.identity, r.node, r.State)
}

// Unreserve runs Unreserve and returns the intents that undo those of PreBind.
func (r *ReservedPod) Unreserve() ([]framework.Intent, Actions) {
	r.host.t.Helper()
	r.host.needs("reserve", "Unreserve")
	undone := r.host.guest.Unreserve(r.cycle, r.identity, r.node, r.State, r.preBound)
	return undone.Intents, undone.Pods
}
