//! The words that stay: they are Kubernetes', not the cluster's.

/// Names that stay wherever they are.
pub(super) const STAY: &[&str] = &[
    "default-scheduler",
    "metadata.name",
    "0.0.0.0",
    "127.0.0.1",
    "::",
    "::1",
    "true",
    "false",
    "yes",
    "no",
    "ebs.csi.aws.com",
    "disk.csi.azure.com",
    "cinder.csi.openstack.org",
    "pd.csi.storage.gke.io",
    "pxd.portworx.com",
];

/// Parts of names with separators that stay: of images, of URLs, and of the ids of cloud disks.
pub(super) const PARTS: &[&str] =
    &["latest", "sha256", "http", "https", "aws", "projects", "zones", "regions", "disks", "UNSPECIFIED"];

/// The domains whose label keys, taints and other names stay. Their subdomains stay as well.
const DOMAINS: &[&str] = &["kubernetes.io", "k8s.io"];

/// Further domains, with keys that the default plugins know.
const DRIVER_DOMAINS: &[&str] = &[
    "topology.ebs.csi.aws.com",
    "topology.cinder.csi.openstack.org",
    "topology.gke.io",
    "topology.disk.csi.azure.com",
];

/// The domains of Kubernetes under which users choose the names.
pub(super) const NAMED_BY_USERS: &[&str] =
    &["node-role.kubernetes.io", "node-restriction.kubernetes.io", "deviceclass.resource.kubernetes.io"];

/// The roles of nodes that stay.
pub(super) const ROLES: &[&str] = &["control-plane", "master", "worker", "node"];

/// Operating systems and architectures.
pub(super) const PLATFORMS: &[&str] =
    &["linux", "windows", "amd64", "arm64", "arm", "386", "ppc64le", "s390x", "riscv64"];

/// The names of resources, beside hugepages and attachable volumes.
pub(super) const RESOURCES: &[&str] = &["cpu", "memory", "ephemeral-storage", "storage", "pods"];

/// The types of the conditions of nodes.
pub(super) const CONDITIONS: &[&str] =
    &["Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"];

/// The fields whose values are constants of the API.
pub(super) const ENUMS: &[&str] = &[
    "operator",
    "effect",
    "protocol",
    "phase",
    "accessModes",
    "volumeMode",
    "volumeBindingMode",
    "allocationMode",
    "restartActions",
    "whenUnsatisfiable",
    "type",
    "status",
    "action",
    "patchType",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
];

/// Constants of the API.
pub(super) const CONSTANTS: &[&str] = &[
    "In",
    "NotIn",
    "Exists",
    "DoesNotExist",
    "Gt",
    "Lt",
    "Equal",
    "NoSchedule",
    "PreferNoSchedule",
    "NoExecute",
    "TCP",
    "UDP",
    "SCTP",
    "Pending",
    "Bound",
    "Available",
    "Released",
    "Failed",
    "Lost",
    "Running",
    "Succeeded",
    "ReadWriteOnce",
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOncePod",
    "Filesystem",
    "Block",
    "Immediate",
    "WaitForFirstConsumer",
    "All",
    "ExactCount",
    "DoNotSchedule",
    "ScheduleAnyway",
    "Honor",
    "Ignore",
    "True",
    "False",
    "Unknown",
    "RestartAllContainers",
    "Restart",
    "DoNotRestart",
    "LeastAllocated",
    "MostAllocated",
    "RequestedToCapacityRatio",
    "System",
    "List",
    "Managed",
    "Shared",
    "Dedicated",
    "Ready",
    "Scheduling",
    "Binding",
    "Preempting",
];

/// The fields of the core whose values are the variants of a type. The position of a pod in the queue and the like have
/// such values as well.
pub(super) const CORE_ENUMS: &[&str] = &[
    "event",
    "source",
    "preemption",
    "qos",
    "namedBy",
    "failurePolicy",
    "position",
    "entries",
    "incoming",
    "stage",
    "plugins",
    "cause",
    "movedBy",
    "podUpdated",
    "changes",
    "binding",
    "filterScope",
    "scoreScope",
    "normalization",
    "subject",
];

/// The variants of the core's types, as JSON has them.
pub(super) const VARIANTS: &[&str] = &[
    "tick",
    "cycle",
    "scheduler",
    "cluster",
    "main",
    "init",
    "restartableInit",
    "tcp",
    "udp",
    "sctp",
    "lowerPriority",
    "never",
    "guaranteed",
    "burstable",
    "bestEffort",
    "in",
    "notIn",
    "exists",
    "doesNotExist",
    "equal",
    "gt",
    "lt",
    "noSchedule",
    "preferNoSchedule",
    "noExecute",
    "true",
    "false",
    "unknown",
    "other",
    "default",
    "multiPoint",
    "point",
    "fail",
    "ignoreScores",
    "extenders",
    "active",
    "backoff",
    "unschedulable",
    "schedulerError",
    "gated",
    "admission",
    "retired",
    "returned",
    "free",
    "nodeCount",
    "podAdded",
    "labels",
    "requests",
    "gatesEliminated",
    "tolerations",
    "generatedClaims",
    "attemptFailed",
    "backoffComplete",
    "popFromBackoff",
    "unschedulableTimeout",
    "pluginsChanged",
    "activated",
    "inCycle",
    "apiServer",
    "server",
    "extender",
    "node",
    "domain",
    "none",
    "defaultReversed",
    "custom",
    "merge",
    "strategicMerge",
];

/// The fields with quantities or durations.
pub(super) const QUANTITIES: &[&str] =
    &["storage", "capacity", "maximumVolumeSize", "requests", "limits", "filterTimeout", "bindTimeoutSeconds"];

/// The words of the messages of Berth and of the default plugins.
const MESSAGES: &str = include_str!("words.txt");

/// Returns whether the word is one of the messages of Berth and of the default plugins.
pub(super) fn is_of_messages(word: &str) -> bool {
    static WORDS: std::sync::LazyLock<std::collections::HashSet<&str>> =
        std::sync::LazyLock::new(|| MESSAGES.split_whitespace().collect());
    WORDS.contains(word)
}

/// Returns whether the keys of this domain stay.
pub(super) fn is_known_domain(domain: &str) -> bool {
    let is_below =
        |known: &&str| domain.strip_suffix(*known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    DOMAINS.iter().any(is_below) || DRIVER_DOMAINS.contains(&domain)
}

/// Returns whether the key of a label stays.
pub(super) fn is_known_key(key: &str) -> bool {
    key.split_once('/').is_some_and(|(domain, _)| is_known_domain(domain))
}

/// Returns whether the text is a version of Kubernetes, for example `v1.36.0`.
pub(super) fn is_version(text: &str) -> bool {
    text.starts_with('v') && text[1..].bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
