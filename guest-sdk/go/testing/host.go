package testing

import (
	"fmt"
	"slices"
	"testing"

	"berth.dev/framework"
	"berth.dev/framework/contract"
	"berth.dev/framework/internal/component"
)

// Host runs the plugin that the program passed to framework.Register. It calls the plugin as Berth does.
type Host struct {
	t           testing.TB
	guest       component.Guest
	exports     []string
	declaration contract.Declaration
	// nodes are the nodes. The index is the node's id. A removed node is nil.
	nodes     []*NodeWrapper
	images    []contract.Image
	residents uint32
	cycle     contract.Cycle
}

// NewHost configures the plugin with arguments in JSON. The test fails if the plugin refuses them.
func NewHost(t testing.TB, arguments string) *Host {
	t.Helper()
	host, err := newHost(t, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return host
}

// Refusal returns the error with which the plugin refuses the arguments. The test fails if the plugin accepts them.
func Refusal(t testing.TB, arguments string) error {
	t.Helper()
	_, err := newHost(t, arguments)
	if err == nil {
		t.Fatalf("the plugin accepted the arguments %s", arguments)
	}
	return err
}

func newHost(t testing.TB, arguments string) (*Host, error) {
	t.Helper()
	if component.Registered == nil {
		t.Fatal("no plugin is registered: call framework.Register in the program's init")
	}
	host := &Host{t: t, guest: component.Registered.New(), exports: component.Registered.Exports}
	var err error
	host.declaration, err = host.guest.Configure(arguments)
	return host, err
}

// SetSeed sets the seed of the following cycles. The default is 0.
func (h *Host) SetSeed(seed uint64) { h.cycle.Seed = seed }

// SetTime sets the time of the following cycles, in milliseconds since 1970. The default is 0.
func (h *Host) SetTime(milliseconds int64) { h.cycle.Time = milliseconds }

// SetNode adds a node, or replaces the node of this name.
func (h *Host) SetNode(node *NodeWrapper) {
	id := slices.IndexFunc(h.nodes, func(known *NodeWrapper) bool { return known != nil && known.name == node.name })
	if id < 0 {
		id = len(h.nodes)
		h.nodes = append(h.nodes, nil)
	}
	h.nodes[id] = node
	h.sendImages(node)
	h.apply(contract.Change{Tag: contract.ChangeTagNode, Node: node.facts(uint32(id), h.images)})
	h.apply(contract.Change{Tag: contract.ChangeTagUsage, Usage: node.usage(uint32(id))})
	h.sendNodeCount()
}

// RemoveNode removes the node of this name. The test fails if there is no such node.
func (h *Host) RemoveNode(name string) {
	id := h.id(name)
	h.nodes[id] = nil
	h.apply(contract.Change{Tag: contract.ChangeTagNodeRemoved, NodeRemoved: id})
	h.sendNodeCount()
}

// AddPod adds a pod to a node, for plugins that read NodePods. The pod's requests are not added to the requested
// resources of the node.
func (h *Host) AddPod(pod *PodWrapper, node string) {
	resident := &contract.ResidentPod{ID: h.residents, Node: h.id(node), Pod: pod.facts}
	h.residents++
	h.apply(contract.Change{Tag: contract.ChangeTagResidentPod, ResidentPod: resident})
}

// Filter runs PreFilter and Filter for all nodes and returns each node's status by name; nil if the pod fits. Nodes
// that PreFilter excludes by name are absent. If PreFilter rejects the pod, all nodes have the status of PreFilter. If
// PreFilter returns Skip, the pod fits all nodes. The test fails if Filter is needed and the plugin has no Filter.
func (h *Host) Filter(pod *PodWrapper) map[string]*framework.Status {
	h.t.Helper()
	h.begin(pod)
	ids := h.ids()
	statuses := map[string]*framework.Status{}
	if h.has("pre-filter") {
		result, err := h.guest.PreFilter(h.cycle)
		h.check(err)
		switch result.Tag {
		case contract.PreFilterResultTagReject:
			return h.all(newStatus(*result.Reject))
		case contract.PreFilterResultTagSkip:
			return h.all(nil)
		case contract.PreFilterResultTagNarrow:
			ids = slices.DeleteFunc(ids, func(id uint32) bool { return !slices.Contains(result.Narrow, h.nodes[id].name) })
		}
	}
	if !h.has("filter") {
		h.t.Fatal("the plugin has no Filter")
	}
	verdicts, err := h.guest.Filter(h.cycle, ids)
	h.check(err)
	for i, id := range ids {
		var status *framework.Status
		if number := verdicts.Nodes[i]; number > 0 {
			status = newStatus(verdicts.Outcomes[number-1])
		}
		statuses[h.nodes[id].name] = status
	}
	return statuses
}

// Fits returns the names of the nodes that the pod fits, in the order in which they were added.
func (h *Host) Fits(pod *PodWrapper) []string {
	h.t.Helper()
	statuses := h.Filter(pod)
	var names []string
	for _, id := range h.ids() {
		if status, asked := statuses[h.nodes[id].name]; asked && status.IsSuccess() {
			names = append(names, h.nodes[id].name)
		}
	}
	return names
}

// Scores runs PreScore and Score for all nodes and returns the normalized scores by node name. The map is empty if
// PreScore returns Skip. The test fails if the plugin has no Score, or if a score is not 0 to 100.
func (h *Host) Scores(pod *PodWrapper) map[string]int64 {
	h.t.Helper()
	if !h.has("score") {
		h.t.Fatal("the plugin has no Score")
	}
	h.begin(pod)
	ids := h.ids()
	if h.has("pre-score") {
		result, err := h.guest.PreScore(h.cycle, ids)
		h.check(err)
		if result == contract.PreScoreResultSkip {
			return map[string]int64{}
		}
	}
	raw, err := h.guest.Score(h.cycle, ids)
	h.check(err)
	scores := map[string]int64{}
	for i, score := range h.normalized(ids, raw) {
		if score < framework.MinNodeScore || score > framework.MaxNodeScore {
			h.t.Errorf("node %s has a score of %d, which is not 0 to 100", h.nodes[ids[i]].name, score)
		}
		scores[h.nodes[ids[i]].name] = score
	}
	return scores
}

func (h *Host) normalized(ids []uint32, raw []int64) []int64 {
	h.t.Helper()
	reverse := false
	switch h.declaration.Normalization {
	case contract.NormalizationNone:
		return raw
	case contract.NormalizationCustom:
		scores, err := h.guest.Normalize(h.cycle, ids, raw)
		h.check(err)
		return scores
	case contract.NormalizationDefaultReversed:
		reverse = true
	}
	list := make(framework.NodeScoreList, len(raw))
	for i := range raw {
		list[i].Score = raw[i]
	}
	framework.DefaultNormalizeScore(framework.MaxNodeScore, reverse, list)
	for i := range raw {
		raw[i] = list[i].Score
	}
	return raw
}

// begin starts a new cycle. The guest forgets the previous cycle's template and holds the pod under a new template id.
func (h *Host) begin(pod *PodWrapper) {
	h.guest.ForgetTemplates([]uint32{h.cycle.Template})
	h.cycle.ID++
	h.cycle.Template++
	facts := pod.facts
	h.guest.HoldTemplate(h.cycle.Template, &facts)
}

func (h *Host) has(interfaceName string) bool { return slices.Contains(h.exports, interfaceName) }

func (h *Host) apply(change contract.Change) { h.guest.Apply(&change) }

func (h *Host) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *Host) ids() (ids []uint32) {
	for id, node := range h.nodes {
		if node != nil {
			ids = append(ids, uint32(id))
		}
	}
	return ids
}

func (h *Host) id(name string) uint32 {
	h.t.Helper()
	for id, node := range h.nodes {
		if node != nil && node.name == name {
			return uint32(id)
		}
	}
	h.t.Fatalf("the test host has no node %q", name)
	return 0
}

func (h *Host) all(status *framework.Status) map[string]*framework.Status {
	statuses := map[string]*framework.Status{}
	for _, id := range h.ids() {
		statuses[h.nodes[id].name] = status
	}
	return statuses
}

func (h *Host) sendNodeCount() {
	h.apply(contract.Change{Tag: contract.ChangeTagNodeCount, NodeCount: uint32(len(h.ids()))})
}

// sendImages adds the node's images to the known images, and sends all known images with their numbers of nodes.
func (h *Host) sendImages(node *NodeWrapper) {
	for name, size := range node.images {
		if !slices.ContainsFunc(h.images, func(image contract.Image) bool { return image.Name == name }) {
			h.images = append(h.images, contract.Image{ID: uint32(len(h.images)), Name: name, Size: size})
		}
	}
	for i := range h.images {
		image := h.images[i]
		for _, id := range h.ids() {
			if _, there := h.nodes[id].images[image.Name]; there {
				image.Nodes++
			}
		}
		h.apply(contract.Change{Tag: contract.ChangeTagImage, Image: &image})
	}
}

func newStatus(from contract.Status) *framework.Status {
	codes := map[contract.Code]framework.Code{
		contract.CodeUnschedulable:                framework.Unschedulable,
		contract.CodeUnschedulableAndUnresolvable: framework.UnschedulableAndUnresolvable,
		contract.CodeError:                        framework.Error,
		contract.CodePending:                      framework.Pending,
	}
	code, known := codes[from.Code]
	if !known {
		panic(fmt.Sprintf("the contract has no code %d", from.Code))
	}
	return framework.NewStatus(code, from.Reasons...)
}
