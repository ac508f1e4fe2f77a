package framework

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"berth.dev/framework/contract"
)

// guest is a running plugin: the interfaces that it implements, its copy of the cluster, and the pod of each template
// (pod signature). Its methods answer the host's calls, most of which are about many nodes.
type guest struct {
	name      string
	reads     Reads
	construct func(arguments string) (Plugin, error)

	plugin    Plugin
	preFilter PreFilterPlugin
	filter    FilterPlugin
	preScore  PreScorePlugin
	score     ScorePlugin
	normalize ScoreExtensions

	cluster   *snapshot
	templates map[uint32]*template
	// numbers and scores are the memory of the last answers of Filter and Score. The next call reuses this memory: the
	// host reads an answer before the next call.
	numbers []uint16
	scores  []int64
	// current is the session of the current cycle. Not used if the cycles of a template share a session.
	current *session
}

type template struct {
	pod    *Pod
	shared session
}

// Describe returns the plugin's name and version. The version is that of the program's module.
func (g *guest) Describe() contract.Description {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	return contract.Description{Name: g.name, Version: version}
}

// Configure reads the arguments, makes the plugin, and returns its declaration.
func (g *guest) Configure(arguments string) (contract.Declaration, error) {
	plugin, err := g.construct(arguments)
	if err != nil {
		return contract.Declaration{}, fmt.Errorf("%s: %w", g.name, err)
	}
	g.plugin = plugin
	g.preFilter, _ = plugin.(PreFilterPlugin)
	g.filter, _ = plugin.(FilterPlugin)
	g.preScore, _ = plugin.(PreScorePlugin)
	g.score, _ = plugin.(ScorePlugin)
	g.normalize, _ = plugin.(ScoreExtensions)
	return g.declaration()
}

func (g *guest) declaration() (contract.Declaration, error) {
	to := contract.Declaration{
		PodFacts:         g.reads.Pod,
		NodeFacts:        g.reads.Node,
		ResidentPodFacts: g.reads.Resident,
		ClusterFacts:     g.reads.Cluster,
		FilterScope:      g.scope(g.preFilter != nil),
		// Score may read what PreFilter wrote.
		ScoreScope: g.scope(g.preFilter != nil || g.preScore != nil),
	}
	if normalizer, ok := g.plugin.(Normalizer); ok {
		to.Normalization = normalizer.Normalization()
	}
	if g.normalize != nil {
		to.Normalization = contract.NormalizationCustom
	}
	if extensions, ok := g.plugin.(EnqueueExtensions); ok {
		events, err := extensions.EventsToRegister(context.Background())
		if err != nil {
			return contract.Declaration{}, fmt.Errorf("%s: %w", g.name, err)
		}
		to.RetryOn = events
	}
	return to, nil
}

// scope returns cluster if the plugin reads the cycle, and node otherwise: a plugin sees only the facts that it
// declared, so its answers depend on nothing else. before is true if the plugin has a function that runs before the
// nodes (PreFilter, PreScore). Scope node then also requires that the plugin reads no cluster facts.
func (g *guest) scope(before bool) contract.Scope {
	if g.reads.Cycle || before && g.reads.Cluster != 0 {
		return contract.ScopeCluster
	}
	return contract.ScopeNode
}

// HoldTemplate stores the facts of a pod under a template's id.
func (g *guest) HoldTemplate(id uint32, pod *contract.Pod) {
	g.templates[id] = &template{pod: newPod(pod, &g.cluster.podReads, &g.cluster.maps), shared: session{reads: &g.reads}}
}

// ForgetTemplates drops templates.
func (g *guest) ForgetTemplates(ids []uint32) {
	for _, id := range ids {
		delete(g.templates, id)
	}
}

// Apply applies a change of nodes, pods or the cluster's facts.
func (g *guest) Apply(change *contract.Change) { g.cluster.apply(change) }

// begin returns the pod and the session of a call. If the cycles of a template do not share a session, begin starts a
// new session for a new cycle, and also for the same cycle if again is true.
func (g *guest) begin(cycle contract.Cycle, again bool) (*Pod, *session, error) {
	if g.plugin == nil {
		return nil, nil, fmt.Errorf("%s: called before configure", g.name)
	}
	known := g.templates[cycle.Template]
	if known == nil {
		return nil, nil, fmt.Errorf("%s: called with unknown template %d", g.name, cycle.Template)
	}
	if g.scope(true) == contract.ScopeNode {
		return known.pod, &known.shared, nil
	}
	if again || g.current == nil || g.current.cycle != cycle {
		g.current = &session{cycle: cycle, reads: &g.reads}
	}
	return known.pod, g.current, nil
}

// PreFilter answers the host's pre-filter call. It runs the plugin's PreFilter if that has not run in this session.
func (g *guest) PreFilter(cycle contract.Cycle) (contract.PreFilterResult, error) {
	all := contract.PreFilterResult{Tag: contract.PreFilterResultTagAll}
	pod, session, err := g.begin(cycle, true)
	if err != nil {
		return all, err
	}
	g.filtered(session, pod)
	status := session.preFilter
	switch {
	case status.IsSkip():
		return contract.PreFilterResult{Tag: contract.PreFilterResultTagSkip}, nil
	case !status.IsSuccess():
		outcome := status.outcome()
		return contract.PreFilterResult{Tag: contract.PreFilterResultTagReject, Reject: &outcome}, nil
	case session.narrowed != nil:
		return contract.PreFilterResult{Tag: contract.PreFilterResultTagNarrow, Narrow: session.narrowed.NodeNames}, nil
	}
	return all, nil
}

// Filter filters many nodes.
func (g *guest) Filter(cycle contract.Cycle, nodes []uint32) (contract.Verdicts, error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return contract.Verdicts{}, err
	}
	if err := g.known(nodes); err != nil {
		return contract.Verdicts{}, err
	}
	g.filtered(session, pod)
	collected := verdicts{answer: contract.Verdicts{Nodes: slices.Grow(g.numbers[:0], len(nodes))}}
	ctx, state := context.Background(), CycleState{session}
	for _, node := range nodes {
		collected.add(g.filter.Filter(ctx, state, pod, NodeInfo{g.cluster, node}))
	}
	g.numbers = collected.answer.Nodes
	return collected.answer, nil
}

// PreScore answers the host's pre-score call. It runs the plugin's PreScore if that has not run in this session.
func (g *guest) PreScore(cycle contract.Cycle, nodes []uint32) (contract.PreScoreResult, error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return contract.PreScoreResultScore, err
	}
	g.filtered(session, pod)
	g.scored(session, pod, nodes)
	switch status := session.preScore; {
	case status.IsSkip():
		return contract.PreScoreResultSkip, nil
	case !status.IsSuccess():
		return contract.PreScoreResultScore, failure(status)
	}
	return contract.PreScoreResultScore, nil
}

// Score scores many nodes.
func (g *guest) Score(cycle contract.Cycle, nodes []uint32) ([]int64, error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return nil, err
	}
	if err := g.known(nodes); err != nil {
		return nil, err
	}
	g.filtered(session, pod)
	g.scored(session, pod, nodes)
	scores := slices.Grow(g.scores[:0], len(nodes))
	ctx, state := context.Background(), CycleState{session}
	for _, node := range nodes {
		score, status := g.score.Score(ctx, state, pod, NodeInfo{g.cluster, node})
		if !status.IsSuccess() {
			return nil, failure(status)
		}
		scores = append(scores, score)
	}
	g.scores = scores
	return scores, nil
}

// Normalize normalizes all raw scores at once.
func (g *guest) Normalize(cycle contract.Cycle, nodes []uint32, raw []int64) ([]int64, error) {
	pod, session, err := g.begin(cycle, false)
	if err != nil {
		return nil, err
	}
	list := make(NodeScoreList, len(raw))
	for i := range raw {
		list[i].Score = raw[i]
		if g.reads.Node&NodeName != 0 {
			list[i].Name = g.cluster.names.get(nodes[i])
		}
	}
	if status := g.normalize.NormalizeScore(context.Background(), CycleState{session}, pod, list); !status.IsSuccess() {
		return nil, failure(status)
	}
	scores := make([]int64, len(list))
	for i := range list {
		scores[i] = list[i].Score
	}
	return scores, nil
}

// known returns an error if the host asks about a node without having sent its facts.
func (g *guest) known(nodes []uint32) error {
	if g.reads.Node == 0 {
		return nil
	}
	for _, node := range nodes {
		if !g.cluster.present.get(node) {
			return fmt.Errorf("%s: called with unknown node %d", g.name, node)
		}
	}
	return nil
}

func failure(status *Status) error { return errors.New(status.Message()) }
