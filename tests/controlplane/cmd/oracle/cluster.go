package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
)

// cluster is a kube-scheduler with the objects of a cluster.
type cluster struct {
	scheduler *scheduler.Scheduler
	informers map[reflect.Type]*informer
	profiles  map[string]*profile
}

// profile is a framework and a second instance of its plugins, because the framework does not expose its own instances.
type profile struct {
	framework framework.Framework
	plugins   []fwk.Plugin
}

// everyNode is the percentage of nodes that the scheduler examines, because answers must cover all nodes.
var everyNode int32 = 100

func newCluster(ctx context.Context, configuration *config.KubeSchedulerConfiguration) (*cluster, error) {
	client := fake.NewSimpleClientset()
	client.PrependReactor("update", "resourceclaims", accept)
	factory, byType := newInformers(client)
	noEvents := func(string) events.EventRecorderLogger { return &events.FakeRecorder{} }
	running, err := scheduler.New(ctx, client, factory, nil, noEvents,
		scheduler.WithComponentConfigVersion(configuration.TypeMeta.APIVersion),
		scheduler.WithProfiles(configuration.Profiles...),
		scheduler.WithPercentageOfNodesToScore(&everyNode),
	)
	if err != nil {
		return nil, err
	}
	made := &cluster{scheduler: running, informers: byType, profiles: map[string]*profile{}}
	for at := range configuration.Profiles {
		profile, err := newProfile(ctx, &configuration.Profiles[at], running)
		if err != nil {
			return nil, errors.Join(err, running.Profiles.Close())
		}
		made.profiles[profile.framework.ProfileName()] = profile
	}
	return made, nil
}

// accept acknowledges a write to an object that the client does not have: only the informers have the objects.
func accept(action clienttesting.Action) (bool, runtime.Object, error) {
	update, ok := action.(clienttesting.UpdateAction)
	if !ok {
		return false, nil, nil
	}
	return true, update.GetObject(), nil
}

// newProfile creates a second instance of each plugin of a profile, for the same framework.
func newProfile(ctx context.Context, configuration *config.KubeSchedulerProfile, running *scheduler.Scheduler) (*profile, error) {
	made := &profile{framework: running.Profiles[configuration.SchedulerName]}
	registry := plugins.NewInTreeRegistry()
	for _, name := range enabled(made.framework) {
		plugin, err := registry[name](ctx, argumentsOf(configuration, name), made.framework)
		if err != nil {
			return nil, fmt.Errorf("plugin %s: %w", name, err)
		}
		made.plugins = append(made.plugins, plugin)
	}
	return made, nil
}

// enabled returns the names of a framework's plugins, in the order of its extension points.
func enabled(f framework.Framework) []string {
	var names []string
	lists := f.ListPlugins()
	for _, set := range []config.PluginSet{lists.PreEnqueue, lists.QueueSort, lists.PreFilter, lists.Filter, lists.PreScore, lists.Score} {
		for _, plugin := range set.Enabled {
			if !slices.Contains(names, plugin.Name) {
				names = append(names, plugin.Name)
			}
		}
	}
	return names
}

func argumentsOf(configuration *config.KubeSchedulerProfile, name string) runtime.Object {
	for _, plugin := range configuration.PluginConfig {
		if plugin.Name == name {
			return plugin.Args
		}
	}
	return nil
}

func (c *cluster) change(change change) error {
	raw, act, check := change.Set, (*informer).set, validate
	if raw == nil {
		raw, act, check = change.Remove, (*informer).remove, func(runtime.Object) error { return nil }
	}
	object, err := readObject(raw)
	if err == nil {
		err = check(object)
	}
	if err != nil {
		return err
	}
	informer, ok := c.informers[reflect.TypeOf(object)]
	if !ok {
		return fmt.Errorf("no plugin reads a %T", object)
	}
	return act(informer, object)
}

func (c *cluster) askAll(ctx context.Context, pods []*v1.Pod) ([]*answer, error) {
	var all []*answer
	for _, pod := range pods {
		one, err := c.ask(ctx, pod)
		if err != nil {
			return nil, fmt.Errorf("pod %s: %w", pod.Name, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// ask runs a cycle with all plugins, and then asks the plugins one by one.
func (c *cluster) ask(ctx context.Context, pod *v1.Pod) (*answer, error) {
	profile, ok := c.profiles[pod.Spec.SchedulerName]
	if !ok {
		return nil, fmt.Errorf("there is no profile %q", pod.Spec.SchedulerName)
	}
	snapshot, ok := profile.framework.SnapshotSharedLister().(*internalcache.Snapshot)
	if !ok {
		return nil, fmt.Errorf("the snapshot is a %T", profile.framework.SnapshotSharedLister())
	}
	// A snapshot updates a node's entry only when the node changes, and with it the entry's counts of images on
	// other nodes. The result would depend on the history of changes. A new snapshot has the current state of every
	// node.
	*snapshot = *internalcache.NewEmptySnapshot()
	if err := c.scheduler.Cache.UpdateSnapshot(klog.FromContext(ctx), snapshot); err != nil {
		return nil, err
	}
	nodes, err := snapshot.List()
	if err != nil {
		return nil, err
	}
	cycle, err := c.cycle(ctx, profile, pod)
	if err != nil {
		return nil, err
	}
	return &answer{Plugins: profile.ask(ctx, pod, nodes), Cycle: cycle}, nil
}

func (c *cluster) close() {
	// Errors of plugins at the end do not affect the answers.
	_ = c.scheduler.Profiles.Close()
	c.scheduler.SchedulingQueue.Close()
}
