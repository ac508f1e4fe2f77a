package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
	"sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling"
	"sigs.k8s.io/scheduler-plugins/pkg/coscheduling"
)

// patience is the longest time that a request may take.
const patience = 30 * time.Second

// cluster is the state of a cluster, and the plugin that is asked about it. Exactly one of coscheduling and capacity is
// set.
type cluster struct {
	stop   context.CancelFunc
	server *server
	plugin string

	coscheduling *coscheduling.Coscheduling
	capacity     *capacityscheduling.CapacityScheduling
	framework    framework.Framework

	nodes       map[string]*v1.Node
	podInformer *informer
	budgets     *informer
	snapshot    *internalcache.Snapshot
	// The pods that have a node which the informer has not reported yet, by uid.
	assumed map[types.UID]*v1.Pod
	// The pods that wait in permit, in the order in which they began to wait.
	waiting []*waitingPod
	// The ends of the backoffs of pod groups in the time of Berth's clock.
	backoffEnds map[string]time.Time

	// What the plugin did with waiting pods during this request.
	allowed  []string
	rejected map[string]string
	// The rejected pods whose reservation is not undone yet.
	unsettled  []*v1.Pod
	candidates candidates
}

// The codecs for pods, nodes and budgets. A field that Kubernetes does not know is an error.
var objectCodecs = serializer.NewCodecFactory(clientscheme.Scheme, serializer.EnableStrict)

// takeWaiting forgets what the plugin did with waiting pods during the last request.
func (c *cluster) takeWaiting() {
	c.allowed, c.rejected, c.unsettled = nil, map[string]string{}, nil
	c.candidates.found = nil
}

// pods returns the pods of the informer's store, ordered by namespace and name.
func (c *cluster) pods() []*v1.Pod {
	var pods []*v1.Pod
	for _, object := range c.podInformer.GetStore().List() {
		pods = append(pods, object.(*v1.Pod))
	}
	slices.SortFunc(pods, func(one, other *v1.Pod) int { return cmp.Compare(keyOf(one), keyOf(other)) })
	return pods
}

func (c *cluster) pod(key string) (*v1.Pod, error) {
	object, known, err := c.podInformer.GetIndexer().GetByKey(key)
	if err == nil && !known {
		err = fmt.Errorf("pod %s does not exist", key)
	}
	if err != nil {
		return nil, err
	}
	return object.(*v1.Pod), nil
}

// updateSnapshot replaces the snapshot by one of the present state.
func (c *cluster) updateSnapshot() {
	var on []*v1.Pod
	for _, pod := range c.pods() {
		if assumed := c.assumed[pod.UID]; assumed != nil {
			on = append(on, assumed)
		} else if pod.Spec.NodeName != "" {
			on = append(on, pod)
		}
	}
	var nodes []*v1.Node
	for _, node := range c.nodes {
		nodes = append(nodes, node)
	}
	slices.SortFunc(nodes, func(one, other *v1.Node) int { return cmp.Compare(one.Name, other.Name) })
	*c.snapshot = *internalcache.NewSnapshot(on, nodes)
}

func (c *cluster) set(ctx context.Context, raw []byte) error {
	object, err := readObject(raw)
	if err != nil {
		return err
	}
	switch object := object.(type) {
	case *v1.Node:
		c.nodes[object.Name] = object
	case *v1.Pod:
		if object.Spec.NodeName != "" {
			delete(c.assumed, object.UID)
		}
		err = c.podInformer.set(object)
	case *policyv1.PodDisruptionBudget:
		err = c.budgets.set(object)
	case *unstructured.Unstructured:
		if err = c.server.set(object); err == nil {
			err = c.waitFor(ctx, object, true)
		}
	default:
		err = fmt.Errorf("no plugin reads a %T", object)
	}
	return err
}

// remove removes an object. The reservation of a waiting pod is undone, as in the scheduler.
func (c *cluster) remove(ctx context.Context, raw []byte, _ *answer) error {
	object, err := readObject(raw)
	if err != nil {
		return err
	}
	switch object := object.(type) {
	case *v1.Node:
		delete(c.nodes, object.Name)
	case *v1.Pod:
		pod, err := c.pod(keyOf(object))
		if err != nil {
			return err
		}
		if err := c.podInformer.remove(object); err != nil {
			return err
		}
		if c.assumed[pod.UID] != nil {
			c.endReservation(ctx, pod)
		}
	case *policyv1.PodDisruptionBudget:
		err = c.budgets.remove(object)
	case *unstructured.Unstructured:
		if err = c.server.remove(object); err == nil {
			err = c.waitFor(ctx, object, false)
		}
	default:
		err = fmt.Errorf("no plugin reads a %T", object)
	}
	return err
}

// waitFor waits until the plugin's own cache has the custom resource in this version, or no longer has it.
func (c *cluster) waitFor(ctx context.Context, object *unstructured.Unstructured, exists bool) error {
	var seen func() bool
	switch {
	case object.GetKind() == "PodGroup" && c.coscheduling != nil:
		wanted := &v1alpha1.PodGroup{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, wanted); err != nil {
			return err
		}
		member := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: object.GetNamespace(), Labels: map[string]string{v1alpha1.PodGroupLabel: object.GetName()}}}
		seen = func() bool {
			_, group := groups(c.coscheduling).GetPodGroup(ctx, member)
			if group == nil || !exists {
				return (group != nil) == exists
			}
			return reflect.DeepEqual(group.Spec, wanted.Spec) && group.CreationTimestamp.Equal(&wanted.CreationTimestamp)
		}
	case object.GetKind() == "ElasticQuota" && c.capacity != nil:
		wanted := &v1alpha1.ElasticQuota{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, wanted); err != nil {
			return err
		}
		seen = func() bool {
			c.capacity.RLock()
			defer c.capacity.RUnlock()
			quota := quotas(c.capacity)[object.GetNamespace()]
			if quota == nil || !exists {
				return (quota != nil) == exists
			}
			has := func(list v1.ResourceList, has *framework.Resource) bool {
				return list == nil || reflect.DeepEqual(framework.NewResource(list), has)
			}
			return has(wanted.Spec.Min, quota.Min) && has(wanted.Spec.Max, quota.Max)
		}
	default:
		return fmt.Errorf("plugin %s does not read a %s", c.plugin, object.GetKind())
	}
	return wait.PollUntilContextCancel(ctx, time.Millisecond, true, func(context.Context) (bool, error) { return seen(), nil })
}

func readObject(raw []byte) (runtime.Object, error) {
	var kind metav1.TypeMeta
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, err
	}
	if kind.APIVersion == groupVersion {
		object := &unstructured.Unstructured{}
		return object, object.UnmarshalJSON(raw)
	}
	object, _, err := objectCodecs.UniversalDeserializer().Decode(raw, nil, nil)
	return object, err
}

func (c *cluster) close() {
	c.stop()
	if c.framework != nil {
		// Errors of plugins at the end do not affect the answers.
		_ = c.framework.Close()
	}
	c.server.close()
}
