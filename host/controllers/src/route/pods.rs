//! Maps changes of pods, and changes that pods wait for, to tasks.

use super::super::cluster::{Change, Cluster};
use super::super::controller::{Controller, Task};
use super::super::kinds::{Kind, Object, Typed};
use super::super::kubelet::Kubelet;
use super::super::metadata::{self, Key};
use super::super::pod::Pod;
use super::super::{job, pod_claims, resource_claim, taint_eviction};
use super::{for_adopters, for_all};

/// Adds the tasks after a pod was added, changed or deleted.
pub fn changed(cluster: &Cluster, change: &Change, after: Option<&Object>, add: &mut impl FnMut(Task)) {
    for_all(cluster, Kind::PodDisruptionBudget, change.key.namespace(), add);
    for_adopters(cluster, change, after, add);
    let after = after.and_then(Pod::of);
    if let Some(pod) = after {
        let own = [
            (Controller::Kubelet, Kubelet::concerns(cluster, pod)),
            (Controller::TaintEviction, taint_eviction::concerns(cluster, pod)),
            (Controller::PodClaims, pod_claims::concerns(pod)),
            (Controller::JobOrphan, job::is_orphan(cluster, pod)),
        ];
        own.into_iter()
            .filter(|(_, concerned)| *concerned)
            .for_each(|(controller, _)| add(controller.task(change.key.clone())));
    }
    let before = change.before.as_ref().and_then(Pod::of);
    if let Some(pod) = after.or(before).filter(|pod| after.is_none() || resource_claim::is_done(pod)) {
        ended(cluster, change.key.namespace(), pod, add);
    }
}

/// Adds the tasks of the claims of a pod that is finished or deleted.
fn ended(cluster: &Cluster, namespace: &str, pod: &Pod, add: &mut impl FnMut(Task)) {
    for claim in pod.claims().map(|name| Key::new(namespace, &name)) {
        if cluster.object(Kind::PersistentVolumeClaim, &claim).is_some_and(|object| metadata::deleting(object.meta())) {
            add(Controller::VolumeClaim.task(claim));
        }
    }
    let named = pod.spec.resource_claims.iter().filter_map(|claim| claim.resource_claim_name.as_deref());
    let created = pod.status.resource_claim_statuses.iter().filter_map(|status| status.resource_claim_name.as_deref());
    named.chain(created).for_each(|name| add(Controller::ResourceClaim.task(Key::new(namespace, name))));
}

/// Adds the tasks of the pods in the namespace that may wait for a claim template.
pub fn template_changed(cluster: &Cluster, namespace: &str, add: &mut impl FnMut(Task)) {
    let waiting = cluster.within::<Pod>(namespace).filter(|(_, pod)| pod_claims::concerns(pod));
    waiting.for_each(|(key, _)| add(Controller::PodClaims.task(key.clone())));
}

/// Adds the tasks that remove the tracking finalizers of a deleted Job's pods.
pub fn job_gone(cluster: &Cluster, change: &Change, add: &mut impl FnMut(Task)) {
    let Some(job) = &change.before else { return };
    let pods = cluster.dependents(metadata::uid(job.meta())).filter(|(kind, _, _)| *kind == Kind::Pod);
    pods.for_each(|(_, key, _)| add(Controller::JobOrphan.task(key.clone())));
}
