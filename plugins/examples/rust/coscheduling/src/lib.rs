//! Coscheduling: schedules the pods of a PodGroup together or not at all. A port of the plugin of the same name from
//! `sigs.k8s.io/scheduler-plugins`. The README lists the differences.
//!
//! - [`queue`] orders the queue so that the pods of a group follow each other, and admits complete groups only.
//! - [`resources`] checks `spec.minResources` before nodes are filtered.
//! - [`permit`] makes pods wait until enough pods of their group have a node, and rejects the group after a failure.
//! - [`groups`] is the index of the groups and their members.

mod args;
mod groups;
mod hints;
mod permit;
mod pod_group;
mod queue;
mod resources;
mod time;

pub use args::Args;
pub use groups::Groups;

/// The label that names a pod's group.
const LABEL: &str = "scheduling.x-k8s.io/pod-group";

berth_guest::pod_label! {
    /// The name of the pod's PodGroup, in the pod's namespace.
    pub GroupName = LABEL
}

berth_guest::plugin!(
    name: "Coscheduling",
    args: Args,
    schema: "arguments.schema.json",
    index: Groups,
    skip: queue::skip,
    pre_enqueue: queue::pre_enqueue,
    queue_sort: queue::queue_sort,
    pre_filter: resources::pre_filter,
    post_filter: permit::post_filter,
    reserve: permit::reserve,
    unreserve: permit::unreserve,
    permit: permit::permit,
    queueing_hint: hints::queueing_hint,
    retry_on: hints::retry_on(),
);

#[cfg(test)]
mod tests;
