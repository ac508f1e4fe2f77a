// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package abi

import (
	"unsafe"

	"berth.dev/framework/contract"
)

func lowerDescription(from *contract.Description) (to rawDescription) {
	to.name = lowerString(&from.Name)
	to.version = lowerString(&from.Version)
	return to
}

func lowerClusterEvent(from *contract.ClusterEvent) (to rawClusterEvent) {
	to.kind = lowerString(&from.Kind)
	to.actions = from.Actions
	return to
}

func lowerDeclaration(from *contract.Declaration) (to rawDeclaration) {
	to.podFacts = from.PodFacts
	to.nodeFacts = from.NodeFacts
	to.residentPodFacts = from.ResidentPodFacts
	to.clusterFacts = from.ClusterFacts
	to.filterScope = from.FilterScope
	to.scoreScope = from.ScoreScope
	to.normalization = from.Normalization
	to.retryOn = lowerList(from.RetryOn, lowerClusterEvent)
	return to
}

func lowerStatus(from *contract.Status) (to rawStatus) {
	to.code = from.Code
	to.reasons = lowerList(from.Reasons, lowerString)
	return to
}

func lowerPreFilterResult(from *contract.PreFilterResult) (to rawPreFilterResult) {
	to.tag = uint8(from.Tag)
	switch from.Tag {
	case contract.PreFilterResultTagNarrow:
		*(*list)(unsafe.Pointer(&to.payload)) = lowerList(from.Narrow, lowerString)
	case contract.PreFilterResultTagReject:
		*(*rawStatus)(unsafe.Pointer(&to.payload)) = lowerStatus(&(*from.Reject))
	}
	return to
}

func lowerVerdicts(from *contract.Verdicts) (to rawVerdicts) {
	to.outcomes = lowerList(from.Outcomes, lowerStatus)
	to.nodes = lowerView(from.Nodes)
	return to
}
