//! A pod's topology spread constraints, read once a template.

use berth_guest::pod;
use berth_guest::selector::LabelSelector;
/// `whenUnsatisfiable`.
pub use berth_guest::types::UnsatisfiableAction as Action;
use berth_guest::types::{NodeInclusionPolicy, SpreadConstraint};

/// The label by which each node is a domain of its own. Scores count such pods node by node.
pub const HOSTNAME: &str = "kubernetes.io/hostname";

/// A constraint, with its selector read.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// `topologyKey`.
    pub key: String,
    /// `maxSkew`.
    pub max_skew: i64,
    /// `minDomains`.
    pub min_domains: i64,
    /// The pods that are spread.
    pub selector: LabelSelector,
    /// Nodes that the pod's node affinity excludes don't count.
    pub honor_affinity: bool,
    /// Nodes with taints that the pod doesn't tolerate don't count.
    pub honor_taints: bool,
}

/// Those of a pod's own constraints that do this, or what is wrong with a selector.
pub fn of_pod(pod: &[SpreadConstraint], labels: &pod::Labels, action: Action) -> Result<Vec<Constraint>, String> {
    let those = pod.iter().filter(|constraint| constraint.when_unsatisfiable == action);
    those.map(|constraint| Constraint::new(constraint, labels)).collect()
}

impl Constraint {
    fn new(given: &SpreadConstraint, labels: &pod::Labels) -> Result<Constraint, String> {
        let mut selector = LabelSelector::new(given.selector.as_ref())?;
        // An API server of v1.34 and later has put them into the selector, one before has not; twice does no harm.
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
