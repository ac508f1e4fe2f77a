package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// bindersAtOnce is the number of concurrent bindings.
const bindersAtOnce = 64

// bindAll is a scheduler that makes no decisions: each pod goes to the next node of the list. bindAll writes the same
// Event Scheduled as kube-scheduler, and runs until the context ends. The rate of bindAll shows how fast the API server
// and the machine allow a scheduler to bind pods.
func bindAll(ctx context.Context, client kubernetes.Interface, o *options) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	if len(nodes.Items) == 0 {
		return fmt.Errorf("there are no nodes to bind pods to")
	}
	pods := make(chan *v1.Pod, 1_000_000)
	var next atomic.Int64
	for range bindersAtOnce {
		go func() {
			for pod := range pods {
				node := nodes.Items[int(next.Add(1))%len(nodes.Items)].Name
				if err := bindOne(ctx, client, pod, node); err != nil && ctx.Err() == nil {
					fmt.Printf("%s/%s: %v\n", pod.Namespace, pod.Name, err)
				}
			}
		}()
	}
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				options.FieldSelector = "spec.nodeName="
				return client.CoreV1().Pods("").List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				options.FieldSelector = "spec.nodeName="
				return client.CoreV1().Pods("").Watch(ctx, options)
			},
		},
		ObjectType: &v1.Pod{},
		Handler: cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
			if pod := object.(*v1.Pod); pod.Spec.SchedulerName == o.schedulerName {
				pods <- pod
			}
		}},
	})
	informer.RunWithContext(ctx)
	return nil
}

func bindOne(ctx context.Context, client kubernetes.Interface, pod *v1.Pod, node string) error {
	binding := &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: node},
	}
	if err := client.CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	event := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s.%x", pod.Name, time.Now().UnixNano()), Namespace: pod.Namespace},
		EventTime:  metav1.NowMicro(), ReportingController: pod.Spec.SchedulerName, ReportingInstance: "loadgen",
		Action: "Binding", Reason: "Scheduled", Type: v1.EventTypeNormal,
		Regarding: v1.ObjectReference{
			APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion,
		},
		Note: fmt.Sprintf("Successfully assigned %s/%s to %s", pod.Namespace, pod.Name, node),
	}
	_, err := client.EventsV1().Events(pod.Namespace).Create(ctx, event, metav1.CreateOptions{})
	return err
}
