package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// anyNode stands for any node that fits, if Berth's pod has lost its node already.
const anyNode = "*"

// preFilter asks the plugin's PreFilter about a pod, and nothing else.
func (c *cluster) preFilter(ctx context.Context, key string) (*status, error) {
	pod, err := c.pod(key)
	if err != nil {
		return nil, err
	}
	c.updateSnapshot()
	return statusOf(c.runPreFilter(ctx, framework.NewCycleState(), pod)), nil
}

// runPreFilter runs the filters' PreFilter, and the plugin's. Coscheduling remembers groups whose resources were
// sufficient once; this memory is dropped before, because Berth's port has none.
func (c *cluster) runPreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod) *fwk.Status {
	if _, verdict, _ := c.framework.RunPreFilterPlugins(ctx, state, pod); !verdict.IsSuccess() {
		return verdict
	}
	if c.coscheduling == nil {
		return nil
	}
	name, _ := groups(c.coscheduling).GetPodGroup(ctx, pod)
	groups(c.coscheduling).DeletePermittedPodGroup(ctx, name)
	_, verdict := c.coscheduling.PreFilter(ctx, state, pod, nil)
	return verdict
}

// cycle takes a pod through its cycle: PreFilter and Filter, and then PostFilter without a node, or Reserve and Permit
// on the node that Berth chose.
func (c *cluster) cycle(ctx context.Context, r *cycleRequest, result *answer) error {
	pod, err := c.pod(r.Pod)
	if err != nil {
		return err
	}
	c.updateSnapshot()
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	nodes, err := c.snapshot.List()
	if err != nil {
		return err
	}
	verdict := c.runPreFilter(ctx, state, pod)
	result.PreFilter = statusOf(verdict)
	rejections := framework.NewDefaultNodeToStatus()
	if verdict.IsSuccess() {
		result.Feasible = []string{}
		for _, node := range nodes {
			if verdict := c.framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node); verdict.IsSuccess() {
				result.Feasible = append(result.Feasible, node.Node().Name)
			} else {
				rejections.Set(node.Node().Name, verdict)
			}
		}
	} else {
		rejections.SetAbsentNodesStatus(verdict)
	}
	if r.Node == "" {
		if len(result.Feasible) == 0 {
			result.PostFilter = c.runPostFilter(ctx, state, pod, rejections)
		}
		return nil
	}
	if c.coscheduling == nil {
		return fmt.Errorf("plugin %s has no Permit", c.plugin)
	}
	node := r.Node
	if node == anyNode {
		if len(result.Feasible) == 0 {
			return nil
		}
		node = result.Feasible[0]
	}
	c.reserve(ctx, state, pod, node, result)
	return nil
}

func (c *cluster) reserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string, result *answer) {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	c.assumed[pod.UID] = assumed
	verdict, wait := c.coscheduling.Permit(ctx, state, assumed, node)
	result.Permit = &permit{status: *statusOf(verdict), WaitMillis: wait.Milliseconds()}
	if stashed, err := state.Read(framework.PodsToActivateKey); err == nil {
		for key := range stashed.(*framework.PodsToActivate).Map {
			result.Activated = append(result.Activated, key)
		}
		slices.Sort(result.Activated)
	}
	for _, key := range c.allowed {
		c.waiting = slices.DeleteFunc(c.waiting, func(pod *waitingPod) bool { return keyOf(pod.pod) == key })
	}
	switch {
	case verdict.IsWait():
		c.waiting = append(c.waiting, &waitingPod{cluster: c, pod: assumed})
	case !verdict.IsSuccess():
		c.endReservation(ctx, assumed)
	}
}

// unreserve ends the reservations of these pods.
func (c *cluster) unreserve(ctx context.Context, keys []string) error {
	for _, key := range keys {
		pod, err := c.pod(key)
		if err != nil {
			return err
		}
		assumed := c.assumed[pod.UID]
		if assumed == nil {
			return fmt.Errorf("pod %s has no reservation", key)
		}
		c.endReservation(ctx, assumed)
	}
	for _, key := range keys {
		delete(c.rejected, key)
	}
	return nil
}

// endReservation undoes the reservation of a pod, which may be waiting. The plugin may reject other waiting pods.
func (c *cluster) endReservation(ctx context.Context, pod *v1.Pod) {
	if _, reserved := c.assumed[pod.UID]; !reserved {
		return
	}
	delete(c.assumed, pod.UID)
	c.waiting = slices.DeleteFunc(c.waiting, func(waiting *waitingPod) bool { return waiting.pod.UID == pod.UID })
	if c.coscheduling != nil {
		c.coscheduling.Unreserve(ctx, framework.NewCycleState(), pod, pod.Spec.NodeName)
	}
}

// settleRejected ends the reservations of the waiting pods that were rejected, until no further pod is rejected.
func (c *cluster) settleRejected(ctx context.Context) {
	for len(c.unsettled) > 0 {
		next := c.unsettled[0]
		c.unsettled = c.unsettled[1:]
		c.endReservation(ctx, next)
	}
}

// order compares pods in the queue.
func (c *cluster) order(ctx context.Context, r *orderRequest) (*order, error) {
	first, err := c.queued(r.First)
	if err != nil {
		return nil, err
	}
	result := &order{First: c.sortTime(ctx, first), Others: []orderOther{}}
	for _, one := range r.Others {
		other, err := c.queued(one)
		if err != nil {
			return nil, err
		}
		result.Others = append(result.Others, orderOther{Time: c.sortTime(ctx, other), Before: c.coscheduling.Less(other, first)})
	}
	return result, nil
}

func (c *cluster) queued(of queued) (*framework.QueuedPodInfo, error) {
	pod, err := c.pod(of.Pod)
	if err != nil {
		return nil, err
	}
	info, err := framework.NewPodInfo(pod)
	at := time.UnixMilli(of.FirstQueued)
	return &framework.QueuedPodInfo{PodInfo: info, InitialAttemptTimestamp: &at}, err
}

func (c *cluster) sortTime(ctx context.Context, pod *framework.QueuedPodInfo) int64 {
	return groups(c.coscheduling).GetCreationTimestamp(ctx, pod.Pod, *pod.InitialAttemptTimestamp).UnixMilli()
}

// postFilter is the result of PostFilter. The candidates are those of preemption.
type postFilter struct {
	status
	// The text that PostFilter adds to the message of the pod.
	Message string `json:"message,omitempty"`
	// The nominated node; empty for none.
	Node string `json:"node,omitempty"`
	// All candidate nodes by name.
	Candidates map[string]candidate `json:"candidates,omitempty"`
}

type candidate struct {
	Victims []victim `json:"victims"`
	// The number of victims whose eviction violates a PodDisruptionBudget.
	Violations int64 `json:"violations"`
}

type victim struct {
	Name     string `json:"name"`
	Priority int32  `json:"priority"`
	// Seconds since 1970; the maximum value for a pod that has not started.
	Started int64 `json:"started"`
	// True if the pod is already being deleted.
	Deleting bool `json:"deleting,omitempty"`
}

func (c *cluster) runPostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, rejections *framework.NodeToStatus) *postFilter {
	made := &postFilter{Candidates: map[string]candidate{}}
	var nominated *framework.PostFilterResult
	var verdict *fwk.Status
	if c.coscheduling != nil {
		nominated, verdict = c.coscheduling.PostFilter(ctx, state, pod, rejections)
	} else {
		nominated, verdict = c.capacity.PostFilter(ctx, state, pod, rejections)
	}
	made.status, made.Message = *statusOf(verdict), verdict.Message()
	if verdict.IsSuccess() && nominated != nil && nominated.NominatingInfo != nil {
		made.Node = nominated.NominatedNodeName
	}
	for node, victims := range c.candidates.found {
		of := candidate{Victims: []victim{}, Violations: victims.NumPDBViolations}
		for _, pod := range victims.Pods {
			of.Victims = append(of.Victims, victimOf(pod))
		}
		made.Candidates[node] = of
	}
	return made
}

func victimOf(pod *v1.Pod) victim {
	of := victim{Name: pod.Name, Started: math.MaxInt64, Deleting: pod.DeletionTimestamp != nil}
	if pod.Spec.Priority != nil {
		of.Priority = *pod.Spec.Priority
	}
	if pod.Status.StartTime != nil {
		of.Started = pod.Status.StartTime.Unix()
	}
	return of
}
