package framework_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"berth.dev/framework"
	"berth.dev/framework/contract"
	"berth.dev/framework/internal/component"
	st "berth.dev/framework/testing"
)

// filter is a plugin that has only a Filter.
type filter struct {
	ask func(framework.CycleState, *framework.Pod, framework.NodeInfo) *framework.Status
}

func (filter) Name() string { return "test" }

func (f filter) Filter(_ context.Context, state framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
	return f.ask(state, pod, node)
}

// before is a plugin that has a Filter and a PreFilter.
type before struct {
	filter
	first func(framework.CycleState, *framework.Pod) (*framework.PreFilterResult, *framework.Status)
}

func (b before) PreFilter(_ context.Context, state framework.CycleState, pod *framework.Pod) (*framework.PreFilterResult, *framework.Status) {
	return b.first(state, pod)
}

// score is a plugin that has a Score and a PreScore.
type score struct {
	first func(framework.CycleState, []framework.NodeInfo) *framework.Status
	ask   func(framework.CycleState, framework.NodeInfo) (int64, *framework.Status)
}

func (score) Name() string { return "test" }

func (s score) PreScore(_ context.Context, state framework.CycleState, _ *framework.Pod, nodes []framework.NodeInfo) *framework.Status {
	return s.first(state, nodes)
}

func (s score) Score(_ context.Context, state framework.CycleState, _ *framework.Pod, node framework.NodeInfo) (int64, *framework.Status) {
	return s.ask(state, node)
}

// normalizing is a plugin that has a Score, a PreScore and a NormalizeScore.
type normalizing struct{ score }

func (normalizing) NormalizeScore(_ context.Context, _ framework.CycleState, _ *framework.Pod, scores framework.NodeScoreList) *framework.Status {
	return framework.DefaultNormalizeScore(framework.MaxNodeScore, true, scores)
}

func register[P framework.Plugin](plugin P, reads framework.Reads) {
	registerNew(func(struct{}) (P, error) { return plugin, nil }, reads)
}

func registerNew[A any, P framework.Plugin](construct func(A) (P, error), reads framework.Reads) {
	component.Registered = nil
	framework.Register(construct, reads)
}

// registerWithHandle registers a plugin of which a test sets the Handle.
func registerWithHandle[P framework.Plugin](construct func(*framework.Handle) P, reads framework.Reads) {
	component.Registered = nil
	framework.RegisterWithHandle(func(_ struct{}, handle *framework.Handle) (P, error) { return construct(handle), nil }, reads)
}

func threeNodes(t *testing.T) *st.Host {
	host := st.NewHost(t, `{}`)
	for i, name := range []string{"a", "b", "c"} {
		host.SetNode(st.MakeNode().Name(name).Label("number", fmt.Sprint(i)))
	}
	return host
}

func TestExportsFollowFromTheType(t *testing.T) {
	for want, set := range map[string]func(){
		"filter":                             func() { register(filter{}, framework.Reads{}) },
		"snapshot pre-filter filter":         func() { register(before{}, framework.Reads{Node: framework.NodeReads{Facts: framework.NodeName}}) },
		"pre-score score":                    func() { register(score{}, framework.Reads{Pod: framework.PodReads{Facts: framework.PodLabels}}) },
		"snapshot pre-score score normalize": func() { register(normalizing{}, framework.Reads{Cluster: framework.ClusterImages}) },
		"snapshot filter":                    func() { register(extended{}, framework.Reads{}) },
		"objects filter":                     func() { register(filter{}, framework.Reads{Objects: serviceReads.Objects}) },
		"post-filter":                        func() { register(preempting{}, framework.Reads{}) },
		"snapshot skip pre-enqueue queue-sort queueing-hint": func() {
			register(queueing{}, framework.Reads{Pending: &framework.PodReads{}})
		},
		"snapshot reserve permit pre-bind bind post-bind": func() {
			register(binding{}, framework.Reads{Resident: &framework.PodReads{}})
		},
	} {
		set()
		if got := strings.Join(component.Registered.Exports, " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAnUndeclaredFactIsNamed(t *testing.T) {
	for want, read := range map[string]func(*framework.Pod, framework.NodeInfo){
		"add framework.PodLabels to Reads.Pod":            func(p *framework.Pod, _ framework.NodeInfo) { p.GetLabels() },
		"add framework.PodStartTime to Reads.Pod":         func(p *framework.Pod, _ framework.NodeInfo) { p.GetStartTime() },
		"add framework.NodeTaints to Reads.Node":          func(_ *framework.Pod, n framework.NodeInfo) { n.Node().GetTaints() },
		"add framework.NodeUsage to Reads.Node":           func(_ *framework.Pod, n framework.NodeInfo) { n.GetRequested() },
		"add framework.ClusterNodeCount to Reads.Cluster": func(_ *framework.Pod, n framework.NodeInfo) { n.GetNodeCount() },
		"add framework.PodUID to Reads.Resident":          func(_ *framework.Pod, n framework.NodeInfo) { n.GetPods()[0].GetUID() },
	} {
		register(filter{func(_ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
			read(pod, node)
			return nil
		}}, framework.Reads{Pod: framework.PodReads{Facts: framework.PodName}, Resident: &framework.PodReads{}})
		host := st.NewHost(t, `{}`)
		host.SetNode(st.MakeNode().Name("a"))
		host.AddPod(st.MakePod(), "a")
		got := panicOf(func() { host.Filter(st.MakePod()) })
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func panicOf(call func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	call()
	return ""
}

func TestPreFilterAnswers(t *testing.T) {
	rejected := framework.NewStatus(framework.UnschedulableAndUnresolvable, "no")
	for name, c := range map[string]struct {
		result *framework.PreFilterResult
		status *framework.Status
		fits   []string
	}{
		"all":    {nil, nil, []string{"b"}},
		"narrow": {&framework.PreFilterResult{NodeNames: []string{"c", "elsewhere"}}, nil, nil},
		"skip":   {nil, framework.NewStatus(framework.Skip), []string{"a", "b", "c"}},
		"reject": {nil, rejected, nil},
	} {
		register(before{
			filter{func(_ framework.CycleState, _ *framework.Pod, node framework.NodeInfo) *framework.Status {
				if node.Node().GetName() == "b" {
					return nil
				}
				return framework.NewStatus(framework.Unschedulable, "not b")
			}},
			func(framework.CycleState, *framework.Pod) (*framework.PreFilterResult, *framework.Status) {
				return c.result, c.status
			},
		}, framework.Reads{Node: framework.NodeReads{Facts: framework.NodeName}})
		host := threeNodes(t)
		if got := host.Fits(st.MakePod()); !slices.Equal(got, c.fits) {
			t.Errorf("%s: got %v, want %v", name, got, c.fits)
		}
		result, status := host.PreFilter(st.MakePod())
		if !reflect.DeepEqual(result, c.result) || !status.Equal(c.status) {
			t.Errorf("%s: got %v and %v", name, result, status.Message())
		}
	}
}

// The host keeps the answers for a signature in its result cache. When nodes change, the host may call Filter for them
// without another call of PreFilter. The cycle state must exist in this case as well.
func TestStateExistsWhateverIsCalledFirst(t *testing.T) {
	for _, reads := range []framework.Reads{{}, {Cycle: true}} {
		runs := 0
		register(before{
			filter{func(state framework.CycleState, _ *framework.Pod, _ framework.NodeInfo) *framework.Status {
				data, err := state.Read("key")
				if err != nil {
					return framework.AsStatus(err)
				}
				return framework.NewStatus(framework.Unschedulable, data.(string))
			}},
			func(state framework.CycleState, _ *framework.Pod) (*framework.PreFilterResult, *framework.Status) {
				runs++
				state.Write("key", "kept")
				return nil, nil
			},
		}, reads)
		guest := component.Registered.New()
		if _, err := guest.Configure(`{}`); err != nil {
			t.Fatal(err)
		}
		guest.AddSignature(7, &contract.Pod{})
		for id := range uint64(3) {
			verdicts, err := guest.Filter(contract.Cycle{ID: id, Signature: 7}, []uint32{0})
			if err != nil || verdicts.Outcomes[0].Reasons[0] != "kept" {
				t.Errorf("got %v, %v", verdicts, err)
			}
		}
		if want := map[bool]int{false: 1, true: 3}[reads.Cycle]; runs != want {
			t.Errorf("%+v: PreFilter ran %d times, want %d", reads, runs, want)
		}
	}
}

func TestScoresAreNormalized(t *testing.T) {
	plugin := score{
		func(state framework.CycleState, _ []framework.NodeInfo) *framework.Status {
			state.Write("factor", int64(1000))
			return nil
		},
		func(state framework.CycleState, node framework.NodeInfo) (int64, *framework.Status) {
			factor, err := state.Read("factor")
			if err != nil {
				return 0, framework.AsStatus(err)
			}
			return factor.(int64) * int64(len(node.Node().GetName())), nil
		},
	}
	register(normalizing{plugin}, framework.Reads{Node: framework.NodeReads{Facts: framework.NodeName}})
	host := st.NewHost(t, `{}`)
	host.SetNode(st.MakeNode().Name("n"))
	host.SetNode(st.MakeNode().Name("node"))
	if got := host.Scores(st.MakePod()); !maps.Equal(got, map[string]int64{"n": 75, "node": 0}) {
		t.Error(got)
	}
}

func TestPreScoreReceivesNodesIfReadsCycle(t *testing.T) {
	for _, reads := range []framework.Reads{{Node: framework.NodeReads{Facts: framework.NodeName}}, {Node: framework.NodeReads{Facts: framework.NodeName}, Cycle: true}} {
		received := 0
		register(score{
			func(_ framework.CycleState, nodes []framework.NodeInfo) *framework.Status {
				received = len(nodes)
				return framework.NewStatus(framework.Skip)
			}, nil,
		}, reads)
		if got := threeNodes(t).Scores(st.MakePod()); len(got) != 0 {
			t.Error(got)
		}
		if want := map[bool]int{false: 0, true: 3}[reads.Cycle]; received != want {
			t.Errorf("received %d nodes, want %d", received, want)
		}
	}
}

func TestTheSeedIsDeclaredAndThatOfTheCycle(t *testing.T) {
	seed := uint64(0)
	ask := func(state framework.CycleState, _ *framework.Pod, _ framework.NodeInfo) *framework.Status {
		seed = state.Seed()
		return nil
	}
	register(filter{ask}, framework.Reads{Cycle: true})
	host := threeNodes(t)
	host.SetSeed(42)
	host.Fits(st.MakePod())
	if seed != 42 {
		t.Error(seed)
	}
	register(filter{ask}, framework.Reads{})
	host = threeNodes(t)
	if got := panicOf(func() { host.Fits(st.MakePod()) }); !strings.Contains(got, "set Reads.Cycle") {
		t.Error(got)
	}
}

func TestNodesAndPodsAreAddedAndRemoved(t *testing.T) {
	register(filter{func(_ framework.CycleState, _ *framework.Pod, node framework.NodeInfo) *framework.Status {
		pods := node.GetPods()
		text := fmt.Sprint(node.Node().GetName(), node.Node().GetLabels(), node.GetAllocatable().ScalarResources, len(pods))
		for _, pod := range pods {
			text += pod.GetLabels()["app"]
		}
		return framework.NewStatus(framework.Unschedulable, text)
	}}, framework.Reads{
		Node:     framework.NodeReads{Facts: framework.NodeName | framework.NodeLabels | framework.NodeAllocatable},
		Resident: &framework.PodReads{Facts: framework.PodLabels},
	})
	host := st.NewHost(t, `{}`)
	host.SetNode(st.MakeNode().Name("gone"))
	host.SetNode(st.MakeNode().Name("a").Label("zone", "x").Capacity(map[string]string{"example.com/gpu": "2"}))
	host.AddPod(st.MakePod().Label("app", "web"), "a")
	host.AddPod(st.MakePod().Label("app", "db"), "a")
	host.RemoveNode("gone")
	host.SetNode(st.MakeNode().Name("a").Label("zone", "y"))
	got := host.Filter(st.MakePod())
	if want := "amap[zone:y] map[] 2webdb"; len(got) != 1 || got["a"].Message() != want {
		t.Errorf("got %v, want %q", got["a"].Message(), want)
	}
}

func TestNodeAffinityMatches(t *testing.T) {
	register(filter{func(_ framework.CycleState, pod *framework.Pod, node framework.NodeInfo) *framework.Status {
		if pod.GetNodeAffinity().Match(node.Node()) {
			return nil
		}
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, "no match")
	}}, framework.Reads{Pod: framework.PodReads{Facts: framework.PodNodeAffinity}, Node: framework.NodeReads{Facts: framework.NodeLabels | framework.NodeName}})
	host := threeNodes(t)
	require := func(terms ...contract.NodeSelectorTerm) *st.PodWrapper {
		return st.MakePod().Facts(func(pod *contract.Pod) {
			pod.RequiredNodeAffinity = contract.Option[[]contract.NodeSelectorTerm]{Value: terms, Some: true}
		})
	}
	above := contract.Requirement{Key: "number", Operator: contract.SelectorOperatorGreaterThan, Values: []string{"1"}}
	named := contract.Requirement{Key: "metadata.name", Operator: contract.SelectorOperatorIn, Values: []string{"a"}}
	for name, c := range map[string]struct {
		pod  *st.PodWrapper
		fits []string
	}{
		"nothing required": {st.MakePod(), []string{"a", "b", "c"}},
		"no term":          {require(), nil},
		"one of two":       {require(contract.NodeSelectorTerm{Expressions: []contract.Requirement{above}}, contract.NodeSelectorTerm{Fields: []contract.Requirement{named}}), []string{"a", "c"}},
		"a selector":       {st.MakePod().NodeSelector(map[string]string{"number": "1"}), []string{"b"}},
		"an absent label":  {st.MakePod().NodeSelector(map[string]string{"rack": ""}), nil},
	} {
		if got := host.Fits(c.pod); !slices.Equal(got, c.fits) {
			t.Errorf("%s: got %v, want %v", name, got, c.fits)
		}
	}
}

func TestTooManyDistinctReasonsAreStillRejections(t *testing.T) {
	asked := 0
	register(filter{func(framework.CycleState, *framework.Pod, framework.NodeInfo) *framework.Status {
		asked++
		return framework.NewStatus(framework.Unschedulable, fmt.Sprint("reason ", asked%70_000))
	}}, framework.Reads{})
	guest := component.Registered.New()
	if _, err := guest.Configure(`{}`); err != nil {
		t.Fatal(err)
	}
	guest.AddSignature(0, &contract.Pod{})
	verdicts, err := guest.Filter(contract.Cycle{}, make([]uint32, 140_000))
	if err != nil || len(verdicts.Outcomes) != 1000 || slices.Contains(verdicts.Nodes, 0) {
		t.Fatal(len(verdicts.Outcomes), err)
	}
	if verdicts.Nodes[0] != 1 || verdicts.Nodes[70_000] != 1 {
		t.Error("equal reasons have two numbers")
	}
	if last := verdicts.Outcomes[999].Reasons[0]; last != "too many different reasons to list" {
		t.Error(last)
	}
}
