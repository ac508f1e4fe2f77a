package framework

import (
	"context"

	"berth.dev/framework/contract"
)

// session holds the results of PreFilter and PreScore. It belongs to one cycle of a pod, or, if answers depend on
// declared facts alone, to all cycles of all pods that share a template.
type session struct {
	cycle contract.Cycle
	reads *Reads
	data  map[StateKey]StateData

	preFiltered bool
	narrowed    *PreFilterResult
	preFilter   *Status

	preScored bool
	preScore  *Status
}

func (g *guest) filtered(s *session, pod *Pod) {
	if g.preFilter == nil || s.preFiltered {
		return
	}
	s.preFiltered = true
	s.narrowed, s.preFilter = g.preFilter.PreFilter(context.Background(), CycleState{s}, pod)
}

func (g *guest) scored(s *session, pod *Pod, nodes []uint32) {
	if g.preScore == nil || s.preScored {
		return
	}
	s.preScored = true
	var infos []NodeInfo
	if g.reads.Cycle {
		infos = make([]NodeInfo, len(nodes))
		for i, node := range nodes {
			infos[i] = NodeInfo{g.cluster, node}
		}
	}
	s.preScore = g.preScore.PreScore(context.Background(), CycleState{s}, pod, infos)
}
