package testing

import (
	"fmt"
	"slices"

	"berth.dev/framework"
	"berth.dev/framework/contract"
)

// PreFilter runs PreFilter alone: the nodes that the plugin names (nil for all nodes), and the status.
func (h *Host) PreFilter(pod *PodWrapper) (*framework.PreFilterResult, *framework.Status) {
	h.t.Helper()
	h.needs("pre-filter", "PreFilter")
	h.begin(pod)
	return h.preFilter()
}

func (h *Host) preFilter() (*framework.PreFilterResult, *framework.Status) {
	h.t.Helper()
	result, err := h.guest.PreFilter(h.cycle)
	h.check(err)
	switch result.Tag {
	case contract.PreFilterResultTagReject:
		return nil, newStatus(*result.Reject)
	case contract.PreFilterResultTagSkip:
		return nil, framework.NewStatus(framework.Skip)
	case contract.PreFilterResultTagNarrow:
		return &framework.PreFilterResult{NodeNames: result.Narrow}, nil
	}
	return nil, nil
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
		result, status := h.preFilter()
		switch {
		case status.IsSkip():
			return h.all(nil)
		case !status.IsSuccess():
			return h.all(status)
		case result != nil:
			ids = slices.DeleteFunc(ids, func(id uint32) bool { return !slices.Contains(result.NodeNames, h.nodes[id].name) })
		}
	}
	h.needs("filter", "Filter")
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
	h.needs("score", "Score")
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

func (h *Host) all(status *framework.Status) map[string]*framework.Status {
	statuses := map[string]*framework.Status{}
	for _, id := range h.ids() {
		statuses[h.nodes[id].name] = status
	}
	return statuses
}

// codes are the contract's codes of statuses.
var codes = map[contract.Code]framework.Code{
	contract.CodeUnschedulable:                framework.Unschedulable,
	contract.CodeUnschedulableAndUnresolvable: framework.UnschedulableAndUnresolvable,
	contract.CodeError:                        framework.Error,
	contract.CodePending:                      framework.Pending,
}

func newStatus(from contract.Status) *framework.Status {
	code, known := codes[from.Code]
	if !known {
		panic(fmt.Sprintf("the contract has no code %d", from.Code))
	}
	return framework.NewStatus(code, from.Reasons...)
}

func contractStatus(from *framework.Status) contract.Status {
	for code, of := range codes {
		if of == from.Code() {
			return contract.Status{Code: code, Reasons: from.Reasons()}
		}
	}
	panic(fmt.Sprintf("a filter does not return the code %d", from.Code()))
}
