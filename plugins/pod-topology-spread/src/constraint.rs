//! A pod's topology spread constraints, parsed once for each pod signature.

use berth_guest::pod;
use berth_guest::selector::LabelSelector;
/// `whenUnsatisfiable`.
pub use berth_guest::types::UnsatisfiableAction as Action;
use berth_guest::types::{NodeInclusionPolicy, SpreadConstraint};

/// The topology key with one domain per node. For this key, the score counts pods by node instead of by domain.
pub const HOSTNAME: &str = "kubernetes.io/hostname";

/// A constraint with a parsed selector.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// `topologyKey`.
    pub key: String,
    /// `maxSkew`.
    pub max_skew: i64,
    /// `minDomains`.
    pub min_domains: i64,
    /// Selects the pods that count.
    pub selector: LabelSelector,
    /// If true, nodes that the pod's node affinity excludes don't count (`nodeAffinityPolicy: Honor`).
    pub honor_affinity: bool,
    /// If true, nodes with taints that the pod doesn't tolerate don't count (`nodeTaintsPolicy: Honor`).
    pub honor_taints: bool,
}

/// Returns the pod's own constraints with this action, or an error for an invalid selector.
pub fn of_pod(pod: &[SpreadConstraint], labels: &pod::Labels, action: Action) -> Result<Vec<Constraint>, String> {
    let matching = pod.iter().filter(|constraint| constraint.when_unsatisfiable == action);
    matching.map(|constraint| Constraint::new(constraint, labels)).collect()
}

impl Constraint {
    fn new(given: &SpreadConstraint, labels: &pod::Labels) -> Result<Constraint, String> {
        let mut selector = LabelSelector::new(given.selector.as_ref())?;
        // API servers since v1.34 have merged these keys into the selector, older ones have not. A repeated
        // requirement has no effect.
        for key in &given.match_label_keys {
            if let Some(value) = labels.get(key) {
                selector.require(key, value);
            }
        }
        Ok(Constraint {
            key: given.topology_key.clone(),
            max_skew: given.max_skew.into(),
            min_domains: given.min_domains.into(),
            selector,
            honor_affinity: given.node_affinity_policy == NodeInclusionPolicy::Honor,
            honor_taints: given.node_taints_policy == NodeInclusionPolicy::Honor,
        })
    }
}
