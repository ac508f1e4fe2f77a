package framework

import (
	"context"
	"fmt"
	"time"

	"berth.dev/framework/contract"
)

// Reserve answers the host's reserve call: a reservation, or a status that rejects the node.
func (g *guest) Reserve(
	cycle contract.Cycle, id contract.PodIdentity, node uint32,
) (to contract.Reservation, rejected *contract.Status, err error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return to, nil, err
	}
	g.hidden = ""
	if err := g.known([]uint32{node}); err != nil {
		return to, nil, err
	}
	g.filtered(session, pod)
	ctx, state := context.Background(), CycleState{session}
	reservation, status := g.points.reserve.Reserve(ctx, state, pod, id, NodeInfo{g.cluster, node})
	switch {
	case status.Code() == Error:
		return to, nil, failure(status)
	case !status.IsSuccess():
		outcome := status.outcome()
		return to, &outcome, nil
	case reservation != nil:
		to = contract.Reservation{State: reservation.State, Intents: reservation.Assume}
	}
	return to, nil, nil
}

// bound returns the pod of a call after Reserve, and an empty state for the call.
func (g *guest) bound(cycle contract.Cycle) (*Pod, CycleState, error) {
	known, err := g.signature(cycle.Signature)
	if err != nil {
		return nil, CycleState{}, err
	}
	g.hidden = ""
	return known.pod, CycleState{&session{cycle: cycle, cluster: g.cluster}}, nil
}

func reservedPod(id contract.PodIdentity, nodeName string, state []byte, preBound bool) Reserved {
	return Reserved{PodIdentity: id, NodeName: nodeName, State: state, PreBound: preBound}
}

// Unreserve answers the host's unreserve call.
func (g *guest) Unreserve(
	cycle contract.Cycle, id contract.PodIdentity, nodeName string, state []byte, preBound bool,
) (to contract.Undone) {
	pod, cycleState, err := g.bound(cycle)
	if err != nil {
		panic(err.Error())
	}
	to.Pods = g.collectActions(func() {
		reserved := reservedPod(id, nodeName, state, preBound)
		to.Intents = g.points.reserve.Unreserve(context.Background(), cycleState, pod, reserved)
	})
	return to
}

// Permit answers the host's permit call.
func (g *guest) Permit(
	cycle contract.Cycle, id contract.PodIdentity, nodeName string, state []byte,
) (to contract.Verdict, err error) {
	pod, cycleState, err := g.bound(cycle)
	if err != nil {
		return to, err
	}
	var status *Status
	var timeout time.Duration
	to.Pods = g.collectActions(func() {
		reserved := reservedPod(id, nodeName, state, false)
		status, timeout = g.points.permit.Permit(context.Background(), cycleState, pod, reserved)
	})
	switch {
	case status.IsSuccess():
		to.Decision = contract.Decision{Tag: contract.DecisionTagApprove}
	case status.Code() == Wait && timeout < 0:
		return to, fmt.Errorf("Permit waits for %s: return a positive time", timeout)
	case status.Code() == Wait:
		to.Decision = contract.Decision{Tag: contract.DecisionTagWait, Wait: uint64(timeout.Milliseconds())}
	case status.Code() == Error:
		return to, failure(status)
	default:
		outcome := status.outcome()
		to.Decision = contract.Decision{Tag: contract.DecisionTagDeny, Deny: &outcome}
	}
	return to, nil
}

// PreBind answers the host's pre-bind call.
func (g *guest) PreBind(
	cycle contract.Cycle, id contract.PodIdentity, nodeName string, state []byte,
) ([]contract.Intent, error) {
	pod, cycleState, err := g.bound(cycle)
	if err != nil {
		return nil, err
	}
	reserved := reservedPod(id, nodeName, state, true)
	intents, status := g.points.preBind.PreBind(context.Background(), cycleState, pod, reserved)
	if !status.IsSuccess() {
		return nil, failure(status)
	}
	return intents, nil
}

// Bind answers the host's bind call.
func (g *guest) Bind(
	cycle contract.Cycle, id contract.PodIdentity, nodeName string, state []byte,
) (to contract.Option[[]contract.Intent], err error) {
	pod, cycleState, err := g.bound(cycle)
	if err != nil {
		return to, err
	}
	intents, status := g.points.bind.Bind(context.Background(), cycleState, pod, reservedPod(id, nodeName, state, true))
	switch {
	case status.IsSkip():
		return to, nil
	case !status.IsSuccess():
		return to, failure(status)
	}
	return some(intents), nil
}

// PostBind answers the host's post-bind call.
func (g *guest) PostBind(cycle contract.Cycle, id contract.PodIdentity, nodeName string, state []byte) {
	pod, cycleState, err := g.bound(cycle)
	if err != nil {
		panic(err.Error())
	}
	g.points.postBind.PostBind(context.Background(), cycleState, pod, reservedPod(id, nodeName, state, true))
}
