//! The DaemonSet controller: one pod on each matching node.

mod objects;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec, DaemonSetStatus};
use k8s_openapi::api::core::v1::{PodSpec, Toleration};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;
use serde_json::json;

use super::claim::{Claimant, claim};
use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::node::Node;
use super::pod::Pod;
use super::write::{Plan, Write, owner_reference};
use super::{node_match, percent, template};

/// The label with the hash of a pod's template.
const REVISION: &str = "controller-revision-hash";
/// The maximum number of pods that one plan creates or deletes.
const BURST: usize = 500;

/// A DaemonSet with its pods.
struct Set<'a> {
    meta: &'a ObjectMeta,
    spec: &'a DaemonSetSpec,
    reference: OwnerReference,
    tolerations: Vec<Toleration>,
    revision: String,
    /// The pods, by the name of the node that a pod is bound to or, if the pod is not bound, targets.
    pods: BTreeMap<&'a str, Vec<&'a Pod>>,
    now: Timestamp,
}

/// Whether a DaemonSet wants a pod on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// A pod must run on the node.
    Yes,
    /// No new pod starts on the node, but an existing pod stays.
    Stay,
    /// No pod may run on the node.
    No,
}

/// Returns the plan for the DaemonSet with this key.
pub fn plan(cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
    let Some(object) = cluster.get::<DaemonSet>(key) else { return Plan::none() };
    let Some(spec) = &object.spec else { return Plan::none() };
    let meta = &object.metadata;
    let reference = owner_reference("apps/v1", Kind::DaemonSet, meta);
    let (claimed, mut writes) =
        claim::<Pod>(cluster, Claimant { meta, selector: &spec.selector, reference: &reference });
    let mut pods: BTreeMap<&str, Vec<&Pod>> = BTreeMap::new();
    for pod in claimed {
        pods.entry(pod.node().or_else(|| pod.target_node()).unwrap_or_default()).or_default().push(pod);
    }
    let revision = template::hash(&spec.template, 0);
    let tolerations = objects::tolerations(&spec.template);
    let set = Set { meta, spec, reference, tolerations, revision, pods, now };
    let nodes: Vec<(&Node, Wanted)> = cluster.all::<Node>().map(|(_, node)| (node, set.wanted_on(node))).collect();
    if writes.is_empty() && !metadata::deleting(meta) {
        writes = set.manage(&nodes);
        if writes.is_empty() {
            writes = set.update(&nodes);
        }
    }
    let mut plan = Plan::of(writes.into_iter().take(BURST));
    let status = set.status(&nodes);
    if !same(&status, object.status.as_ref()) {
        plan.writes.push(Write::status(Kind::DaemonSet, meta, json!(status)));
    }
    let waiting = set.pods.values().flatten().filter_map(|pod| set.until_available(pod));
    if let Some(left) = waiting.min() {
        plan.rerun_in(left.unsigned_abs());
    }
    plan
}

impl<'a> Set<'a> {
    fn wanted_on(&self, node: &Node) -> Wanted {
        static NONE: std::sync::LazyLock<PodSpec> = std::sync::LazyLock::new(PodSpec::default);
        let spec = self.spec.template.spec.as_ref().unwrap_or(&NONE);
        if !node_match::selects(spec, node) || !node_match::tolerates(&self.tolerations, node, &["NoExecute"]) {
            return Wanted::No;
        }
        let starts = node_match::tolerates(&self.tolerations, node, &["NoSchedule"]);
        if starts { Wanted::Yes } else { Wanted::Stay }
    }

    fn on(&self, node: &Node) -> impl Iterator<Item = &'a Pod> + '_ {
        self.pods.get(metadata::name(&node.metadata)).into_iter().flatten().copied()
    }

    /// Creates missing pods. Deletes finished pods, surplus pods, pods on nodes where no pod may run, and unbound pods
    /// that target no existing node.
    fn manage(&self, nodes: &[(&Node, Wanted)]) -> Vec<Write> {
        let mut writes = Vec::new();
        let delete = |pod: &Pod| Write::delete(Kind::Pod, &pod.metadata);
        for (node, wanted) in nodes {
            let (ended, mut kept): (Vec<&Pod>, Vec<&Pod>) = self.on(node).partition(|pod| pod.terminal());
            writes.extend(ended.into_iter().filter(|pod| !metadata::deleting(&pod.metadata)).map(delete));
            kept.retain(|pod| pod.active());
            kept.sort_by_key(|pod| (pod.node().is_none(), pod.metadata.creation_timestamp.clone()));
            let has_pod = self.on(node).next().is_some();
            match wanted {
                Wanted::Yes if !has_pod => {
                    let pod = Arc::new(objects::pod(self, metadata::name(&node.metadata)));
                    writes.push(Write::create(Kind::Pod, metadata::namespace(self.meta), pod));
                }
                Wanted::Yes | Wanted::Stay => writes.extend(kept.into_iter().skip(1).map(delete)),
                Wanted::No => writes.extend(kept.into_iter().map(delete)),
            }
        }
        let names: std::collections::BTreeSet<&str> =
            nodes.iter().map(|(node, _)| metadata::name(&node.metadata)).collect();
        let lost = self.pods.iter().filter(|(node, _)| !names.contains(**node)).flat_map(|(_, pods)| pods);
        writes.extend(lost.filter(|pod| pod.active() && pod.node().is_none()).map(|pod| delete(pod)));
        writes
    }

    /// Rolling update: deletes outdated pods, within `maxUnavailable`.
    fn update(&self, nodes: &[(&Node, Wanted)]) -> Vec<Write> {
        let strategy = self.spec.update_strategy.as_ref();
        if strategy.and_then(|strategy| strategy.type_.as_deref()) == Some("OnDelete") {
            return Vec::new();
        }
        let wanted: Vec<&Node> =
            nodes.iter().filter(|(_, wanted)| *wanted == Wanted::Yes).map(|(node, _)| *node).collect();
        let total = i32::try_from(wanted.len()).unwrap_or(i32::MAX);
        let bound = strategy.and_then(|strategy| strategy.rolling_update.as_ref()?.max_unavailable.as_ref());
        let bound = bound.map_or(1, |bound| percent::resolve(bound, total, percent::Round::Up)).max(1);
        let missing = wanted.iter().filter(|node| !self.on(node).any(|pod| self.available(pod))).count();
        let mut budget = usize::try_from(bound).unwrap_or(1).saturating_sub(missing);
        let mut writes = Vec::new();
        for pod in wanted.iter().flat_map(|node| self.on(node)).filter(|pod| pod.active() && !self.is_updated(pod)) {
            // The deletion of a pod that is not available does not reduce availability.
            if self.available(pod) {
                if budget == 0 {
                    continue;
                }
                budget -= 1;
            }
            writes.push(Write::delete(Kind::Pod, &pod.metadata));
        }
        writes
    }

    fn is_updated(&self, pod: &Pod) -> bool {
        metadata::label(&pod.metadata, REVISION) == Some(&self.revision)
    }

    fn available(&self, pod: &Pod) -> bool {
        pod.active() && pod.ready() && self.until_available(pod).is_none()
    }

    /// Returns the remaining time until the pod is available; `None` if the pod is available or not ready.
    fn until_available(&self, pod: &Pod) -> Option<SignedDuration> {
        let wanted = SignedDuration::from_secs(i64::from(self.spec.min_ready_seconds.unwrap_or(0)));
        let left = wanted - self.now.duration_since(pod.ready_since()?.0);
        Some(left).filter(|left| left.is_positive() && !wanted.is_zero())
    }

    fn status(&self, nodes: &[(&Node, Wanted)]) -> DaemonSetStatus {
        let mut status = DaemonSetStatus { observed_generation: self.meta.generation, ..DaemonSetStatus::default() };
        let (mut updated, mut available) = (0, 0);
        for (node, wanted) in nodes {
            let mut running = self.on(node).filter(|pod| pod.active()).peekable();
            let runs = i32::from(running.peek().is_some());
            if *wanted != Wanted::Yes {
                status.number_misscheduled += runs;
                continue;
            }
            status.desired_number_scheduled += 1;
            status.current_number_scheduled += runs;
            // The oldest pod of a node counts, because `manage` keeps the oldest pod, except that an unbound pod never
            // replaces a bound pod.
            if let Some(pod) = running.min_by_key(|pod| pod.metadata.creation_timestamp.clone()) {
                status.number_ready += i32::from(pod.ready());
                available += i32::from(self.available(pod));
                updated += i32::from(self.is_updated(pod));
            }
        }
        status.updated_number_scheduled = Some(updated);
        status.number_available = Some(available);
        status.number_unavailable = Some(status.desired_number_scheduled - available);
        status
    }
}

/// Compares two statuses. An absent count equals 0.
fn same(a: &DaemonSetStatus, b: Option<&DaemonSetStatus>) -> bool {
    let numbers = |status: &DaemonSetStatus| {
        let always = [
            status.desired_number_scheduled,
            status.current_number_scheduled,
            status.number_misscheduled,
            status.number_ready,
        ];
        let sometimes = [status.updated_number_scheduled, status.number_available, status.number_unavailable];
        (always, sometimes.map(|count| count.unwrap_or(0)), status.observed_generation)
    };
    b.is_some_and(|b| numbers(a) == numbers(b))
}
