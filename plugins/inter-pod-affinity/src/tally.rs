//! Sums, by topology domain, over the pods on nodes whose terms or labels matter for a pod to schedule. The sums of a
//! pod signature are computed once, then updated with each added or deleted pod.

mod counting;

use berth_guest::classes::{Classes, Numbers, Touched};
use berth_guest::groups::PerGroup;
use berth_guest::pod;
use berth_guest::topology;

use crate::terms::Terms;

/// The key of a class of nodes: a number for each entry of [`Tally::sums`].
pub type Key = Numbers;

/// The properties of the pod to schedule that decide which terms match.
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
    /// The number of (pod on a node, affinity term) pairs, for pods that match all required affinity terms of the pod
    /// to schedule and whose node has the term's topology label.
    pub affinity: i64,
    /// The number of (pod on a node, anti-affinity term of that pod) pairs, for required terms that match the pod to
    /// schedule and nodes that have the term's topology label.
    pub existing_anti_affinity: i64,
    /// The number of (pod on a node, term) pairs that contribute to the score.
    pub scored: i64,
    /// The contributions of one pod, by group of pods. Each has an index into `sums`.
    contributions: PerGroup<Vec<(usize, Contribution)>>,
    /// Nodes whose sums may have changed since the classes were updated.
    pub touched: Touched,
    /// Classes of nodes by their sums.
    pub classes: Classes<Key>,
    /// True if a term that was evaluated has a namespace selector. The sums then depend on the labels of namespaces.
    reads_namespaces: bool,
    seen: Option<InputVersions>,
}

/// The sums of a topology key. Each list is indexed by domain. A domain beyond the end of a list has the sum 0.
#[derive(Debug)]
pub struct Sums {
    /// The topology key.
    pub key: topology::Key,
    /// True if the key has few domains. Class keys then contain the index of the domain instead of its sums.
    pub by_domain: bool,
    /// The number of (pod on a node, term) pairs, for pods that match all required affinity terms of the pod to
    /// schedule and for its terms with this key.
    pub affinity: Vec<i64>,
    /// The number of (pod on a node, term) pairs in which the pod matches a required anti-affinity term of the pod to
    /// schedule.
    pub anti_affinity: Vec<i64>,
    /// The number of (pod on a node, term) pairs in which a required anti-affinity term of the pod on the node matches
    /// the pod to schedule.
    pub existing_anti_affinity: Vec<i64>,
    /// The sum of the weights of all matching preferred terms: terms of the pod to schedule and terms of the pods on
    /// nodes. Anti-affinity counts as negative. Required affinity terms of the pods on nodes count with
    /// `hardPodAffinityWeight`.
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

    /// Returns the sums of a topology key, or `None` if the tally has no entry for the key.
    pub fn of(&self, key: topology::Key) -> Option<&Sums> {
        self.sums.iter().find(|sums| sums.key == key)
    }
}
