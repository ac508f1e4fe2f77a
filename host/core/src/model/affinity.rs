//! Where a pod wants to be, relative to nodes, to other pods, and to its own kind.

use super::selector::{LabelSelector, Requirement};

/// `NodeSelectorTerm`: all requirements have to hold; a term without any holds for no node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeSelectorTerm {
    /// `matchExpressions`, on labels.
    pub expressions: Vec<Requirement>,
    /// `matchFields`, on fields; Kubernetes knows `metadata.name`.
    pub fields: Vec<Requirement>,
}

/// `PreferredSchedulingTerm`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PreferredNodeTerm {
    /// 1 to 100.
    pub weight: i32,
    /// Which nodes are preferred.
    pub term: NodeSelectorTerm,
}

/// `PodAffinityTerm`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PodAffinityTerm {
    /// `labelSelector`; `None` selects no pods.
    pub selector: Option<LabelSelector>,
    /// `namespaces`, the pod's own filled in where the API means it.
    pub namespaces: Vec<Box<str>>,
    /// `namespaceSelector`.
    pub namespace_selector: Option<LabelSelector>,
    /// `topologyKey`.
    pub topology_key: Box<str>,
    /// 1 to 100 in a preferred term, 0 in a required one.
    pub weight: i32,
}

/// `PodAffinity` or `PodAntiAffinity`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PodAffinity {
    /// `requiredDuringSchedulingIgnoredDuringExecution`.
    pub required: Vec<PodAffinityTerm>,
    /// `preferredDuringSchedulingIgnoredDuringExecution`.
    pub preferred: Vec<PodAffinityTerm>,
}

/// `TopologySpreadConstraint`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpreadConstraint {
    /// `maxSkew`.
    pub max_skew: i32,
    /// `topologyKey`.
    pub topology_key: Box<str>,
    /// `whenUnsatisfiable: DoNotSchedule`; otherwise ScheduleAnyway.
    pub required: bool,
    /// `labelSelector`; `None` selects no pods.
    pub selector: Option<LabelSelector>,
    /// `minDomains`; 1 where absent.
    pub min_domains: i32,
    /// `nodeAffinityPolicy` is Honor (the default).
    pub honor_affinity: bool,
    /// `nodeTaintsPolicy` is Honor (the default is Ignore).
    pub honor_taints: bool,
    /// `matchLabelKeys`.
    pub match_label_keys: Vec<Box<str>>,
}
