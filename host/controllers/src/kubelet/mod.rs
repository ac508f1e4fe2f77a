//! The simulated kubelets: start a bound pod, restart its containers, finish the pod after its run time, and remove a pod
//! that is being deleted. A kubelet that is stopped does none of this.

mod addresses;
mod behavior;
mod containers;
mod nodes;
mod status;
mod stopping;

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1 as core;

use super::cluster::{Change, Cluster};
use super::kinds::{Kind, Typed};
use super::metadata::{self, Key};
use super::node::{KubeletState, Node};
use super::options::Options;
use super::pod::Pod;
use super::write::{Guard, Plan, Write};
use addresses::Addresses;
use behavior::Behavior;
pub use behavior::{EXIT_CODE, READY_SECONDS, RESTARTS, RUN_SECONDS, START_SECONDS};
use containers::Containers;
pub use nodes::Nodes;
use status::Hosts;
pub use status::NODE_NOT_READY;
pub use stopping::STOP_SECONDS;

/// The exit code of a container that was stopped with SIGTERM.
const TERMINATED: i32 = 143;

/// The kubelets of all nodes.
#[derive(Debug)]
pub struct Kubelet {
    addresses: Addresses,
    job_run: Duration,
    /// What the kubelets know about their nodes.
    pub nodes: Nodes,
}

impl Kubelet {
    /// Returns the kubelets of a cluster. `now` selects the first pod address.
    pub fn new(options: &Options, now: Timestamp) -> Self {
        Kubelet { addresses: Addresses::from_clock(now), job_run: options.job_run, nodes: Nodes::default() }
    }

    /// Takes note of a change of a node.
    pub fn observe(&mut self, cluster: &Cluster, change: &Change, now: Timestamp) {
        let before = change.before.as_ref().and_then(Node::of);
        let after = cluster.object(change.kind, &change.key).and_then(Node::of);
        self.nodes.observe(change.key.name(), before, after, now);
    }

    /// Returns true if the kubelet may have work on the pod in this state, or if the pod's node does not exist.
    pub fn concerns(cluster: &Cluster, pod: &Pod) -> bool {
        let Some(node) = pod.node() else { return false };
        !pod.terminal() || metadata::deleting(&pod.metadata) || cluster.get::<Node>(&Key::new("", node)).is_none()
    }

    /// Returns the plan for one pod.
    pub fn plan(&self, cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
        let Some(pod) = cluster.get::<Pod>(key) else { return Plan::none() };
        let Some(node_name) = pod.node() else { return Plan::none() };
        let Some(node) = cluster.get::<Node>(&Key::new("", node_name)) else { return collect(pod, node_name, now) };
        let is_deleting = metadata::deleting(&pod.metadata);
        if node.kubelet() == KubeletState::Stopped {
            // The garbage collection of pods deletes the terminating pods of a node that an administrator has declared
            // dead.
            let is_lost = is_deleting && node.is_out_of_service();
            return Plan::of(is_lost.then(|| Write::delete_now(Kind::Pod, &pod.metadata)));
        }
        if is_deleting {
            return stop(pod, now);
        }
        let behavior = || Behavior::of(pod, self.job_run);
        match pod.phase() {
            "Pending" | "Unknown" => self.start(pod, node, &behavior(), now),
            "Running" => run(pod, &behavior(), now),
            _ => Plan::none(),
        }
    }

    /// Accepts a bound pod, and starts its containers after their start time.
    fn start(&self, pod: &Pod, node: &Node, behavior: &Behavior, now: Timestamp) -> Plan {
        let host = addresses::of_node(node);
        let accepted = pod.status.start_time.as_ref().map(|time| time.0);
        let passed = Duration::try_from(now.duration_since(accepted.unwrap_or(now))).unwrap_or_default();
        let left = behavior.start.saturating_sub(passed);
        let status = match accepted {
            Some(_) if !left.is_zero() => return Plan::later(left),
            None if !left.is_zero() => status::starting(pod, host, now),
            _ => {
                let own = if pod.spec.host_network { host } else { self.addresses.next() };
                status::running(pod, Hosts { pod: own, node: host }, behavior.ready.is_zero(), now)
            }
        };
        Plan::of([Write::status_merged(Kind::Pod, &pod.metadata, status)])
    }
}

/// Restarts the containers of a running pod, and finishes the pod when all its containers have ended.
fn run(pod: &Pod, behavior: &Behavior, now: Timestamp) -> Plan {
    let containers = Containers::at(pod, behavior, now);
    let was_lost = pod.condition("Ready").is_some_and(|ready| ready.reason.as_deref() == Some(NODE_NOT_READY));
    let status = if containers.have_ended() {
        status::ended(pod, &containers.statuses, now)
    } else if containers.changed || was_lost {
        status::changed(pod, &containers.statuses, now)
    } else {
        return Plan { writes: Vec::new(), rerun_after: containers.next };
    };
    Plan::of([Write::status_merged(Kind::Pod, &pod.metadata, status)])
}

/// Stops a pod that is being deleted: waits until its containers have stopped. If finalizers keep the pod, then writes the
/// final status. Then deletes the pod without a grace period.
fn stop(pod: &Pod, now: Timestamp) -> Plan {
    let meta = &pod.metadata;
    let left = stopping::left(pod, now);
    if !left.is_zero() {
        return Plan::later(left);
    }
    let has_finalizers = meta.finalizers.as_deref().is_some_and(|finalizers| !finalizers.is_empty());
    if has_finalizers && !pod.terminal() {
        return Plan::of([final_status(pod, now)]);
    }
    // A pod with grace period 0 that still exists waits only for its finalizers.
    if meta.deletion_grace_period_seconds == Some(0) && has_finalizers {
        return Plan::none();
    }
    Plan::of([Write::delete_now(Kind::Pod, meta)])
}

/// Writes the status of a pod whose containers were stopped.
fn final_status(pod: &Pod, now: Timestamp) -> Write {
    let statuses = status::all_stopped(pod, TERMINATED, now);
    Write::status_merged(Kind::Pod, &pod.metadata, status::ended(pod, &statuses, now))
}

/// Pod garbage collection: deletes a pod whose node does not exist, after the API server confirms that the node does
/// not exist. If finalizers keep the pod, first writes the final status, and sends the deletion only once.
fn collect(pod: &Pod, node: &str, now: Timestamp) -> Plan {
    let node = Guard::Object(Kind::Node, Key::new("", node), None);
    let has_finalizers = pod.metadata.finalizers.as_deref().is_some_and(|finalizers| !finalizers.is_empty());
    if has_finalizers && !pod.terminal() {
        return Plan::of([final_status(pod, now).unless([node])]);
    }
    let deleted = has_finalizers && pod.metadata.deletion_grace_period_seconds == Some(0);
    Plan::of((!deleted).then(|| Write::delete_now(Kind::Pod, &pod.metadata).unless([node])))
}

/// Returns the node's address of this type, such as `InternalIP`.
fn address_of<'a>(addresses: &'a [core::NodeAddress], type_: &str) -> Option<&'a str> {
    addresses.iter().find(|address| address.type_ == type_).map(|address| address.address.as_str())
}
