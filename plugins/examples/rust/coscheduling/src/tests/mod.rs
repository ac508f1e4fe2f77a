//! Tests of the whole plugin, by extension point.

mod hints;
mod life;
mod permit;
mod queue;
mod resources;

use berth_guest::post_filter::{PostFilter, PostFilterResult};
use berth_guest::testing::{Host, PodBuilder, Rejections, node, pod};

use crate::{LABEL, Plugin};

/// The reason of a post-filter that rejects the group `default/g`.
const REJECTED: &str = "PodGroup default/g gets rejected due to Pod is unschedulable even after PostFilter";

/// Returns a host with a PodGroup `default/g` of three pods and a node `n`.
fn host() -> Host<Plugin> {
    host_with_args("{}")
}

fn host_with_args(args: &str) -> Host<Plugin> {
    let mut host = Host::with_args(args).unwrap();
    group(&mut host, r#"{"minMember": 3}"#);
    host.node(node("n"));
    host
}

/// Sets the spec of the PodGroup `default/g`.
fn group(host: &mut Host<Plugin>, spec: &str) {
    host.object("PodGroup", "default", "g", &format!(r#"{{"spec": {spec}}}"#));
}

/// Returns a pod of the group `g`.
fn member(uid: &str) -> PodBuilder {
    pod().name(uid).uid(uid).label(LABEL, "g")
}

/// Returns the reasons of the pre-enqueue; empty if the pod may enter the queue.
fn gated(host: &mut Host<Plugin>, pod: &PodBuilder) -> Vec<String> {
    host.held_back(pod).map_or(Vec::new(), |status| status.reasons)
}

/// Runs a cycle in which the pod fits no node.
fn post_filter(host: &mut Host<Plugin>, pod: &PodBuilder) -> PostFilter {
    host.verdicts(pod);
    host.post_filter(pod, Rejections::default(), |_, _| None).unwrap()
}

/// Returns the answer of a post-filter with this reason.
fn because(reason: &str) -> PostFilter {
    PostFilterResult::Unschedulable { reasons: vec![reason.to_owned()], clear: false }.into()
}
