//! The Job controller: runs pods until enough have succeeded or too many have failed.
//!
//! Each finished pod is counted exactly once, whatever the order of the writes. The pod has a finalizer. First, the
//! controller adds the pod's UID to `status.uncountedTerminatedPods`. Then the controller removes the finalizer. Then
//! the controller removes the UID and increases the count. The UID of a succeeded pod of an indexed Job is not added,
//! because `status.completedIndexes` has the pod's index.

mod indexes;
mod outcome;
mod tally;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::batch::v1::{Job, JobSpec, JobStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::pod::Pod;
use super::template;
use super::write::{Plan, Write, owner_reference};
pub use indexes::Indexes;
pub use outcome::finished;
use tally::Tally;

/// The finalizer that keeps a pod until the Job has counted it.
const TRACKING: &str = "batch.kubernetes.io/job-tracking";
/// The annotation and label with a pod's completion index.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// The maximum number of writes in one plan, not counting the status write.
const BURST: usize = 500;

/// A Job with its pods.
struct Run<'a> {
    meta: &'a ObjectMeta,
    spec: &'a JobSpec,
    status: JobStatus,
    reference: OwnerReference,
    pods: Vec<&'a Pod>,
    now: Timestamp,
}

/// Returns the plan for the Job with this key.
pub fn plan(cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
    let Some(job) = cluster.get::<Job>(key) else { return Plan::none() };
    let Some(spec) = &job.spec else { return Plan::none() };
    let meta = &job.metadata;
    let run = Run {
        meta,
        spec,
        status: job.status.clone().unwrap_or_default(),
        reference: owner_reference("batch/v1", Kind::Job, meta),
        pods: cluster.controlled::<Pod>(metadata::uid(meta)).collect(),
        now,
    };
    let mut plan = if metadata::deleting(meta) || outcome::finished(&run.status).is_some() {
        run.release_pods()
    } else {
        run.reconcile()
    };
    plan.writes.truncate(BURST + 1);
    plan
}

impl Run<'_> {
    /// Removes the finalizers of the pods of a finished or deleted Job, and deletes the Job after
    /// `ttlSecondsAfterFinished`.
    fn release_pods(&self) -> Plan {
        let tracked = self.pods.iter().filter(|pod| metadata::has_finalizer(&pod.metadata, TRACKING));
        let mut plan = Plan::of(tracked.map(|pod| Write::release(Kind::Pod, &pod.metadata, TRACKING)));
        if metadata::deleting(self.meta) {
            return plan;
        }
        let ended = outcome::finished(&self.status).and_then(|condition| condition.last_transition_time.clone());
        if let (Some(ttl), Some(ended)) = (self.spec.ttl_seconds_after_finished, ended) {
            let ttl = Duration::from_secs(u64::try_from(ttl).unwrap_or(0));
            let since = Duration::try_from(self.now.duration_since(ended.0)).unwrap_or_default();
            match ttl.checked_sub(since).filter(|left| !left.is_zero()) {
                Some(left) => plan.rerun_in(left),
                None => plan.writes.push(Write::delete(Kind::Job, self.meta)),
            }
        }
        plan
    }

    fn reconcile(&self) -> Plan {
        let tally = Tally::of(self);
        let mut plan = Plan::of(tally.releases(self));
        let verdict = outcome::verdict(self, &tally, &mut plan);
        let active: Vec<&Pod> = self.pods.iter().copied().filter(|pod| pod.active()).collect();
        let suspended = self.spec.suspend == Some(true);
        if verdict.is_some() || suspended {
            plan.writes.extend(active.iter().map(|pod| Write::delete(Kind::Pod, &pod.metadata)));
        } else {
            self.scale(&tally, &active, &mut plan.writes);
        }
        let status = outcome::status(self, &tally, verdict);
        if !outcome::same(&status, &self.status) {
            // The status write goes first, so that the truncation in `plan` keeps it.
            plan.writes.insert(0, Write::status(Kind::Job, self.meta, with_nulls(&status)));
        }
        plan
    }

    /// Scales the active pods to the Job's parallelism.
    fn scale(&self, tally: &Tally, active: &[&Pod], writes: &mut Vec<Write>) {
        let parallelism = usize::try_from(self.spec.parallelism.unwrap_or(1)).unwrap_or(0);
        let wanted = match self.spec.completions {
            Some(completions) => parallelism.min(usize::try_from(completions - tally.succeeded()).unwrap_or(0)),
            // Without `completions`, one success completes the work: running pods finish, and no new pod starts.
            None if tally.succeeded() > 0 => active.len().min(parallelism),
            None => parallelism,
        };
        let surplus = active.len().saturating_sub(wanted);
        let mut dispensable = active.to_vec();
        dispensable.sort_by_key(|pod| (pod.node().is_some(), pod.ready()));
        writes.extend(dispensable.into_iter().take(surplus).map(|pod| Write::delete(Kind::Pod, &pod.metadata)));
        let missing = wanted.saturating_sub(active.len()).min(BURST);
        let namespace = metadata::namespace(self.meta);
        if self.indexed() {
            let used = Indexes::of_pods(active);
            let free =
                (0..self.spec.completions.unwrap_or(0)).filter(|index| !used.has(*index) && !tally.indexes.has(*index));
            writes.extend(free.take(missing).map(|index| Write::create(Kind::Pod, namespace, self.pod(Some(index)))));
        } else {
            let create = Write::create(Kind::Pod, namespace, Arc::new(self.pod(None)));
            writes.extend(std::iter::repeat_n(create, missing));
        }
    }

    fn indexed(&self) -> bool {
        self.spec.completion_mode.as_deref() == Some("Indexed")
    }

    fn pod(&self, index: Option<i32>) -> Value {
        let (name, uid) = (metadata::name(self.meta), metadata::uid(self.meta));
        let mut pod = template::pod(&self.spec.template, &self.reference);
        let meta = &mut pod["metadata"];
        meta["generateName"] = json!(format!("{name}-"));
        for (label, value) in [("job-name", name), ("controller-uid", uid)] {
            meta["labels"][label] = json!(value);
            meta["labels"][format!("batch.kubernetes.io/{label}")] = json!(value);
        }
        let finalizers = meta["finalizers"].as_array_mut();
        finalizers.into_iter().for_each(|list| list.push(json!(TRACKING)));
        if let Some(index) = index {
            meta["generateName"] = json!(format!("{name}-{index}-"));
            meta["labels"][INDEX] = json!(index.to_string());
            meta["annotations"][INDEX] = json!(index.to_string());
            pod["spec"]["hostname"] = json!(format!("{name}-{index}"));
        }
        pod
    }
}

/// Returns the status as a merge patch, with null for absent fields.
fn with_nulls(status: &JobStatus) -> Value {
    let mut value = json!(status);
    for field in ["startTime", "completionTime", "completedIndexes"] {
        value.as_object_mut().map(|fields| fields.entry(field).or_insert(Value::Null));
    }
    for list in ["succeeded", "failed"] {
        value["uncountedTerminatedPods"].as_object_mut().map(|lists| lists.entry(list).or_insert(Value::Null));
    }
    value
}

/// Returns true if the pod has the tracking finalizer, but the pod's controller is not an existing Job.
pub fn is_orphan(cluster: &Cluster, pod: &Pod) -> bool {
    let job = metadata::controller(&pod.metadata).filter(|owner| owner.kind == "Job");
    metadata::has_finalizer(&pod.metadata, TRACKING) && job.is_none_or(|job| cluster.by_uid(&job.uid).is_none())
}

/// Removes the tracking finalizer of a pod whose Job is gone.
pub fn release_orphan(cluster: &Cluster, key: &Key) -> Plan {
    let orphan = cluster.get::<Pod>(key).filter(|pod| is_orphan(cluster, pod));
    Plan::of(orphan.map(|pod| Write::release(Kind::Pod, &pod.metadata, TRACKING)))
}
