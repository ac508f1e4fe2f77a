package framework

import (
	"context"
	"time"

	"berth.dev/framework/contract"
)

// PodIdentity names the pod that a call is about: namespace, name and uid. It is no part of the pod signature, so a
// plugin needs no declaration to read it.
type PodIdentity = contract.PodIdentity

// ReservePlugin reserves what a pod needs on the chosen node.
type ReservePlugin interface {
	Plugin
	// Reserve returns what it reserved; nil if nothing is to be kept. A status that is not a success rejects the node.
	Reserve(ctx context.Context, state CycleState, pod *Pod, id PodIdentity, node NodeInfo) (*Reservation, *Status)
	// Unreserve ends the reservation of a pod that is not bound. It returns the intents that undo those of PreBind. It
	// may use Handle.Approve, Handle.Reject and Handle.Activate.
	Unreserve(ctx context.Context, state CycleState, pod *Pod, reserved Reserved) []Intent
}

// Reservation is the result of Reserve.
type Reservation struct {
	// State comes back in Reserved.State, also in another instance of the plugin. CycleState does not. The limit is
	// 1 MiB.
	State []byte
	// Assume are objects that all plugins see as changed, until the API server reports them or the reservation ends.
	// Only AssumeIntent is allowed.
	Assume []Intent
}

// Reserved is a pod for which a node is reserved.
type Reserved struct {
	PodIdentity
	NodeName string
	// State is the state that Reserve returned.
	State []byte
	// PreBound is true if PreBind was called, so that some or all of its intents may be done. Only Unreserve has to
	// look.
	PreBound bool
}

// PermitPlugin delays or denies a pod between Reserve and PreBind.
type PermitPlugin interface {
	Plugin
	// Permit approves the pod (nil), denies it (Unschedulable or another rejection), or makes it wait for at most the
	// given time (a status with code Wait), which is at most 15 minutes. Permit may use Handle.Approve, Handle.Reject
	// and Handle.Activate.
	Permit(ctx context.Context, state CycleState, pod *Pod, reserved Reserved) (*Status, time.Duration)
}

// PreBindPlugin prepares the cluster for the binding of a pod.
type PreBindPlugin interface {
	Plugin
	// PreBind returns the intents that the host executes in this order before the pod is bound. A status that is not a
	// success, or the failure of an intent, ends the attempt to schedule the pod.
	PreBind(ctx context.Context, state CycleState, pod *Pod, reserved Reserved) ([]Intent, *Status)
}

// BindPlugin binds a pod instead of the API server's binding subresource.
type BindPlugin interface {
	Plugin
	// Bind returns the intents that bind the pod; none if the pod is bound already. A status with code Skip leaves the
	// pod to the next bind plugin.
	Bind(ctx context.Context, state CycleState, pod *Pod, reserved Reserved) ([]Intent, *Status)
}

// PostBindPlugin is told that a pod is bound.
type PostBindPlugin interface {
	Plugin
	PostBind(ctx context.Context, state CycleState, pod *Pod, reserved Reserved)
}

// Approve approves a pod that waits in permit for this plugin, by the pod's uid. A pod is bound when all plugins that
// it waits for have approved it. Approve is allowed in Permit, Unreserve and PostFilter.
func (h *Handle) Approve(uid string) {
	actions := h.guest.podActions("Handle.Approve")
	actions.Approve = append(actions.Approve, uid)
}

// Reject rejects a pod that waits in permit, by the pod's uid. The reason goes into the pod's message. Reject is
// allowed in Permit, Unreserve and PostFilter.
func (h *Handle) Reject(uid, reason string) {
	actions := h.guest.podActions("Handle.Reject")
	actions.Reject = append(actions.Reject, contract.Pair[string, string]{First: uid, Second: reason})
}

// Activate moves a pending pod to the active queue without its backoff, by the pod's uid. Activate is allowed in
// Permit, Unreserve and PostFilter.
func (h *Handle) Activate(uid string) {
	actions := h.guest.podActions("Handle.Activate")
	actions.Activate = append(actions.Activate, uid)
}

// podActions returns the actions of the current call.
func (g *guest) podActions(accessor string) *contract.PodActions {
	if g.actions == nil {
		panic(g.name + ": " + accessor + " is called outside of Permit, Unreserve and PostFilter")
	}
	return g.actions
}

// collectActions runs a call and returns what it does with other pods.
func (g *guest) collectActions(call func()) contract.PodActions {
	g.actions = &contract.PodActions{}
	defer func() { g.actions = nil }()
	call()
	return *g.actions
}
