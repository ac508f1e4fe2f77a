package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// binds records from a watch the time at which each pod of the run got a node.
type binds struct {
	first, all chan struct{} // closed with the first and with the last bind
	watches    atomic.Int64  // opened so far; more than one if the API server dropped a watch that fell behind

	mu        sync.Mutex
	createdAt []time.Time
	boundAt   []time.Time // zero if not bound yet
	onNode    map[string]int
	bound     int
}

// watchBinds starts to follow the bound pods of a namespace, and returns when these pods are listed. The watch runs
// until the context ends.
func watchBinds(ctx context.Context, client kubernetes.Interface, namespace string, pods int) *binds {
	b := &binds{
		first: make(chan struct{}), all: make(chan struct{}),
		createdAt: make([]time.Time, pods), boundAt: make([]time.Time, pods), onNode: map[string]int{},
	}
	bound := func(options *metav1.ListOptions) { options.FieldSelector = "spec.nodeName!=" }
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				bound(&options)
				return client.CoreV1().Pods(namespace).List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				bound(&options)
				b.watches.Add(1)
				return client.CoreV1().Pods(namespace).Watch(ctx, options)
			},
		},
		ObjectType: &v1.Pod{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(pod any) { b.seen(pod.(*v1.Pod)) },
			UpdateFunc: func(_, pod any) { b.seen(pod.(*v1.Pod)) },
		},
	})
	go informer.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	return b
}

func (b *binds) created(i int, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.createdAt[i] = at
}

func (b *binds) seen(pod *v1.Pod) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	i, ours := podIndex(pod.Name)
	if !ours || i >= len(b.boundAt) || !b.boundAt[i].IsZero() {
		return
	}
	b.boundAt[i] = now
	b.onNode[pod.Spec.NodeName]++
	b.bound++
	if b.bound == 1 {
		close(b.first)
	}
	if b.bound == len(b.boundAt) {
		close(b.all)
	}
}

// placement summarizes what the watch saw of a run.
type placement struct {
	bound       int
	first, last time.Time       // the times of the first and the last bind
	latencies   []time.Duration // from create to bind, unsorted
	nodesUsed   int
	fullest     int // the maximum number of pods on a node
}

func (b *binds) summary() placement {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := placement{bound: b.bound, nodesUsed: len(b.onNode)}
	for i, at := range b.boundAt {
		if at.IsZero() {
			continue
		}
		if p.first.IsZero() || at.Before(p.first) {
			p.first = at
		}
		if at.After(p.last) {
			p.last = at
		}
		p.latencies = append(p.latencies, at.Sub(b.createdAt[i]))
	}
	for _, pods := range b.onNode {
		p.fullest = max(p.fullest, pods)
	}
	return p
}
