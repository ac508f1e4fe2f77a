//! Label selectors for tests, and constraints and terms that use them.

use crate::types::{
    LabelSelector, NodeInclusionPolicy, PodAffinityTerm, Requirement, SpreadConstraint, UnsatisfiableAction,
};

/// Makes a selector of objects whose labels meet all requirements. Without requirements, the selector selects all
/// objects.
///
/// ```
/// use berth_guest::testing::{expression, pod, pod_term, selector, spread};
/// use berth_guest::types::SelectorOperator::In;
/// use berth_guest::types::UnsatisfiableAction::DoNotSchedule;
///
/// let web = || selector([expression("app", In, ["web"])]);
/// let spread_by_zone = pod().spread(spread("zone", 1, DoNotSchedule, web()));
/// let away_from_web = pod().anti_affinity(pod_term("zone", web()));
/// ```
pub fn selector(requirements: impl IntoIterator<Item = Requirement>) -> LabelSelector {
    LabelSelector { requirements: requirements.into_iter().collect() }
}

/// Makes a topology spread constraint. `key` is the topology key. The fields without a parameter have the defaults of
/// Kubernetes.
pub fn spread(key: &str, max_skew: i32, when: UnsatisfiableAction, selector: LabelSelector) -> SpreadConstraint {
    SpreadConstraint {
        max_skew,
        topology_key: key.into(),
        when_unsatisfiable: when,
        selector: Some(selector),
        min_domains: 1,
        node_affinity_policy: NodeInclusionPolicy::Honor,
        node_taints_policy: NodeInclusionPolicy::Ignore,
        match_label_keys: Vec::new(),
    }
}

/// Makes a term of a pod affinity or anti-affinity. `key` is the topology key. The term selects pods in the namespace
/// of the pod to which the term is added.
pub fn pod_term(key: &str, selector: LabelSelector) -> PodAffinityTerm {
    PodAffinityTerm {
        selector: Some(selector),
        namespaces: Vec::new(),
        namespace_selector: None,
        topology_key: key.into(),
        weight: 0,
    }
}
