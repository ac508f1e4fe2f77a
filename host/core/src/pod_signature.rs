//! Pod signatures: pods that are equal in the fields that a plugin reads have the same signature for it.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use foldhash::quality::FixedState;
use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use crate::facts::PodFacts;
use crate::model::Pod;
use crate::reads::PodReads;

/// The id of a pod signature: a set of pods that are equal in the fields that a plugin reads (`pod-signature-id` in the
/// contract).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PodSignatureId(pub u32);

/// The largest number of signatures that are known for one set of fields. A plugin that reads a pod's name creates a
/// signature for every pod.
const MOST_PER_READS: usize = 1024;

/// The pod signatures in use, for each set of fields that a plugin declared.
#[derive(Clone, Debug)]
pub struct PodSignatures {
    sets: Vec<ReadsSignatures>,
    next: u32,
    most_per_reads: usize,
}

impl Default for PodSignatures {
    fn default() -> Self {
        Self::with_limit(MOST_PER_READS)
    }
}

/// The number of a set of fields in [`PodSignatures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetId(usize);

#[derive(Clone, Debug)]
struct ReadsSignatures {
    reads: PodReads,
    by_hash: HashTable<PodSignature>,
}

#[derive(Clone, Debug)]
struct PodSignature {
    id: PodSignatureId,
    hash: u64,
    pod: Arc<Pod>,
    last_used: u64,
}

/// Evicted pod signatures of one set of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvictedSignatures {
    /// The set of fields.
    pub reads: PodReads,
    /// The ids of the signatures. They are not used again.
    pub signatures: Vec<PodSignatureId>,
}

impl PodSignatures {
    /// Creates an empty value. [`Self::evict`] leaves at most this many signatures for each set of fields.
    #[must_use]
    pub fn with_limit(most_per_reads: usize) -> Self {
        Self { sets: Vec::new(), next: 0, most_per_reads }
    }

    /// Returns the id that the next new signature gets.
    pub(crate) fn next(&self) -> PodSignatureId {
        PodSignatureId(self.next)
    }

    /// Creates an empty value whose first new signature gets this id.
    pub(crate) fn starting_at(next: PodSignatureId) -> Self {
        Self { next: next.0, ..Self::default() }
    }

    /// Returns the pod's signature in these fields, and notes `cycle` as its last use. The signature is new if no equal
    /// pod is known.
    pub fn of(&mut self, reads: &PodReads, pod: &Arc<Pod>, cycle: u64) -> PodSignatureId {
        let set = self.set_of(reads);
        self.in_set(set, pod, cycle)
    }

    /// Returns the number of this set of fields. The number does not change.
    pub(crate) fn set_of(&mut self, reads: &PodReads) -> SetId {
        let at = self.sets.iter().position(|set| set.reads == *reads);
        SetId(at.unwrap_or_else(|| {
            self.sets.push(ReadsSignatures { reads: reads.clone(), by_hash: HashTable::new() });
            self.sets.len() - 1
        }))
    }

    /// Returns the pod's signature as [`Self::of`] does, in the set of fields with this number.
    pub(crate) fn in_set(&mut self, set: SetId, pod: &Arc<Pod>, cycle: u64) -> PodSignatureId {
        let set = &mut self.sets[set.0];
        let hash = hash(pod, &set.reads);
        if let Some(signature) = set.by_hash.find_mut(hash, |signature| same(&signature.pod, pod, &set.reads)) {
            signature.last_used = cycle;
            return signature.id;
        }
        let id = PodSignatureId(self.next);
        self.next = self.next.wrapping_add(1);
        let signature = PodSignature { id, hash, pod: Arc::clone(pod), last_used: cycle };
        set.by_hash.insert_unique(hash, signature, |signature| signature.hash);
        id
    }

    /// Evicts the least recently used signatures of each set of fields that has too many. Of signatures that were used
    /// in the same cycle, the older ones are evicted first. Three quarters of the limit stay, so that evictions are
    /// rare.
    pub fn evict(&mut self) -> Vec<EvictedSignatures> {
        self.sets.iter_mut().filter_map(|set| set.evict(self.most_per_reads)).collect()
    }
}

impl ReadsSignatures {
    fn evict(&mut self, most: usize) -> Option<EvictedSignatures> {
        if self.by_hash.len() <= most {
            return None;
        }
        let mut ages: Vec<(u64, PodSignatureId)> = self.by_hash.iter().map(PodSignature::age).collect();
        let evicted = ages.len() - most / 4 * 3;
        let (older, last_evicted, _) = ages.select_nth_unstable(evicted - 1);
        let last_evicted = *last_evicted;
        let mut signatures: Vec<PodSignatureId> = older.iter().map(|(_, id)| *id).chain([last_evicted.1]).collect();
        signatures.sort_unstable();
        self.by_hash.retain(|signature| signature.age() > last_evicted);
        Some(EvictedSignatures { reads: self.reads.clone(), signatures })
    }
}

impl PodSignature {
    /// The order of eviction. The id makes the order total, because many signatures can be used in one cycle or
    /// before the first cycle.
    fn age(&self) -> (u64, PodSignatureId) {
        (self.last_used, self.id)
    }
}

/// Returns whether two pods are equal in these fields.
fn same(a: &Pod, b: &Pod, reads: &PodReads) -> bool {
    let are_equal = |fact| Field::of(a, fact) == Field::of(b, fact);
    std::ptr::eq(a, b) || reads.facts.iter().all(are_equal) && reads.have_equal_names(a, b)
}

/// Returns the facts in which two versions of a pod differ.
pub(crate) fn changed_facts(before: &Pod, after: &Pod) -> PodFacts {
    if std::ptr::eq(before, after) {
        return PodFacts::empty();
    }
    PodFacts::all().iter().filter(|fact| Field::of(before, *fact) != Field::of(after, *fact)).collect()
}

fn hash(pod: &Pod, reads: &PodReads) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    for fact in reads.facts.iter() {
        Field::of(pod, fact).hash(&mut hasher);
    }
    reads.hash_names(pod, &mut hasher);
    hasher.finish()
}

/// The value of one group of facts. This is the only place that lists the fields of each group.
#[derive(PartialEq, Eq, Hash)]
enum Field<'a> {
    Text(&'a str),
    Flag(bool),
    Number(i64),
    Labels(&'a crate::model::Labels),
    Owners(&'a [crate::model::Owner]),
    Priority(i32, crate::model::Preemption),
    Tolerations(&'a [crate::model::Toleration]),
    NodeAffinity(
        &'a crate::model::Labels,
        &'a Option<Vec<crate::model::NodeSelectorTerm>>,
        &'a [crate::model::PreferredNodeTerm],
    ),
    PodAffinity(&'a crate::model::PodAffinity, &'a crate::model::PodAffinity),
    Spread(&'a [crate::model::SpreadConstraint]),
    Requests(&'a crate::model::PodRequests),
    Limits(&'a crate::model::Resources),
    Qos(crate::model::QosClass),
    Named(&'a crate::model::NamedFields),
    Containers(&'a [crate::model::Container]),
    Ports(&'a [crate::model::HostPort]),
    Volumes(&'a [crate::model::Volume]),
    Images(Vec<&'a str>, Vec<&'a str>),
    Texts(&'a [Box<str>]),
    Devices(Option<(&'a crate::model::PodKey, &'a [crate::model::PodResourceClaim], &'a [crate::model::Container])>),
}

impl<'a> Field<'a> {
    fn of(pod: &'a Pod, fact: PodFacts) -> Self {
        let spec = &*pod.spec;
        match fact {
            PodFacts::NAME => Self::Text(&pod.key.name),
            PodFacts::NAMESPACE => Self::Text(&pod.key.namespace),
            PodFacts::UID => Self::Text(&pod.key.uid),
            PodFacts::LABELS => Self::Labels(&pod.labels),
            PodFacts::ANNOTATIONS => Self::Labels(&pod.annotations),
            PodFacts::OWNERS => Self::Owners(&pod.owners),
            PodFacts::NODE_NAME => Self::Text(&pod.node_name),
            PodFacts::SCHEDULER_NAME => Self::Text(&spec.scheduler_name),
            PodFacts::PRIORITY => Self::Priority(spec.priority, spec.preemption),
            PodFacts::TOLERATIONS => Self::Tolerations(&spec.tolerations),
            PodFacts::NODE_AFFINITY => {
                Self::NodeAffinity(&spec.node_selector, &spec.required_node_affinity, &spec.preferred_node_affinity)
            }
            PodFacts::POD_AFFINITY => Self::PodAffinity(&spec.affinity, &spec.anti_affinity),
            PodFacts::TOPOLOGY_SPREAD => Self::Spread(&spec.topology_spread),
            PodFacts::REQUESTS => Self::Requests(&pod.requests),
            PodFacts::CONTAINERS => Self::Containers(&spec.containers),
            PodFacts::HOST_PORTS => Self::Ports(&spec.host_ports),
            PodFacts::IMAGES => Self::Images(spec.container_images().collect(), spec.volume_images().collect()),
            PodFacts::VOLUMES => Self::Volumes(&spec.volumes),
            PodFacts::SCHEDULING_GATES => Self::Texts(&spec.scheduling_gates),
            PodFacts::RESOURCE_CLAIMS => {
                let containers = if pod.asks_for_extended_resources() { &*spec.containers } else { &[] };
                Self::Devices(pod.asks_for_devices().then_some((&pod.key, &spec.resource_claims, containers)))
            }
            PodFacts::HOST_NETWORK => Self::Flag(spec.host_network),
            PodFacts::NOMINATED_NODE => Self::Text(&pod.nominated_node_name),
            PodFacts::DELETION => Self::Flag(pod.deleting),
            PodFacts::START_TIME => Self::Number(pod.start_time),
            PodFacts::USER_NAMESPACE => Self::Flag(spec.user_namespace),
            PodFacts::RESTART_ACTIONS => Self::Texts(&spec.restart_actions),
            PodFacts::LIMITS => Self::Limits(&spec.limits),
            PodFacts::QOS => Self::Qos(spec.qos),
            PodFacts::CREATION_TIME => Self::Number(pod.created),
            PodFacts::SCHEDULING_GROUP => Self::Text(&spec.scheduling_group),
            PodFacts::FIELDS => Self::Named(&pod.fields),
            _ => Self::Flag(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::named_fields::NamedField;
    use crate::model::{Labels, NamedFields, PodKey, PodResourceClaim, PodSpec};

    fn pod(name: &str, priority: i32) -> Arc<Pod> {
        let key = PodKey { name: name.into(), ..PodKey::default() };
        Arc::new(Pod { key, spec: Arc::new(PodSpec { priority, ..PodSpec::default() }), ..Pod::default() })
    }

    #[test]
    fn pods_share_a_signature_as_far_as_they_are_equal() {
        let mut signatures = PodSignatures::default();
        let (a, b, c) = (pod("a", 1), pod("b", 1), pod("b", 2));
        let by_priority = [&a, &b, &c].map(|pod| signatures.of(&PodFacts::PRIORITY.into(), pod, 0));
        let by_name = [&a, &b, &c].map(|pod| signatures.of(&PodFacts::NAME.into(), pod, 0));
        assert_eq!((by_priority[0], by_name[1]), (by_priority[1], by_name[2]));
        assert_ne!((by_priority[1], by_name[0]), (by_priority[2], by_name[1]));
    }

    #[test]
    fn a_set_of_fields_keeps_its_number() {
        let mut signatures = PodSignatures::default();
        let sets: [PodReads; 2] = [PodFacts::NAME.into(), PodReads::new(PodFacts::NAME, ["app".into()], [], [])];
        let [name, app] = sets.each_ref().map(|reads| signatures.set_of(reads));
        assert_ne!(name, app);
        assert_eq!(sets.each_ref().map(|reads| signatures.set_of(reads)), [name, app]);
        let pod = pod("a", 0);
        assert_eq!(signatures.in_set(app, &pod, 1), signatures.of(&sets[1], &pod, 1));
        assert_ne!(signatures.in_set(name, &pod, 1), signatures.in_set(app, &pod, 1));
    }

    #[test]
    fn pods_of_an_indexed_job_share_a_signature_by_a_label_key() {
        let indexed = |index: &str, app: &str| {
            let labels: Labels =
                [("app", app), ("batch.kubernetes.io/job-completion-index", index)].into_iter().collect();
            Arc::new(Pod { annotations: labels.clone(), labels: labels.into(), ..Pod::clone(&pod(index, 0)) })
        };
        let pods = [indexed("0", "train"), indexed("1", "train"), indexed("2", "serve")];
        let key = || [Box::from("app")];
        for (reads, shared) in [
            (PodReads::new(PodFacts::PRIORITY, key(), [], []), true),
            (PodReads::new(PodFacts::PRIORITY, [], key(), []), true),
            (PodReads::new(PodFacts::LABELS, key(), [], []), false),
        ] {
            let mut signatures = PodSignatures::default();
            let ids = pods.each_ref().map(|pod| signatures.of(&reads, pod, 0));
            assert_eq!(ids[0] == ids[1], shared, "{reads:?}");
            assert_ne!(ids[1], ids[2], "{reads:?}");
        }
    }

    #[test]
    fn pods_share_a_signature_by_the_fields_that_are_named() {
        let with = |named: &str, other: &str| {
            let field = |path: &str, json: &str| NamedField { path: path.into(), json: json.into() };
            let fields = NamedFields::new(vec![field("spec.a", named), field("spec.b", other)]);
            Arc::new(Pod { fields, ..Pod::clone(&pod("p", 0)) })
        };
        let pods = [with("1", "1"), with("1", "2"), with("2", "2")];
        let mut signatures = PodSignatures::default();
        let reads = PodReads::new(PodFacts::empty(), [], [], [Box::from("spec.a")]);
        let ids = pods.each_ref().map(|pod| signatures.of(&reads, pod, 0));
        assert!(ids[0] == ids[1] && ids[1] != ids[2]);
        assert_eq!(changed_facts(&pods[0], &pods[1]), PodFacts::FIELDS);
        assert!(changed_facts(&pods[0], &pods[0]).is_empty());
    }

    #[test]
    fn only_pods_that_ask_for_devices_are_told_apart_by_name() {
        let mut signatures = PodSignatures::default();
        let claim = PodResourceClaim { name: "gpu".into(), claim: "shared".into(), template: "".into() };
        let spec = Arc::new(PodSpec { resource_claims: vec![claim], ..PodSpec::default() });
        let [a, b] = ["a", "b"].map(|name| pod(name, 0));
        let [with_a, with_b] = [&a, &b].map(|pod| Arc::new(Pod { spec: Arc::clone(&spec), ..Pod::clone(pod) }));
        let ids = [&a, &b, &with_a, &with_b].map(|pod| signatures.of(&PodFacts::RESOURCE_CLAIMS.into(), pod, 0));
        assert_eq!(ids[0], ids[1]);
        assert!(ids[2] != ids[0] && ids[2] != ids[3]);
    }

    #[test]
    fn the_least_recently_used_signatures_are_evicted() {
        let mut signatures = PodSignatures::default();
        let first = signatures.of(&PodFacts::NAME.into(), &pod("first", 0), 0);
        for n in 1..=MOST_PER_READS as u64 {
            signatures.of(&PodFacts::NAME.into(), &pod(&n.to_string(), 0), n);
        }
        let kept = signatures.of(&PodFacts::NAME.into(), &pod("2", 0), 5000);
        let evicted = signatures.evict();
        assert_eq!(evicted.len(), 1);
        assert!(evicted[0].signatures.contains(&first) && !evicted[0].signatures.contains(&kept));
        assert!(signatures.evict().is_empty(), "evicted before");
        assert_ne!(signatures.of(&PodFacts::NAME.into(), &pod("first", 0), 5001), first, "ids are not used again");
    }

    #[test]
    fn signatures_of_one_age_are_evicted_by_id() {
        let mut signatures = PodSignatures::with_limit(8);
        let ids: Vec<PodSignatureId> =
            (0..20).map(|n: u32| signatures.of(&PodFacts::NAME.into(), &pod(&n.to_string(), 0), 7)).collect();
        let evicted = signatures.evict();
        assert_eq!(evicted, [EvictedSignatures { reads: PodFacts::NAME.into(), signatures: ids[..14].to_vec() }]);
        assert!(signatures.evict().is_empty(), "six of eight are left");
        for (n, id) in ids.iter().enumerate().skip(14) {
            assert_eq!(signatures.of(&PodFacts::NAME.into(), &pod(&n.to_string(), 0), 8), *id);
        }
    }

    #[test]
    fn every_group_of_facts_is_told_apart_by_its_own_field() {
        let plain = Pod::default();
        let flags = PodFacts::HOST_NETWORK | PodFacts::DELETION | PodFacts::USER_NAMESPACE;
        for fact in PodFacts::all().difference(flags).iter() {
            assert!(Field::of(&plain, fact) != Field::Flag(false), "{fact:?} has no field");
        }
    }
}
