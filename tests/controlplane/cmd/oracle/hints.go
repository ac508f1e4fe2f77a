package main

import (
	"context"
	"fmt"
	"reflect"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// objectChange is a change as a scheduler's event handlers see it. An object that does not exist before or after the
// change is an untyped nil.
type objectChange struct {
	events        []fwk.ClusterEvent
	before, after any
}

// The kinds, besides nodes and pods, whose changes plugins can register for.
var resources = map[reflect.Type]fwk.EventResource{
	reflect.TypeOf(&v1.PersistentVolume{}):          fwk.PersistentVolume,
	reflect.TypeOf(&v1.PersistentVolumeClaim{}):     fwk.PersistentVolumeClaim,
	reflect.TypeOf(&storagev1.StorageClass{}):       fwk.StorageClass,
	reflect.TypeOf(&storagev1.CSINode{}):            fwk.CSINode,
	reflect.TypeOf(&storagev1.CSIDriver{}):          fwk.CSIDriver,
	reflect.TypeOf(&storagev1.CSIStorageCapacity{}): fwk.CSIStorageCapacity,
	reflect.TypeOf(&storagev1.VolumeAttachment{}):   fwk.VolumeAttachment,
	reflect.TypeOf(&resourcev1.ResourceClaim{}):     fwk.ResourceClaim,
	reflect.TypeOf(&resourcev1.ResourceSlice{}):     fwk.ResourceSlice,
	reflect.TypeOf(&resourcev1.DeviceClass{}):       fwk.DeviceClass,
}

// apply makes the change, and returns the events that a scheduler's event handlers would report.
func (c *cluster) apply(change change) (*objectChange, error) {
	raw := change.Set
	if raw == nil {
		raw = change.Remove
	}
	object, err := readObject(raw)
	if err != nil {
		return nil, err
	}
	informer, ok := c.informers[reflect.TypeOf(object)]
	if !ok {
		return nil, fmt.Errorf("no plugin reads a %T", object)
	}
	before, known, err := informer.GetIndexer().Get(object)
	if err != nil {
		return nil, err
	}
	if err := c.change(change); err != nil {
		return nil, err
	}
	switch {
	case change.Set == nil:
		return &objectChange{events: eventsOf(object, fwk.Delete), before: before}, nil
	case !known:
		return &objectChange{events: eventsOf(object, fwk.Add), after: object}, nil
	case isBound(before, object):
		// When a pending pod gets a node, the scheduler's event handlers add the pod to the cache, and report an
		// added pod to the plugins.
		return &objectChange{events: eventsOf(object, fwk.Add), after: object}, nil
	}
	return &objectChange{events: updatesOf(before, object), before: before, after: object}, nil
}

// isBound returns whether the object is a pod that had no node before the change and has a node after the change.
func isBound(before any, after runtime.Object) bool {
	old, isPod := before.(*v1.Pod)
	pod, ok := after.(*v1.Pod)
	return isPod && ok && old.Spec.NodeName == "" && pod.Spec.NodeName != ""
}

func eventsOf(object runtime.Object, action fwk.ActionType) []fwk.ClusterEvent {
	switch object.(type) {
	case *v1.Node:
		return []fwk.ClusterEvent{{Resource: fwk.Node, ActionType: action}}
	case *v1.Pod:
		return []fwk.ClusterEvent{{Resource: fwk.Pod, ActionType: action}}
	}
	if resource, ok := resources[reflect.TypeOf(object)]; ok {
		return []fwk.ClusterEvent{{Resource: resource, ActionType: action}}
	}
	return nil
}

func updatesOf(before any, after runtime.Object) []fwk.ClusterEvent {
	switch after := after.(type) {
	case *v1.Node:
		return framework.NodeSchedulingPropertiesChange(after, before.(*v1.Node))
	case *v1.Pod:
		return framework.PodSchedulingPropertiesChange(after, before.(*v1.Pod))
	}
	return eventsOf(after, fwk.Update)
}

// hints returns, by the name of each plugin that registers for events, true if a pod that the plugin rejected would be
// queued again.
func (p *profile) hints(ctx context.Context, pod *v1.Pod, changed *objectChange) (map[string]bool, error) {
	all := map[string]bool{}
	for _, plugin := range p.plugins {
		extension, ok := plugin.(fwk.EnqueueExtensions)
		if !ok {
			continue
		}
		registered, err := extension.EventsToRegister(ctx)
		if err != nil {
			return nil, fmt.Errorf("plugin %s: %w", plugin.Name(), err)
		}
		all[plugin.Name()] = false
		for _, event := range changed.events {
			for _, registration := range registered {
				if framework.MatchClusterEvents(registration.Event, event) && queuesAgain(ctx, registration, pod, changed) {
					all[plugin.Name()] = true
				}
			}
		}
	}
	return all, nil
}

// queuesAgain returns true if the hint queues the pod again. As in the scheduler's queue, an error of the hint also
// queues the pod.
func queuesAgain(ctx context.Context, registration fwk.ClusterEventWithHint, pod *v1.Pod, changed *objectChange) bool {
	if registration.QueueingHintFn == nil {
		return true
	}
	hint, err := registration.QueueingHintFn(klog.FromContext(ctx), pod, changed.before, changed.after)
	return err != nil || hint == fwk.Queue
}

// hintsOf returns the hints for all pods after a change.
func (c *cluster) hintsOf(ctx context.Context, pods []*v1.Pod, changed *objectChange) ([]map[string]bool, error) {
	var all []map[string]bool
	for _, pod := range pods {
		profile, ok := c.profiles[pod.Spec.SchedulerName]
		if !ok {
			return nil, fmt.Errorf("there is no profile %q", pod.Spec.SchedulerName)
		}
		hints, err := profile.hints(ctx, pod, changed)
		if err != nil {
			return nil, err
		}
		all = append(all, hints)
	}
	return all, nil
}
