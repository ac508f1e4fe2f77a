// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package abi

import (
	"unsafe"

	"berth.dev/framework/contract"
)

func lowerDescription(from *contract.Description) (to rawDescription) {
	to.name = lowerString(&from.Name)
	to.version = lowerString(&from.Version)
	to.arguments = lowerOption(from.Arguments, lowerString)
	return to
}

func lowerPodReads(from *contract.PodReads) (to rawPodReads) {
	to.facts = from.Facts
	to.labelKeys = lowerList(from.LabelKeys, lowerString)
	to.annotationKeys = lowerList(from.AnnotationKeys, lowerString)
	to.fields = lowerList(from.Fields, lowerString)
	return to
}

func lowerNodeReads(from *contract.NodeReads) (to rawNodeReads) {
	to.facts = from.Facts
	to.labelKeys = lowerList(from.LabelKeys, lowerString)
	to.annotationKeys = lowerList(from.AnnotationKeys, lowerString)
	to.fields = lowerList(from.Fields, lowerString)
	return to
}

func lowerClusterEvent(from *contract.ClusterEvent) (to rawClusterEvent) {
	to.kind = lowerString(&from.Kind)
	to.actions = from.Actions
	return to
}

func lowerDeclaration(from *contract.Declaration) (to rawDeclaration) {
	to.pod = lowerPodReads(&from.Pod)
	to.node = lowerNodeReads(&from.Node)
	to.residentPods = lowerOption(from.ResidentPods, lowerPodReads)
	to.pendingPods = lowerOption(from.PendingPods, lowerPodReads)
	to.clusterFacts = from.ClusterFacts
	to.readsTime = from.ReadsTime
	to.filterScope = from.FilterScope
	to.scoreScope = from.ScoreScope
	to.normalization = from.Normalization
	to.retryOn = lowerList(from.RetryOn, lowerClusterEvent)
	return to
}

func lowerKind(from *contract.Kind) (to rawKind) {
	to.apiVersion = lowerString(&from.APIVersion)
	to.name = lowerString(&from.Name)
	to.fields = lowerList(from.Fields, lowerString)
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

func lowerObjectReference(from *contract.ObjectReference) (to rawObjectReference) {
	to.apiVersion = lowerString(&from.APIVersion)
	to.kind = lowerString(&from.Kind)
	to.namespace = lowerString(&from.Namespace)
	to.name = lowerString(&from.Name)
	to.uid = lowerString(&from.UID)
	return to
}

func lowerPatch(from *contract.Patch) (to rawPatch) {
	to.object = lowerObjectReference(&from.Object)
	to.subresource = lowerString(&from.Subresource)
	to.patch = lowerString(&from.Patch)
	to.patchType = from.PatchType
	return to
}

func lowerWait(from *contract.Wait) (to rawWait) {
	to.object = lowerObjectReference(&from.Object)
	to.until = lowerString(&from.Until)
	to.timeoutMs = from.TimeoutMs
	return to
}

func lowerIntent(from *contract.Intent) (to rawIntent) {
	to.tag = uint8(from.Tag)
	switch from.Tag {
	case contract.IntentTagPatch:
		*(*rawPatch)(unsafe.Pointer(&to.payload)) = lowerPatch(&(*from.Patch))
	case contract.IntentTagWaitUntil:
		*(*rawWait)(unsafe.Pointer(&to.payload)) = lowerWait(&(*from.WaitUntil))
	case contract.IntentTagEvict:
		*(*pair[rawObjectReference, list])(unsafe.Pointer(&to.payload)) = lowerPair(from.Evict, lowerObjectReference, lowerString)
	case contract.IntentTagAssume:
		*(*pair[rawObjectReference, list])(unsafe.Pointer(&to.payload)) = lowerPair(from.Assume, lowerObjectReference, lowerString)
	case contract.IntentTagCreate:
		*(*pair[rawObjectReference, list])(unsafe.Pointer(&to.payload)) = lowerPair(from.Create, lowerObjectReference, lowerString)
	case contract.IntentTagDelete:
		*(*rawObjectReference)(unsafe.Pointer(&to.payload)) = lowerObjectReference(&(*from.Delete))
	}
	return to
}

func lowerPodActions(from *contract.PodActions) (to rawPodActions) {
	to.approve = lowerList(from.Approve, lowerString)
	to.reject = lowerList(from.Reject, func(from *contract.Pair[string, string]) pair[list, list] {
		return lowerPair(*from, lowerString, lowerString)
	})
	to.activate = lowerList(from.Activate, lowerString)
	return to
}

func lowerNomination(from *contract.Nomination) (to rawNomination) {
	to.node = from.Node
	to.evict = lowerView(from.Evict)
	to.reason = lowerString(&from.Reason)
	to.intents = lowerList(from.Intents, lowerIntent)
	to.pods = lowerPodActions(&from.Pods)
	return to
}

func lowerFailure(from *contract.Failure) (to rawFailure) {
	to.reasons = lowerList(from.Reasons, lowerString)
	to.clear = from.Clear
	to.intents = lowerList(from.Intents, lowerIntent)
	to.pods = lowerPodActions(&from.Pods)
	return to
}

func lowerPostFilterResult(from *contract.PostFilterResult) (to rawPostFilterResult) {
	to.tag = uint8(from.Tag)
	switch from.Tag {
	case contract.PostFilterResultTagNominate:
		*(*rawNomination)(unsafe.Pointer(&to.payload)) = lowerNomination(&(*from.Nominate))
	case contract.PostFilterResultTagUnschedulable:
		*(*rawFailure)(unsafe.Pointer(&to.payload)) = lowerFailure(&(*from.Unschedulable))
	}
	return to
}

func lowerWhatIfCase(from *contract.WhatIfCase) (to rawWhatIfCase) {
	to.node = from.Node
	to.removed = lowerView(from.Removed)
	return to
}

func lowerCandidate(from *contract.Candidate) (to rawCandidate) {
	to.node = from.Node
	to.victims = lowerView(from.Victims)
	to.violations = from.Violations
	return to
}

func lowerReservation(from *contract.Reservation) (to rawReservation) {
	to.state = lowerView(from.State)
	to.intents = lowerList(from.Intents, lowerIntent)
	return to
}

func lowerUndone(from *contract.Undone) (to rawUndone) {
	to.intents = lowerList(from.Intents, lowerIntent)
	to.pods = lowerPodActions(&from.Pods)
	return to
}

func lowerDecision(from *contract.Decision) (to rawDecision) {
	to.tag = uint8(from.Tag)
	switch from.Tag {
	case contract.DecisionTagDeny:
		*(*rawStatus)(unsafe.Pointer(&to.payload)) = lowerStatus(&(*from.Deny))
	case contract.DecisionTagWait:
		*(*uint64)(unsafe.Pointer(&to.payload)) = from.Wait
	}
	return to
}

func lowerVerdict(from *contract.Verdict) (to rawVerdict) {
	to.decision = lowerDecision(&from.Decision)
	to.pods = lowerPodActions(&from.Pods)
	return to
}
