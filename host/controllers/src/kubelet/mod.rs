//! The simulated kubelets: start a bound pod, finish the pod after its run time, and remove a pod that is being
//! deleted.

mod addresses;
mod status;
mod stopping;

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1 as core;

use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::node::Node;
use super::options::Options;
use super::pod::Pod;
use super::write::{Guard, Plan, Write};
use addresses::Addresses;
pub use addresses::of_node as address_of_node;
pub use stopping::STOP_SECONDS;

/// The annotation with the number of seconds after which the pod finishes.
pub const RUN_SECONDS: &str = "sim.berth.dev/run-seconds";
/// The annotation with the exit code of the pod's containers. The pod fails if the code is not 0.
pub const EXIT_CODE: &str = "sim.berth.dev/exit-code";
/// The exit code of a container that was stopped with SIGTERM.
const TERMINATED: i32 = 143;
/// The upper limit of the run time in seconds (a century). A pod with a longer run time never finishes.
const LONGEST_RUN: f64 = 3.2e9;

/// The kubelets of all nodes.
#[derive(Debug)]
pub struct Kubelet {
    addresses: Addresses,
    job_run: Duration,
}

impl Kubelet {
    /// Returns the kubelets of a cluster. `now` selects the first pod address.
    pub fn new(options: &Options, now: Timestamp) -> Self {
        Kubelet { addresses: Addresses::from_clock(now), job_run: options.job_run }
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
        if metadata::deleting(&pod.metadata) {
            return stop(pod, now);
        }
        match pod.phase() {
            "Pending" | "Unknown" => {
                let host = addresses::of_node(node);
                let address = if pod.spec.host_network { host } else { self.addresses.next() };
                Plan::of([Write::status_merged(Kind::Pod, &pod.metadata, status::running(pod, address, host, now))])
            }
            "Running" => self.run(pod, now),
            _ => Plan::none(),
        }
    }

    /// Finishes a running pod after its run time.
    fn run(&self, pod: &Pod, now: Timestamp) -> Plan {
        let Some(time) = self.run_time(pod) else { return Plan::none() };
        let started = pod.status.start_time.as_ref().map_or(now, |time| time.0);
        let left = time.saturating_sub(Duration::try_from(now.duration_since(started)).unwrap_or_default());
        if !left.is_zero() {
            return Plan::later(left);
        }
        let code =
            metadata::annotation(&pod.metadata, EXIT_CODE).and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        Plan::of([Write::status_merged(Kind::Pod, &pod.metadata, status::ended(pod, code, now))])
    }

    /// Returns the run time of the pod; `None` if the pod runs until its deletion. The result is also `None` if the
    /// annotation is not a number of seconds from 0 to [`LONGEST_RUN`].
    fn run_time(&self, pod: &Pod) -> Option<Duration> {
        match metadata::annotation(&pod.metadata, RUN_SECONDS) {
            Some(text) => seconds_of(text),
            None => metadata::controller(&pod.metadata).filter(|owner| owner.kind == "Job").map(|_| self.job_run),
        }
    }
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
        return Plan::of([Write::status_merged(Kind::Pod, meta, status::ended(pod, TERMINATED, now))]);
    }
    // A pod with grace period 0 that still exists waits only for its finalizers.
    if meta.deletion_grace_period_seconds == Some(0) && has_finalizers {
        return Plan::none();
    }
    Plan::of([Write::delete_now(Kind::Pod, meta)])
}

/// Returns the duration that an annotation has as a number of seconds; `None` if it is no number from 0 to [`LONGEST_RUN`].
fn seconds_of(text: &str) -> Option<Duration> {
    let seconds = text.trim().parse::<f64>().ok().filter(|seconds| (0.0..LONGEST_RUN).contains(seconds))?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Pod garbage collection: deletes a pod whose node does not exist, after the API server confirms that the node does
/// not exist. If finalizers keep the pod, first writes the final status, and sends the deletion only once.
fn collect(pod: &Pod, node: &str, now: Timestamp) -> Plan {
    let node = Guard::Object(Kind::Node, Key::new("", node), None);
    let has_finalizers = pod.metadata.finalizers.as_deref().is_some_and(|finalizers| !finalizers.is_empty());
    if has_finalizers && !pod.terminal() {
        let status = status::ended(pod, TERMINATED, now);
        return Plan::of([Write::status_merged(Kind::Pod, &pod.metadata, status).unless([node])]);
    }
    let deleted = has_finalizers && pod.metadata.deletion_grace_period_seconds == Some(0);
    Plan::of((!deleted).then(|| Write::delete_now(Kind::Pod, &pod.metadata).unless([node])))
}

/// Returns the node's address of this type, such as `InternalIP`.
fn address_of<'a>(addresses: &'a [core::NodeAddress], type_: &str) -> Option<&'a str> {
    addresses.iter().find(|address| address.type_ == type_).map(|address| address.address.as_str())
}
