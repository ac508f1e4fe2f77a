package framework_test

import (
	"fmt"
	"strings"
	"testing"

	"berth.dev/framework"
	"berth.dev/framework/contract"
	st "berth.dev/framework/testing"
)

// extended is a filter whose reads depend on its arguments.
type extended struct {
	filter
	more framework.Reads
}

func (e extended) Reads() framework.Reads { return e.more }

func TestReadsMayDependOnTheArguments(t *testing.T) {
	type args struct {
		Label string `json:"label"`
	}
	ask := func(_ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
		one, _ := pod.GetLabel("team")
		two, _ := node.Node().GetLabel("team")
		if one == two {
			return nil
		}
		return framework.NewStatus(framework.Unschedulable, "another team")
	}
	registerNew(func(a args) (extended, error) {
		return extended{filter{ask}, framework.Reads{
			Pod:  framework.PodReads{LabelKeys: []string{a.Label, "app"}},
			Node: framework.NodeReads{LabelKeys: []string{a.Label}},
		}}, nil
	}, framework.Reads{Pod: framework.PodReads{Facts: framework.PodPriority, LabelKeys: []string{"app"}}})
	host := st.NewHost(t, `{"label": "team"}`)
	if got := host.Declaration().Pod; got.Facts != framework.PodPriority || strings.Join(got.LabelKeys, " ") != "app team" {
		t.Errorf("%+v", got)
	}
	host.SetNode(st.MakeNode().Name("red").Label("team", "red").Label("rack", "1"))
	if got := host.Fits(st.MakePod().Label("team", "red").Label("more", "")); len(got) != 1 {
		t.Error(got)
	}
	host = st.NewHost(t, `{"label": "crew"}`)
	host.SetNode(st.MakeNode().Name("red"))
	got := panicOf(func() { host.Fits(st.MakePod()) })
	if want := `test: Pod.GetLabel reads what the plugin does not declare: add "team" to Reads.Pod.LabelKeys`; got != want {
		t.Errorf("got %q", got)
	}
}

func TestObjectsAreNamedByTheRegistration(t *testing.T) {
	register(extended{more: framework.Reads{Objects: []framework.ObjectKind{{APIVersion: "v1", Name: "Service"}}}}, framework.Reads{})
	if err := st.Refusal(t, `{}`); !strings.Contains(err.Error(), "name a kind in both") {
		t.Error(err)
	}
}

func TestInvalidPathsAreRefused(t *testing.T) {
	register(extended{more: framework.Reads{Node: framework.NodeReads{Fields: []string{"spec..x"}}}}, framework.Reads{})
	if err := st.Refusal(t, `{}`); !strings.Contains(err.Error(), `test: Reads.Node.Fields: "spec..x" is not a field path`) {
		t.Error(err)
	}
}

func TestTypedFactsOfVersion02(t *testing.T) {
	var got []any
	register(filter{func(_ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
		got = []any{
			pod.GetLimits().MilliCPU, pod.GetQOSClass(), pod.GetCreationTime(), pod.GetSchedulingGroup(),
			pod.GetContainers()[0].Limits.Memory, node.Node().GetCapacity().Memory, node.GetAllocatable().Memory,
			node.Node().GetNodeInfo().Architecture,
		}
		return nil
	}}, framework.Reads{
		Pod: framework.PodReads{
			Facts: framework.PodLimits | framework.PodQOS | framework.PodCreationTime | framework.PodSchedulingGroup | framework.PodContainers,
		},
		Node: framework.NodeReads{Facts: framework.NodeCapacity | framework.NodeAllocatable | framework.NodeSystemInfo},
	})
	host := st.NewHost(t, `{}`)
	host.SetNode(st.MakeNode().Name("a").Capacity(map[string]string{"memory": "2"}).Allocatable(map[string]string{"memory": "1"}).
		SystemInfo(framework.SystemInfo{Architecture: "arm64"}))
	pod := st.MakePod().Lim(map[string]string{"cpu": "1"}).QOSClass(contract.QOSClassBestEffort).CreationTime(7).SchedulingGroup("g")
	pod.Facts(func(facts *contract.Pod) {
		facts.Containers = []contract.Container{{Limits: contract.Resources{Memory: 3}}}
	})
	host.Fits(pod)
	want := []any{int64(1000), contract.QOSClassBestEffort, int64(7), "g", int64(3), int64(2), int64(1), "arm64"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: got %v, want %v", i, got[i], want[i])
		}
	}
}

func TestOpenFactsAreReadByPathOrDecoded(t *testing.T) {
	type spec struct {
		Spec struct {
			Seconds int64 `json:"activeDeadlineSeconds"`
		} `json:"spec"`
	}
	var failure error
	register(filter{func(_ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
		seconds, found, err := framework.Field[int64](pod, "spec.activeDeadlineSeconds")
		if err != nil || !found || seconds != 60 {
			t.Error(seconds, found, err)
		}
		if _, found, err := framework.Field[string](pod, "spec.hostname"); found || err != nil {
			t.Error(found, err)
		}
		whole, err := framework.Fields[spec](pod)
		if err != nil || whole.Spec.Seconds != 60 {
			t.Error(whole, err)
		}
		if all, err := framework.Fields[map[string]any](pod); err != nil || fmt.Sprint(all) != "map[spec:map[activeDeadlineSeconds:60 hostname:<nil>]]" {
			t.Error(all, err)
		}
		cidr, _, err := framework.Field[string](node.Node(), "spec.podCIDR")
		if err != nil || cidr != "10.0.0.0/24" {
			t.Error(cidr, err)
		}
		image, _, err := framework.Field[string](node.GetPods()[0], `metadata.annotations["a.b/c"]`)
		if err != nil || image != "d" {
			t.Error(image, err)
		}
		_, _, failure = framework.Field[string](pod, "spec.activeDeadlineSeconds")
		return nil
	}}, framework.Reads{
		Pod:      framework.PodReads{Fields: []string{"spec.activeDeadlineSeconds", "spec.hostname"}},
		Node:     framework.NodeReads{Fields: []string{"spec"}},
		Resident: &framework.PodReads{Facts: framework.PodName, Fields: []string{`metadata.annotations["a.b/c"]`}},
	})
	host := st.NewHost(t, `{}`)
	host.SetNode(st.MakeNode().Name("a").Fields(`{"spec": {"podCIDR": "10.0.0.0/24"}}`))
	host.AddPod(st.MakePod().Fields(`{"metadata": {"annotations": {"a.b/c": "d"}}}`), "a")
	host.Fits(st.MakePod().Fields(`{"spec": {"activeDeadlineSeconds": 60, "hostname": null, "priority": 1}, "status": {}}`))
	if want := "field spec.activeDeadlineSeconds: cannot unmarshal number into Go value of type string"; failure == nil || failure.Error() != want {
		t.Error(failure)
	}
}

func TestUndeclaredReadsAreNamed(t *testing.T) {
	for want, read := range map[string]func(*framework.Pod, framework.NodeInfo){
		`test: Pod.GetLabels reads what the plugin does not declare: add framework.PodLabels to Reads.Pod.Facts, or read the declared labels with GetLabel`: func(p *framework.Pod, _ framework.NodeInfo) { p.GetLabels() },
		`Pod.GetLabel reads what the plugin does not declare: add "b" to Reads.Pod.LabelKeys`:                                                               func(p *framework.Pod, _ framework.NodeInfo) { p.GetLabel("b") },
		`Pod.GetAnnotation reads what the plugin does not declare: add "a" to Reads.Pod.AnnotationKeys`:                                                     func(p *framework.Pod, _ framework.NodeInfo) { p.GetAnnotation("a") },
		`Node.GetLabel reads what the plugin does not declare: add "a" to Reads.Node.LabelKeys`:                                                             func(_ *framework.Pod, n framework.NodeInfo) { n.Node().GetLabel("a") },
		`Node.GetNodeInfo reads what the plugin does not declare: add framework.NodeSystemInfo to Reads.Node`:                                               func(_ *framework.Pod, n framework.NodeInfo) { n.Node().GetNodeInfo() },
		`Field(pod, "spec.x") reads what the plugin does not declare: add "spec.x" to Reads.Pod.Fields`: func(p *framework.Pod, _ framework.NodeInfo) {
			framework.Field[string](p, "spec.x")
		},
		`Fields(node) reads what the plugin does not declare: add paths to Reads.Node.Fields`: func(_ *framework.Pod, n framework.NodeInfo) {
			framework.Fields[any](n.Node())
		},
		`NodeInfo.GetPods reads what the plugin does not declare: set Reads.Resident`: func(_ *framework.Pod, n framework.NodeInfo) { n.GetPods() },
	} {
		register(filter{func(_ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
			read(pod, node)
			return nil
		}}, framework.Reads{
			Pod:  framework.PodReads{LabelKeys: []string{"a"}, Fields: []string{"spec.y"}},
			Node: framework.NodeReads{Facts: framework.NodeName},
		})
		host := threeNodes(t)
		if got := panicOf(func() { host.Fits(st.MakePod()) }); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheTimeIsDeclared(t *testing.T) {
	time := int64(0)
	ask := func(state framework.CycleState, _ *framework.Pod, _ framework.NodeInfo) *framework.Status {
		time = state.Time()
		return nil
	}
	register(filter{ask}, framework.Reads{Time: true})
	host := threeNodes(t)
	host.SetTime(42)
	host.Fits(st.MakePod())
	if declared := host.Declaration(); time != 42 || !declared.ReadsTime || declared.FilterScope != contract.ScopeCluster {
		t.Errorf("%d, %+v", time, declared)
	}
	register(filter{ask}, framework.Reads{Cycle: true})
	host = threeNodes(t)
	if got := panicOf(func() { host.Fits(st.MakePod()) }); !strings.Contains(got, "CycleState.Time reads what the plugin does not declare: set Reads.Time") {
		t.Error(got)
	}
}
