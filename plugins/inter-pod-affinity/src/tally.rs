//! Sums over the pods on nodes that matter for a pod to schedule, by topology domain. Computed once for each pod signature,
//! then updated with each added or deleted pod.

mod counting;

use berth_guest::classes::{Classes, Numbers, Touched};
use berth_guest::groups::PerGroup;
use berth_guest::pod;
use berth_guest::topology;

use crate::terms::Terms;

/// The key of a class: a number for each of [`Tally::sums`].
pub type Key = Numbers;

/// The properties of the pod to schedule that matter to terms.
#[derive(Debug)]
pub struct Incoming {
    /// `metadata.namespace`.
    pub namespace: pod::Namespace,
    /// `metadata.labels`.
    pub labels: pod::Labels,
    /// The pod's own terms.
    pub terms: Terms,
}

/// The sums of a pod signature.
#[derive(Debug, Default)]
pub struct Tally {
    /// An entry for each relevant topology key.
    pub sums: Vec<Sums>,
    /// The number of (pod, domain) pairs of pods on nodes that match all affinity terms of the pod.
    pub affinity: i64,
    /// The number of (pod, domain) pairs of pods on nodes whose anti-affinity matches the pod.
    pub existing_anti_affinity: i64,
    /// The number of (pod, domain) pairs that contribute to the score.
    pub scored: i64,
    /// The contributions of each group of pods, with indexes into `sums`.
    contributions: PerGroup<Vec<(usize, Contribution)>>,
    /// Nodes whose sums may have changed since the classes were updated.
    pub touched: Touched,
    /// Classes of nodes by their sums.
    pub classes: Classes<Key>,
    /// True if a term that was evaluated has a namespace selector.
    reads_namespaces: bool,
    seen: Option<InputVersions>,
}

/// The sums of a topology key. Each list is indexed by domain and ends at the last domain that has pods.
#[derive(Debug)]
pub struct Sums {
    /// The topology key.
    pub key: topology::Key,
    /// True if the key has few domains. Class keys then contain the domain instead of its sums.
    pub by_domain: bool,
    /// The number of pods that match the pod's affinity terms.
    pub affinity: Vec<i64>,
    /// The number of pods that match the pod's anti-affinity terms.
    pub anti_affinity: Vec<i64>,
    /// The number of pods whose anti-affinity terms match the pod.
    pub existing_anti_affinity: Vec<i64>,
    /// The sum of the weights of all preferred terms, in both directions.
    pub score: Vec<i64>,
}

/// The contribution of a pod on a node to the sums of a topology key.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Contribution {
    Affinity,
    AntiAffinity,
    ExistingAntiAffinity,
    Score(i64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct InputVersions {
    topologies: u64,
    namespaces: u64,
    position: u64,
}

impl Tally {
    /// Returns the approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let columns = self
            .sums
            .iter()
            .flat_map(|sums| [&sums.affinity, &sums.anti_affinity, &sums.existing_anti_affinity, &sums.score]);
        let rows: usize = columns.map(Vec::capacity).sum();
        rows * size_of::<i64>() + self.contributions.bytes() + self.classes.bytes()
    }

    /// Returns the sums of a topology key, or `None` if no pod matters for the key.
    pub fn of(&self, key: topology::Key) -> Option<&Sums> {
        self.sums.iter().find(|sums| sums.key == key)
    }
}
