//! CapacityScheduling: shares the resources of a cluster between namespaces by ElasticQuotas, as the plugin of this name
//! in scheduler-plugins does.
//!
//! A namespace may use more than the min of its ElasticQuota while other namespaces use less than theirs. A pod of a
//! namespace that is within its min preempts pods of namespaces that are over their min. Reads the pod's namespace,
//! priority, requests, nominated node and scheduler name; name, namespace, labels, priority, start time, requests and
//! deletion of the pods on nodes; the nominated pods; ElasticQuotas and PodDisruptionBudgets.

mod amounts;
mod capacity;
mod quotas;
mod rules;
mod usage;

use berth_guest::post_filter::{PostFilter, Rejected};
use berth_guest::prelude::*;
use berth_guest::{ClusterEvent, EventActions};
use berth_preemption::Preemptor;
use capacity::{Capacity, PendingPod};
use rules::QuotaRules;

fn pre_filter(
    namespace: &pod::Namespace,
    priority: &pod::Priority,
    requests: &pod::Requests,
    nominated: &pod::NominatedNode,
    capacity: &Capacity,
) -> Result<PreFilter, String> {
    let Some(quota) = capacity.quotas.of(namespace) else { return Ok(PreFilter::All) };
    let demand = capacity.demand(&PendingPod::new(namespace, priority, requests, nominated));
    if quota.is_over_max_with(&demand.of_namespace, capacity.usage.of(namespace)) {
        let namespace = &**namespace;
        return Err(format!("Pod is rejected in PreFilter because ElasticQuota {namespace} is more than Max"));
    }
    let totals = capacity.totals();
    if totals.are_exceeded(&demand.of_all, &totals.used) {
        return Err("Pod is rejected in PreFilter because total ElasticQuota used is more than min".to_owned());
    }
    Ok(PreFilter::All)
}

#[allow(clippy::too_many_arguments, reason = "a fact each")]
fn post_filter(
    rejected: &mut Rejected<'_>,
    identity: &pod::Identity,
    priority: &pod::Priority,
    requests: &pod::Requests,
    nominated: &pod::NominatedNode,
    scheduler: &pod::SchedulerName,
    capacity: &Capacity,
    time: &Time,
) -> Result<PostFilter, String> {
    let pod = PendingPod::new(&identity.namespace, priority, requests, nominated);
    let rules = QuotaRules::new(capacity, &pod, &identity.name, time.0);
    let preemptor = Preemptor { priority, nominated, scheduler };
    berth_preemption::preempt(rejected, preemptor, &capacity.cluster, &rules, time.0)
}

berth_guest::plugin!(
    name: "CapacityScheduling",
    index: Capacity,
    pre_filter: pre_filter,
    post_filter: post_filter,
    retry_on: [
        ClusterEvent::new("Pod", EventActions::DELETE),
        ClusterEvent::new(
            "scheduling.x-k8s.io/v1alpha1/ElasticQuota",
            EventActions::ADD | EventActions::UPDATE | EventActions::DELETE,
        ),
    ],
);

#[cfg(test)]
mod tests;
