//! The kubelets' stand-in: a bound pod runs, ends if it is to end, and is removed when it is deleted.

mod addresses;
mod status;

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1 as core;

use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::node::Node;
use super::options::{Deletion, Options};
use super::pod::Pod;
use super::write::{Guard, Plan, Write};
use addresses::Addresses;

/// For how many seconds the pod runs; it ends after them.
pub const RUN_SECONDS: &str = "sim.berth.dev/run-seconds";
/// The exit code of its containers: other than 0, the pod fails.
pub const EXIT_CODE: &str = "sim.berth.dev/exit-code";
/// The exit code of a container that was told to stop.
const TERMINATED: i32 = 143;
/// A run longer than this is as good as one that never ends: a century.
const LONGEST_RUN: f64 = 3.2e9;

/// All nodes' kubelets.
#[derive(Debug)]
pub struct Kubelet {
    addresses: Addresses,
    deletion: Deletion,
    job_run: Duration,
}

impl Kubelet {
    /// The kubelets of a cluster, from this time on.
    pub fn new(options: &Options, now: Timestamp) -> Self {
        Kubelet { addresses: Addresses::from_clock(now), deletion: options.deletion, job_run: options.job_run }
    }

    /// Whether a pod in this state can give its node's kubelet, if there is one, work.
    pub fn concerns(cluster: &Cluster, pod: &Pod) -> bool {
        let Some(node) = pod.node() else { return false };
        !pod.terminal() || metadata::deleting(&pod.metadata) || cluster.get::<Node>(&Key::new("", node)).is_none()
    }

    /// What one pod needs.
    pub fn plan(&self, cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
        let Some(pod) = cluster.get::<Pod>(key) else { return Plan::none() };
        let Some(node_name) = pod.node() else { return Plan::none() };
        let Some(node) = cluster.get::<Node>(&Key::new("", node_name)) else { return collect(pod, node_name, now) };
        if metadata::deleting(&pod.metadata) {
            return self.stop(pod, now);
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

    /// A running pod ends once its time is over.
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

    /// How long the pod runs; nothing if it runs until it is deleted, as it also does where the annotation is no number.
    fn run_time(&self, pod: &Pod) -> Option<Duration> {
        match metadata::annotation(&pod.metadata, RUN_SECONDS) {
            Some(text) => {
                let seconds = text.trim().parse::<f64>().ok().filter(|seconds| (0.0..LONGEST_RUN).contains(seconds))?;
                Duration::try_from_secs_f64(seconds).ok()
            }
            None => metadata::controller(&pod.metadata).filter(|owner| owner.kind == "Job").map(|_| self.job_run),
        }
    }

    /// A deleted pod stops, says so if somebody waits for that, and goes.
    fn stop(&self, pod: &Pod, now: Timestamp) -> Plan {
        let meta = &pod.metadata;
        if let (Deletion::AfterGrace, Some(until)) = (self.deletion, &meta.deletion_timestamp) {
            let left = Duration::try_from(until.0.duration_since(now)).unwrap_or_default();
            if !left.is_zero() {
                return Plan::later(left);
            }
        }
        let held = meta.finalizers.as_deref().is_some_and(|finalizers| !finalizers.is_empty());
        if held && !pod.terminal() {
            return Plan::of([Write::status_merged(Kind::Pod, meta, status::ended(pod, TERMINATED, now))]);
        }
        // A pod without grace that is still here waits for its finalizers only.
        if meta.deletion_grace_period_seconds == Some(0) && held {
            return Plan::none();
        }
        Plan::of([Write::delete_now(Kind::Pod, meta)])
    }
}

/// Pod garbage collection: a pod of a node that isn't there goes, once the API server has confirmed that.
/// What finalizers hold is deleted only once.
fn collect(pod: &Pod, node: &str, now: Timestamp) -> Plan {
    let node = Guard::Object(Kind::Node, Key::new("", node), None);
    let held = pod.metadata.finalizers.as_deref().is_some_and(|finalizers| !finalizers.is_empty());
    if held && !pod.terminal() {
        let status = status::ended(pod, TERMINATED, now);
        return Plan::of([Write::status_merged(Kind::Pod, &pod.metadata, status).unless([node])]);
    }
    let deleted = held && pod.metadata.deletion_grace_period_seconds == Some(0);
    Plan::of((!deleted).then(|| Write::delete_now(Kind::Pod, &pod.metadata).unless([node])))
}

/// The address of a kind that a node has, such as `InternalIP`.
fn address_of<'a>(addresses: &'a [core::NodeAddress], type_: &str) -> Option<&'a str> {
    addresses.iter().find(|held| held.type_ == type_).map(|held| held.address.as_str())
}
