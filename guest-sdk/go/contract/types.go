// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

// One entry of a `map[string]string`: a label, an annotation or an entry of a node selector.
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
	// `Equal`; also used if the field is empty.
	TolerationOperatorEqual TolerationOperator = iota
	TolerationOperatorExists
	// `Lt`: the taint's value, an integer, is less than the toleration's.
	TolerationOperatorLessThan
	// `Gt`: the taint's value, an integer, is greater than the toleration's.
	TolerationOperatorGreaterThan
)

// The effect of a taint on pods that do not tolerate it.
type TaintEffect uint8

const (
	TaintEffectNoSchedule TaintEffect = iota
	TaintEffectPreferNoSchedule
	TaintEffectNoExecute
)

// `pod.spec.tolerations[]`.
type Toleration struct {
	// An empty key with operator `exists` matches every key.
	Key      string
	Operator TolerationOperator
	Value    string
	// `none` matches every effect.
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
	// `Lt`: the label's value, an integer, is less than the requirement's only value.
	SelectorOperatorLessThan
)

// One requirement of a node selector term or of a label selector.
type Requirement struct {
	Key      string
	Operator SelectorOperator
	Values   []string
}

// An entry of `nodeSelectorTerms[]`: all requirements must hold. A term without requirements matches no node.
type NodeSelectorTerm struct {
	// `matchExpressions`, on the node's labels.
	Expressions []Requirement
	// `matchFields`, on the node's fields. Kubernetes supports only `metadata.name`, with the operators In and
	// NotIn.
	Fields []Requirement
}

// An entry of `preferredDuringSchedulingIgnoredDuringExecution[]` of a node affinity.
type PreferredNodeTerm struct {
	// 1 to 100.
	Weight int32
	Term   NodeSelectorTerm
}

// A `metav1.LabelSelector`. An empty selector selects everything. The host turns `matchLabels` into
// requirements with operator In.
type LabelSelector struct {
	Requirements []Requirement
}

// A `PodAffinityTerm`. The API server merges `matchLabelKeys` and `mismatchLabelKeys` into the selector.
type PodAffinityTerm struct {
	// `none` selects no pods.
	Selector Option[LabelSelector]
	// `namespaces`. If the list is empty and `namespaceSelector` is absent, the host fills in the pod's own
	// namespace.
	Namespaces []string
	// `namespaceSelector`. An empty selector selects every namespace; `none` selects no namespace beyond
	// `namespaces`.
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

// An entry of `pod.spec.topologySpreadConstraints[]`.
type SpreadConstraint struct {
	MaxSkew           int32
	TopologyKey       string
	WhenUnsatisfiable UnsatisfiableAction
	// `none` selects no pods.
	Selector Option[LabelSelector]
	// At least 1; 1 if the field is absent.
	MinDomains int32
	// `nodeAffinityPolicy`; honor if absent.
	NodeAffinityPolicy NodeInclusionPolicy
	// `nodeTaintsPolicy`; ignore if absent.
	NodeTaintsPolicy NodeInclusionPolicy
	MatchLabelKeys   []string
}

// A quantity of an extended resource, of hugepages, or of an attachable-volumes resource. kube-scheduler calls
// these scalar resources. The unit is the resource's own: bytes for hugepages, devices for `nvidia.com/gpu`.
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
	// `pods`: the number of pods that a node may run (allocatable); 0 in a pod's requests.
	Pods int64
	// All other resources, sorted by name. Includes zero quantities that the object names.
	Scalars []Scalar
}

// A pod's resource requests, summed over its containers by the host, once per pod, as kube-scheduler's
// `resource.PodRequests` does: containers and restartable init containers are added up, init containers count
// with their maximum, pod-level resources (`spec.resources`) take precedence over the containers' requests, and
// `spec.overhead` is added.
type PodRequests struct {
	// Requests from the spec. NodeResourcesFit's filter compares these.
	Fit Resources
	// Requests that take a resize in progress into account (`status.containerStatuses[].resources` and
	// `allocatedResources`). Scores and a node's usage count these.
	Effective Resources
	// Cpu requests of the containers alone, from the spec, in millicores. A container without a cpu request
	// counts as 100 millicores. NodeResourcesFit scores this value.
	NonZeroMilliCPU int64
	// Memory requests of the containers alone, from the spec, in bytes. A container without a memory request
	// counts as 200 MB (209715200 bytes).
	NonZeroMemory int64
	// Names of the resources that the spec requests. A request of 0 differs from no request.
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

// A host port of a container (`ports[].hostPort` > 0).
type HostPort struct {
	// `hostIP`; `0.0.0.0` if empty.
	IP       string
	Protocol Protocol
	// 1 to 65535.
	Port uint16
}

// One container of a pod.
type Container struct {
	Name string
	Kind ContainerKind
	// The image as written in the spec. The host does not add a default tag.
	Image string
	// `resources.requests`.
	Requests Resources
	// The entries of `ports[]` that have a hostPort.
	HostPorts []HostPort
}

// The images that a pod uses, as written in the spec. The host does not add a default tag.
type PodImages struct {
	// `spec.initContainers[].image`, then `spec.containers[].image`: one entry per container, duplicates kept.
	Containers []string
	// `spec.volumes[].image.reference` of image volumes.
	Volumes []string
}

type ClaimSource struct {
	// `persistentVolumeClaim.claimName`.
	Claim    string
	ReadOnly bool
}

// The PersistentVolumeClaim that Kubernetes creates for an ephemeral volume.
type EphemeralSource struct {
	// The claim's name: the pod's name and the volume's name, joined by a hyphen.
	Claim string
	// `metadata.uid` of the pod. The claim must be owned by this pod, because an earlier pod with the same name
	// may have left a claim of this name behind.
	PodUID string
}

// A disk that VolumeRestrictions or NodeVolumeLimits identify by its id.
type Disk struct {
	// `pdName`, `volumeID` or `diskURI`; for iscsi `iqn`, for rbd `image`.
	ID string
	// The pool for rbd, the `kind` for azure-disk, empty for other disks.
	Pool string
	// The monitors for rbd, empty for other disks.
	Monitors []string
	ReadOnly bool
}

// The source of a volume, reduced to the fields that scheduling reads.
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
	// `csi`: an inline volume of the driver with this name.
	VolumeSourceTagCSI
	// `image`: an OCI image or artifact with this reference.
	VolumeSourceTagImage
	// Any source that no scheduler plugin reads: configMap, secret, emptyDir, projected, hostPath, …
	VolumeSourceTagOther
)

// `pod.spec.volumes[]`.
type Volume struct {
	// The volume's name. Empty if the source is `other`, because admission adds such a volume with a random
	// name to each pod.
	Name   string
	Source VolumeSource
}

// An entry of `pod.spec.resourceClaims[]`, with the claim's name from the pod's status if the claim is made
// from a template.
type PodResourceClaim struct {
	Name string
	// The claim's name. Empty while the claim has not been created from the template.
	Claim    string
	Template string
}

// A pod. The host fills only the fields that the plugin declared in `pod-facts`. The flag for each group of
// fields stands in brackets.
type Pod struct {
	// [name] `metadata.name`. Also filled with [resource-claims] if the pod requests devices.
	Name string
	// [namespace] `metadata.namespace`.
	Namespace string
	// [uid] `metadata.uid`. Also filled with [resource-claims] if the pod requests devices.
	UID string
	// [labels] `metadata.labels`.
	Labels []Label
	// [annotations] `metadata.annotations`, without `kubectl.kubernetes.io/last-applied-configuration`.
	Annotations []Label
	// [owners] `metadata.ownerReferences`.
	Owners []Owner
	// [node-name] `spec.nodeName`. Empty for a pending pod.
	NodeName string
	// [scheduler-name] `spec.schedulerName`.
	SchedulerName string
	// [priority] `spec.priority`; 0 if absent.
	Priority int32
	// [priority] `spec.preemptionPolicy`; lower-priority if absent.
	Preemption PreemptionPolicy
	// [tolerations] `spec.tolerations`.
	Tolerations []Toleration
	// [node-affinity] `spec.nodeSelector`.
	NodeSelector []Label
	// [node-affinity] `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`. At least one
	// of the terms must match. `none` if the field is absent; an empty list matches no node.
	RequiredNodeAffinity Option[[]NodeSelectorTerm]
	// [node-affinity] `…preferredDuringSchedulingIgnoredDuringExecution`.
	PreferredNodeAffinity []PreferredNodeTerm
	// [pod-affinity] `spec.affinity.podAffinity`.
	Affinity PodAffinity
	// [pod-affinity] `spec.affinity.podAntiAffinity`.
	AntiAffinity PodAffinity
	// [topology-spread] `spec.topologySpreadConstraints`.
	TopologySpread []SpreadConstraint
	// [requests] The pod's resource requests, see `pod-requests`.
	Requests PodRequests
	// [containers] Init containers first, then containers, each in the spec's order. Also filled with
	// [resource-claims] if the pod requests extended resources.
	Containers []Container
	// [images] Images of containers and of image volumes. A separate flag, because other fields of `containers`
	// and `volumes` differ between pods that run the same images.
	Images PodImages
	// [host-ports] Host ports of containers and restartable init containers.
	HostPorts []HostPort
	// [volumes] `spec.volumes`.
	Volumes []Volume
	// [scheduling-gates] `spec.schedulingGates[].name`.
	SchedulingGates []string
	// [resource-claims] `spec.resourceClaims`. A pod requests devices through resource claims, or through
	// extended resources that a DeviceClass maps to devices. A claim is owned by, and reserved for, a pod with
	// a certain name and uid, so this flag also fills `name` and `uid` of pods that request devices. All pods
	// that do not request devices can share a template.
	ResourceClaims []PodResourceClaim
	// [host-network] `spec.hostNetwork`.
	HostNetwork bool
	// [nominated-node] `status.nominatedNodeName`.
	NominatedNodeName string
	// [deletion] True if `metadata.deletionTimestamp` is set.
	Deleting bool
	// [start-time] `status.startTime`, in seconds since 1970; 0 if absent.
	StartTime int64
	// [user-namespace] True if `spec.hostUsers` is false: the pod runs in its own user namespace.
	UserNamespace bool
	// [restart-actions] `restartPolicyRules[].action` of all init containers and containers, sorted, without
	// duplicates.
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

// The groups of pod fields that a plugin reads. They define the plugin's templates: pods that are equal in all
// declared fields share a template, and the host asks about the template once. Declare `name` or `uid` only if
// the decision depends on them, because every pod then has a template of its own.
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

// The groups of node facts that a plugin reads. The host sends no other facts.
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
	// Resource requests of the node's pods, including assumed pods.
	NodeFactsUsage
	NodeFactsImages
	// Host ports that the node's pods use.
	NodeFactsUsedPorts
	NodeFactsConditions
	// `status.declaredFeatures`.
	NodeFactsDeclaredFeatures
	// The pods on the node, with the facts of `plugin.declaration.resident-pod-facts`.
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

// Aggregates over the cluster that a plugin reads. A change of a declared aggregate invalidates all cached
// answers of the plugin.
type ClusterFacts uint8

const (
	// The number of nodes.
	ClusterFactsNodeCount ClusterFacts = 1 << iota
	// The size of every image, and the number of nodes that have the image.
	ClusterFactsImages
)

// ClusterFactsNames are the names of the bits, the lowest first.
var ClusterFactsNames = [...]string{
	"NodeCount",
	"Images",
}

// The inputs that a plugin's answers depend on. The host uses the scope to cache answers.
type Scope uint8

const (
	// The answer may depend on anything. The host asks for every pod. The default.
	ScopeCluster Scope = iota
	// The answer depends on the template, the plugin's arguments, the declared cluster facts and the node's own
	// declared facts. The host asks again only about nodes whose declared facts changed. The plugin's
	// pre-filter and pre-score answers depend on the template and the arguments alone.
	ScopeNode
	// The answer depends on sums over the pods of topology domains, so that the nodes fall into few classes:
	// see the interface `classes`. A plugin that does not export `classes` is treated as scope `cluster`.
	ScopeDomain
)

// How the host normalizes raw scores before it applies the weight.
type Normalization uint8

const (
	// Raw scores are final, 0 to 100.
	NormalizationNone Normalization = iota
	// The host scales scores so that the highest raw score becomes 100 (`helper.DefaultNormalizeScore`).
	// Negative scores are not allowed.
	NormalizationDefault
	// The host scales scores as `default` does, then reverses them: the lowest raw score becomes 100.
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

// The reason class of a rejection. The codes and their meaning are those of kube-scheduler.
type Code uint8

const (
	// The pod does not fit on this node now. Preemption might help.
	CodeUnschedulable Code = iota
	// The pod does not fit on this node, and preemption cannot help.
	CodeUnschedulableAndUnresolvable
	// The plugin failed to decide. The pod's scheduling cycle fails, and the host retries the pod.
	CodeError
	// The pod waits for something that the plugin expects.
	CodePending
)

// A rejection, with its reasons as `kubectl describe pod` shows them: `node(s) had untolerated taint {…}`.
type Status struct {
	Code    Code
	Reasons []string
}

// Answers about many nodes. `nodes` is parallel to the nodes of the call: 0 means that the pod fits, n means
// `outcomes[n-1]`. Each distinct outcome occurs once. The limits are 1,000 outcomes and 1 MiB of reasons in
// all. An SDK merges the outcomes beyond the limit into one. The host treats an answer over the limits as a
// failure of the plugin.
type Verdicts struct {
	Outcomes []Status
	Nodes    []uint16
}

// One attempt to schedule one pod. A plugin has no other source of time and randomness.
type Cycle struct {
	// The id of the attempt. Each attempt has a higher id than the one before.
	ID uint64
	// The time of the call, in milliseconds since 1970. The calls of one scheduling cycle have the same time.
	Time int64
	// A random number, different for every cycle and plugin. A replayed recording uses the recorded seed.
	Seed uint64
	// The template of the pod to schedule. The host has passed the template to `plugin.hold-template` before.
	Template uint32
}
