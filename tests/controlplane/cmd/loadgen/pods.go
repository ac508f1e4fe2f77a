package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const podPrefix = "pod-"

// podIndex is the number that newPod put into a pod's name.
func podIndex(name string) (int, bool) {
	i, err := strconv.Atoi(strings.TrimPrefix(name, podPrefix))
	return i, err == nil
}

func newPod(namespace string, i int, o *options) *v1.Pod {
	labels := map[string]string{"app": fmt.Sprintf("app-%d", i%o.groups)}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: podPrefix + strconv.Itoa(i), Namespace: namespace, Labels: labels},
		Spec: v1.PodSpec{
			SchedulerName: o.schedulerName,
			Containers: []v1.Container{{
				Name: "c", Image: "registry.k8s.io/pause:3.10",
				Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
					v1.ResourceCPU: resource.MustParse("100m"), v1.ResourceMemory: resource.MustParse("128Mi"),
				}},
			}},
		},
	}
	o.shape.apply(&pod.Spec, &metav1.LabelSelector{MatchLabels: labels})
	return pod
}

// createPods makes the run's pods, at the rate asked for or as fast as the API server takes them. It returns how long
// that took; binds learns when each was sent.
func createPods(ctx context.Context, client kubernetes.Interface, namespace string, o *options, binds *binds) (time.Duration, error) {
	start := time.Now()
	var tick <-chan time.Time
	if o.rate > 0 {
		ticker := time.NewTicker(time.Duration(float64(time.Second) / o.rate))
		defer ticker.Stop()
		tick = ticker.C
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.workers)
	for i := range o.pods {
		if tick != nil {
			<-tick
		}
		group.Go(func() error {
			pod := newPod(namespace, i, o)
			binds.created(i, time.Now())
			_, err := client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
			return err
		})
	}
	err := group.Wait()
	return time.Since(start), err
}

func createNamespace(ctx context.Context, client kubernetes.Interface) (string, error) {
	name := fmt.Sprintf("load-%d", time.Now().UnixNano())
	_, err := client.CoreV1().Namespaces().Create(ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return name, err
}

func deletePods(ctx context.Context, client kubernetes.Interface, namespace string) error {
	now := int64(0)
	return client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{})
}
