//! Node leases: renews the lease of each node whose kubelet runs, with renewals distributed evenly over the interval.

mod schedule;

use std::sync::Arc;
use std::time::Duration;

use berth_clock::Clock;
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::core::ApiResource;
use kube::core::params::DeleteParams;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::store::{Error, Store, Strategy, Target};
pub use schedule::Schedule;

/// The label of the leases of simulated kubelets.
pub const SIMULATED: &str = "sim.berth.dev/simulated";
/// The namespace of the leases.
pub const NAMESPACE: &str = "kube-node-lease";
/// A renewal starts only while fewer than this number of renewals and deletions are in progress.
const CONCURRENCY: usize = 8;
/// The duration of a lease, in renewal intervals. The lease does not expire if up to three renewals in a row fail.
const INTERVALS: u32 = 4;

/// A change of the nodes, for the lease task.
#[derive(Debug)]
pub enum NodeChange {
    /// The node with this name and UID was added, or its kubelet runs again.
    Added(String, String),
    /// The kubelet of the node with this name is stopped.
    Stopped(String),
    /// The node with this name was removed.
    Removed(String),
}

/// Renews the leases of the nodes that `changes` reports, at most `rate` leases per second. Deletes the leases of
/// removed nodes. Ends when the sender of `changes` is dropped.
pub async fn run(
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    rate: u32,
    mut changes: mpsc::UnboundedReceiver<NodeChange>,
) {
    let mut schedule = Schedule::new(rate);
    let mut writes = JoinSet::new();
    loop {
        while writes.len() < CONCURRENCY
            && let Some((node, uid)) = schedule.next(clock.instant())
        {
            writes.spawn(renew(store.clone(), node, uid, schedule.interval(), clock.timestamp()));
        }
        let now = clock.instant();
        let due = schedule.due(now).filter(|_| writes.len() < CONCURRENCY);
        let timer = clock.sleep_in_background_until(due.unwrap_or(now));
        tokio::select! {
            biased;
            change = changes.recv() => match change {
                Some(NodeChange::Added(node, uid)) => schedule.add(node, uid),
                Some(NodeChange::Stopped(node)) => schedule.remove(&node),
                Some(NodeChange::Removed(node)) => {
                    schedule.remove(&node);
                    writes.spawn(release(store.clone(), node));
                }
                None => return,
            },
            Some(_) = writes.join_next() => {}
            () = timer, if due.is_some() => {}
        }
    }
}

/// Renews or creates a node's lease. If the namespace of the leases is missing, creates the namespace instead of the
/// lease. A failure is only logged, because the next renewal tries again.
async fn renew(store: Arc<dyn Store>, node: String, uid: String, interval: Duration, now: Timestamp) {
    let seconds = (interval * INTERVALS).as_secs();
    let spec = LeaseSpec {
        holder_identity: Some(node.clone()),
        lease_duration_seconds: i32::try_from(seconds).ok(),
        renew_time: Some(MicroTime(now)),
        ..LeaseSpec::default()
    };
    let labels = json!({ SIMULATED: "true" });
    let patch = json!({ "metadata": { "labels": labels }, "spec": spec });
    let renewed = store.patch(lease(&node), "", Strategy::Merge, &patch).await;
    if !is_missing(&renewed) {
        return report(&node, renewed);
    }
    let owner = json!({ "apiVersion": "v1", "kind": "Node", "name": node, "uid": uid });
    let metadata = json!({ "name": node, "labels": labels, "ownerReferences": [owner] });
    let object = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec,
    });
    let created = store.create(lease(""), &object).await;
    if is_missing(&created) {
        let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
        let resource = ApiResource::erase::<Namespace>(&());
        let namespaces = Target { resource, namespace: String::new(), name: String::new() };
        return report(&node, store.create(namespaces, &object).await);
    }
    report(&node, created);
}

/// Deletes the lease of a removed node.
async fn release(store: Arc<dyn Store>, node: String) {
    let deleted = store.delete(lease(&node), &DeleteParams::default()).await;
    if !is_missing(&deleted) {
        report(&node, deleted);
    }
}

/// Returns the lease of this node, or the collection of leases if `node` is empty.
fn lease(node: &str) -> Target {
    let resource = ApiResource::erase::<Lease>(&());
    Target { resource, namespace: NAMESPACE.to_owned(), name: node.to_owned() }
}

fn is_missing(result: &Result<String, Error>) -> bool {
    result.as_ref().is_err_and(Error::is_missing)
}

fn report(node: &str, result: Result<String, Error>) {
    if let Err(error) = result {
        tracing::debug!(node, %error, "renewing the node's Lease failed");
    }
}
