//! Label selectors for tests, and what selects pods by them.

use crate::types::{
    LabelSelector, NodeInclusionPolicy, PodAffinityTerm, Requirement, SpreadConstraint, UnsatisfiableAction,
};

/// Selects the labels for which all of this holds; everything, where that is nothing.
///
/// ```
/// use berth_guest::testing::{expression, pod, pod_term, selector, spread};
/// use berth_guest::types::SelectorOperator::In;
/// use berth_guest::types::UnsatisfiableAction::DoNotSchedule;
///
/// let web = || selector([expression("app", In, ["web"])]);
/// let spread_by_zone = pod().spread(spread("zone", 1, DoNotSchedule, web()));
/// let away_from_web = pod().away_from(pod_term("zone", web()));
/// ```
pub fn selector(requirements: impl IntoIterator<Item = Requirement>) -> LabelSelector {
    LabelSelector { requirements: requirements.into_iter().collect() }
}

/// A topology spread constraint; what isn't named is as Kubernetes has it where a field is absent.
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

/// A term of a pod affinity, about pods of the same namespace as the pod that has it.
pub fn pod_term(key: &str, selector: LabelSelector) -> PodAffinityTerm {
    PodAffinityTerm {
        selector: Some(selector),
        namespaces: Vec::new(),
        namespace_selector: None,
        topology_key: key.into(),
        weight: 0,
    }
}
