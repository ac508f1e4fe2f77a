package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	fwk "k8s.io/kube-scheduler/framework"
)

// request is one line of the input. Exactly one field besides Now is set. Pods are named as namespace/name.
type request struct {
	// Start replaces the cluster by an empty cluster with this plugin.
	Start *start `json:"start"`
	// Set is an object that is added, or that replaces the object with the same name.
	Set json.RawMessage `json:"set"`
	// Remove is an object to remove; its metadata suffices.
	Remove json.RawMessage `json:"remove"`
	// PreFilter is a pod to ask the plugin's PreFilter about.
	PreFilter string `json:"preFilter"`
	// Cycle is a pod that is taken through its scheduling cycle.
	Cycle *cycleRequest `json:"cycle"`
	// Unreserve holds waiting or bound pods whose reservation ends.
	Unreserve []string `json:"unreserve"`
	// Order holds pods to compare with the pod that is scheduled first.
	Order *orderRequest `json:"order"`
	// Now is Berth's time in milliseconds since 1970.
	Now int64 `json:"now"`
}

type start struct {
	Plugin string `json:"plugin"`
	// The plugin's arguments, with apiVersion and kind.
	Arguments json.RawMessage `json:"arguments"`
}

type cycleRequest struct {
	Pod string `json:"pod"`
	// The node that Berth chose; empty if Berth chose none.
	Node string `json:"node"`
}

type orderRequest struct {
	First  queued   `json:"first"`
	Others []queued `json:"others"`
}

type queued struct {
	Pod string `json:"pod"`
	// The time of the first attempt in milliseconds since 1970.
	FirstQueued int64 `json:"firstQueued"`
}

// answer is one line of the output.
type answer struct {
	PreFilter *status `json:"preFilter,omitempty"`
	// The nodes that pass the filters. Absent if PreFilter rejects the pod.
	Feasible []string `json:"feasible,omitempty"`
	// The result of PostFilter, if no node passes the filters.
	PostFilter *postFilter `json:"postFilter,omitempty"`
	// The result of Permit, if the request names a node.
	Permit *permit `json:"permit,omitempty"`
	// The waiting pods that the plugin allows.
	Allowed []string `json:"allowed,omitempty"`
	// The waiting pods that the plugin rejects, with the messages.
	Rejected map[string]string `json:"rejected,omitempty"`
	// The pods that the plugin activates.
	Activated []string `json:"activated,omitempty"`
	// The answer about the order.
	Order *order `json:"order,omitempty"`
	// The reason why there is no answer; empty if there is one.
	Error string `json:"error,omitempty"`
}

type status struct {
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

type permit struct {
	status
	WaitMillis int64 `json:"waitMillis"`
}

type order struct {
	// The time by which the first pod is sorted, in milliseconds since 1970.
	First int64 `json:"first"`
	// Parallel to the request's others.
	Others []orderOther `json:"others"`
}

type orderOther struct {
	Time int64 `json:"time"`
	// True if the pod is sorted before the first pod.
	Before bool `json:"before"`
}

// statusOf converts a status. As in the framework, nil means success.
func statusOf(from *fwk.Status) *status {
	if from == nil {
		return &status{Code: fwk.Success.String()}
	}
	return &status{Code: from.Code().String(), Reasons: from.Reasons()}
}

// session holds the present cluster.
type session struct {
	cluster *cluster
}

// answerTo reports all errors in its result, so that an invalid line does not end the program.
func (s *session) answerTo(line []byte) (result *answer) {
	defer func() {
		if wrong := recover(); wrong != nil {
			result = &answer{Error: fmt.Sprintf("panic: %v\n%s", wrong, debug.Stack())}
		}
	}()
	result, err := s.answer(line)
	if err != nil {
		return &answer{Error: err.Error()}
	}
	return result
}

func (s *session) answer(line []byte) (*answer, error) {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	if r.Start != nil {
		if s.cluster != nil {
			s.cluster.close()
			s.cluster = nil
		}
		cluster, err := newCluster(r.Start.Plugin, r.Start.Arguments)
		s.cluster = cluster
		return &answer{}, err
	}
	if s.cluster == nil {
		return nil, errors.New("the first request must be start")
	}
	return s.cluster.answer(&r)
}

func (c *cluster) answer(r *request) (*answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	now := time.UnixMilli(r.Now)
	result := &answer{}
	c.takeWaiting()
	if c.coscheduling != nil {
		memory := c.memory()
		memory.expire(now)
		defer memory.rebase(now)
	}
	var err error
	switch {
	case r.Set != nil:
		err = c.set(ctx, r.Set)
	case r.Remove != nil:
		err = c.remove(ctx, r.Remove, result)
	case r.PreFilter != "":
		result.PreFilter, err = c.preFilter(ctx, r.PreFilter)
	case r.Cycle != nil:
		err = c.cycle(ctx, r.Cycle, result)
	case r.Unreserve != nil:
		err = c.unreserve(ctx, r.Unreserve)
	case r.Order != nil:
		result.Order, err = c.order(ctx, r.Order)
	default:
		err = errors.New("the request is empty")
	}
	if err != nil {
		return nil, err
	}
	c.settleRejected(ctx)
	result.Allowed, result.Rejected = c.allowed, c.rejected
	return result, nil
}
