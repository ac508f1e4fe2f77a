// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// One entry of a `map[string]string`: labels, annotations, node selectors.
type Label struct {
	// For example `topology.kubernetes.io/zone`.
	Key string
	// May be empty.
	Value string
}

// `metadata.ownerReferences[]`.
type Owner struct {
	APIVersion string
	Kind       string
	Name       string
	UID        string
	// `controller: true`.
	Controller bool
}

type PreemptionPolicy uint8

const (
	PreemptionPolicyLowerPriority PreemptionPolicy = iota
	PreemptionPolicyNever
)

type TolerationOperator uint8

const (
	// `Equal`, also where the field is empty.
	TolerationOperatorEqual TolerationOperator = iota
	TolerationOperatorExists
	// `Lt`: the taint's value, an integer, is less than the toleration's.
	TolerationOperatorLessThan
	// `Gt`: the taint's value, an integer, is greater than the toleration's.
	TolerationOperatorGreaterThan
)

// What a pod with this taint's effect may not do without tolerating it.
type TaintEffect uint8

const (
	TaintEffectNoSchedule TaintEffect = iota
	TaintEffectPreferNoSchedule
	TaintEffectNoExecute
)

// `pod.spec.tolerations[]`.
type Toleration struct {
	// Empty with `exists`: every key.
	Key      string
	Operator TolerationOperator
	Value    string
	// `none`: every effect.
	Effect Option[TaintEffect]
}

type SelectorOperator uint8

const (
	SelectorOperatorIn SelectorOperator = iota
	SelectorOperatorNotIn
	SelectorOperatorExists
	SelectorOperatorDoesNotExist
	// `Gt`: the label's value, an integer, is greater than the requirement's only value.
	SelectorOperatorGreaterThan
	// `Lt`.
	SelectorOperatorLessThan
)

// One requirement of a node selector term or of a label selector.
type Requirement struct {
	Key      string
	Operator SelectorOperator
	Values   []string
}

// `nodeSelectorTerms[]`: all requirements have to hold; a term without any holds for no node.
type NodeSelectorTerm struct {
	// `matchExpressions`, on the node's labels.
	Expressions []Requirement
	// `matchFields`, on the node's fields; Kubernetes knows `metadata.name` only, with In and NotIn.
	Fields []Requirement
}

// `preferredDuringSchedulingIgnoredDuringExecution[]` of a node affinity.
type PreferredNodeTerm struct {
	// 1 to 100.
	Weight int32
	Term   NodeSelectorTerm
}

// A `metav1.LabelSelector`; empty selects everything. `matchLabels` come as requirements with operator In.
type LabelSelector struct {
	Requirements []Requirement
}

// A `PodAffinityTerm`. `matchLabelKeys` and `mismatchLabelKeys` are merged into the selector by the API server.
type PodAffinityTerm struct {
	// `none` selects no pods.
	Selector Option[LabelSelector]
	// `namespaces`; with an absent namespace-selector and an empty list: the pod's own, filled in by the host.
	Namespaces []string
	// `namespaceSelector`; empty selects every namespace, `none` none beyond `namespaces`.
	NamespaceSelector Option[LabelSelector]
	TopologyKey       string
	// 1 to 100 in a preferred term, 0 in a required one.
	Weight int32
}

// `pod.spec.affinity.podAffinity` or `.podAntiAffinity`.
type PodAffinity struct {
	Required  []PodAffinityTerm
	Preferred []PodAffinityTerm
}

type UnsatisfiableAction uint8

const (
	UnsatisfiableActionDoNotSchedule UnsatisfiableAction = iota
	UnsatisfiableActionScheduleAnyway
)

type NodeInclusionPolicy uint8

const (
	NodeInclusionPolicyHonor NodeInclusionPolicy = iota
	NodeInclusionPolicyIgnore
)

// `pod.spec.topologySpreadConstraints[]`.
type SpreadConstraint struct {
	MaxSkew           int32
	TopologyKey       string
	WhenUnsatisfiable UnsatisfiableAction
	// `none` selects no pods.
	Selector Option[LabelSelector]
	// At least 1; 1 where the field is absent.
	MinDomains int32
	// `nodeAffinityPolicy`; honor where absent.
	NodeAffinityPolicy NodeInclusionPolicy
	// `nodeTaintsPolicy`; ignore where absent.
	NodeTaintsPolicy NodeInclusionPolicy
	MatchLabelKeys   []string
}

// A quantity of an extended resource, of hugepages, or of an attachable-volumes resource: what kube-scheduler
// calls a scalar resource. Unit: the resource's own (bytes for hugepages, devices for `nvidia.com/gpu`).
type Scalar struct {
	// For example `nvidia.com/gpu` or `hugepages-2Mi`.
	Name     string
	Quantity int64
}

// Amounts of resources, as in a container's requests or a node's allocatable.
type Resources struct {
	// `cpu`, in millicores.
	MilliCPU int64
	// `memory`, in bytes.
	Memory int64
	// `ephemeral-storage`, in bytes.
	EphemeralStorage int64
	// `pods`: how many pods a node may run (allocatable); 0 in a pod's requests.
	Pods int64
	// All others, sorted by name, zero quantities included where the object names them.
	Scalars []Scalar
}

// What a pod asks of a node, summed over its containers by the host, once, as kube-scheduler's
// `resource.PodRequests` does: containers and restartable init containers added up, init containers taken at
// their maximum, pod-level resources (`spec.resources`) before containers' where set, `spec.overhead` added.
type PodRequests struct {
	// From the spec: what NodeResourcesFit's filter compares.
	Fit Resources
	// The same with a resize in progress taken into account (`status.containerStatuses[].resources` and
	// `allocatedResources`): what scores and a node's usage count.
	Effective Resources
	// Cpu of the containers alone, as the spec has it, with 100 millicores for each that names none: what NodeResourcesFit
	// scores. In millicores.
	NonZeroMilliCPU int64
	// The same of memory, with 200 MB (209715200 bytes) for each that names none.
	NonZeroMemory int64
	// Names of the resources whose `fit` comes from the spec at all (a request of 0 differs from none).
	Named []string
}

type ContainerKind uint8

const (
	// `spec.containers[]`.
	ContainerKindMain ContainerKind = iota
	// `spec.initContainers[]`.
	ContainerKindInit
	// `spec.initContainers[]` with `restartPolicy: Always`: a sidecar.
	ContainerKindRestartableInit
)

type Protocol uint8

const (
	ProtocolTCP Protocol = iota
	ProtocolUDP
	ProtocolSCTP
)

// A port that a container takes on its node (`ports[].hostPort` > 0).
type HostPort struct {
	// `hostIP`; `0.0.0.0` where empty.
	IP       string
	Protocol Protocol
	// 1 to 65535.
	Port uint16
}

// One container of a pod.
type Container struct {
	Name string
	Kind ContainerKind
	// As written, without a default tag added.
	Image string
	// `resources.requests`.
	Requests Resources
	// `ports[]` with a hostPort.
	HostPorts []HostPort
}

// The images that a pod runs, as written, without a default tag added.
type PodImages struct {
	// `spec.initContainers[].image`, then `spec.containers[].image`: one for each container, duplicates kept.
	Containers []string
	// `spec.volumes[].image.reference` of the volumes that are images.
	Volumes []string
}

type ClaimSource struct {
	// `persistentVolumeClaim.claimName`.
	Claim    string
	ReadOnly bool
}

// The claim that is made for an ephemeral volume.
type EphemeralSource struct {
	// Its name: the pod's and the volume's.
	Claim string
	// `metadata.uid` of the pod, which has to own the claim: an earlier pod of its name may have left one.
	PodUID string
}

// A disk that VolumeRestrictions or NodeVolumeLimits know by its identity.
type Disk struct {
	// `pdName`, `volumeID`, `diskURI`; for iscsi `iqn`, for rbd `image`.
	ID string
	// For rbd the pool, for azure-disk the `kind`; else empty.
	Pool string
	// For rbd the monitors, else empty.
	Monitors []string
	ReadOnly bool
}

// Where a volume comes from; only what scheduling reads.
type VolumeSource struct {
	// Tag says which of the fields counts.
	Tag                   VolumeSourceTag
	PersistentVolumeClaim *ClaimSource
	Ephemeral             *EphemeralSource
	GCEPersistentDisk     *Disk
	AWSElasticBlockStore  *Disk
	AzureDisk             *Disk
	Cinder                *Disk
	PortworxVolume        *Disk
	ISCSI                 *Disk
	RBD                   *Disk
	CSI                   string
	Image                 string
}

// VolumeSourceTag is a case of VolumeSource.
type VolumeSourceTag uint8

const (
	VolumeSourceTagPersistentVolumeClaim VolumeSourceTag = iota
	VolumeSourceTagEphemeral
	VolumeSourceTagGCEPersistentDisk
	VolumeSourceTagAWSElasticBlockStore
	VolumeSourceTagAzureDisk
	VolumeSourceTagCinder
	VolumeSourceTagPortworxVolume
	VolumeSourceTagISCSI
	VolumeSourceTagRBD
	// `csi`: an inline volume of this driver.
	VolumeSourceTagCSI
	// `image`: an OCI image or artifact, by its reference.
	VolumeSourceTagImage
	// Any that no scheduler plugin reads: configMap, secret, emptyDir, projected, hostPath, …
	VolumeSourceTagOther
)

// `pod.spec.volumes[]`.
type Volume struct {
	// Empty where the source is `other`: admission gives each pod such a volume with a random name.
	Name   string
	Source VolumeSource
}

// `pod.spec.resourceClaims[]`, with the claim's name from the status where a template made it.
type PodResourceClaim struct {
	Name string
	// Empty where the claim is still to be made from the template.
	Claim    string
	Template string
}

// A pod. Which fields are filled is what the plugin declared in `pod-facts`; the flag that stands for each group
// of fields is named in brackets.
type Pod struct {
	// [name] `metadata.name`. [resource-claims] also, where the pod asks for devices.
	Name string
	// [namespace] `metadata.namespace`.
	Namespace string
	// [uid] `metadata.uid`. [resource-claims] also, where the pod asks for devices.
	UID string
	// [labels] `metadata.labels`.
	Labels []Label
	// [annotations] `metadata.annotations`, without `kubectl.kubernetes.io/last-applied-configuration`.
	Annotations []Label
	// [owners] `metadata.ownerReferences`.
	Owners []Owner
	// [node-name] `spec.nodeName`: of a pending pod, empty.
	NodeName string
	// [scheduler-name] `spec.schedulerName`.
	SchedulerName string
	// [priority] `spec.priority`; 0 where absent.
	Priority int32
	// [priority] `spec.preemptionPolicy`; lower-priority where absent.
	Preemption PreemptionPolicy
	// [tolerations] `spec.tolerations`.
	Tolerations []Toleration
	// [node-affinity] `spec.nodeSelector`.
	NodeSelector []Label
	// [node-affinity] `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`: terms of
	// which one has to hold; `none` where absent, which differs from an empty list (no node matches).
	RequiredNodeAffinity Option[[]NodeSelectorTerm]
	// [node-affinity] `…preferredDuringSchedulingIgnoredDuringExecution`.
	PreferredNodeAffinity []PreferredNodeTerm
	// [pod-affinity] `spec.affinity.podAffinity`.
	Affinity PodAffinity
	// [pod-affinity] `spec.affinity.podAntiAffinity`.
	AntiAffinity PodAffinity
	// [topology-spread] `spec.topologySpreadConstraints`.
	TopologySpread []SpreadConstraint
	// [requests] see `pod-requests`.
	Requests PodRequests
	// [containers] init containers first, then containers, each in the spec's order. [resource-claims] also, of a pod that
	// asks for extended resources.
	Containers []Container
	// [images] of containers and image volumes. A group of its own, as much else in `containers` and `volumes`
	// tells pods apart that run the same images.
	Images PodImages
	// [host-ports] of containers and restartable init containers.
	HostPorts []HostPort
	// [volumes] `spec.volumes`.
	Volumes []Volume
	// [scheduling-gates] `spec.schedulingGates[].name`.
	SchedulingGates []string
	// [resource-claims] `spec.resourceClaims`. A pod asks for devices by these, or by extended resources, which a
	// DeviceClass may stand for. A claim is owned by, and reserved for, a pod of that name and uid: those come with it.
	// Pods that ask for no devices share their template.
	ResourceClaims []PodResourceClaim
	// [host-network] `spec.hostNetwork`.
	HostNetwork bool
	// [nominated-node] `status.nominatedNodeName`.
	NominatedNodeName string
	// [deletion] `metadata.deletionTimestamp` is set.
	Deleting bool
	// [start-time] `status.startTime`, seconds since 1970; 0 where absent.
	StartTime int64
	// [user-namespace] `spec.hostUsers` is false: the pod's users are not those of its node.
	UserNamespace bool
	// [restart-actions] `restartPolicyRules[].action` of all init containers and containers, each once, sorted.
	RestartActions []string
}

// `node.spec.taints[]`.
type Taint struct {
	Key    string
	Value  string
	Effect TaintEffect
}

type ConditionStatus uint8

const (
	ConditionStatusTrue ConditionStatus = iota
	ConditionStatusFalse
	ConditionStatusUnknown
)

// `node.status.conditions[]`.
type Condition struct {
	// `type`: Ready, MemoryPressure, …
	Kind   string
	Status ConditionStatus
}

// The groups of pod fields that a plugin reads. They make its template: pods that are equal in all of them share
// one, and are asked about once. Declare `name` or `uid` only where the decision depends on them: every pod is a
// template of its own then.
type PodFacts uint32

const (
	PodFactsName PodFacts = 1 << iota
	PodFactsNamespace
	PodFactsUID
	PodFactsLabels
	PodFactsAnnotations
	PodFactsOwners
	PodFactsNodeName
	PodFactsSchedulerName
	PodFactsPriority
	PodFactsTolerations
	PodFactsNodeAffinity
	PodFactsPodAffinity
	PodFactsTopologySpread
	PodFactsRequests
	PodFactsContainers
	PodFactsImages
	PodFactsHostPorts
	PodFactsVolumes
	PodFactsSchedulingGates
	PodFactsResourceClaims
	PodFactsHostNetwork
	PodFactsNominatedNode
	PodFactsDeletion
	PodFactsStartTime
	PodFactsUserNamespace
	PodFactsRestartActions
)

// PodFactsNames are the names of the bits, the lowest first.
var PodFactsNames = [...]string{
	"Name",
	"Namespace",
	"UID",
	"Labels",
	"Annotations",
	"Owners",
	"NodeName",
	"SchedulerName",
	"Priority",
	"Tolerations",
	"NodeAffinity",
	"PodAffinity",
	"TopologySpread",
	"Requests",
	"Containers",
	"Images",
	"HostPorts",
	"Volumes",
	"SchedulingGates",
	"ResourceClaims",
	"HostNetwork",
	"NominatedNode",
	"Deletion",
	"StartTime",
	"UserNamespace",
	"RestartActions",
}

// The groups of node facts that a plugin reads; what is not named here is not sent.
type NodeFacts uint16

const (
	// `metadata.name` and `metadata.uid`.
	NodeFactsName NodeFacts = 1 << iota
	NodeFactsLabels
	NodeFactsAnnotations
	NodeFactsTaints
	// `spec.unschedulable`.
	NodeFactsUnschedulable
	// `status.allocatable`.
	NodeFactsAllocatable
	// What the node's pods ask for, assumed ones included.
	NodeFactsUsage
	NodeFactsImages
	// Host ports that the node's pods take.
	NodeFactsUsedPorts
	NodeFactsConditions
	// `status.declaredFeatures`.
	NodeFactsDeclaredFeatures
	// The node's pods themselves, with the facts of `declaration.resident-pod-facts`.
	NodeFactsPods
)

// NodeFactsNames are the names of the bits, the lowest first.
var NodeFactsNames = [...]string{
	"Name",
	"Labels",
	"Annotations",
	"Taints",
	"Unschedulable",
	"Allocatable",
	"Usage",
	"Images",
	"UsedPorts",
	"Conditions",
	"DeclaredFeatures",
	"Pods",
}

// Aggregates over the cluster that a plugin reads. A change of one makes every answer of the plugin stale.
type ClusterFacts uint8

const (
	// How many nodes there are.
	ClusterFactsNodeCount ClusterFacts = 1 << iota
	// Every image's size and number of nodes.
	ClusterFactsImages
)

// ClusterFactsNames are the names of the bits, the lowest first.
var ClusterFactsNames = [...]string{
	"NodeCount",
	"Images",
}

// What the plugin's answers depend on, so that the host may keep them.
type Scope uint8

const (
	// Anything; asked for every pod. The default.
	ScopeCluster Scope = iota
	// The template, the plugin's arguments, the cluster facts it declared, and the node's own facts that it
	// declared. Asked again only for nodes that changed. Its pre-filter and pre-score answers depend on the
	// template and the arguments alone.
	ScopeNode
	// Sums over the pods of topology domains, which sort nodes into few classes: see `classes`. Without that interface, as
	// cluster.
	ScopeDomain
)

// What the host does with raw scores before it applies the weight.
type Normalization uint8

const (
	// Raw scores are final, 0 to 100.
	NormalizationNone Normalization = iota
	// Scaled so that the highest raw score is 100 (`helper.DefaultNormalizeScore`); negative ones are not allowed.
	NormalizationDefault
	// The same, then turned round: 100 for the lowest.
	NormalizationDefaultReversed
	// The component exports `normalize`.
	NormalizationCustom
)

// What happened to an object.
type EventActions uint16

const (
	EventActionsAdd EventActions = 1 << iota
	EventActionsDelete
	EventActionsUpdate
	EventActionsUpdateLabels
	EventActionsUpdateTaints
	EventActionsUpdateAllocatable
	EventActionsUpdateCondition
	EventActionsUpdateScaleDown
	EventActionsUpdateTolerations
	EventActionsUpdateGatesEliminated
)

// EventActionsNames are the names of the bits, the lowest first.
var EventActionsNames = [...]string{
	"Add",
	"Delete",
	"Update",
	"UpdateLabels",
	"UpdateTaints",
	"UpdateAllocatable",
	"UpdateCondition",
	"UpdateScaleDown",
	"UpdateTolerations",
	"UpdateGatesEliminated",
}

// How a plugin says no. Codes and their meaning are kube-scheduler's.
type Code uint8

const (
	// Not on this node as things are; taking pods away might help.
	CodeUnschedulable Code = iota
	// Not on this node whatever pods are taken away.
	CodeUnschedulableAndUnresolvable
	// The plugin could not tell; the pod's cycle fails and is tried again.
	CodeError
	// Not yet: the pod waits for something that the plugin expects.
	CodePending
)

// A no, with its reasons as people read them in `kubectl describe pod`: `node(s) had untolerated taint {…}`.
type Status struct {
	Code    Code
	Reasons []string
}

// Answers about many nodes. `nodes` runs parallel to the nodes asked about: 0 says fits, n says `outcomes[n-1]`.
// Each distinct outcome stands once; at most 1,000 outcomes, with 1 MiB of reasons in all. An SDK folds what is beyond into
// one. A plugin that gives more fails.
type Verdicts struct {
	Outcomes []Status
	Nodes    []uint16
}

// One attempt to place one pod. Plugins have no clock and no randomness but these.
type Cycle struct {
	// Grows by one with every attempt.
	ID uint64
	// The cycle's time, milliseconds since 1970.
	Time int64
	// Random, different for every cycle and plugin; the same when a recording is replayed.
	Seed uint64
	// The pod to be placed; given to `plugin.hold-template` before.
	Template uint32
}
