package main

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	pluginscheme "sigs.k8s.io/scheduler-plugins/apis/config/scheme"
	"sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling"
	"sigs.k8s.io/scheduler-plugins/pkg/coscheduling"
)

// profile is the name of the profile that all pods use.
const profile = "default-scheduler"

// newCluster returns an empty cluster with a plugin, and with the default filters that read nodes and resources. The
// objects of a case have nothing that other default filters read.
func newCluster(plugin string, arguments []byte) (*cluster, error) {
	ctx, stop := context.WithCancel(context.Background())
	made := &cluster{
		stop: stop, server: newServer(), plugin: plugin, nodes: map[string]*v1.Node{},
		snapshot: internalcache.NewEmptySnapshot(), assumed: map[types.UID]*v1.Pod{}, backoffEnds: map[string]time.Time{},
	}
	if err := made.start(ctx, arguments); err != nil {
		made.close()
		return nil, err
	}
	return made, nil
}

func (c *cluster) start(ctx context.Context, arguments []byte) error {
	client := fake.NewSimpleClientset()
	// Only the informers have the pods, so the client accepts each eviction and each change of a status.
	for _, verb := range []string{"delete", "patch"} {
		client.PrependReactor(verb, "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, &v1.Pod{}, nil })
	}
	factory, pods, budgets := newInformers(client)
	c.podInformer, c.budgets = pods, budgets
	registry, plugins, err := filters()
	if err != nil {
		return err
	}
	if c.plugin == capacityscheduling.Name {
		// The framework calls this plugin when preemption removes pods and adds them again.
		registry[c.plugin] = func(ctx context.Context, arguments runtime.Object, h framework.Handle) (framework.Plugin, error) {
			created, err := capacityscheduling.New(ctx, arguments, &handle{Handle: h, cluster: c})
			if err == nil {
				c.capacity = created.(*capacityscheduling.CapacityScheduling)
			}
			return created, err
		}
		plugins.Plugins.PreFilter.Enabled = append(plugins.Plugins.PreFilter.Enabled, config.Plugin{Name: c.plugin})
	}
	c.framework, err = frameworkruntime.NewFramework(ctx, registry, plugins,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithKubeConfig(&rest.Config{Host: c.server.http.URL}),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(c.snapshot),
		frameworkruntime.WithPodNominator(&nominator{cluster: c}),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
	)
	if err != nil || c.plugin == capacityscheduling.Name {
		return err
	}
	if c.plugin != coscheduling.Name {
		return fmt.Errorf("unknown plugin %q", c.plugin)
	}
	read, _, err := pluginscheme.Codecs.UniversalDecoder().Decode(arguments, nil, nil)
	if err != nil {
		return err
	}
	created, err := coscheduling.New(ctx, read, &handle{Handle: c.framework, cluster: c})
	if err == nil {
		c.coscheduling = created.(*coscheduling.Coscheduling)
	}
	return err
}

// filters returns a profile with the default filters for nodes and resources, and the factories of these plugins.
func filters() (frameworkruntime.Registry, *config.KubeSchedulerProfile, error) {
	none := feature.Features{}
	registry := frameworkruntime.Registry{
		names.NodeUnschedulable: frameworkruntime.FactoryAdapter(none, nodeunschedulable.New),
		names.TaintToleration:   frameworkruntime.FactoryAdapter(none, tainttoleration.New),
		names.NodeAffinity:      frameworkruntime.FactoryAdapter(none, nodeaffinity.New),
		names.NodeResourcesFit:  frameworkruntime.FactoryAdapter(none, noderesources.NewFit),
		names.PrioritySort:      queuesort.New,
		names.DefaultBinder:     defaultbinder.New,
	}
	set := func(names ...string) (set config.PluginSet) {
		for _, name := range names {
			set.Enabled = append(set.Enabled, config.Plugin{Name: name})
		}
		return set
	}
	made := &config.KubeSchedulerProfile{SchedulerName: profile, Plugins: &config.Plugins{
		QueueSort: set(names.PrioritySort),
		PreFilter: set(names.NodeAffinity, names.NodeResourcesFit),
		Filter:    set(names.NodeUnschedulable, names.TaintToleration, names.NodeAffinity, names.NodeResourcesFit),
		Bind:      set(names.DefaultBinder),
	}}
	for _, name := range []string{names.NodeAffinity, names.NodeResourcesFit} {
		raw := fmt.Sprintf(`{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "%sArgs"}`, name)
		arguments, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(raw), nil, nil)
		if err != nil {
			return nil, nil, err
		}
		made.PluginConfig = append(made.PluginConfig, config.PluginConfig{Name: name, Args: arguments})
	}
	return registry, made, nil
}
