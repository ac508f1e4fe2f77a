package framework_test

import (
	"slices"
	"strings"
	"testing"

	"berth.dev/framework"
	"berth.dev/framework/internal/component"
	st "berth.dev/framework/testing"
)

type service struct {
	Spec struct {
		Selector map[string]string `json:"selector"`
	} `json:"spec"`
}

// inCluster registers a filter that calls a function with its Handle.
func inCluster(reads framework.Reads, ask func(*framework.Handle, framework.NodeInfo) *framework.Status) {
	registerWithHandle(func(handle *framework.Handle) filter {
		return filter{func(_ framework.CycleState, _ *framework.Pod, node framework.NodeInfo) *framework.Status {
			return ask(handle, node)
		}}
	}, reads)
}

var serviceReads = framework.Reads{
	Node:    framework.NodeReads{Facts: framework.NodeName},
	Objects: []framework.ObjectKind{{APIVersion: "v1", Name: "Service", Fields: []string{"spec.selector"}}},
}

func TestObjectsAreAddedChangedAndRemoved(t *testing.T) {
	var names []string
	inCluster(serviceReads, func(handle *framework.Handle, _ framework.NodeInfo) *framework.Status {
		names = nil
		for _, object := range handle.Objects("v1", "Service") {
			decoded, err := framework.Fields[service](object)
			if err != nil {
				return framework.AsStatus(err)
			}
			if handle.Object("v1", "Service", object.Namespace, object.Name) != object {
				t.Error("the object is not found by its name")
			}
			names = append(names, object.Name+"="+decoded.Spec.Selector["app"])
		}
		return nil
	})
	if got := strings.Join(component.Registered.Exports, " "); got != "snapshot objects filter" {
		t.Error(got)
	}
	host := threeNodes(t)
	object := func(name, app string) *st.ObjectWrapper {
		return st.MakeObject("v1", "Service").Namespace("default").Name(name).Fields(`{"spec": {"selector": {"app": "` + app + `"}, "type": 1}}`)
	}
	for _, c := range []struct {
		change func()
		want   []string
	}{
		{func() {}, nil},
		{func() { host.SetObject(object("z", "1")); host.SetObject(object("a", "2")) }, []string{"a=2", "z=1"}},
		{func() { host.SetObject(object("z", "3")) }, []string{"a=2", "z=3"}},
		{func() { host.RemoveObject(object("a", "")) }, []string{"z=3"}},
	} {
		c.change()
		host.Fits(st.MakePod())
		if !slices.Equal(names, c.want) {
			t.Errorf("got %v, want %v", names, c.want)
		}
	}
}

func TestTheClusterIsReadThroughTheHandle(t *testing.T) {
	var got []string
	reads := framework.Reads{
		Node:     framework.NodeReads{Facts: framework.NodeName},
		Resident: &framework.PodReads{Facts: framework.PodName},
		Pending:  &framework.PodReads{Facts: framework.PodUID},
		Cluster:  framework.ClusterNodeCount,
		Cycle:    true,
	}
	ask := func(handle *framework.Handle, node framework.NodeInfo) *framework.Status {
		got = nil
		for other := range handle.NodeInfos() {
			got = append(got, other.Node().GetName())
		}
		for pod := range handle.Pods() {
			on, found := handle.NodeOf(pod)
			if !found {
				t.Error("the pod's node is not found")
			}
			got = append(got, pod.GetName()+"@"+on.Node().GetName())
		}
		for pod := range handle.PendingPods() {
			got = append(got, pod.GetUID())
		}
		if b, found := handle.NodeInfo("b"); !found || b.Node().GetName() != "b" || handle.NodeCount() != 3 {
			t.Error("node b is not found")
		}
		return nil
	}
	inCluster(reads, ask)
	host := threeNodes(t)
	host.AddPod(st.MakePod().Name("web"), "c")
	host.AddPendingPod(st.MakePod().UID("one"))
	host.AddPendingPod(st.MakePod().Name("gone").UID("two"))
	host.RemovePendingPod("gone")
	host.Fits(st.MakePod())
	if want := []string{"a", "b", "c", "web@c", "one"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	reads.Cycle = false
	inCluster(reads, ask)
	host = threeNodes(t)
	want := "test: Handle.NodeInfos reads what the plugin does not declare: set Reads.Cycle"
	if got := panicOf(func() { host.Fits(st.MakePod()) }); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

func TestUndeclaredPartsOfTheClusterAreNamed(t *testing.T) {
	for want, read := range map[string]func(*framework.Handle){
		"Handle.NodeInfos reads what the plugin does not declare: add facts to Reads.Node":            func(h *framework.Handle) { h.NodeInfos() },
		"Handle.Pods reads what the plugin does not declare: set Reads.Resident":                      func(h *framework.Handle) { h.Pods() },
		"Handle.PendingPods reads what the plugin does not declare: set Reads.Pending":                func(h *framework.Handle) { h.PendingPods() },
		"Handle.Objects reads what the plugin does not declare: add apps/v1 ReplicaSet to Reads.Obje": func(h *framework.Handle) { h.Objects("apps/v1", "ReplicaSet") },
		"Handle.NodeCount reads what the plugin does not declare: add framework.ClusterNodeCount":     func(h *framework.Handle) { h.NodeCount() },
	} {
		inCluster(framework.Reads{Cycle: true}, func(handle *framework.Handle, _ framework.NodeInfo) *framework.Status {
			read(handle)
			return nil
		})
		host := threeNodes(t)
		if got := panicOf(func() { host.Fits(st.MakePod()) }); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestIndexesFollowTheChanges(t *testing.T) {
	var nodes *framework.Index[string, framework.Node]
	var pods, pending *framework.Index[string, *framework.Pod]
	var services *framework.Index[string, *framework.Object]
	var got []int
	byApp := func(pod *framework.Pod) []string {
		if app, found := pod.GetLabel("app"); found {
			return []string{app}
		}
		return nil
	}
	reads := framework.PodReads{LabelKeys: []string{"app"}}
	registerWithHandle(func(handle *framework.Handle) filter {
		nodes = framework.IndexNodes(handle, func(node framework.Node) []string {
			number, _ := node.GetLabel("number")
			return []string{number, "all"}
		})
		pods = framework.IndexPods(handle, byApp)
		pending = framework.IndexPendingPods(handle, byApp)
		services = framework.IndexObjects(handle, "v1", "Service", func(object *framework.Object) []string { return []string{object.Namespace} })
		return filter{func(framework.CycleState, *framework.Pod, framework.NodeInfo) *framework.Status {
			got = []int{len(nodes.Get("all")), nodes.Len("1"), pods.Len("web"), pending.Len("web"), services.Len("default")}
			return nil
		}}
	}, framework.Reads{
		Node:     framework.NodeReads{LabelKeys: []string{"number"}},
		Resident: &reads,
		Pending:  &reads,
		Objects:  []framework.ObjectKind{{APIVersion: "v1", Name: "Service"}, {APIVersion: "v1", Name: "Secret"}},
		Cycle:    true,
	})
	host := threeNodes(t)
	web := func(name string) *st.PodWrapper { return st.MakePod().Name(name).Label("app", "web") }
	object := st.MakeObject("v1", "Service").Namespace("default").Name("s")
	for _, c := range []struct {
		change func()
		want   []int
	}{
		{func() {}, []int{3, 1, 0, 0, 0}},
		{func() { host.SetNode(st.MakeNode().Name("a").Label("number", "1")) }, []int{3, 2, 0, 0, 0}},
		{func() { host.RemoveNode("b") }, []int{2, 1, 0, 0, 0}},
		{func() { host.AddPod(web("p"), "a"); host.AddPod(st.MakePod(), "a"); host.AddPendingPod(web("q")) }, []int{2, 1, 1, 1, 0}},
		{func() { host.SetObject(object); host.SetObject(st.MakeObject("v1", "Secret").Namespace("default")) }, []int{2, 1, 1, 1, 1}},
		{func() { host.RemovePod("p"); host.RemovePendingPod("q"); host.RemoveObject(object) }, []int{2, 1, 0, 0, 0}},
	} {
		c.change()
		host.Fits(st.MakePod())
		if !slices.Equal(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}

// Pods with equal facts share a CycleState until something changes that invalidates all answers.
func TestAChangeOfObjectsOrPendingPodsStartsANewState(t *testing.T) {
	runs := 0
	first := func(framework.CycleState, *framework.Pod) (*framework.PreFilterResult, *framework.Status) {
		runs++
		return nil, nil
	}
	ask := func(framework.CycleState, *framework.Pod, framework.NodeInfo) *framework.Status { return nil }
	register(before{filter{ask}, first}, framework.Reads{Objects: serviceReads.Objects, Pending: &framework.PodReads{}})
	host := newGuest(t)
	for _, c := range []struct {
		change func()
		want   int
	}{
		{func() {}, 1},
		{func() {}, 1},
		{func() { host.pending() }, 2},
		{func() { host.object() }, 3},
	} {
		c.change()
		host.filter()
		if runs != c.want {
			t.Errorf("PreFilter ran %d times, want %d", runs, c.want)
		}
	}
}
