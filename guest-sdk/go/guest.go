package framework

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"berth.dev/framework/contract"
)

// guest is a running plugin: the extension points that it implements, its copy of the cluster, and the pod of each pod
// signature. Its methods answer the host's calls, most of which are about many nodes.
type guest struct {
	name string
	// schema is the JSON Schema of the arguments.
	schema    string
	reads     Reads
	construct func(arguments string, handle *Handle) (Plugin, error)

	points points
	// hints are the plugin's events with their functions.
	hints      []ClusterEventWithHint
	cluster    *snapshot
	objects    objects
	signatures map[uint32]*signature
	// numbers and scores are the memory of the last answers of Filter and Score. The next call reuses this memory: the
	// host reads an answer before the next call.
	numbers []uint16
	scores  []int64
	// current is the session of the current cycle. Not used if the cycles of a signature share a session.
	current *session
	// hidden says why the current call may not read nodes and their pods through the Handle; empty if it may.
	hidden string
	// actions are what the current call does with other pods; nil if it can't do anything.
	actions *contract.PodActions
}

type signature struct {
	pod    *Pod
	shared session
}

// Describe returns the plugin's name, its version and the schema of its arguments. The version is that of the program's
// module.
func (g *guest) Describe() contract.Description {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	arguments := contract.Option[string]{Value: g.schema, Some: true}
	return contract.Description{Name: g.name, Version: version, Arguments: arguments}
}

// Configure reads the arguments, makes the plugin, and returns its declaration.
func (g *guest) Configure(arguments string) (contract.Declaration, error) {
	declaration, err := g.configure(arguments)
	if err != nil {
		return contract.Declaration{}, fmt.Errorf("%s: %w", g.name, err)
	}
	return declaration, nil
}

func (g *guest) configure(arguments string) (contract.Declaration, error) {
	plugin, err := g.construct(arguments, &Handle{g})
	if err != nil {
		return contract.Declaration{}, err
	}
	g.points = pointsOf(plugin)
	reads := g.reads
	if extensions, ok := plugin.(ReadsExtensions); ok {
		reads = reads.with(extensions.Reads())
	}
	if len(reads.Objects) > 0 && len(g.reads.Objects) == 0 {
		return contract.Declaration{}, errors.New("the method Reads names objects and the registration none: name a kind in both")
	}
	if g.cluster.reads, err = declare(g.name, reads); err != nil {
		return contract.Declaration{}, err
	}
	to := g.declaration()
	to.RetryOn, err = g.events(plugin)
	return to, err
}

func (g *guest) declaration() contract.Declaration {
	reads := &g.cluster.reads.Reads
	to := contract.Declaration{
		Pod:          reads.Pod,
		Node:         reads.Node,
		ResidentPods: optional(reads.Resident),
		PendingPods:  optional(reads.Pending),
		ClusterFacts: reads.Cluster,
		ReadsTime:    reads.Time,
		FilterScope:  g.scope(g.points.preFilter != nil),
		// Score may read what PreFilter wrote.
		ScoreScope: g.scope(g.points.preFilter != nil || g.points.preScore != nil),
	}
	if g.points.normalizer != nil {
		to.Normalization = g.points.normalizer.Normalization()
	}
	if g.points.normalize != nil {
		to.Normalization = contract.NormalizationCustom
	}
	return to
}

// events returns the events of the plugin, and keeps the functions that decide about them.
func (g *guest) events(plugin Plugin) ([]ClusterEvent, error) {
	switch extensions := plugin.(type) {
	case EnqueueExtensions:
		return extensions.EventsToRegister(context.Background())
	case EnqueueExtensionsWithHints:
		var err error
		g.hints, err = extensions.EventsToRegister(context.Background())
		events := make([]ClusterEvent, len(g.hints))
		for i, hint := range g.hints {
			events[i] = hint.Event
		}
		return events, err
	}
	return nil, nil
}

// scope returns cluster if the plugin reads the cycle's seed or time, and node otherwise: a plugin sees only the facts
// that it declared, so its answers depend on nothing else. before is true if the plugin has a function that runs before
// the nodes (PreFilter, PreScore). Scope node then also requires that the plugin reads no cluster facts.
func (g *guest) scope(before bool) contract.Scope {
	reads := &g.cluster.reads.Reads
	if reads.Cycle || reads.Time || before && reads.Cluster != 0 {
		return contract.ScopeCluster
	}
	return contract.ScopeNode
}

// AddSignature stores the facts of a pod under the id of its signature.
func (g *guest) AddSignature(id uint32, pod *contract.Pod) {
	g.signatures[id] = &signature{pod: newPod(pod, &g.cluster.reads.pod, &g.cluster.maps)}
}

// RemoveSignatures drops signatures.
func (g *guest) RemoveSignatures(ids []uint32) {
	for _, id := range ids {
		delete(g.signatures, id)
	}
}

// Kinds returns the kinds of objects that the plugin reads.
func (g *guest) Kinds() []contract.Kind { return g.cluster.reads.Objects }

// Apply applies a change of nodes, pods or the cluster's facts.
func (g *guest) Apply(change *contract.Change) { g.cluster.apply(change) }

// ApplyObject applies a change of an object.
func (g *guest) ApplyObject(change *contract.ObjectsChange) {
	g.cluster.version++
	switch change.Tag {
	case contract.ObjectsChangeTagObject:
		g.objects.set(change.Object, g.cluster.reads)
	case contract.ObjectsChangeTagObjectRemoved:
		g.objects.remove(change.ObjectRemoved)
	}
}

// signature returns the signature with an id.
func (g *guest) signature(id uint32) (*signature, error) {
	if g.points.plugin == nil {
		return nil, fmt.Errorf("%s: called before configure", g.name)
	}
	known := g.signatures[id]
	if known == nil {
		return nil, fmt.Errorf("%s: called with unknown pod signature %d", g.name, id)
	}
	return known, nil
}

// begin returns the pod and the session of a call. If the cycles of a signature do not share a session, begin starts a
// new session for a new cycle, and also for the same cycle if again is true.
func (g *guest) begin(cycle contract.Cycle, again bool) (*Pod, *session, error) {
	known, err := g.signature(cycle.Signature)
	if err != nil {
		return nil, nil, err
	}
	g.hidden = ""
	if !g.cluster.reads.Cycle {
		g.hidden = "set Reads.Cycle to read other nodes and their pods in filters and scores"
	}
	if g.scope(true) == contract.ScopeNode {
		if shared := &known.shared; shared.cluster == nil || shared.version != g.cluster.version {
			*shared = session{cluster: g.cluster, version: g.cluster.version}
		}
		known.shared.cycle = cycle
		return known.pod, &known.shared, nil
	}
	if again || g.current == nil || g.current.cycle != cycle {
		g.current = &session{cycle: cycle, cluster: g.cluster}
	}
	return known.pod, g.current, nil
}

func optional(reads *PodReads) contract.Option[PodReads] {
	if reads == nil {
		return contract.Option[PodReads]{}
	}
	return contract.Option[PodReads]{Value: *reads, Some: true}
}
