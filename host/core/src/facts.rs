//! Groups of facts that a plugin can declare to read: the flags of `berth:scheduler/facts`. The pod facts have the same
//! bits there, except [`PodFacts::FIELDS`], which only the core has.

bitflags::bitflags! {
    /// Groups of pod fields (`pod-facts`). Two pods that are equal in a set of groups have the same signature for this
    /// set.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct PodFacts: u32 {
        /// `metadata.name`
        const NAME = 1 << 0;
        /// `metadata.namespace`
        const NAMESPACE = 1 << 1;
        /// `metadata.uid`
        const UID = 1 << 2;
        /// `metadata.labels`
        const LABELS = 1 << 3;
        /// `metadata.annotations`
        const ANNOTATIONS = 1 << 4;
        /// `metadata.ownerReferences`
        const OWNERS = 1 << 5;
        /// `spec.nodeName`
        const NODE_NAME = 1 << 6;
        /// `spec.schedulerName`
        const SCHEDULER_NAME = 1 << 7;
        /// `spec.priority` and `spec.preemptionPolicy`
        const PRIORITY = 1 << 8;
        /// `spec.tolerations`
        const TOLERATIONS = 1 << 9;
        /// `spec.nodeSelector` and `spec.affinity.nodeAffinity`
        const NODE_AFFINITY = 1 << 10;
        /// `spec.affinity.podAffinity` and `podAntiAffinity`
        const POD_AFFINITY = 1 << 11;
        /// `spec.topologySpreadConstraints`
        const TOPOLOGY_SPREAD = 1 << 12;
        /// The pod's resource requests, summed.
        const REQUESTS = 1 << 13;
        /// `spec.initContainers` and `spec.containers`
        const CONTAINERS = 1 << 14;
        /// Images of containers and image volumes
        const IMAGES = 1 << 15;
        /// Host ports of its containers
        const HOST_PORTS = 1 << 16;
        /// `spec.volumes`
        const VOLUMES = 1 << 17;
        /// `spec.schedulingGates`
        const SCHEDULING_GATES = 1 << 18;
        /// `spec.resourceClaims`; for a pod that requests devices also its name and uid, and for a pod that requests
        /// extended resources also its containers
        const RESOURCE_CLAIMS = 1 << 19;
        /// `spec.hostNetwork`
        const HOST_NETWORK = 1 << 20;
        /// `status.nominatedNodeName`
        const NOMINATED_NODE = 1 << 21;
        /// `metadata.deletionTimestamp` is set
        const DELETION = 1 << 22;
        /// `status.startTime`
        const START_TIME = 1 << 23;
        /// `spec.hostUsers` is false
        const USER_NAMESPACE = 1 << 24;
        /// Actions of its containers' restart rules
        const RESTART_ACTIONS = 1 << 25;
        /// The pod's resource limits, summed.
        const LIMITS = 1 << 26;
        /// The pod's quality of service class.
        const QOS = 1 << 27;
        /// `metadata.creationTimestamp`
        const CREATION_TIME = 1 << 28;
        /// `spec.schedulingGroup.podGroupName`
        const SCHEDULING_GROUP = 1 << 29;
        /// All further fields that any plugin names: see [`crate::model::NamedFields`].
        const FIELDS = 1 << 30;
    }

    /// Groups of node facts (`node-facts`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct NodeFacts: u32 {
        /// `metadata.name` and `metadata.uid`
        const NAME = 1 << 0;
        /// `metadata.labels`
        const LABELS = 1 << 1;
        /// `metadata.annotations`
        const ANNOTATIONS = 1 << 2;
        /// `spec.taints`
        const TAINTS = 1 << 3;
        /// `spec.unschedulable`
        const UNSCHEDULABLE = 1 << 4;
        /// `status.allocatable`
        const ALLOCATABLE = 1 << 5;
        /// The requests of the node's pods
        const USAGE = 1 << 6;
        /// `status.images`
        const IMAGES = 1 << 7;
        /// Host ports that the node's pods use
        const USED_PORTS = 1 << 8;
        /// `status.conditions`
        const CONDITIONS = 1 << 9;
        /// `status.declaredFeatures`
        const DECLARED_FEATURES = 1 << 10;
        /// The node's pods
        const PODS = 1 << 11;
        /// `status.capacity`
        const CAPACITY = 1 << 12;
        /// `status.nodeInfo`
        const INFO = 1 << 13;
        /// All further fields that any plugin names: see [`crate::model::NamedFields`].
        const FIELDS = 1 << 14;
    }

    /// Aggregates over the cluster (`cluster-facts`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct ClusterFacts: u32 {
        /// The number of nodes
        const NODE_COUNT = 1 << 0;
        /// The size and the number of nodes of every image
        const IMAGES = 1 << 1;
    }
}
