// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package abi

import (
	"unsafe"

	"berth.dev/framework/contract"
)

type rawLabel struct {
	key   list
	value list
}

var _ [16]byte = [unsafe.Sizeof(rawLabel{})]byte{}

type rawOwner struct {
	apiVersion list
	kind       list
	name       list
	uid        list
	controller bool
}

var _ [36]byte = [unsafe.Sizeof(rawOwner{})]byte{}

type rawToleration struct {
	key      list
	operator contract.TolerationOperator
	value    list
	effect   option[contract.TaintEffect]
}

var _ [24]byte = [unsafe.Sizeof(rawToleration{})]byte{}

type rawRequirement struct {
	key      list
	operator contract.SelectorOperator
	values   list
}

var _ [20]byte = [unsafe.Sizeof(rawRequirement{})]byte{}

type rawNodeSelectorTerm struct {
	expressions list
	fields      list
}

var _ [16]byte = [unsafe.Sizeof(rawNodeSelectorTerm{})]byte{}

type rawPreferredNodeTerm struct {
	weight int32
	term   rawNodeSelectorTerm
}

var _ [20]byte = [unsafe.Sizeof(rawPreferredNodeTerm{})]byte{}

type rawLabelSelector struct {
	requirements list
}

var _ [8]byte = [unsafe.Sizeof(rawLabelSelector{})]byte{}

type rawPodAffinityTerm struct {
	selector          option[rawLabelSelector]
	namespaces        list
	namespaceSelector option[rawLabelSelector]
	topologyKey       list
	weight            int32
}

var _ [44]byte = [unsafe.Sizeof(rawPodAffinityTerm{})]byte{}

type rawPodAffinity struct {
	required  list
	preferred list
}

var _ [16]byte = [unsafe.Sizeof(rawPodAffinity{})]byte{}

type rawSpreadConstraint struct {
	maxSkew            int32
	topologyKey        list
	whenUnsatisfiable  contract.UnsatisfiableAction
	selector           option[rawLabelSelector]
	minDomains         int32
	nodeAffinityPolicy contract.NodeInclusionPolicy
	nodeTaintsPolicy   contract.NodeInclusionPolicy
	matchLabelKeys     list
}

var _ [44]byte = [unsafe.Sizeof(rawSpreadConstraint{})]byte{}

type rawScalar struct {
	name     list
	quantity int64
}

var _ [16]byte = [unsafe.Sizeof(rawScalar{})]byte{}

type rawResources struct {
	milliCPU         int64
	memory           int64
	ephemeralStorage int64
	pods             int64
	scalars          list
}

var _ [40]byte = [unsafe.Sizeof(rawResources{})]byte{}

type rawPodRequests struct {
	fit             rawResources
	effective       rawResources
	nonZeroMilliCPU int64
	nonZeroMemory   int64
}

var _ [96]byte = [unsafe.Sizeof(rawPodRequests{})]byte{}

type rawHostPort struct {
	ip       list
	protocol contract.Protocol
	port     uint16
}

var _ [12]byte = [unsafe.Sizeof(rawHostPort{})]byte{}

type rawContainer struct {
	name      list
	kind      contract.ContainerKind
	image     list
	requests  rawResources
	limits    rawResources
	hostPorts list
}

var _ [112]byte = [unsafe.Sizeof(rawContainer{})]byte{}

type rawPodImages struct {
	containers list
	volumes    list
}

var _ [16]byte = [unsafe.Sizeof(rawPodImages{})]byte{}

type rawClaimSource struct {
	claim    list
	readOnly bool
}

var _ [12]byte = [unsafe.Sizeof(rawClaimSource{})]byte{}

type rawEphemeralSource struct {
	claim  list
	podUID list
}

var _ [16]byte = [unsafe.Sizeof(rawEphemeralSource{})]byte{}

type rawDisk struct {
	id       list
	pool     list
	monitors list
	readOnly bool
}

var _ [28]byte = [unsafe.Sizeof(rawDisk{})]byte{}

type rawVolumeSource struct {
	tag     uint8
	payload [7]uint32
}

var _ [32]byte = [unsafe.Sizeof(rawVolumeSource{})]byte{}

type rawVolume struct {
	name   list
	source rawVolumeSource
}

var _ [40]byte = [unsafe.Sizeof(rawVolume{})]byte{}

type rawPodResourceClaim struct {
	name     list
	claim    list
	template list
}

var _ [24]byte = [unsafe.Sizeof(rawPodResourceClaim{})]byte{}

type rawPod struct {
	name                  list
	namespace             list
	uid                   list
	labels                list
	annotations           list
	owners                list
	nodeName              list
	schedulerName         list
	priority              int32
	preemption            contract.PreemptionPolicy
	tolerations           list
	nodeSelector          list
	requiredNodeAffinity  option[list]
	preferredNodeAffinity list
	affinity              rawPodAffinity
	antiAffinity          rawPodAffinity
	topologySpread        list
	requests              rawPodRequests
	limits                rawResources
	qos                   contract.QOSClass
	containers            list
	images                rawPodImages
	hostPorts             list
	volumes               list
	schedulingGates       list
	resourceClaims        list
	hostNetwork           bool
	nominatedNodeName     list
	deleting              bool
	creationTime          int64
	startTime             int64
	userNamespace         bool
	restartActions        list
	schedulingGroup       list
	fields                list
}

var _ [416]byte = [unsafe.Sizeof(rawPod{})]byte{}

type rawTaint struct {
	key    list
	value  list
	effect contract.TaintEffect
}

var _ [20]byte = [unsafe.Sizeof(rawTaint{})]byte{}

type rawCondition struct {
	kind   list
	status contract.ConditionStatus
}

var _ [12]byte = [unsafe.Sizeof(rawCondition{})]byte{}

type rawNodeInfo struct {
	architecture            list
	operatingSystem         list
	osImage                 list
	kernelVersion           list
	kubeletVersion          list
	containerRuntimeVersion list
}

var _ [48]byte = [unsafe.Sizeof(rawNodeInfo{})]byte{}

type rawNode struct {
	id               uint32
	name             option[list]
	uid              option[list]
	labels           option[list]
	annotations      option[list]
	taints           option[list]
	unschedulable    option[bool]
	allocatable      option[rawResources]
	images           option[list]
	usedPorts        option[list]
	conditions       option[list]
	declaredFeatures option[list]
	capacity         option[rawResources]
	info             option[rawNodeInfo]
	fields           option[list]
}

var _ [280]byte = [unsafe.Sizeof(rawNode{})]byte{}

type rawScalarUsage struct {
	node     uint32
	name     list
	quantity int64
}

var _ [24]byte = [unsafe.Sizeof(rawScalarUsage{})]byte{}

type rawUsage struct {
	nodes            list
	milliCPU         list
	memory           list
	ephemeralStorage list
	pods             list
	nonZeroMilliCPU  list
	nonZeroMemory    list
	scalars          list
}

var _ [64]byte = [unsafe.Sizeof(rawUsage{})]byte{}

type rawImage struct {
	id    uint32
	name  list
	size  int64
	nodes uint32
}

var _ [32]byte = [unsafe.Sizeof(rawImage{})]byte{}

type rawResidentPod struct {
	id   uint32
	node uint32
	pod  rawPod
}

var _ [424]byte = [unsafe.Sizeof(rawResidentPod{})]byte{}

type rawPendingPod struct {
	id  uint32
	pod rawPod
}

var _ [424]byte = [unsafe.Sizeof(rawPendingPod{})]byte{}

type rawChange struct {
	tag     uint8
	payload [53]uint64
}

var _ [432]byte = [unsafe.Sizeof(rawChange{})]byte{}

type rawObject struct {
	id        uint32
	kind      uint32
	namespace list
	name      list
	uid       list
	fields    list
	assumed   bool
}

var _ [44]byte = [unsafe.Sizeof(rawObject{})]byte{}

type rawObjectsChange struct {
	tag     uint8
	payload [11]uint32
}

var _ [48]byte = [unsafe.Sizeof(rawObjectsChange{})]byte{}

type rawEventNode struct {
	name             list
	labels           list
	annotations      list
	taints           list
	unschedulable    bool
	allocatable      rawResources
	conditions       list
	declaredFeatures list
	capacity         rawResources
	info             option[rawNodeInfo]
	fields           list
}

var _ [200]byte = [unsafe.Sizeof(rawEventNode{})]byte{}

type rawNodeChange struct {
	before option[rawEventNode]
	after  option[rawEventNode]
}

var _ [416]byte = [unsafe.Sizeof(rawNodeChange{})]byte{}

type rawPodChange struct {
	before option[uint32]
	after  option[uint32]
}

var _ [16]byte = [unsafe.Sizeof(rawPodChange{})]byte{}

type rawObjectChange struct {
	namespace list
	name      list
	before    option[list]
	after     option[list]
}

var _ [40]byte = [unsafe.Sizeof(rawObjectChange{})]byte{}

type rawSubject struct {
	tag     uint8
	payload [52]uint64
}

var _ [424]byte = [unsafe.Sizeof(rawSubject{})]byte{}

type rawEvent struct {
	kind    list
	actions contract.EventActions
	subject rawSubject
}

var _ [440]byte = [unsafe.Sizeof(rawEvent{})]byte{}

type rawStatus struct {
	code    contract.Code
	reasons list
}

var _ [12]byte = [unsafe.Sizeof(rawStatus{})]byte{}

type rawVerdicts struct {
	outcomes list
	nodes    list
}

var _ [16]byte = [unsafe.Sizeof(rawVerdicts{})]byte{}

type rawCandidate struct {
	node       uint32
	victims    list
	violations int64
}

var _ [24]byte = [unsafe.Sizeof(rawCandidate{})]byte{}

type rawDescription struct {
	name      list
	version   list
	arguments option[list]
}

var _ [28]byte = [unsafe.Sizeof(rawDescription{})]byte{}

type rawPodReads struct {
	facts          contract.PodFacts
	labelKeys      list
	annotationKeys list
	fields         list
}

var _ [28]byte = [unsafe.Sizeof(rawPodReads{})]byte{}

type rawNodeReads struct {
	facts          contract.NodeFacts
	labelKeys      list
	annotationKeys list
	fields         list
}

var _ [28]byte = [unsafe.Sizeof(rawNodeReads{})]byte{}

type rawClusterEvent struct {
	kind    list
	actions contract.EventActions
}

var _ [12]byte = [unsafe.Sizeof(rawClusterEvent{})]byte{}

type rawDeclaration struct {
	pod           rawPodReads
	node          rawNodeReads
	residentPods  option[rawPodReads]
	pendingPods   option[rawPodReads]
	clusterFacts  contract.ClusterFacts
	readsTime     bool
	filterScope   contract.Scope
	scoreScope    contract.Scope
	normalization contract.Normalization
	retryOn       list
}

var _ [136]byte = [unsafe.Sizeof(rawDeclaration{})]byte{}

type rawKind struct {
	apiVersion list
	name       list
	fields     list
}

var _ [24]byte = [unsafe.Sizeof(rawKind{})]byte{}

type rawPreFilterResult struct {
	tag     uint8
	payload [3]uint32
}

var _ [16]byte = [unsafe.Sizeof(rawPreFilterResult{})]byte{}

type rawObjectReference struct {
	apiVersion list
	kind       list
	namespace  list
	name       list
	uid        list
}

var _ [40]byte = [unsafe.Sizeof(rawObjectReference{})]byte{}

type rawPatch struct {
	object      rawObjectReference
	subresource list
	patch       list
	patchType   contract.PatchType
}

var _ [60]byte = [unsafe.Sizeof(rawPatch{})]byte{}

type rawWait struct {
	object    rawObjectReference
	until     list
	timeoutMs uint64
}

var _ [56]byte = [unsafe.Sizeof(rawWait{})]byte{}

type rawIntent struct {
	tag     uint8
	payload [8]uint64
}

var _ [72]byte = [unsafe.Sizeof(rawIntent{})]byte{}

type rawPodActions struct {
	approve  list
	reject   list
	activate list
}

var _ [24]byte = [unsafe.Sizeof(rawPodActions{})]byte{}

type rawNomination struct {
	node    uint32
	evict   list
	reason  list
	intents list
	pods    rawPodActions
}

var _ [52]byte = [unsafe.Sizeof(rawNomination{})]byte{}

type rawFailure struct {
	reasons list
	clear   bool
	intents list
	pods    rawPodActions
}

var _ [44]byte = [unsafe.Sizeof(rawFailure{})]byte{}

type rawPostFilterResult struct {
	tag     uint8
	payload [13]uint32
}

var _ [56]byte = [unsafe.Sizeof(rawPostFilterResult{})]byte{}

type rawWhatIfCase struct {
	node    uint32
	removed list
}

var _ [12]byte = [unsafe.Sizeof(rawWhatIfCase{})]byte{}

type rawReservation struct {
	state   list
	intents list
}

var _ [16]byte = [unsafe.Sizeof(rawReservation{})]byte{}

type rawUndone struct {
	intents list
	pods    rawPodActions
}

var _ [32]byte = [unsafe.Sizeof(rawUndone{})]byte{}

type rawDecision struct {
	tag     uint8
	payload [2]uint64
}

var _ [24]byte = [unsafe.Sizeof(rawDecision{})]byte{}

type rawVerdict struct {
	decision rawDecision
	pods     rawPodActions
}

var _ [48]byte = [unsafe.Sizeof(rawVerdict{})]byte{}
