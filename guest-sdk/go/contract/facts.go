// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

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
}

// The quality of service class of a pod.
type QOSClass uint8

const (
	// Every container has equal requests and limits of cpu and memory.
	QOSClassGuaranteed QOSClass = iota
	QOSClassBurstable
	// No container has a request or a limit of cpu or memory.
	QOSClassBestEffort
)

// One container of a pod.
type Container struct {
	Name string
	Kind ContainerKind
	// The image as written in the spec. The host does not add a default tag.
	Image string
	// `resources.requests`.
	Requests Resources
	// `resources.limits`.
	Limits Resources
	// The entries of `ports[]` that have a hostPort.
	HostPorts []HostPort
}

// A pod. The host fills only what the plugin declared in `pod-reads`. The flag for each group of fields stands in
// brackets.
type Pod struct {
	// [name] `metadata.name`. Also filled with [resource-claims] if the pod requests devices.
	Name string
	// [namespace] `metadata.namespace`.
	Namespace string
	// [uid] `metadata.uid`. Also filled with [resource-claims] if the pod requests devices.
	UID string
	// [labels, label-keys] `metadata.labels`: all labels, or those with the declared keys.
	Labels []Label
	// [annotations, annotation-keys] `metadata.annotations`: all annotations without
	// `kubectl.kubernetes.io/last-applied-configuration`, or those with the declared keys.
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
	// [limits] The pod's resource limits, summed over its containers as Kubernetes' `resource.PodLimits` does:
	// containers and restartable init containers are added up, init containers count with their maximum,
	// pod-level limits take precedence, and `spec.overhead` is added to each resource that has a limit.
	Limits Resources
	// [qos] The quality of service class, computed from requests and limits as the API server does for
	// `status.qosClass`.
	QOS QOSClass
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
	// that do not request devices can share a pod signature.
	ResourceClaims []PodResourceClaim
	// [host-network] `spec.hostNetwork`.
	HostNetwork bool
	// [nominated-node] `status.nominatedNodeName`.
	NominatedNodeName string
	// [deletion] True if `metadata.deletionTimestamp` is set.
	Deleting bool
	// [creation-time] `metadata.creationTimestamp`, in seconds since 1970; 0 if absent.
	CreationTime int64
	// [start-time] `status.startTime`, in seconds since 1970; 0 if absent.
	StartTime int64
	// [user-namespace] True if `spec.hostUsers` is false: the pod runs in its own user namespace.
	UserNamespace bool
	// [restart-actions] `restartPolicyRules[].action` of all init containers and containers, sorted, without
	// duplicates.
	RestartActions []string
	// [scheduling-group] `spec.schedulingGroup.podGroupName`: the name of a PodGroup in the pod's namespace. Empty
	// if the pod belongs to no group.
	SchedulingGroup string
	// [fields] The declared fields as JSON in the structure of the object, as `objects.object.fields`:
	// `{"spec":{"activeDeadlineSeconds":60}}`; `{}` if the pod has none of them; empty if none are declared. The
	// limit is 1 MiB: a pod with more comes with `{}`.
	Fields string
}

// `node.status.nodeInfo`, without the ids of the machine.
type NodeInfo struct {
	// For example `amd64`.
	Architecture string
	// For example `linux`.
	OperatingSystem string
	// For example `Debian GNU/Linux 13 (trixie)`.
	OSImage       string
	KernelVersion string
	// For example `v1.36.0`.
	KubeletVersion string
	// For example `containerd://2.1.4`.
	ContainerRuntimeVersion string
}

// The groups of pod fields that a plugin reads.
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
	PodFactsLimits
	PodFactsQOS
	PodFactsCreationTime
	PodFactsSchedulingGroup
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
	"Limits",
	"QOS",
	"CreationTime",
	"SchedulingGroup",
}

// The fields that a plugin reads of a set of pods. Pods that are equal in all of them share a pod signature, and
// the host asks about the signature once. Declare as little as possible: with `name` or `uid`, or with the key of
// a label that differs from pod to pod, every pod has a signature of its own.
type PodReads struct {
	// Groups of typed fields.
	Facts PodFacts
	// Keys of labels, for example `app`. `pod.labels` then has these labels alone, unless `facts` has `labels`.
	LabelKeys []string
	// Keys of annotations. `pod.annotations` then has these alone, unless `facts` has `annotations`.
	AnnotationKeys []string
	// Paths of further fields, in the syntax of `objects.kind.fields`: `spec.activeDeadlineSeconds`. They arrive
	// in `pod.fields`.
	Fields []string
}

// The groups of node facts that a plugin reads.
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
	// `status.capacity`.
	NodeFactsCapacity
	// `status.nodeInfo`.
	NodeFactsInfo
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
	"Capacity",
	"Info",
}

// The fields that a plugin reads of the nodes. The host sends nothing else.
type NodeReads struct {
	// Groups of typed fields.
	Facts NodeFacts
	// Keys of labels. `snapshot.node.labels` then has these labels alone, unless `facts` has `labels`.
	LabelKeys []string
	// Keys of annotations. `snapshot.node.annotations` then has these alone, unless `facts` has `annotations`.
	AnnotationKeys []string
	// Paths of further fields, in the syntax of `objects.kind.fields`: `spec.podCIDR`. They arrive in
	// `snapshot.node.fields`.
	Fields []string
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

// What a plugin does with other pods of the same profile. Each is named by its uid. The host ignores the uids of
// pods that are not in the state that the list is about.
type PodActions struct {
	// Pods that wait in permit, which this plugin approves. A pod is bound when all plugins that it waits for have
	// approved it.
	Approve []string
	// Pods that wait in permit, which this plugin rejects, with the reason for the pod's message.
	Reject []Pair[string, string]
	// Pending pods that the host moves to the active queue without their backoff. Pre-enqueue still decides
	// whether they enter.
	Activate []string
}

// One attempt to schedule one pod. A plugin has no other source of time and randomness.
type Cycle struct {
	// The id of the attempt. Each attempt has a higher id than the one before.
	ID uint64
	// The time of the call, in milliseconds since 1970. The calls of one scheduling cycle have the same time. 0
	// for a plugin that does not declare `reads-time`.
	Time int64
	// A random number, different for every cycle and plugin. A replayed recording uses the recorded seed.
	Seed uint64
	// The signature of the pod to schedule. The host has passed it to `plugin.add-signature` before.
	Signature uint32
}

// A pod by its names. The host passes it where a plugin acts for one pod. It is no part of the pod signature.
type PodIdentity struct {
	// `metadata.namespace`.
	Namespace string
	// `metadata.name`.
	Name string
	// `metadata.uid`.
	UID string
}
