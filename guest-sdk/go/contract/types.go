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

// The inputs that a plugin's answers depend on. The host uses the scope to cache answers.
type Scope uint8

const (
	// The answer may depend on anything. The host asks for every pod. The default.
	ScopeCluster Scope = iota
	// The answer depends on the pod signature, the arguments, the declared cluster facts and the node's own
	// declared facts. The host asks again only about nodes whose declared facts changed. The plugin's
	// pre-filter and pre-score answers depend on the pod signature and the arguments alone. The host refuses a
	// plugin that declares this scope and `reads-time`.
	ScopeNode
	// The answer depends on sums over the pods of topology domains, so that the nodes fall into few classes:
	// see the interface `classes`. The host refuses a plugin that declares this scope and does not export
	// `classes`.
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
