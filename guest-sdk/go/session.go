package framework

import (
	"context"

	"berth.dev/framework/contract"
)

// session holds the results of PreFilter and PreScore. A session belongs to one scheduling cycle of a pod. If the
// plugin reads neither the cycle, nor the time, nor cluster facts, a session belongs to all cycles of all pods that
// share a signature, until an object or a pending pod changes.
type session struct {
	cycle   contract.Cycle
	cluster *snapshot
	// version is the version of the cluster for which a shared session is valid.
	version uint64
	data    map[StateKey]StateData

	preFiltered bool
	narrowed    *PreFilterResult
	preFilter   *Status

	preScored bool
	preScore  *Status
}

// filtered runs PreFilter unless it already ran in this session.
func (g *guest) filtered(s *session, pod *Pod) {
	if g.points.preFilter == nil || s.preFiltered {
		return
	}
	s.preFiltered = true
	s.narrowed, s.preFilter = g.points.preFilter.PreFilter(context.Background(), CycleState{s}, pod)
}

// scored runs PreScore unless it already ran in this session.
func (g *guest) scored(s *session, pod *Pod, nodes []uint32) {
	if g.points.preScore == nil || s.preScored {
		return
	}
	s.preScored = true
	var infos []NodeInfo
	if g.cluster.reads.Cycle {
		infos = make([]NodeInfo, len(nodes))
		for i, node := range nodes {
			infos[i] = NodeInfo{g.cluster, node}
		}
	}
	s.preScore = g.points.preScore.PreScore(context.Background(), CycleState{s}, pod, infos)
}
