//! Affinity and topology spread constraints of pods.

use serde::{Deserialize, Serialize};

use super::selector::{LabelSelector, Requirement};

/// `NodeSelectorTerm`: all requirements have to match. A term without requirements matches no node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelectorTerm {
    /// `matchExpressions`, on labels.
    pub expressions: Vec<Requirement>,
    /// `matchFields`, on fields. Kubernetes only supports `metadata.name`.
    pub fields: Vec<Requirement>,
}

/// `PreferredSchedulingTerm`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreferredNodeTerm {
    /// 1 to 100.
    pub weight: i32,
    /// The nodes that are preferred.
    pub term: NodeSelectorTerm,
}

/// `PodAffinityTerm`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAffinityTerm {
    /// `labelSelector`; `None` selects no pods.
    pub selector: Option<LabelSelector>,
    /// `namespaces`, with the pod's own namespace filled in where the API defines it as the default.
    pub namespaces: Vec<Box<str>>,
    /// `namespaceSelector`; `None` selects no namespaces beside `namespaces`.
    pub namespace_selector: Option<LabelSelector>,
    /// `topologyKey`.
    pub topology_key: Box<str>,
    /// 1 to 100 in a preferred term, 0 in a required one.
    pub weight: i32,
}

/// `PodAffinity` or `PodAntiAffinity`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAffinity {
    /// `requiredDuringSchedulingIgnoredDuringExecution`.
    pub required: Vec<PodAffinityTerm>,
    /// `preferredDuringSchedulingIgnoredDuringExecution`.
    pub preferred: Vec<PodAffinityTerm>,
}

/// `TopologySpreadConstraint`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
