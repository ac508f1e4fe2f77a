package main

import (
	"context"
	"maps"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// events counts the Events of all namespaces when they reach the API server.
type events struct {
	mu       sync.Mutex
	byReason map[string]int
	last     time.Time // when the last Event arrived
	own      int       // number of Events with reason Scheduled of the run's own pods
}

// watchEvents counts Events until the context ends.
func watchEvents(ctx context.Context, client kubernetes.Interface) *events {
	e := &events{byReason: map[string]int{}}
	api := client.CoreV1().Events(metav1.NamespaceAll)
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return api.List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return api.Watch(ctx, options)
			},
		},
		ObjectType: &v1.Event{},
		Handler:    cache.ResourceEventHandlerFuncs{AddFunc: func(event any) { e.record(event.(*v1.Event)) }},
	})
	go informer.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	return e
}

func (e *events) record(event *v1.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = time.Now()
	e.byReason[event.Reason]++
	if _, ours := podIndex(event.InvolvedObject.Name); ours && event.Reason == "Scheduled" {
		e.own++
	}
}

// counts returns the number of Events so far by reason, and the number of Scheduled Events of the run's own pods.
func (e *events) counts() (byReason map[string]int, own int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.byReason), e.own
}

// settle waits until no Event of any reason has arrived for the given time, because the Events that a scheduler still
// writes are part of the scheduler's cost.
func (e *events) settle(ctx context.Context, quiet time.Duration) {
	since := time.Now()
	for ctx.Err() == nil && time.Since(since) < quiet {
		time.Sleep(10 * time.Millisecond)
		e.mu.Lock()
		if e.last.After(since) {
			since = e.last
		}
		e.mu.Unlock()
	}
}
